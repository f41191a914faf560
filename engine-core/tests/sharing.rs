//! Table entries told from one searcher to another: they save work, and `exact` stays exact.

use std::sync::Arc;

use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use engine_core::line::Line;
use engine_core::random::SplitMix64;
use engine_core::search::{Answer, Profile, Searcher, Status, Task};
use engine_core::sharing::{Note, Threshold, admit};
use engine_core::table::Table;

/// A searcher with a table of its own, as in another process.
fn stranger<G: Game>(profile: Profile) -> Searcher<G> {
    Searcher::new(profile, Arc::new(Table::new(4)))
}

/// Searches to `depth`; the answer, and what was noted on the way.
fn search<G: Game>(
    searcher: &mut Searcher<G>,
    line: &Line<G>,
    depth: i32,
) -> (Answer<G>, Vec<Note>) {
    let mut notes = Vec::new();
    searcher.start(Task::full(line.clone(), depth));
    while searcher.run(200) == Status::Running {
        notes.extend(searcher.notes().drain());
    }
    notes.extend(searcher.notes().drain());
    assert_eq!(searcher.notes().take_overwritten(), 0, "200 nodes make fewer notes than are kept");
    (searcher.answer().expect("a finished search has an answer"), notes)
}

/// A game of random moves.
fn random_line<G: Game>(seed: u64, plies: u32) -> Line<G> {
    let mut line = Line::new(G::start());
    let mut random = SplitMix64::new(seed);
    for _ in 0..plies {
        let moves = line.position.moves();
        let Some(&mv) = moves.get(random.below(moves.len() as u64) as usize) else { break };
        line.play(mv);
    }
    line
}

/// One searcher tells another what it finds in neighbouring positions; the other still finds the
/// values of a third that was told nothing. Returns nodes with and without.
fn values_stay<G: Game>(depth: i32) -> (u64, u64) {
    let mut sum = (0, 0);
    for seed in 0..12 {
        let line = random_line::<G>(seed, 8 + 2 * seed as u32);
        let (mut teller, mut told) = (stranger::<G>(Profile::Exact), stranger(Profile::Exact));
        teller.notes().take_from(Threshold::nodes(1));
        for mv in line.position.moves().into_iter().take(6) {
            let mut next = line.clone();
            next.play(mv);
            admit(told.table(), &search(&mut teller, &next, depth - 1).1);
        }
        let mut alone = stranger::<G>(Profile::Exact);
        let (with, without) =
            (search(&mut told, &line, depth).0, search(&mut alone, &line, depth).0);
        assert_eq!(with.value, without.value, "{} at depth {depth}", line.position.text());
        sum = (sum.0 + told.nodes(), sum.1 + alone.nodes());
    }
    sum
}

#[test]
fn exact_stays_exact_and_takes_less() {
    for (with, without) in [values_stay::<Chess>(4), values_stay::<Othello>(5)] {
        assert!(with < without, "{with} nodes with what was told, {without} without");
    }
}

#[test]
fn what_is_found_again_is_counted() {
    let line = random_line::<Othello>(3, 12);
    let (mut teller, mut told) = (stranger(Profile::Exact), stranger::<Othello>(Profile::Exact));
    teller.notes().take_from(Threshold::nodes(16));
    let notes = search(&mut teller, &line, 5).1;
    assert!(
        notes.iter().all(|note| note.entry.depth >= 2),
        "sixteen nodes take two plies: {notes:?}"
    );
    admit(told.table(), &notes);
    search(&mut told, &line, 5);
    assert!(told.notes().take_used() > 0);
    assert_eq!(teller.notes().take_used(), 0, "its own are no strangers to it");
}
