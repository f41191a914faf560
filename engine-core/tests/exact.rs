//! `exact` means exact: the machine finds the value that plain negamax finds.

use std::sync::Arc;

use engine_core::game::{Game, Outcome};
use engine_core::games::othello::Othello;
use engine_core::line::Line;
use engine_core::random::SplitMix64;
use engine_core::search::{Profile, Searcher, Status, Task};
use engine_core::table::Table;
use engine_core::value::{MATE, Value};

/// Negamax of a game without repetitions or quiescence, straight from the definition.
fn negamax<G: Game>(position: &G, ply: Value, depth: i32) -> Value {
    if depth == 0 {
        return position.evaluate();
    }
    let mut best = None;
    position.for_each_move(|mv| {
        let value = -negamax(&position.after(mv), ply + 1, depth - 1);
        best = best.max(Some(value));
    });
    best.unwrap_or_else(|| match position.outcome() {
        Outcome::Loss => ply - MATE,
        Outcome::Draw => 0,
        Outcome::Margin(value) => value,
    })
}

fn random_position<G: Game>(random: &mut SplitMix64, plies: u64) -> G {
    let mut position = G::start();
    for _ in 0..plies {
        let moves = position.moves();
        if moves.is_empty() {
            break;
        }
        position.play(moves[random.below(moves.len() as u64) as usize]);
    }
    position
}

#[test]
fn othello_values_are_those_of_negamax() {
    let mut random = SplitMix64::new(7);
    let table = Arc::new(Table::new(4));
    let mut searcher = Searcher::new(Profile::Exact, table);
    for game in 0..60 {
        let position: Othello = random_position(&mut random, game);
        for depth in 1..=4 {
            let expected = negamax(&position, 0, depth);
            searcher.start(Task::full(Line::new(position), depth));
            while searcher.run(1 + random.below(50)) == Status::Running {}
            let answer = searcher.answer().expect("a finished search has an answer");
            assert_eq!(answer.value, expected, "game {game}, depth {depth}");
        }
    }
}
