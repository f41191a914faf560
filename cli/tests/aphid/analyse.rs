//! `aphid analyse`: what it prints, and that clusters find what the plain search finds.

use serde_json::Value;

use crate::common::{json_lines, stdout};

const RUY_LOPEZ: &str = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";

fn result(args: &[&str]) -> Value {
    let mut all = vec!["analyse", "--json", "--threads", "1"];
    all.extend(args);
    let last = json_lines(&all).pop().expect("a line");
    assert_eq!(last["type"], "result", "{last}");
    last
}

#[test]
fn json_lines_have_their_documented_shape() {
    let lines = json_lines(&["analyse", RUY_LOPEZ, "--workers", "0", "--depth", "4", "--json"]);
    let (last, infos) = lines.split_last().expect("a line");
    let keys: Vec<&str> = last.as_object().expect("an object").keys().map(String::as_str).collect();
    let expected = [
        "type", "bestmove", "ponder", "score", "depth", "nodes", "time_ms", "pv", "workers",
        "passes", "certain",
    ];
    assert_eq!(keys, expected);
    assert_eq!(last["bestmove"], last["pv"][0]);
    assert_eq!(last["ponder"], last["pv"][1]);
    assert_eq!(
        (&last["depth"], &last["workers"], &last["passes"]),
        (&4.into(), &0.into(), &0.into())
    );
    assert_eq!(last["certain"], true);
    assert!(last["score"]["cp"].is_i64());
    let depths: Vec<&Value> =
        infos.iter().filter(|line| line["type"] == "info").map(|line| &line["depth"]).collect();
    assert_eq!(depths, [1, 2, 3, 4]);
}

#[test]
fn scores_speak_the_words_of_the_game() {
    let mate = result(&["k7/8/1RK5/8/8/8/8/8 w - - 0 1", "--workers", "0", "--depth", "6"]);
    assert_eq!(mate["score"]["mate"], 3, "{mate}");
    let discs = result(&["--game", "othello", "--workers", "0", "--depth", "3"]);
    assert!(discs["score"]["discs"].is_i64(), "{discs}");
    let mated = result(&["--moves", "f2f3 e7e5 g2g4 d8h4", "--workers", "0", "--depth", "3"]);
    assert_eq!((&mated["bestmove"], &mated["score"]["mate"]), (&Value::Null, &0.into()));
}

#[test]
fn several_lines_are_different_and_sorted() {
    let args = ["analyse", "--workers", "0", "--depth", "3", "--multipv", "3", "--json"];
    let lines = json_lines(&args);
    let last: Vec<&Value> =
        lines.iter().filter(|line| line["type"] == "info" && line["depth"] == 3).collect();
    assert_eq!(last.iter().map(|line| &line["multipv"]).collect::<Vec<_>>(), [1, 2, 3]);
    let first = |line: &Value| line["pv"][0].as_str().expect("a move").to_owned();
    assert!(first(last[0]) != first(last[1]) && first(last[1]) != first(last[2]));
    let cp = |line: &Value| line["score"]["cp"].as_i64().expect("a number");
    assert!(cp(last[0]) >= cp(last[1]) && cp(last[1]) >= cp(last[2]));
}

#[test]
fn limits_hold() {
    let nodes = result(&["--workers", "0", "--nodes", "20000"]);
    let spent = nodes["nodes"].as_u64().expect("a number");
    assert!((20_000..26_000).contains(&spent), "{spent}");
    assert!(result(&["--workers", "0", "--movetime", "1"])["bestmove"].is_string());
}

#[test]
fn a_cluster_finds_the_exact_value_of_the_plain_search() {
    let cases: [&[&str]; 3] = [
        &["--depth", "4", "--profile", "exact", RUY_LOPEZ],
        &["--depth", "6", "--profile", "exact", "--game", "othello", "--frontier", "2"],
        &["--depth", "6", "--profile", "exact", "--game", "othello", "f5d6c3d3c4"],
    ];
    for case in cases {
        let with = |workers: &str| result(&[case, &["--workers", workers]].concat());
        let plain = with("0");
        for workers in ["1", "2"] {
            let found = with(workers);
            assert_eq!(found["score"], plain["score"], "{case:?} with {workers}");
            assert_eq!((&found["depth"], &found["certain"]), (&plain["depth"], &true.into()));
            assert_eq!(found["workers"].to_string(), workers);
            assert!(found["passes"].as_u64() > Some(0), "{found}");
        }
    }
}

#[test]
fn people_get_lines_and_an_answer() {
    let text = stdout(&["analyse", "--workers", "0", "--depth", "3"]);
    let found = |line: &&str| line.starts_with("depth") && line.contains(" nodes ");
    assert_eq!(text.lines().filter(found).count(), 3, "{text}");
    for row in ["best move ", "ponder ", "score ", "nodes ", "time ", "workers ", "passes "] {
        assert!(text.contains(&format!("\n{row}")), "{row} in {text}");
    }
}
