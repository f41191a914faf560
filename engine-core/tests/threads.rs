//! Gangs of threads: what they find is what one searcher finds, and afterwards all is quiet.

#[path = "common/positions.rs"]
#[expect(dead_code, reason = "the other tests use more positions")]
mod positions;

use std::sync::Arc;
use std::time::Duration;

use engine_core::drive::analysis::Thinkers;
use engine_core::drive::gang::{Hiring, SLICE, unprepared};
use engine_core::dts::Tuning;
use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use engine_core::line::Line;
use engine_core::random::SplitMix64;
use engine_core::search::deepen::{Analysis, Request};
use engine_core::search::report::{Info, Report};
use engine_core::search::{Profile, Searcher, Status};
use engine_core::splitter::Splitter;
use engine_core::table::Table;

/// Far longer than anything here takes on the slowest machine.
const PATIENCE: Duration = Duration::from_mins(2);

fn hiring(threads: usize, tuning: Tuning) -> Hiring {
    let table = Arc::new(Table::new(4));
    Hiring { threads, splitter: Splitter::Dts, tuning, table, prepare: unprepared() }
}

/// The same with another way to split.
fn splitting(splitter: Splitter, threads: usize) -> Hiring {
    Hiring { splitter, ..hiring(threads, Tuning::EAGER) }
}

fn finish<G: Game>(thinkers: &Thinkers<G>) -> (Vec<Info<G>>, Report<G>) {
    let mut infos = Vec::new();
    loop {
        let status = thinkers.wait(PATIENCE).expect("no thread dies");
        infos.extend(std::iter::from_fn(|| thinkers.poll_info()));
        if status == Status::Done {
            return (infos, thinkers.report().expect("something was asked"));
        }
    }
}

fn sequential<G: Game>(request: Request<G>, profile: Profile) -> (Vec<Info<G>>, Report<G>) {
    let searcher = Searcher::new(profile, Arc::new(Table::new(4)));
    let mut analysis = Analysis::new(searcher, request);
    while analysis.work(u64::MAX / 2) == Status::Running {}
    (std::iter::from_fn(|| analysis.poll_info()).collect(), analysis.report())
}

fn compare_exact<G: Game>(lines: &[Line<G>], depth: u32, splitters: &[Splitter]) {
    for (&splitter, threads) in splitters.iter().flat_map(|s| [2, 4, 16].map(|n| (s, n))) {
        let mut thinkers = Thinkers::new(splitting(splitter, threads)).expect("threads");
        for line in lines {
            let request = Request::to_depth(line.clone(), depth);
            let (expected, _) = sequential(request.clone(), Profile::Exact);
            thinkers.begin(request, Profile::Exact, true);
            let (infos, report) = finish(&thinkers);
            let values = |infos: &[Info<G>]| -> Vec<_> {
                infos.iter().map(|info| (info.depth, info.value)).collect()
            };
            let text = format!("{} on {}", splitter.name(), line.position.text());
            assert_eq!(values(&infos), values(&expected), "{text}, {threads} threads");
            assert!(report.certain, "{text}, {threads} threads");
            assert_eq!(thinkers.blocks_in_use(), 0, "{text}, {threads} threads");
        }
    }
}

#[test]
fn exact_finds_the_sequential_values_on_any_number_of_threads() {
    let chess: Vec<_> =
        positions::CHESS.iter().map(|fen| Line::new(positions::chess(fen))).collect();
    compare_exact(&chess, 4, &[Splitter::Dts]);
    let othello: Vec<_> = (0..24)
        .map(|seed| Line::new(positions::random::<Othello>(seed, seed as u32 * 2)))
        .collect();
    compare_exact(&othello, 6, &[Splitter::Dts]);
}

#[test]
fn every_splitter_finds_the_sequential_values_on_threads() {
    let chess = positions::CHESS.iter().take(8).map(|fen| Line::new(positions::chess(fen)));
    compare_exact(&chess.collect::<Vec<_>>(), 4, &Splitter::ALL);
}

