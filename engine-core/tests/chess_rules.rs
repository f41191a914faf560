//! Repetition, the fifty-move rule, dead material, ends of games, null moves.

use engine_core::game::{Game, Outcome};
use engine_core::games::chess::Chess;
use engine_core::line::Line;

const REPETITIONS: &str = include_str!("data/chess/repetition.json");
const TERMINAL: &str = include_str!("data/chess/terminal.tsv");

#[test]
fn repetitions_are_counted_as_the_rules_count_them() {
    let file: serde_json::Value = serde_json::from_str(REPETITIONS).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 8);
    for case in cases {
        let mut line = Line::new(Chess::parse(case["fen"].as_str().unwrap()).unwrap());
        let moves = case["moves_uci"].as_array().unwrap();
        let expected = case["occurrence_after_each_ply"].as_array().unwrap();
        assert_eq!(moves.len(), expected.len());
        for (text, expected) in moves.iter().zip(expected) {
            line.play(line.position.parse_move(text.as_str().unwrap()).unwrap());
            let occurrences = 1 + line.earlier_occurrences() as u64;
            assert_eq!(Some(occurrences), expected.as_u64(), "{} {text}", case["name"]);
            assert_eq!(Line::decode(&line.encode()), Ok(line.clone()));
        }
    }
}

#[test]
fn mate_and_stalemate_at_any_clock() {
    let (mut mates, mut stalemates) = (0, 0);
    for row in TERMINAL.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let (fen, class) = row.split_once('\t').unwrap();
        let position = Chess::parse(fen).unwrap();
        let over = position.moves().is_empty();
        match class {
            "mate-now" | "mate-now-corner" => {
                mates += 1;
                assert!(over && position.in_check(), "{fen}");
                assert_eq!(position.outcome(), Outcome::Loss, "{fen}");
                assert!(!position.is_rule_draw(), "mate comes before the clock: {fen}");
            }
            "stalemate-now" => {
                stalemates += 1;
                assert!(over && !position.in_check(), "{fen}");
                assert_eq!(position.outcome(), Outcome::Draw, "{fen}");
            }
            _ => assert!(!over, "{fen}"),
        }
    }
    assert_eq!((mates, stalemates), (65, 26));
}

#[test]
fn the_clock_draws_at_one_hundred() {
    let position = Chess::parse("8/8/8/8/8/4k3/R7/4K3 w - - 98 120").unwrap();
    assert_eq!((position.reversible_plies(), position.plies_to_rule_draw()), (98, 2));
    assert!(!position.is_rule_draw());
    let line = Line::from_moves(position, ["a2b2", "e3d3"]).unwrap();
    assert!(line.position.is_rule_draw());
    assert_eq!(line.position.plies_to_rule_draw(), 0);
    // In check, but with a way out: a draw. Mated by the same ply: not a draw.
    let check = Chess::parse("4k3/8/8/8/8/8/8/K3R3 b - - 100 120").unwrap();
    assert!(check.is_rule_draw());
    let mate = Chess::parse("4k2R/8/4K3/8/8/8/8/8 b - - 100 120").unwrap();
    assert!(!mate.is_rule_draw());
    // A pawn move starts again.
    let pawn = Chess::parse("4k3/8/8/8/8/8/P7/4K3 w - - 99 120").unwrap();
    let moved = pawn.after(pawn.parse_move("a2a4").unwrap());
    assert_eq!((moved.reversible_plies(), moved.plies_to_rule_draw()), (0, 100));
}

#[test]
fn dead_material_is_a_draw_and_worth_nothing() {
    for (pieces, dead) in [
        ("4k3/8/8/8/8/8/8/4K3", true),
        ("4k3/8/8/8/8/8/8/3NK3", true),
        ("3bk3/8/8/8/8/8/8/4K3", true),
        // Bishops on c1 and f8 are both on dark squares, c1 and c8 are not of one colour.
        ("4kb2/8/8/8/8/8/8/2B1K3", true),
        ("2b1k3/8/8/8/8/8/8/2B1K3", false),
        ("4k3/8/8/8/8/8/8/2B1KB2", false),
        ("4k3/8/8/8/8/8/8/2B1K1B1", false),
        ("4k3/8/8/8/8/8/8/1N2K1N1", false),
        ("1n2k3/8/8/8/8/8/8/1N2K3", false),
        ("4k3/8/8/8/8/8/P7/4K3", false),
        ("4k3/8/8/8/8/8/8/R3K3", false),
    ] {
        let position = Chess::parse(&format!("{pieces} w - - 0 1")).unwrap();
        assert_eq!(position.is_rule_draw(), dead, "{pieces}");
        if dead {
            assert_eq!(position.evaluate(), 0, "{pieces}");
        }
    }
}

#[test]
fn passing_needs_a_piece_and_no_check() {
    for (fen, allowed) in [
        ("4k3/pppp4/8/8/8/8/PPPP4/3NK3 w - - 0 1", true),
        ("3nk3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1", false),
        ("4k3/8/8/8/8/8/4r3/R3K3 w - - 0 1", false),
    ] {
        let position = Chess::parse(fen).unwrap();
        let passed = position.null_move();
        assert_eq!(passed.is_some(), allowed, "{fen}");
        if let Some(passed) = passed {
            assert_eq!(passed.text(), fen.replace(" w - - 0", " b - - 1"));
            assert_ne!(passed.key(), position.key());
        }
    }
}

#[test]
fn a_lost_castling_right_makes_another_position() {
    let position = Chess::parse("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
    let there_and_back = ["a1b1", "a8b8", "b1a1", "b8a8"];
    let line = Line::from_moves(position.clone(), there_and_back).unwrap();
    assert_ne!(line.position.key(), position.key());
    assert_eq!(line.position.text(), "r3k2r/8/8/8/8/8/8/R3K2R w Kk - 4 3");
}

#[test]
fn the_key_of_the_start_is_the_same_everywhere() {
    assert_eq!(Chess::start().key(), 3_723_145_570_203_037_199);
    assert_eq!(Chess::parse("startpos").unwrap().key(), Chess::start().key());
}
