//! Workers paused and resumed by `aphid status`, and what it says about them.

use serde_json::Value;

use crate::common::{json_lines, run, stdout};
use crate::processes::{Master, Process, worker};

fn state<'a>(status: &'a Value, name: &str) -> Option<&'a Value> {
    let workers = status["workers"].as_array()?;
    workers.iter().find(|worker| worker["name"] == name)
}

#[test]
fn workers_are_paused_and_resumed_by_name_by_number_and_all_together() {
    let master = Master::start();
    let _workers: [Process; 2] = ["kitchen", "attic"].map(|name| worker(&master.address, name));
    master.expect_workers(&["kitchen", "attic"]);
    let ask = |words: &[&str]| {
        json_lines(&[&["status", "--json", "--master", &master.address], words].concat())
    };
    let number = |name| state(&ask(&[])[0], name).map(|worker| worker["id"].to_string());
    let attic = number("attic").expect("it is there");

    let lines = ask(&["--pause", "kitchen", "--pause", &attic]);
    assert_eq!(lines.iter().filter(|line| line["type"] == "paused").count(), 2, "{lines:?}");
    let status = lines.last().expect("a line");
    for name in ["kitchen", "attic"] {
        let worker = state(status, name).expect("it is still there");
        assert_eq!(worker["state"], "paused", "{worker}");
        assert_eq!(worker["paused"], serde_json::json!(["by you"]), "{worker}");
    }
    let text = stdout(&["status", "--master", &master.address, "--resume", "kitchen"]);
    assert!(text.contains("resumed ") && text.contains("paused (by you)"), "{text}");

    // A search has the one that is left, and at once the other.
    let args = ["analyse", "--master", &master.address, "--depth", "5", "--json"];
    let workers = |lines: Vec<Value>| lines.last().map(|line| line["workers"].clone());
    assert_eq!(workers(json_lines(&args)), Some(1.into()));
    ask(&["--resume", "all"]);
    assert_eq!(workers(json_lines(&args)), Some(2.into()));

    for (words, code, part) in [
        (["--pause", "cellar"], 1, "no worker is called \"cellar\""),
        (["--resume", "99"], 1, "no worker has the number 99"),
        (["--pause", ""], 2, "1 to 64 bytes"),
    ] {
        let output = run(&[&["status", "--master", &master.address], &words[..]].concat());
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{stderr}");
        assert!(stderr.contains(part) && stderr.lines().count() == 1, "{stderr}");
    }
}
