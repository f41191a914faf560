//! A pool of threads solves what a slave is asked for, and lets go when it should.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use engine_core::aphid::messages::{
    Bounds, Event, LeafResult, LeafSpec, LeafTag, SearchTag, ToMaster, ToSlave, Want, Window,
};
use engine_core::drive::gang::unprepared;
use engine_core::drive::pool::{Settings, SlavePool, groups};
use engine_core::game::Game;
use engine_core::games::othello::Othello;
use engine_core::line::Line;
use engine_core::random::SplitMix64;
use engine_core::search::{Profile, Searcher, Status, Task};
use engine_core::splitter::Splitter;
use engine_core::table::Table;
use engine_core::value::INFINITY;

/// Far longer than anything here takes on the slowest machine.
const PATIENCE: Duration = Duration::from_mins(2);
const FULL: Window = Window { alpha: -INFINITY, beta: INFINITY };

struct Bench {
    pool: SlavePool<Othello>,
    /// A word for every call of `notify`.
    news: Receiver<()>,
}

/// A pool of threads, each of which searches a leaf of its own.
fn bench(threads: usize) -> Bench {
    bench_of(threads, 1)
}

/// A pool of threads, `leaf_threads` of which search one leaf together.
fn bench_of(threads: usize, leaf_threads: usize) -> Bench {
    let (sender, news) = channel();
    let pool = SlavePool::new(Settings {
        threads,
        leaf_threads,
        splitter: Splitter::default(),
        table: Arc::new(Table::new(4)),
        exchange: None,
        prepare: unprepared(),
        notify: Box::new(move || {
            let _ = sender.send(());
        }),
    })
    .unwrap();
    Bench { pool, news }
}

impl Bench {
    /// Collects output until `enough` says so.
    fn collect(&self, mut enough: impl FnMut(&[ToMaster]) -> bool) -> Vec<ToMaster> {
        let mut output = Vec::new();
        loop {
            self.pool.drain_output(&mut output);
            if enough(&output) {
                return output;
            }
            self.news.recv_timeout(PATIENCE).expect("the pool goes on working");
        }
    }

    /// Waits until `condition` holds.
    fn until(&self, condition: impl Fn(&SlavePool<Othello>) -> bool) {
        while !condition(&self.pool) {
            self.news.recv_timeout(PATIENCE).expect("the pool gets there");
        }
    }

    fn begin(&self, search: u32, fresh: bool) {
        let search = tag(search);
        self.pool.handle(ToSlave::Begin { search, profile: Profile::Exact, fresh });
    }

    fn assign(&self, search: u32, positions: &[Othello]) {
        let leaf = |(index, position): (usize, &Othello)| LeafSpec {
            tag: LeafTag { leaf: index as u32, generation: 1 },
            line: Line::new(*position),
            null_allowed: true,
        };
        let leaves = positions.iter().enumerate().map(leaf).collect();
        self.pool.handle(ToSlave::Assign { search: tag(search), leaves });
    }

    fn agenda(&self, search: u32, sequence: u64, due: Vec<Want>) {
        let (search, speculative) = (tag(search), Vec::new());
        self.pool.handle(ToSlave::Agenda { search, sequence, due, speculative, repeat: false });
    }
}

fn tag(search: u32) -> SearchTag {
    SearchTag { epoch: 1, search }
}

fn want(leaf: usize, depth: i32) -> Want {
    Want { tag: LeafTag { leaf: leaf as u32, generation: 1 }, depth, window: FULL }
}

fn results(output: &[ToMaster]) -> Vec<&LeafResult> {
    output
        .iter()
        .filter_map(|message| match &message.event {
            Event::Result(result) => Some(result),
            Event::Running(_) | Event::Missing(_) => None,
        })
        .collect()
}

fn positions(count: u64) -> Vec<Othello> {
    let mut random = SplitMix64::new(11);
    let after = |plies| {
        let mut position = Othello::start();
        for _ in 0..plies {
            let moves = position.moves();
            position.play(moves[random.below(moves.len() as u64) as usize]);
        }
        position
    };
    (0..count).map(|index| 6 + index).map(after).collect()
}

fn sequential(position: &Othello, depth: i32) -> i32 {
    let mut searcher = Searcher::new(Profile::Exact, Arc::new(Table::new(4)));
    searcher.start(Task::full(Line::new(*position), depth));
    while searcher.run(u64::MAX) == Status::Running {}
    searcher.answer().expect("a finished search has an answer").value
}

#[test]
fn every_number_of_threads_finds_the_sequential_values_and_loses_none() {
    let positions = positions(12);
    for (threads, leaf_threads) in [(1, 1), (2, 1), (4, 1), (2, 0), (4, 0), (5, 2)] {
        let bench = bench_of(threads, leaf_threads);
        bench.begin(1, true);
        bench.assign(1, &positions);
        let due: Vec<Want> =
            (1..=6).flat_map(|depth| (0..12).map(move |leaf| want(leaf, depth))).collect();
        bench.agenda(1, 1, due);
        let output = bench.collect(|output| results(output).len() == 72);
        for result in results(&output) {
            let leaf = result.tag.leaf as usize;
            let value = sequential(&positions[leaf], result.depth);
            assert_eq!(result.bounds, Bounds { lower: value, upper: value }, "{result:?}");
        }
        bench.until(|pool| pool.busy() == 0);
        let mut rest = Vec::new();
        bench.pool.drain_output(&mut rest);
        assert!(results(&rest).is_empty(), "each result is told once");
        let told = output.iter().chain(&rest).map(|message| message.nodes).max().unwrap();
        assert_eq!(told, bench.pool.nodes_total(), "every node is accounted for");
        assert_eq!(bench.pool.blocks_in_use(), 0, "{threads} threads, {leaf_threads} a leaf");
    }
}

