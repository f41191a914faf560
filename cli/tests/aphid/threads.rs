//! Several threads on one tree: the same values, and an account of what they do.

use serde_json::Value;

use crate::common::{json_lines, run};
use crate::processes::{Analysis, Master, worker_with};

const POSITIONS: [&str; 3] = [
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "r1bqk2r/p1pp1ppp/2p2n2/8/1b2P3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];

#[test]
fn without_a_cluster_any_number_of_threads_finds_the_exact_value() {
    for position in POSITIONS {
        let score = |threads: &str| {
            let args = ["analyse", "--workers", "0", "--profile", "exact", "--depth", "6"];
            let more = ["--threads", threads, "--hash", "4", "--json", position];
            let last = json_lines(&[&args[..], &more].concat()).pop().expect("a line");
            assert_eq!(last["certain"], true, "{last}");
            last["score"].clone()
        };
        let expected = score("1");
        for threads in ["2", "3", "8"] {
            assert_eq!(score(threads), expected, "{position}, {threads} threads");
        }
    }
}

#[test]
fn status_tells_what_each_thread_does() {
    let master = Master::start();
    let together = worker_with(&master.address, "together", &[]);
    let apart = worker_with(&master.address, "apart", &["--leaf-threads", "1"]);
    master.expect_workers(&["together", "apart"]);
    // Far deeper than anybody waits for.
    let analysis = Analysis::start(&master.address, POSITIONS[0], 60);
    let status = master.status_when(|status| {
        let workers = status["workers"].as_array().expect("an array");
        workers.iter().all(|worker| {
            let threads = worker["thread_loads"].as_array().expect("an array");
            threads.len() == 2 && threads.iter().all(|thread| thread["busy"] != 0)
        })
    });
    let worker = |name: &str| -> &Value {
        let workers = status["workers"].as_array().expect("an array");
        workers.iter().find(|worker| worker["name"] == name).expect("it is there")
    };
    assert_eq!((&worker("together")["lanes"], &worker("apart")["lanes"]), (&1.into(), &2.into()));
    assert_eq!(worker("apart")["splits"]["splits"], 0, "one thread a leaf has nobody to split for");
    master.status_when(|status| {
        let workers = status["workers"].as_array().expect("an array");
        let together = workers.iter().find(|worker| worker["name"] == "together");
        together.is_some_and(|worker| worker["splits"]["joins"] != 0)
    });
    let shown = run(&["status", "--master", &master.address]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    for part in
        ["one leaf at a time; threads busy ", "2 leaves at once; threads busy ", " splits, "]
    {
        assert!(shown.contains(part), "{part} in\n{shown}");
    }
    drop((analysis, together, apart));
}

/// Niceness of the search threads of a process.
#[cfg(target_os = "linux")]
fn niceness(pid: u32) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).expect("the process is there");
    let stats =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("stat")).ok());
    let search = stats.filter(|stat| stat.contains("(search-"));
    let nice = |stat: String| {
        // The name, in parentheses, is field 2; niceness is field 19.
        let (_, fields) = stat.rsplit_once(')')?;
        fields.split_whitespace().nth(19 - 3).map(str::to_owned)
    };
    search.filter_map(nice).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn search_threads_are_as_nice_as_told() {
    let master = Master::start();
    for (flags, expected) in [(&[][..], "19"), (&["--nice", "7"], "7")] {
        let worker = worker_with(&master.address, "polite", flags);
        master.expect_workers(&["polite"]);
        Analysis::start(&master.address, POSITIONS[0], 4).result();
        assert_eq!(niceness(worker.pid()), [expected, expected]);
        drop(worker);
        master.expect_workers(&[]);
    }
}

#[test]
fn an_unknown_splitter_is_refused_with_the_known_ones() {
    for command in ["analyse", "uci", "worker", "bench"] {
        let output = run(&[command, "--splitter", "scissors"]);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{command}: {stderr}");
        assert!(stderr.contains("scissors") && stderr.contains("dts"), "{command}: {stderr}");
    }
}
