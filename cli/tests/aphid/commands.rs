//! Help, counting, measuring, and everything that is refused.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;

use crate::common::{aphid, json_lines, run, stdout};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// A file of this test run with this text.
fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the target folder is writable");
    path
}

#[test]
fn every_command_shows_help_with_examples() {
    for command in ["analyse", "uci", "master", "worker", "perft", "bench", "status"] {
        let help = stdout(&[command, "--help"]);
        assert!(help.contains(&format!("Examples:\n  aphid {command}")), "{help}");
        assert!(stdout(&["--help"]).contains(&format!("  {command}  ")), "{command}");
    }
    assert!(stdout(&["analyse", "--help"]).contains("modern"), "what modern means is said");
    assert!(stdout(&["--version"]).starts_with("aphid "));
}

#[test]
fn perft_counts_what_everybody_counts() {
    let total = |args: &[&str]| {
        let lines = json_lines(args);
        let (last, shares) = lines.split_last().expect("a line");
        assert_eq!(last["type"], "perft");
        let sum: u64 = shares.iter().map(|share| share["nodes"].as_u64().expect("a number")).sum();
        let nodes = last["nodes"].as_u64().expect("a number");
        assert!(shares.is_empty() || sum == nodes, "the shares make up the total");
        nodes
    };
    assert_eq!(total(&["perft", "4", "--json"]), 197_281);
    assert_eq!(total(&["perft", "3", KIWIPETE, "--json"]), 97_862);
    assert_eq!(total(&["perft", "7", "--game", "othello", "--json"]), 55_092);
    assert_eq!(total(&["perft", "0", "--json"]), 1);
    assert_eq!(total(&["perft", "2", "--moves", "f2f3 e7e5 g2g4 d8h4", "--json"]), 0);
    let text = stdout(&["perft", "1", "--moves", "e2e4 e7e5"]);
    assert!(text.contains("\ng1f3: 1\n") && text.contains("nodes 29"), "{text}");
}

#[test]
#[ignore = "searches 47 million nodes: half a minute in release"]
fn bench_counts_the_same_nodes_every_time() {
    let nodes = || {
        let lines = json_lines(&["bench", "--json"]);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0]["type"], "bench");
        lines[0]["nodes"].as_u64().expect("a number")
    };
    assert_eq!(nodes(), nodes());
}

#[test]
fn what_makes_no_sense_is_refused_in_one_line() {
    let unknown_key = file("unknown.toml", "depth = 3\nthreds = 4\n");
    let no_toml = file("broken.toml", "depth = = 3\n");
    let wrong_value = file("value.toml", "profile = \"fast\"\n");
    let path = |path: &PathBuf| path.to_str().expect("a plain path").to_owned();
    let (unknown_key, no_toml, wrong_value) =
        (path(&unknown_key), path(&no_toml), path(&wrong_value));
    let table: &[(&[&str], &str)] = &[
        (&["analyse", "--moves", "e2e4 e2e4 d2d4"], "move 2"),
        (&["analyse", "--dpeth", "3"], "--dpeth"),
        (&["analyse", "--profile", "fast"], "--profile"),
        (&["analyse", "--game", "go"], "--game"),
        (&["analyse", "--master", "nowhere"], "no port"),
        (&["analyse", "--game", "othello", "a1"], "move 1"),
        (&["nonsense"], "nonsense"),
        (&["perft"], "DEPTH"),
        (&["perft", "-1"], "-1"),
        (&["perft", "3", "startpos", "extra"], "extra"),
        (&["bench", "--threads", "0"], "--threads"),
        (&["master", "--listen", "nonsense"], "nonsense"),
        (&["worker", "--master", "host:port"], "port"),
        (&["worker", "--name", ""], "name"),
        (&["status", "--master", "host:99999"], "port"),
        (&["perft", "1", "--log", "x=y=z"], "--log"),
        (&["perft", "1", "--config", "/nonexistent.toml"], "/nonexistent.toml"),
        (&["perft", "1", "--config", &unknown_key], "line 2, column 1: unknown field `threds`"),
        (&["perft", "1", "--config", &no_toml], "line 1, column"),
        (&["analyse", "--config", &wrong_value], "fast"),
    ];
    for &(args, reason) in table {
        refused(args, reason);
    }
}

