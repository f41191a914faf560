//! Workers that share one hash table, `--hash-shared`.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::common::{aphid, json_lines, run};
use crate::processes::{Analysis, Master, worker_with};

const POSITION: &str = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
const DEPTH: u32 = 6;

/// The name of a test's table, whose file is gone when the test is over.
struct Name {
    name: String,
    file: PathBuf,
}

impl Name {
    fn new(test: &str) -> Self {
        let name = format!("test-{}-{test}", std::process::id());
        let file = PathBuf::from(format!("/dev/shm/aphid-{name}"));
        let _ = fs::remove_file(&file);
        Self { name, file }
    }

    fn content(&self) -> Vec<u8> {
        fs::read(&self.file).expect("the table is there")
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
    }
}

/// Runs a worker that cannot start: its exit code and what it says.
fn refused(args: &[&str]) -> (Option<i32>, String) {
    let output = run(&[&["worker", "--master", "127.0.0.1:9", "--log", "off"], args].concat());
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn workers_share_a_table_that_outlives_a_killed_one() {
    let name = Name::new("share");
    let master = Master::start();
    let start = |worker: &str| worker_with(&master.address, worker, &["--hash-shared", &name.name]);
    let plain = ["analyse", "--workers", "0", "--profile", "exact", "--json", POSITION];
    let plain = json_lines(&[&plain[..], &["--depth", &DEPTH.to_string()]].concat());
    let right = |analysis: Analysis| {
        let result: Value = analysis.result();
        assert_eq!(result["score"], plain.last().expect("a line")["score"], "{result}");
    };
    let first = start("first");
    let _second = start("second");
    master.expect_workers(&["first", "second"]);
    right(Analysis::start(&master.address, POSITION, DEPTH));
    let content = name.content();
    assert!(content.starts_with(b"aphidtbl"));
    assert_eq!(content.len(), (2 << 20) + (16 << 20), "what leads up to it, and 16 MB");
    let used = |content: &[u8]| content[2 << 20..].iter().filter(|&&byte| byte != 0).count();
    let before = used(&content);
    assert!(before > 10_000, "{before} bytes used");

    first.kill();
    let _third = start("third");
    master.expect_workers(&["second", "third"]);
    assert!(used(&name.content()) >= before, "what was found out is still there");
    right(Analysis::start(&master.address, POSITION, DEPTH));
}

#[test]
fn a_file_that_is_no_table_is_refused_with_its_name_and_a_way_out() {
    let name = Name::new("foreign");
    fs::write(&name.file, "notes\n").expect("a file");
    let (code, text) = refused(&["--hash-shared", &name.name]);
    assert_eq!(code, Some(1), "{text}");
    let file = name.file.display();
    let said = text.starts_with(&format!("error: shared hash table {file}: "));
    assert!(said && text.ends_with(&format!("rm {file}\n")) && text.lines().count() == 1, "{text}");
    assert_eq!(name.content(), b"notes\n");
}

#[test]
fn a_name_that_is_none_is_refused_wherever_it_comes_from() {
    for name in ["", "a/b", "../x", "a b", &"x".repeat(65)] {
        let (code, text) = refused(&["--hash-shared", name]);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("cannot be the name of a shared hash table"), "{text}");
    }
    let mut from_environment = aphid();
    let output = from_environment.arg("worker").env("APHID_HASH_SHARED", "a/b").output();
    assert_eq!(output.expect("the binary starts").status.code(), Some(2));
}
