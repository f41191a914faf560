//! `aphid uci` without a cluster: the conversation itself. Most tests restate a fault that users
//! reported of other engines.

use crate::common::{Uci, best};

fn plain() -> Uci {
    Uci::start(&["--workers", "0", "--threads", "1", "--hash", "1"])
}

/// The value of a word of an info line.
fn field<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    line.split(' ').skip_while(|&found| found != word).nth(1)
}

fn pv(line: &str) -> Vec<&str> {
    line.split_once(" pv ").map_or_else(Vec::new, |(_, moves)| moves.split(' ').collect())
}

/// The last line of play printed.
fn last_line(lines: &[String]) -> &str {
    lines.iter().rev().find(|line| line.contains(" pv ")).expect("a line of play")
}

/// The last position shown by `d`.
fn fen(uci: &mut Uci) -> String {
    uci.send("d");
    let lines = uci.until("Key: ");
    lines.iter().find_map(|line| line.strip_prefix("Fen: ")).expect("a FEN").to_owned()
}

#[test]
fn it_introduces_itself_with_all_options() {
    let mut uci = plain();
    uci.send("uci");
    let lines = uci.until("uciok");
    for name in [
        "Hash",
        "Threads",
        "Workers",
        "MultiPV",
        "Ponder",
        "UCI_Chess960",
        "Move Overhead",
        "Profile",
        "UCI_AnalyseMode",
        "Clear Hash",
    ] {
        assert!(
            lines.iter().any(|line| line.starts_with(&format!("option name {name} type "))),
            "{name}"
        );
    }
    assert!(uci.end().is_empty());
}

