//! Dynamic Tree Splitting under a scheduler that tries orders no machine would: between any two
//! accesses to what processors share, any other thread may run.
//!
//! `RUSTFLAGS="--cfg shuttle" cargo test -p engine-core --release --test dts_model`
//!
//! A failure prints the schedule; `shuttle::replay` runs it again, step by step.
#![cfg(shuttle)]

#[path = "common/negamax.rs"]
mod negamax;
#[path = "common/synthetic.rs"]
mod synthetic;

use std::sync::atomic::AtomicU64;

use engine_core::dts::{Busy, Idle, Outcome, Team, Tuning};
use engine_core::game::Game;
use engine_core::line::Line;
use engine_core::search::{Answer, Profile, Task};
use engine_core::splitter::nobody;
use engine_core::table::Table;
use negamax::negamax;
use shuttle::sync::atomic::{AtomicBool, Ordering::SeqCst};
use shuttle::thread;
use synthetic::Tree;

enum At<G: Game> {
    Rest(Idle<G>),
    Work(Busy<G>),
}

/// Searches until the search is over or stopped.
fn serve<G: Game>(team: &Team<G>, mut at: At<G>, over: &AtomicBool) -> Option<Answer<G>> {
    while !over.load(SeqCst) {
        at = match at {
            At::Rest(idle) => match idle.help(team) {
                Ok(busy) => At::Work(busy),
                Err(idle) => {
                    thread::yield_now();
                    At::Rest(idle)
                }
            },
            At::Work(busy) => match busy.run(3, team) {
                Outcome::Working(busy) => At::Work(busy),
                Outcome::Free(idle) => At::Rest(idle),
                Outcome::Finished(_, answer) => {
                    over.store(true, SeqCst);
                    return Some(answer);
                }
            },
        };
    }
    if let At::Work(busy) = at {
        busy.abort(team);
    }
    None
}

/// One search of the tree `seed` by `processors` threads; `stop` ends it somewhere under way.
fn search(seed: u64, depth: i32, processors: usize, stop: bool) {
    let line = Line::new(Tree::new(seed));
    let table = std::sync::Arc::new(Table::new(1));
    let team = shuttle::sync::Arc::new(Team::new(processors, Tuning::EAGER, nobody()));
    let over = shuttle::sync::Arc::new(AtomicBool::new(false));
    let threads: Vec<_> = (0..processors)
        .map(|id| {
            let idle = Idle::new(id, &team, Profile::Exact, std::sync::Arc::clone(&table));
            let task = (id == 0).then(|| Task::full(line.clone(), depth));
            let (team, over) = (team.clone(), over.clone());
            thread::spawn(move || {
                let at = match task {
                    Some(task) => At::Work(idle.start(task, &team)),
                    None => At::Rest(idle),
                };
                serve(&team, at, &over)
            })
        })
        .collect();
    if stop {
        over.store(true, SeqCst);
    }
    let answers: Vec<_> =
        threads.into_iter().filter_map(|thread| thread.join().expect("no panic")).collect();
    assert_eq!(team.blocks_in_use(), 0, "every block comes back");
    if !stop {
        assert_eq!(answers.len(), 1, "one processor backs up to the root");
    }
    let counts = team.counts();
    SPLITS.fetch_add(counts.splits, std::sync::atomic::Ordering::Relaxed);
    JOINS.fetch_add(counts.joins, std::sync::atomic::Ordering::Relaxed);
    for answer in answers {
        assert_eq!(Some(answer.value), negamax(&line, depth), "tree {seed}");
    }
}

/// Over all schedules: that the models have met what they are for.
static SPLITS: AtomicU64 = AtomicU64::new(0);
static JOINS: AtomicU64 = AtomicU64::new(0);

fn check_that_they_split() {
    let read = |count: &AtomicU64| count.load(std::sync::atomic::Ordering::Relaxed);
    println!("{} splits, {} joins", read(&SPLITS), read(&JOINS));
    assert!(read(&SPLITS) > 5_000 && read(&JOINS) > 5_000);
}

/// Trees small enough to be searched a thousand times, each with split points.
const TREES: [(u64, i32); 6] = [(3, 3), (5, 3), (8, 4), (21, 3), (34, 4), (55, 3)];

#[test]
fn any_order_finds_the_value_of_negamax() {
    for (seed, depth) in TREES {
        shuttle::check_random(move || search(seed, depth, 3, false), 3_000);
        shuttle::check_pct(move || search(seed, depth, 3, false), 2_000, 4);
    }
    check_that_they_split();
}

#[test]
fn a_stop_in_any_order_releases_everything() {
    for (seed, depth) in TREES {
        shuttle::check_random(move || search(seed, depth, 4, true), 3_000);
        shuttle::check_pct(move || search(seed, depth, 4, true), 2_000, 4);
    }
    check_that_they_split();
}
