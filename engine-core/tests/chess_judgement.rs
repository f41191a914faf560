//! Evaluation, ordering and the tactical moves, as far as they must hold for every position.

mod chess_support;

use std::collections::HashSet;

use chess_support::for_each_random_position;
use engine_core::game::{BAD_TACTICAL, GOOD_TACTICAL, Game};
use engine_core::games::chess::Chess;
use engine_core::value::MATE_BAND;

/// The same position with the colours exchanged.
fn mirrored(position: &Chess) -> Chess {
    let text = position.text();
    let fields: Vec<&str> = text.split(' ').collect();
    let swap_case = |field: &str| -> String {
        let swap = |c: char| {
            if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
        };
        field.chars().map(swap).collect()
    };
    let board: Vec<String> = fields[0].split('/').rev().map(swap_case).collect();
    let side = if fields[1] == "w" { "b" } else { "w" };
    let en_passant = fields[3].replace('3', "x").replace('6', "3").replace('x', "6");
    let castling = swap_case(fields[2]);
    let fen = format!("{} {side} {castling} {en_passant} 0 1", board.join("/"));
    Chess::parse(&fen).unwrap()
}

#[test]
fn colours_do_not_matter() {
    for_each_random_position(45, |position, _| {
        let mirrored = mirrored(position);
        assert_eq!(position.evaluate(), mirrored.evaluate(), "{position:?}");
        let order = |position: &Chess| {
            let mut scores: Vec<i32> =
                position.moves().iter().map(|&mv| position.order(mv, 4)).collect();
            scores.sort_unstable();
            scores
        };
        assert_eq!(order(position), order(&mirrored), "{position:?}");
    });
}

#[test]
fn values_are_sane() {
    let value = |fen: &str| Chess::parse(fen).unwrap().evaluate();
    let start = Chess::start().evaluate();
    assert!((0..30).contains(&start), "start position {start}");
    let queen_odds = value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!((800..1_200).contains(&queen_odds), "queen odds {queen_odds}");
    let far = value("7k/P7/8/8/8/8/8/K7 w - - 0 1");
    let near = value("7k/8/8/8/8/8/P7/K7 w - - 0 1");
    assert!(far > near + 50, "a pawn on the seventh: {far}, on the second: {near}");
    let cornered = value("k7/8/1K6/8/8/8/8/7R w - - 0 1");
    let free = value("8/8/8/3k4/8/1K6/8/7R w - - 0 1");
    assert!(cornered > free, "a cornered king: {cornered}, a free one: {free}");
    for_each_random_position(45, |position, _| {
        assert!(position.evaluate().abs() < MATE_BAND, "{position:?}");
    });
}

#[test]
fn every_move_is_ordered_by_its_kind() {
    for_each_random_position(45, |position, _| {
        for mv in position.moves() {
            let score = position.order(mv, 4);
            let kind = score >= GOOD_TACTICAL || score <= BAD_TACTICAL;
            assert_eq!(kind, !position.is_quiet(mv), "{mv} in {position:?}: {score}");
            assert!(kind || score.abs() <= 500, "{mv} in {position:?}: {score}");
            assert!(position.history_slot(mv) < Chess::HISTORY_SLOTS);
        }
    });
}

#[test]
fn tactical_moves_are_the_good_captures_and_queens() {
    for_each_random_position(45, |position, _| {
        let mut tactical = Vec::new();
        position.for_each_tactical(|mv| tactical.push(mv));
        let expected: Vec<_> = if position.in_check() {
            position.moves()
        } else {
            let good = |&mv: &_| position.order(mv, 0) >= GOOD_TACTICAL;
            position.moves().into_iter().filter(good).collect()
        };
        assert_eq!(tactical, expected, "{position:?}");
    });
}

#[test]
fn history_slots_tell_sides_pieces_and_targets_apart() {
    let position =
        Chess::parse("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
            .unwrap();
    let slot =
        |position: &Chess, text: &str| position.history_slot(position.parse_move(text).unwrap());
    assert_eq!(slot(&position, "e5d3"), slot(&position, "e5d3"));
    let distinct: HashSet<_> =
        ["e5d3", "f3d3", "e2d3", "f3e3", "a2a3"].map(|text| slot(&position, text)).into();
    assert_eq!(distinct.len(), 5);
}
