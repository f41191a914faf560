//! What the launch scripts wait for in the logs. They read text made for people: whoever words it
//! anew finds here that they would wait in vain.

use crate::processes::launched;

const HOST: &str = include_str!("../../../deploy/lib/host.sh");
const CLUSTER_TEST: &str = include_str!("../../../deploy/cluster-test");
const FIGURES: &str = include_str!("../../../deploy/figures");

/// Each script, and what it looks for.
const SOUGHT: [(&str, &str); 4] = [
    (HOST, "/master is up|worker of [0-9]+ threads/"),
    (CLUSTER_TEST, "worker [0-9]+ of the master at "),
    (FIGURES, "\"master is up\""),
    (FIGURES, "\"of the master at\""),
];

/// `text` has `before`, a number and `after` in a row.
fn counts(text: &str, before: &str, after: &str) -> bool {
    text.match_indices(before).any(|(at, _)| {
        let rest = &text[at + before.len()..];
        let end = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        end.len() < rest.len() && end.starts_with(after)
    })
}

#[test]
fn the_scripts_find_what_they_wait_for() {
    for (script, words) in SOUGHT {
        assert!(script.contains(words), "no script looks for {words}: this test has to follow");
    }

    let (_master, mut log) = launched(&["master", "--listen", "127.0.0.1:0"]);
    let up = log.find_text(|line| line.contains("master is up"));
    let address = up.split("address=").nth(1).and_then(|rest| rest.split(' ').next());
    let address = address.expect("it says where it listens");

    let args = ["worker", "--threads", "2", "--hash", "1", "--master", address];
    let (_worker, mut log) = launched(&args);
    log.find_text(|line| counts(line, "worker of ", " threads"));
    log.find_text(|line| counts(line, "worker ", &format!(" of the master at {address}")));
}
