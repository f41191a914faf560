//! `exact` means exact: the machine finds the value that plain negamax finds, whatever its table
//! already holds and however its work is sliced.

#[path = "common/negamax.rs"]
mod negamax;
#[path = "common/positions.rs"]
#[expect(dead_code, reason = "the other tests use more positions")]
mod positions;

use std::sync::Arc;

use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use engine_core::line::Line;
use engine_core::random::SplitMix64;
use engine_core::search::{Profile, Searcher, Status, Task};
use engine_core::table::Table;
use negamax::negamax;

/// A searcher whose table and ordering memory stay warm from one comparison to the next.
struct Comparison<G: Game> {
    searcher: Searcher<G>,
    random: SplitMix64,
    compared: u32,
}

impl<G: Game> Comparison<G> {
    fn new() -> Self {
        let searcher = Searcher::new(Profile::Exact, Arc::new(Table::new(2)));
        Self { searcher, random: SplitMix64::new(7), compared: 0 }
    }

    fn check(&mut self, line: &Line<G>, depth: i32) {
        self.searcher.start(Task::full(line.clone(), depth));
        while self.searcher.run(1 + self.random.below(50)) == Status::Running {}
        let answer = self.searcher.answer().expect("a finished search has an answer");
        let text = line.position.text();
        let known = line.history.len();
        let Some(expected) = negamax(line, depth) else { return };
        assert_eq!(answer.value, expected, "{text} at depth {depth} after {known} plies");
        self.compared += 1;
    }
}

#[test]
fn othello_values_are_those_of_negamax() {
    let mut comparison = Comparison::<Othello>::new();
    for plies in 0..60 {
        for depth in 1..=4 {
            let line = Line::new(positions::random(u64::from(plies), plies));
            comparison.check(&line, depth);
        }
    }
}

#[test]
fn chess_values_are_those_of_negamax() {
    let mut comparison = Comparison::<Chess>::new();
    for fen in positions::CHESS {
        let line = Line::new(positions::chess(fen));
        for depth in 1..=3 {
            comparison.check(&line, depth);
        }
    }
    assert!(comparison.compared >= 50, "{}", comparison.compared);
}

/// The same few positions over and over, after different histories and with different clocks:
/// nothing the table keeps from one may change the value of another.
#[test]
fn histories_and_clocks_do_not_leak_through_the_table() {
    let bare = ["k7/8/1RK5/8/8/8/8", "8/8/3k4/8/2KP4/8/8/8", "8/5k2/8/8/3r4/8/2B5/K6R"];
    let mut comparison = Comparison::<Chess>::new();
    let mut random = SplitMix64::new(3);
    for round in 0..150 {
        let board = bare[round % bare.len()];
        let board =
            if board.matches('/').count() == 6 { format!("{board}/8") } else { board.into() };
        let clock = [0, 30, 60, 88, 94, 95, 96, 97][random.below(8) as usize];
        let mut line = Line::new(positions::chess(&format!("{board} w - - {clock} 80")));
        wander(&mut line, &mut random);
        for depth in 1..=4 {
            comparison.check(&line, depth);
        }
    }
    assert!(comparison.compared >= 500, "{}", comparison.compared);
}

/// Plays up to ten plies, mostly there and back again.
fn wander<G: Game>(line: &mut Line<G>, random: &mut SplitMix64) {
    let start = line.position.clone();
    for _ in 0..random.below(11) {
        let moves = line.position.moves();
        if moves.is_empty() || line.position.is_rule_draw() {
            return;
        }
        // A move back to where the line has been, if there is one, else any.
        let back = moves.iter().find(|&&mv| {
            let key = line.position.after(mv).key();
            key == start.key() || line.history.contains(&key)
        });
        let any = moves[random.below(moves.len() as u64) as usize];
        line.play(back.copied().filter(|_| random.below(3) > 0).unwrap_or(any));
    }
}

#[test]
fn repetitions_in_game_histories_count() {
    let text = include_str!("data/chess/repetition.json");
    let json: serde_json::Value = serde_json::from_str(text).expect("the file is JSON");
    let mut comparison = Comparison::<Chess>::new();
    for case in json["cases"].as_array().expect("cases") {
        let position = positions::chess(case["fen"].as_str().expect("a position"));
        let mut line = Line::new(position);
        for text in case["moves_uci"].as_array().expect("moves") {
            let text = text.as_str().expect("a move");
            line.play(line.position.parse_move(text).expect("a legal move"));
            comparison.check(&line, 1);
        }
        comparison.check(&line, 2);
    }
    assert!(comparison.compared > 50);
}

#[test]
fn clocks_near_the_fifty_move_rule_count() {
    let mut comparison = Comparison::<Chess>::new();
    for row in include_str!("data/chess/fifty_move.tsv").lines().skip(2) {
        let fen = row.split('\t').next().expect("a row begins with a position");
        let line = Line::new(positions::chess(fen));
        for depth in 1..=2 {
            comparison.check(&line, depth);
        }
    }
    assert!(comparison.compared > 200);
}

/// What `classic` left at the very same depths is not taken for what `exact` would find: tables
/// serve searches of both, one after another or, shared between processes, at once.
#[test]
fn what_classic_left_in_the_table_does_not_change_the_value() {
    fn value<G: Game>(table: &Arc<Table>, profile: Profile, position: &G, depth: i32) -> i32 {
        let mut searcher: Searcher<G> = Searcher::new(profile, Arc::clone(table));
        searcher.start(Task::full(Line::new(position.clone()), depth));
        while searcher.run(u64::MAX) == Status::Running {}
        searcher.answer().expect("a finished search has an answer").value
    }
    fn check<G: Game>(position: &G, deepest: i32) {
        let table = Arc::new(Table::new(4));
        for depth in 1..=deepest {
            value(&table, Profile::Classic, position, depth);
        }
        let fresh = value(&Arc::new(Table::new(4)), Profile::Exact, position, deepest);
        let found = value(&table, Profile::Exact, position, deepest);
        assert_eq!(found, fresh, "{}", position.text());
    }
    for fen in positions::CHESS {
        check(&positions::chess(fen), 4);
    }
    for plies in 0..50 {
        check(&positions::random::<Othello>(1, plies), 6);
    }
}