#[test]
fn garbage_is_harmless() {
    let mut uci = plain();
    let long = "x".repeat(65_536);
    for line in [
        "joho debug on",
        "uci2",
        "",
        "\t",
        &long,
        "position",
        "position fen",
        "go depth",
        "setoption",
        "setoption name",
        "setoption name Threads value abc",
        "\u{0}\u{1}",
        "debug",
        "setoption name Threads value 999999999999999999999999999999",
        "position fen a b c d e f",
        "setoption name Hash value 33554433",
        "setoption name Threads value 0",
        "ponderhit",
        "stop",
        "position startpos moves e2e5",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "go perft x",
    ] {
        uci.send(line);
        let said = uci.sync();
        let strange = |line: &&String| !line.starts_with("info ") && !line.starts_with("bestmove");
        assert_eq!(said.iter().find(strange), None, "{line:.60}");
    }
    uci.send(b"\xff\xfe go\xff");
    uci.sync();
    uci.send("stop\nposition startpos");
    assert_eq!(fen(&mut uci), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!(best(&uci.go("nodes 1000")).len() == 4);
    uci.end();
}

#[test]
fn white_space_and_line_ends_do_not_matter() {
    let mut uci = plain();
    uci.send("position startpos moves e2e4 e7e5");
    let canonical = fen(&mut uci);
    uci.send("\tposition \t startpos   moves  e2e4   e7e5  \r");
    assert_eq!(fen(&mut uci), canonical);
    uci.send("go   depth  1 \r");
    uci.until("bestmove");
    uci.send("position fen r4rk1/pppnbppp/8/3P4/2PP2b1/P3KN2/1P2B1PP/RN5R w - - 1 1 moves");
    assert_eq!(fen(&mut uci), "r4rk1/pppnbppp/8/3P4/2PP2b1/P3KN2/1P2B1PP/RN5R w - - 1 1");
    uci.send("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - moves e2e4");
    assert!(fen(&mut uci).starts_with("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b"));
    uci.end();
}

#[test]
fn long_games_are_no_problem() {
    let mut game = String::from("position startpos moves e2e4 e7e5");
    for _ in 0..700 {
        game += " g1f3 g8f6 f3g1 f6g8";
    }
    let mut uci = plain();
    uci.send(&game);
    let lines = uci.go("depth 2");
    assert_ne!(best(&lines), "(none)", "a drawn position is played on");
    uci.end();
}

#[test]
fn only_legal_search_moves_count() {
    let mut uci = plain();
    uci.send("position startpos");
    assert_eq!(best(&uci.go("depth 2 searchmoves e2e5 d2d4")), "d2d4");
    assert_eq!(best(&uci.go("depth 2 searchmoves a2a3 a2a3")), "a2a3");
    assert_eq!(best(&uci.go("searchmoves e2e4 wtime 1000 btime 1000 depth 2")), "e2e4");
    let free = uci.go("depth 3 searchmoves e2e5");
    let plain = uci.go("depth 3");
    assert_eq!(best(&free), best(&plain), "an illegal move restricts nothing, and nothing leaks");
    uci.send("go searchmoves");
    assert!(uci.sync().iter().all(|line| !line.starts_with("bestmove")), "it waits for a stop");
    uci.send("stop");
    uci.until("bestmove");
    uci.end();
}

#[test]
fn every_go_has_one_bestmove_and_stops_reach_backwards_only() {
    let mut uci = plain();
    let mut script = String::new();
    for _ in 0..100 {
        script += "go depth 1\nstop\n";
    }
    uci.send(script + "go nodes 100\ngo depth 5\ngo infinite\nisready");
    for _ in 0..100 {
        uci.until("bestmove");
    }
    uci.until("bestmove");
    let lines = uci.until("bestmove");
    assert_eq!(field(last_line(&lines), "depth"), Some("5"), "no limit leaks into the next search");
    assert!(uci.sync().iter().all(|line| !line.starts_with("bestmove")), "still searching");
    // A search that never ends gives way to the next.
    uci.send("go depth 2");
    uci.until("bestmove");
    uci.until("bestmove");
    assert!(uci.sync().is_empty());
    uci.end();
}

#[test]
fn a_finished_game_has_no_move() {
    let mut uci = plain();
    let mated = "position fen 5k2/5r2/1p3QBp/2b4P/5P2/5K2/P5P1/8 w - - 6 54 moves f6f7";
    let fool = "position startpos moves f2f3 e7e5 g2g4 d8h4";
    let stale = "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
    for (position, score) in [(mated, "mate 0"), (fool, "mate 0"), (stale, "cp 0")] {
        uci.send(position);
        let lines = uci.go("depth 12");
        assert_eq!(lines, [format!("info depth 0 score {score}"), "bestmove (none)".into()]);
        uci.send("go infinite");
        assert_eq!(uci.sync(), [format!("info depth 0 score {score}")], "no answer before a stop");
        uci.send("stop");
        assert_eq!(uci.until("bestmove"), ["bestmove (none)"]);
    }
    uci.send("position startpos");
    assert_eq!(best(&uci.go("depth 2")).len(), 4);
    uci.end();
}

#[test]
fn lines_of_play_stop_where_the_game_does() {
    let mut uci = plain();
    let mut game =
        String::from("position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 d2d3 f8e7 e1g1 d7d6");
    game += " a2a4 c8g4 c2c3 e8g8 f1e1 d6d5 e4d5 f6d5 d1b3 g4f3 g2f3 c6a5 b3a2 d5b6 b1d2 d8d6 e1e4";
    game += " d6f6 c4b3 f6g6 g1h1 e7c5 d3d4 e5d4 c3d4 c5d6 b3d1 g6h5 d2f1 f8e8 c1d2 a5c4 e4e8 a8e8";
    game += " d2c3 h5f5 a2b3 f5d3 h1g2 b6d5 b3b5 d5f4";
    uci.send(game);
    let lines = uci.go("depth 7");
    let line = last_line(&lines).to_owned();
    assert_eq!(pv(&line)[0], best(&lines));
    uci.send("position fen k7/8/1RK5/8/8/8/8/8 w - - 95 90");
    let lines = uci.go("depth 8");
    let line = last_line(&lines);
    assert!(line.contains("score mate 3"), "{line}");
    assert!(pv(line).len() <= 5, "{line}");
    uci.send("position fen k7/8/1RK5/8/8/8/8/8 w - - 96 90");
    assert!(last_line(&uci.go("depth 8")).contains("score cp 0"), "too late to mate");
    uci.end();
}

#[test]
fn claimable_draws_are_played_on() {
    let mut uci = plain();
    for fen in ["8/8/8/8/8/4k3/R7/4K3 w - - 100 120", "8/8/4k3/8/8/3K4/8/8 w - - 0 1"] {
        uci.send(format!("position fen {fen}"));
        assert_ne!(best(&uci.go("depth 3")), "(none)", "{fen}");
    }
    uci.send("position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8");
    assert_ne!(best(&uci.go("depth 3")), "(none)");
    uci.end();
}

#[test]
fn there_are_no_more_lines_than_moves() {
    let mut uci = plain();
    uci.send("setoption name MultiPV value 10");
    uci.send("position fen r1bqkb1r/ppp2ppp/5n2/nB1Pp1N1/8/8/PPPP1PPP/RNBQK2R b KQkq - 2 6");
    for (limits, expected) in [("depth 4", 6), ("depth 4 searchmoves c7c6 c8d7", 2)] {
        let lines = uci.go(limits);
        let deepest: Vec<&String> =
            lines.iter().filter(|line| field(line, "depth") == Some("4")).collect();
        let ranks: Vec<&str> = deepest.iter().filter_map(|line| field(line, "multipv")).collect();
        let wanted: Vec<String> = (1..=expected).map(|rank: u32| rank.to_string()).collect();
        assert_eq!(ranks, wanted, "{lines:#?}");
        let mut firsts: Vec<&str> = deepest.iter().map(|line| pv(line)[0]).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), ranks.len());
    }
    uci.end();
}

