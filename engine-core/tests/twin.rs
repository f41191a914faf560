//! The machine searches exactly the nodes of its recursive twin.

#[path = "common/positions.rs"]
mod positions;
#[path = "common/twin.rs"]
mod twin;

use std::sync::Arc;

use engine_core::game::Game;
use engine_core::line::Line;
use engine_core::search::{Profile, Searcher, Status, Task};
use engine_core::table::Table;
use twin::Twin;

/// Deepens both to `depth` on every position, keeping what they learnt from one to the next, and
/// compares value, best line and node count each time.
fn compare<G: Game>(profile: Profile, positions: impl IntoIterator<Item = G>, depth: i32) {
    let mut machine = Searcher::new(profile, Arc::new(Table::new(2)));
    let table = Arc::new(Table::new(2));
    let mut twin = Twin::new(profile, Arc::clone(&table));
    for position in positions {
        machine.table().new_search();
        table.new_search();
        for depth in 1..=depth {
            let task = Task::full(Line::new(position.clone()), depth);
            machine.start(task.clone());
            assert_eq!(machine.run(u64::MAX), Status::Done);
            let answer = machine.answer().expect("a finished search has an answer");
            let value = twin.run(task);
            let context = format!("{profile:?}, depth {depth}, {}", position.text());
            assert_eq!(answer.value, value, "value: {context}");
            assert_eq!(answer.pv, twin.pv(), "best line: {context}");
            assert_eq!(machine.nodes(), twin.nodes(), "nodes: {context}");
        }
    }
    assert!(machine.nodes() > 10_000, "too little was compared");
}

fn chess() -> impl Iterator<Item = engine_core::games::chess::Chess> {
    positions::CHESS.iter().map(|fen| positions::chess(fen))
}

#[test]
fn classic_chess_is_the_same() {
    compare(Profile::Classic, chess(), 5);
}

#[test]
fn exact_chess_is_the_same() {
    compare(Profile::Exact, chess(), 4);
}

#[test]
fn classic_othello_is_the_same() {
    compare(Profile::Classic, positions::othello(), 7);
}

#[test]
fn exact_othello_is_the_same() {
    compare(Profile::Exact, positions::othello(), 6);
}
