//! `aphid uci` with a cluster: embedded, on the network, and gone.

use std::net::TcpListener;

use crate::common::{Uci, best};

fn embedded(workers: &str) -> Uci {
    Uci::start(&["--workers", workers, "--threads", "1", "--hash", "1"])
}

#[test]
fn an_embedded_cluster_answers_every_go_once() {
    let mut uci = embedded("2");
    uci.send("position startpos moves e2e4");
    for limits in ["depth 3", "nodes 1", "movetime 1", "wtime 200 btime 200"] {
        assert_eq!(best(&uci.go(limits)).len(), 4, "{limits}");
    }
    uci.send("go infinite");
    assert!(uci.sync().iter().all(|line| !line.starts_with("bestmove")));
    uci.send("stop");
    uci.until("bestmove");
    assert!(uci.sync().is_empty());
    uci.send("ucinewgame\nsetoption name Workers value 1\nposition startpos");
    assert_eq!(best(&uci.go("depth 2")).len(), 4, "another cluster takes over");
    assert!(uci.end().is_empty());
}

#[test]
fn the_end_of_input_ends_an_embedded_cluster() {
    let mut uci = embedded("1");
    uci.send("position startpos\ngo infinite");
    let rest = uci.end();
    assert_eq!(rest.iter().filter(|line| line.starts_with("bestmove")).count(), 1, "{rest:?}");
}

#[test]
fn without_its_master_the_shim_thinks_for_itself() {
    // A port that was free a moment ago and that nobody listens on.
    let gone = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
    let mut uci = Uci::start(&["--master", &gone.expect("an address").to_string(), "--hash", "1"]);
    uci.send("position startpos");
    let lines = uci.go("depth 4");
    let reason = |line: &String| line.starts_with("info string cannot reach the master");
    assert!(lines.iter().any(reason), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("info depth 4 ")), "{lines:#?}");
    assert_eq!(best(&lines).len(), 4);
    uci.end();
}

#[test]
fn a_master_that_only_listens_does_not_cost_a_game() {
    // Connections are made, and nobody ever reads from them.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = silent.local_addr().expect("an address").to_string();
    let mut uci = Uci::start(&["--master", &address, "--hash", "1"]);
    uci.send("ucinewgame\nposition startpos");
    let lines = uci.go("wtime 2000 btime 2000");
    let reason = |line: &String| line == "info string the master has not answered in 250 ms";
    assert!(lines.iter().any(reason), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("info depth 2 ")), "{lines:#?}");
    let lines = uci.go("wtime 1000 btime 1000");
    assert!(lines.iter().any(reason), "nobody asks again meanwhile: {lines:#?}");
    uci.end();
}
