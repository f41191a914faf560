//! `aphid-lab sim`: a cluster in virtual time, under faults drawn from a seed.
//!
//! Production master, slaves, lanes and search; ours are the clock, the network, the processes and
//! their misfortunes. The same seed and commit give the same run, event for event.
//!
//! - [`options`]: what a seed stands for; [`question`]: what is searched
//! - [`world`]: the events and the master; [`crew`]: its workers; [`network`]: messages; [`worker`]: processes; [`faults`]: misfortunes
//! - [`rumours`]: what workers tell each other of their tables
//! - [`check`]: what must hold after every event; [`trace`]: what happened before it did not
//! - [`tally`]: many seeds in one line

pub mod check;
pub mod crew;
pub mod faults;
pub mod network;
pub mod options;
pub mod question;
pub mod rumours;
pub mod tally;
pub mod trace;
pub mod worker;
pub mod world;

use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use serde::Serialize;

use check::Violation;
use faults::Counts;
use options::{GameName, Options};
use world::World;

/// How a run went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Its seed.
    pub seed: u64,
    /// Events.
    pub steps: u64,
    /// Virtual time, in nodes.
    pub time: u64,
    /// Searches, the stopped ones included.
    pub searches: u32,
    /// Searches stopped half-way.
    pub stopped: u32,
    /// Results merged.
    pub results: u64,
    /// Results dropped for being late.
    pub late_results: u64,
    /// Leaves taken from lost workers.
    pub reassigned: u64,
    /// Table entries heard from other workers.
    pub heard: u64,
    /// What went wrong.
    pub faults: Counts,
    /// A broken promise.
    pub violation: Option<Broken>,
}

/// A broken promise, for the reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// Which promise.
    pub checker: &'static str,
    /// How it was broken.
    pub what: String,
    /// The last events.
    pub events: String,
}

/// Runs one seed for `steps` events, and to the end of the search that is on then.
pub fn run(options: Options, steps: u64) -> Outcome {
    match options.game {
        GameName::Chess => run_game::<Chess>(options, steps),
        GameName::Othello => run_game::<Othello>(options, steps),
    }
}

fn run_game<G: Game>(options: Options, steps: u64) -> Outcome {
    let seed = options.seed;
    let mut world: World<G> = World::new(options);
    let verdict = world.run(steps);
    let stats = world.stats();
    let broken = |Violation { checker, what }| Broken { checker, what, events: world.trace.text() };
    Outcome {
        seed,
        steps: world.steps,
        time: world.now,
        searches: world.searches,
        stopped: world.stopped,
        results: stats.results,
        late_results: stats.late_results,
        reassigned: stats.reassigned,
        heard: world.rumours.heard,
        faults: world.faults.counts,
        violation: verdict.err().map(broken),
    }
}

#[cfg(test)]
mod tests {
    use super::options::Sabotage;
    use super::*;

    /// Enough for several searches.
    const STEPS: u64 = 3_000;

    fn sound(seed: u64) -> Options {
        Options { exact: true, stop_percent: 0, ..Options::draw(seed, None) }
    }

    #[test]
    fn promises_hold_under_faults() {
        for seed in 1..=12 {
            let outcome = run(Options::draw(seed, None), STEPS);
            assert_eq!(outcome.violation, None, "seed {seed}");
            assert!(outcome.searches > 0 && outcome.steps >= STEPS);
        }
    }

    #[test]
    fn a_seed_is_one_run() {
        let run = || run(Options::draw(5, None), STEPS);
        assert_eq!(run(), run());
    }

    #[test]
    fn every_sabotage_is_caught_by_its_checker() {
        for (sabotage, checker) in [
            (Sabotage::Value, "value"),
            (Sabotage::Owner, "ownership"),
            (Sabotage::Forgery, "merge"),
            (Sabotage::Loss, "progress"),
        ] {
            let options =
                Options { sabotage: Some(sabotage), workers: 3, frontier: Some(2), ..sound(3) };
            let broken = run(options, STEPS).violation;
            assert_eq!(broken.map(|broken| broken.checker), Some(checker), "{sabotage:?}");
        }
    }

    /// A false entry is caught only where a search comes by in time and its value decides: not in
    /// every run.
    #[test]
    fn false_rumours_are_caught() {
        let broken = |seed| {
            let (sabotage, share_from) = (Some(Sabotage::Rumour), Some(1));
            let (latency, frontier) = ((1, 2), Some(2));
            let options =
                Options { sabotage, share_from, latency, frontier, workers: 4, ..sound(seed) };
            run(options, STEPS).violation
        };
        let caught: Vec<Broken> = (1..=20).filter_map(broken).collect();
        assert!(!caught.is_empty());
        assert!(caught.iter().all(|broken| broken.checker == "value"));
    }
}