#[test]
fn counts_only_grow_and_limits_on_nodes_hold() {
    let mut uci = plain();
    uci.send("position startpos");
    for limit in [1_u64, 50_000] {
        let lines = uci.go(&format!("nodes {limit}"));
        let counts: Vec<u64> =
            lines.iter().filter_map(|line| field(line, "nodes")?.parse().ok()).collect();
        assert!(counts.is_sorted(), "{counts:?}");
        assert!(counts.last().is_some_and(|&spent| spent <= limit + limit / 20 + 20_000));
        assert_eq!(best(&lines).len(), 4);
    }
    uci.end();
}

#[test]
fn a_mate_at_once_is_no_flood() {
    let mut uci = plain();
    uci.send("position fen 6k1/5ppp/8/8/8/8/8/R6K w - - 0 1");
    uci.send("go infinite");
    uci.until("info depth");
    uci.send("stop");
    let lines = uci.until("bestmove");
    assert!(lines.len() < 200, "{}", lines.len());
    assert_eq!(best(&lines), "a1a8");
    uci.end();
}

#[test]
fn pondering_ends_with_the_hit_or_a_stop() {
    let mut uci = plain();
    uci.send("position startpos moves e2e4");
    uci.send("go ponder wtime 1000 btime 1000 winc 0 binc 0");
    assert!(uci.sync().iter().all(|line| !line.starts_with("bestmove")));
    uci.send("ponderhit");
    assert_eq!(best(&uci.until("bestmove")).len(), 4);
    uci.send("go ponder wtime 1000 btime 1000\nponderhit");
    uci.until("bestmove");
    uci.send("go ponder depth 1");
    assert!(uci.sync().iter().all(|line| !line.starts_with("bestmove")));
    uci.send("stop");
    uci.until("bestmove");
    uci.send("go ponder depth 1");
    uci.send("ponderhit");
    uci.until("bestmove");
    assert!(uci.sync().is_empty());
    uci.end();
}

#[test]
fn the_end_of_input_ends_a_search_with_an_answer() {
    for limits in ["infinite", "movetime 3600000", "ponder", "depth 60"] {
        let mut uci = plain();
        uci.send(format!("position startpos\ngo {limits}"));
        let rest = uci.end();
        let answers = rest.iter().filter(|line| line.starts_with("bestmove")).count();
        assert_eq!(answers, 1, "{limits}: {rest:?}");
    }
    let mut uci = plain();
    uci.send("go infinite\nquit");
    uci.until("bestmove");
    assert!(uci.end().is_empty(), "nothing follows the answer");
}

#[test]
fn castling_is_written_as_the_gui_wants_it() {
    let mut uci = plain();
    let castle = "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    uci.send(castle);
    assert_eq!(best(&uci.go("depth 1 searchmoves e1g1")), "e1g1");
    uci.send("setoption name UCI_Chess960 value true");
    uci.send(castle);
    assert_eq!(best(&uci.go("depth 1 searchmoves e1h1")), "e1h1");
    uci.send(format!("{castle} moves e1h1"));
    assert!(fen(&mut uci).starts_with("r3k2r/8/8/8/8/8/8/R4RK1 b"));
    uci.end();
}

#[test]
fn perft_and_evaluation_are_at_hand() {
    let mut uci = plain();
    uci.send("position startpos\ngo perft 3");
    assert!(uci.until("Nodes searched").last().is_some_and(|line| line.ends_with(": 8902")));
    uci.send("eval");
    let said = uci.sync();
    assert!(said.len() == 1 && said[0].starts_with("info string static value"), "{said:?}");
    uci.end();
}