#[test]
fn threads_do_help_each_other() {
    let mut thinkers = Thinkers::new(hiring(2, Tuning::threads())).expect("threads");
    let line = Line::new(positions::chess(positions::CHESS[0]));
    // Once is enough, unless the system lets one thread sleep through a whole search.
    let helped = (0..100).any(|_| {
        thinkers.begin(Request::to_depth(line.clone(), 7), Profile::Classic, true);
        finish(&thinkers);
        thinkers.counts().joins > 0
    });
    assert!(helped, "{:?}", thinkers.counts());
    let usage = thinkers.usage();
    assert!(usage.len() == 2 && usage.iter().all(|thread| !thread.busy.is_zero()), "{usage:?}");
}

#[test]
fn one_thread_searches_the_very_nodes_of_the_sequential_search() {
    let mut thinkers = Thinkers::new(hiring(1, Tuning::default())).expect("a thread");
    for (number, fen) in positions::CHESS.iter().take(12).enumerate() {
        let line = Line::new(positions::chess(fen));
        let mut request = Request::to_depth(line, 6);
        request.multipv = 1 + number % 3;
        request.nodes = [u64::MAX, 1, 777, 20_001][number % 4];
        let expected = sequential(request.clone(), Profile::Classic);
        let mut fresh = hiring(1, Tuning::default());
        fresh.table = Arc::new(Table::new(4));
        thinkers = Thinkers::new(fresh).expect("a thread");
        thinkers.begin(request, Profile::Classic, true);
        assert_eq!(finish(&thinkers), expected, "{fen}");
    }
    drop(thinkers);
}

/// Many short searches in a row on the same threads, ended by themselves, by a number of nodes, or
/// by a stop at some moment: every one ends, and leaves nothing behind.
fn soak(splitter: Splitter, searches: u64, threads: usize, seed: u64) {
    let mut random = SplitMix64::new(seed);
    let mut thinkers = Thinkers::<Chess>::new(splitting(splitter, threads)).expect("threads");
    let (mut stopped, mut complete) = (0, 0);
    for search in 0..searches {
        let fen = positions::CHESS[random.below(positions::CHESS.len() as u64) as usize];
        let mut request = Request::to_depth(Line::new(positions::chess(fen)), 30);
        request.nodes = 1 + random.below(6_000);
        if random.below(4) == 0 {
            request.depth = 1 + random.below(4) as u32;
        }
        let profile = if random.below(2) == 0 { Profile::Exact } else { Profile::Classic };
        thinkers.begin(request, profile, random.below(10) == 0);
        if random.below(3) == 0 {
            // Anywhere between at once and too late.
            while random.below(2_000) != 0 && thinkers.nodes() < 3_000 {
                std::hint::spin_loop();
            }
            thinkers.stopper().stop();
            stopped += 1;
        }
        let (_, report) = finish(&thinkers);
        complete += u32::from(report.depth > 0);
        assert!(report.best_move().is_some() || report.outcome.is_some(), "search {search}");
        assert_eq!(thinkers.blocks_in_use(), 0, "search {search}, {threads} threads");
    }
    assert!(stopped > searches / 10 && u64::from(complete) > searches / 10);
}

#[test]
fn a_stop_ends_the_search_within_a_slice_of_work() {
    const THREADS: usize = 4;
    let mut thinkers = Thinkers::new(hiring(THREADS, Tuning::threads())).expect("threads");
    for fen in positions::CHESS.iter().take(8) {
        let line = Line::new(positions::chess(fen));
        thinkers.begin(Request::to_depth(line, 60), Profile::Classic, true);
        while thinkers.nodes() < 50_000 && thinkers.wait(Duration::ZERO).is_ok() {
            std::thread::yield_now();
        }
        let before = thinkers.nodes();
        thinkers.stopper().stop();
        let (_, report) = finish(&thinkers);
        // Of each thread: what it had not told yet, and what it searched until it looked again.
        let after = report.nodes - before;
        assert!(after <= 3 * SLICE * THREADS as u64, "{after} nodes after the stop, {fen}");
    }
}

#[test]
fn short_searches_leave_nothing_behind() {
    for threads in [2, 4, 16] {
        soak(Splitter::Dts, 250, threads, 40 + threads as u64);
    }
    for (splitter, seed) in Splitter::ALL.into_iter().zip(60..) {
        soak(splitter, 100, 4, seed);
    }
}

#[test]
#[ignore = "some minutes"]
fn ten_thousand_short_searches_leave_nothing_behind() {
    for threads in [2, 4, 16] {
        soak(Splitter::Dts, 10_000, threads, 70 + threads as u64);
    }
}