#[test]
fn at_rest_no_thread_goes_on_and_a_later_search_is_not_confused() {
    let bench = bench(2);
    bench.begin(1, false);
    bench.assign(1, &positions(2));
    // Depths that would take years.
    bench.agenda(1, 1, vec![want(0, 40), want(1, 40)]);
    bench.until(|pool| pool.busy() == 2 && pool.nodes_total() > 10_000);
    bench.pool.rest();
    bench.until(|pool| pool.busy() == 0);

    // The same names mean other leaves in another search.
    let others = &positions(4)[2..];
    bench.begin(2, false);
    bench.assign(2, others);
    bench.agenda(2, 1, vec![want(0, 4), want(1, 4)]);
    let output = bench.collect(|output| results(output).len() == 2);
    assert!(output.iter().all(|message| message.search == tag(2)));
    for result in results(&output) {
        let value = sequential(&others[result.tag.leaf as usize], 4);
        assert_eq!(result.bounds, Bounds { lower: value, upper: value });
    }
}

#[test]
fn a_search_replaced_under_way_never_answers_for_its_namesake() {
    const DEPTH: i32 = 7;
    let bench = bench(1);
    let (old, new) = (&positions(1), &positions(9)[8..]);
    let value = sequential(&new[0], DEPTH);
    assert_ne!(value, sequential(&old[0], DEPTH));
    let of = |search: u32, output: &[ToMaster]| -> Vec<ToMaster> {
        output.iter().filter(|message| message.search == tag(search)).cloned().collect()
    };
    for round in 0..20 {
        let (first, second) = (2 * round, 2 * round + 1);
        bench.begin(first, true);
        bench.assign(first, old);
        bench.agenda(first, 1, vec![want(0, DEPTH)]);
        bench.collect(|output| !of(first, output).is_empty());
        // The thread is on its way, and now the leaf's name comes to mean another position.
        bench.begin(second, false);
        bench.assign(second, new);
        bench.agenda(second, 1, vec![want(0, DEPTH)]);
        let output = bench.collect(|output| !results(&of(second, output)).is_empty());
        for result in results(&of(second, &output)) {
            assert_eq!(result.bounds, Bounds { lower: value, upper: value });
        }
    }
}

#[test]
fn what_is_no_longer_wanted_is_broken_off() {
    let bench = bench(1);
    bench.begin(1, false);
    bench.assign(1, &positions(2));
    bench.agenda(1, 1, vec![want(0, 40)]);
    bench.until(|pool| pool.busy() == 1);
    bench.agenda(1, 2, vec![want(1, 3)]);
    let output = bench.collect(|output| !results(output).is_empty());
    assert_eq!(results(&output)[0].tag.leaf, 1);
    bench.pool.handle(ToSlave::End { search: tag(1) });
    bench.until(|pool| pool.busy() == 0);
}

#[test]
fn threads_are_divided_among_leaves() {
    assert_eq!(groups(5, 0), [5]);
    assert_eq!(groups(5, 2), [2, 2, 1]);
    assert_eq!(groups(5, 9), [5]);
    assert_eq!(groups(0, 0), [1]);
    let bench = bench_of(3, 2);
    bench.begin(1, false);
    bench.assign(1, &positions(2));
    bench.agenda(1, 1, vec![want(0, 40), want(1, 40)]);
    bench.until(|pool| pool.busy() == 3 && pool.nodes_total() > 300_000);
    bench.pool.rest();
    bench.until(|pool| pool.busy() == 0);
    assert_eq!(bench.pool.usage().len(), 3);
    assert!(bench.pool.usage().iter().all(|thread| !thread.busy.is_zero()));
}

#[test]
fn dropping_the_pool_ends_its_threads() {
    let Bench { pool, news } = bench(3);
    pool.handle(ToSlave::Begin { search: tag(1), profile: Profile::Exact, fresh: false });
    drop(pool);
    // Each thread held a sender through `notify`; when all are gone, so are the threads.
    while let Ok(()) = news.recv_timeout(PATIENCE) {}
    assert_eq!(news.recv_timeout(PATIENCE), Err(RecvTimeoutError::Disconnected));

    let searching = bench(2);
    searching.begin(1, false);
    searching.assign(1, &positions(2));
    searching.agenda(1, 1, vec![want(0, 40), want(1, 40)]);
    searching.until(|pool| pool.busy() == 2);
    let Bench { pool, news } = searching;
    drop(pool);
    while let Ok(()) = news.try_recv() {}
    assert_eq!(news.recv_timeout(PATIENCE), Err(RecvTimeoutError::Disconnected));
}
