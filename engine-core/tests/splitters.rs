//! What holds of every splitter: whoever goes when, `exact` finds the value of plain negamax; a
//! stop leaves nothing behind; slices of work change nothing; one processor alone does exactly what
//! the sequential search does.

#[path = "common/crowd.rs"]
mod crowd;
#[path = "common/negamax.rs"]
mod negamax;
#[path = "common/positions.rs"]
#[expect(dead_code, reason = "the other tests use more positions")]
mod positions;
#[path = "common/synthetic.rs"]
mod synthetic;

use std::sync::Arc;

use crowd::{break_off, compare_positions, compare_trees};
use engine_core::dts::Tuning;
use engine_core::games::othello::Othello;
use engine_core::line::Line;
use engine_core::random::SplitMix64;
use engine_core::search::{Profile, Searcher, Task};
use engine_core::splitter::Splitter;
use engine_core::splitter::lockstep::{Costs, Lockstep};
use engine_core::table::Table;

#[test]
fn names_are_unique_and_lead_back() {
    for splitter in Splitter::ALL {
        assert_eq!(Splitter::from_name(splitter.name()), Some(splitter));
    }
    assert_eq!(Splitter::from_name("ants"), None);
}

#[test]
fn lazy_finds_the_values_of_negamax() {
    let sum = compare_trees(Splitter::Lazy, 0..400);
    assert!(sum.joins > 2_000, "{sum:?}");
}

#[test]
fn abdada_finds_the_values_of_negamax() {
    let sum = compare_trees(Splitter::Abdada, 0..600);
    assert!(sum.joins > 2_000 && sum.put_off > 2_000, "{sum:?}");
}

#[test]
fn help_at_all_finds_the_values_of_negamax() {
    let sum = compare_trees(Splitter::HelpAtAll, 0..1_000);
    assert!(sum.splits > 1_000 && sum.joins > 2_000 && sum.shares > 100, "{sum:?}");
}

#[test]
fn pv_split_finds_the_values_of_negamax() {
    let sum = compare_trees(Splitter::PvSplit, 0..1_000);
    assert!(sum.splits > 1_000 && sum.joins > 2_000 && sum.shares > 100, "{sum:?}");
}

#[test]
fn epvs_finds_the_values_of_negamax() {
    let sum = compare_trees(Splitter::Epvs, 0..1_000);
    assert!(sum.splits > 1_000 && sum.joins > 2_000 && sum.stops > 100, "{sum:?}");
}

#[test]
#[ignore = "minutes"]
fn thousands_of_trees_have_the_values_of_negamax() {
    for splitter in Splitter::ALL {
        compare_trees(splitter, 10_000..15_000);
    }
}

#[test]
fn chess_positions_have_the_values_of_negamax() {
    let lines = positions::CHESS.iter().map(|fen| Line::new(positions::chess(fen)));
    compare_positions(lines, 1..4);
}

#[test]
fn othello_positions_have_the_values_of_negamax() {
    let random = |seed| positions::random::<Othello>(seed, seed as u32 % 58);
    compare_positions((0..116).map(|seed| Line::new(random(seed))), 2..5);
}

#[test]
fn a_stop_at_any_time_releases_everything() {
    for splitter in Splitter::ALL {
        let stopped_shared = break_off(splitter, 1_000, 600);
        let name = splitter.name();
        assert!(splitter == Splitter::Lazy || stopped_shared > 100, "{name}: {stopped_shared}");
    }
}

#[test]
fn slices_change_nothing() {
    for splitter in Splitter::ALL {
        let whole = deepen_in_slices(splitter, Box::new(|| u64::MAX));
        assert!(whole == deepen_in_slices(splitter, Box::new(|| 1)), "{}", splitter.name());
        let mut random = SplitMix64::new(2);
        let slice = Box::new(move || random.below(1000));
        assert!(whole == deepen_in_slices(splitter, slice), "{}", splitter.name());
    }
}

/// Everything there is to know about searches of seven processors, sliced by `slice`.
fn deepen_in_slices(
    splitter: Splitter,
    mut slice: Box<dyn FnMut() -> u64>,
) -> impl PartialEq + use<> {
    let position = positions::chess(positions::CHESS[1]);
    let table = Arc::new(Table::new(2));
    let costs = Costs { copy: 3, message: 1 };
    let mut lockstep =
        Lockstep::new(splitter, 7, Profile::Classic, &table, costs, Tuning::default());
    let mut found = Vec::new();
    for depth in 1..=6 {
        lockstep.start(Task::full(Line::new(position.clone()), depth));
        let answer = loop {
            if let Some(answer) = lockstep.run(slice()) {
                break answer;
            }
        };
        assert_eq!(lockstep.group().blocks_in_use(), 0);
        found.push((answer.value, answer.pv, lockstep.ended_at(), lockstep.nodes()));
    }
    let counts = lockstep.group().counts();
    assert!(counts.joins > 10, "{}: {counts:?}", splitter.name());
    (found, counts, lockstep.idle(), lockstep.overhead())
}

#[test]
fn alone_each_is_the_sequential_search() {
    for splitter in Splitter::ALL {
        for fen in &positions::CHESS[..8] {
            alone(splitter, fen);
        }
    }
}

fn alone(splitter: Splitter, fen: &str) {
    let position = positions::chess(fen);
    let mut searcher = Searcher::new(Profile::Classic, Arc::new(Table::new(2)));
    let (table, costs, tuning) = (Arc::new(Table::new(2)), Costs::default(), Tuning::default());
    let mut lockstep = Lockstep::new(splitter, 1, Profile::Classic, &table, costs, tuning);
    for depth in 1..=5 {
        let who = format!("{} on {fen} at depth {depth}", splitter.name());
        let task = Task::full(Line::new(position.clone()), depth);
        searcher.start(task.clone());
        searcher.run(u64::MAX);
        lockstep.start(task);
        assert_eq!(lockstep.run(u64::MAX), searcher.answer(), "{who}");
        assert_eq!(lockstep.nodes(), searcher.nodes(), "{who}");
        assert_eq!(lockstep.ended_at(), searcher.nodes(), "{who}");
    }
}