/// A run that ends with exit code 2 and one line that contains `reason`.
fn refused(args: &[&str], reason: &str) {
    let output = run(args);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
    assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
    assert!(stderr.starts_with("error: ") && stderr.contains(reason), "{args:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{args:?}");
}

#[test]
fn every_part_of_a_position_is_checked() {
    let start = |rest: &str| format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR {rest}");
    let table = [
        (String::new(), "empty position"),
        ("8/8/8/8 w - -".into(), "board: 4 ranks"),
        ("rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w - -".into(), "'9' on rank 6"),
        ("8/8/8/8/8/8/8/8 w - - 0 1".into(), "white has 0 kings"),
        ("kkkkkkkk/8/8/8/8/8/8/KKKKKKKK w - -".into(), "white has 8 kings"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1".into(), "not to move is in check"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1".into(), "pawn stands on a8"),
        ("\u{e9}\u{2654}/8/8/8/8/8/8/8 w".into(), "neither piece nor gap"),
        (start("x KQkq - 0 1"), "side to move"),
        (start("w XYZ - 0 1"), "castling rights"),
        (start("w KQkq e9 0 1"), "en passant square"),
        (start("w KQkq - -1 1"), "halfmove clock"),
        (start("w KQkq - 0 99999999999999"), "fullmove number"),
    ];
    for (fen, reason) in table {
        refused(&["analyse", "--depth", "1", &fen], reason);
    }
}

#[test]
fn every_number_has_its_range() {
    let flags = [
        "--depth",
        "--nodes",
        "--movetime",
        "--workers",
        "--threads",
        "--leaf-threads",
        "--hash",
        "--multipv",
    ];
    for flag in flags.into_iter().chain(["--frontier"]) {
        for value in ["-1", "18446744073709551616", "1e9", "x", ""] {
            refused(&["analyse", &format!("{flag}={value}")], flag);
        }
        if flag != "--workers" && flag != "--leaf-threads" {
            refused(&["analyse", &format!("{flag}=0")], flag);
        }
    }
    refused(&["analyse", "--workers", "65"], "0..=64");
    refused(&["analyse", "--nodes", "1e9"], "not a plain whole number");
    refused(&["perft", "41"], "0..=40");
}

#[test]
fn what_the_world_refuses_fails_in_one_line() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let busy = taken.local_addr().expect("an address").to_string();
    // A port that was free a moment ago and that nobody listens on.
    let gone = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
    let gone = gone.expect("an address").to_string();
    let table: &[(&[&str], &str)] = &[
        (&["master", "--listen", &busy], "cannot listen on"),
        (&["analyse", "--master", &gone, "--depth", "1"], "cannot reach the master"),
        (&["status", "--master", &gone], "cannot reach the master"),
    ];
    for &(args, reason) in table {
        let output = run(args);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
        let said = stderr.lines().filter(|line| line.starts_with("error: "));
        assert_eq!((said.count(), stderr.lines().count()), (1, 1), "{args:?}: {stderr}");
        assert!(stderr.contains(reason), "{args:?}: {stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
}

#[test]
fn flags_win_over_variables_and_variables_over_the_file() {
    let file = file("game.toml", "game = \"othello\"\njson = true\n");
    let first_line = |variable: Option<&str>, flag: Option<&str>| {
        let mut command = aphid();
        command.args(["perft", "1", "--config"]).arg(&file);
        command.envs(variable.map(|game| ("APHID_GAME", game)));
        command.args(flag.map(|game| format!("--game={game}")));
        let output = command.output().expect("the binary starts");
        let text = String::from_utf8(output.stdout).expect("text");
        text.lines().next().expect("a line").to_owned()
    };
    let othello = r#"{"type":"divide","move":"d3","nodes":1}"#;
    let chess = |line: String| line.contains(r#""move":"a2a"#);
    assert_eq!(first_line(None, None), othello);
    assert!(chess(first_line(Some("chess"), None)));
    assert_eq!(first_line(Some("chess"), Some("othello")), othello);
    assert!(chess(first_line(None, Some("chess"))));
}
