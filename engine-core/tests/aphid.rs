//! APHID: a master and its slaves find what one searcher finds, whatever becomes of the slaves.

#[path = "common/cluster.rs"]
mod cluster;

use std::collections::BTreeMap;

use cluster::{Cluster, sequential};
use engine_core::aphid::Frontier;
use engine_core::aphid::master::{Config, Master, Output, Pace, SlaveId};
use engine_core::aphid::messages::{
    Bounds, Event, LeafResult, LeafSpec, LeafTag, Running, SearchTag, ToMaster, ToSlave, Want,
    Window,
};
use engine_core::aphid::slave::Slave;
use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use engine_core::line::Line;
use engine_core::random::SplitMix64;
use engine_core::search::Profile;
use engine_core::search::deepen::Request;
use engine_core::search::report::Report;

const CHESS: [&str; 6] = [
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "2rq1rk1/pb2bppp/1pn1pn2/3p4/3P4/1PNBPN2/PB3PPP/2RQ1RK1 w - - 0 12",
    "8/8/1p1k4/1P1p1p2/3P1P2/4K3/8/8 w - - 40 60",
];

/// Positions of random games, opening to ending.
fn othello() -> Vec<Othello> {
    let mut random = SplitMix64::new(2026);
    let position = |plies| {
        let mut position = Othello::start();
        for _ in 0..plies {
            let moves = position.moves();
            position.play(moves[random.below(moves.len() as u64) as usize]);
        }
        position
    };
    [2, 10, 20, 30, 40, 50].map(position).to_vec()
}

fn chess() -> Vec<Chess> {
    CHESS.map(|fen| Chess::parse(fen).unwrap()).to_vec()
}

fn values<G: Game>(report: &Report<G>) -> Vec<i32> {
    report.lines.iter().map(|line| line.value).collect()
}

/// Compares every number of workers and every frontier with the sequential search.
fn agrees<G: Game>(positions: &[G], depth: u32) {
    let (mut results, mut opened) = (0, 0);
    for position in positions {
        let request = Request::to_depth(Line::new(position.clone()), depth);
        let expected = sequential(request.clone(), Profile::Exact);
        for frontier in [Frontier::Fixed(2), Frontier::Fixed(3), Frontier::Auto] {
            for workers in [1, 2, 4] {
                let mut cluster = Cluster::new(workers, frontier);
                let report = cluster.search(request.clone(), Profile::Exact);
                let case = format!("{} {frontier:?} {workers} workers", position.text());
                assert_eq!(report.value(), expected.value(), "{case}");
                assert_eq!(report.depth, expected.depth, "{case}");
                let best = report.best_move().unwrap();
                assert!(position.moves().contains(&best), "{case}");
                let stats = cluster.master.stats();
                assert_eq!(stats.late_results, 0, "nobody was lost: {case}");
                assert!(stats.results > 0 || frontier == Frontier::Auto, "{case}");
                results += stats.results;
                opened += stats.opened;
            }
        }
    }
    assert!(results > 1_000 && opened > 0, "{results} results, {opened} leaves opened");
}

#[test]
fn othello_values_equal_the_sequential_ones() {
    agrees(&othello(), 7);
}

#[test]
fn chess_values_equal_the_sequential_ones() {
    agrees(&chess(), 5);
}

#[test]
fn several_lines_and_chosen_moves_equal_the_sequential_ones() {
    for position in chess() {
        let chosen: Vec<_> = position.moves().into_iter().step_by(3).collect();
        for (multipv, root_moves) in [(3, Vec::new()), (1, chosen.clone()), (2, chosen.clone())] {
            let line = Line::new(position.clone());
            let request = Request { multipv, root_moves, ..Request::to_depth(line, 4) };
            let expected = sequential(request.clone(), Profile::Exact);
            let report =
                Cluster::new(3, Frontier::Fixed(2)).search(request.clone(), Profile::Exact);
            assert_eq!(values(&report), values(&expected), "{}", position.text());
            let firsts: Vec<_> = report.lines.iter().map(|line| line.pv[0]).collect();
            assert!((1..firsts.len()).all(|n| !firsts[..n].contains(&firsts[n])), "{firsts:?}");
            if !request.root_moves.is_empty() {
                assert!(firsts.iter().all(|mv| chosen.contains(mv)), "{firsts:?}");
            }
        }
    }
}

#[test]
fn the_same_cluster_does_the_same_again() {
    let run = |profile| {
        let position = Chess::parse(CHESS[1]).unwrap();
        let mut cluster = Cluster::new(3, Frontier::Auto);
        let report = cluster.search(Request::to_depth(Line::new(position), 5), profile);
        (report, cluster.master.stats())
    };
    for profile in [Profile::Exact, Profile::Classic] {
        let (report, stats) = run(profile);
        assert!(stats.results > 0);
        assert_eq!((report, stats), run(profile));
    }
}

#[test]
fn slaves_come_and_go_and_the_value_stays() {
    let request = Request::to_depth(Line::new(othello().swap_remove(2)), 7);
    let expected = sequential(request.clone(), Profile::Exact);
    let mut cluster = Cluster::new(2, Frontier::Fixed(2));
    cluster.master.begin(request, Profile::Exact, true);
    cluster.post();
    let mut reassigned = 0;
    for change in 0..8 {
        for _ in 0..15 {
            cluster.round();
        }
        assert!(cluster.finished.is_none(), "the search was too short for change {change}");
        if change % 2 == 0 {
            reassigned += cluster.lose_first().1;
        } else {
            cluster.join();
        }
    }
    let report = cluster.finish();
    assert_eq!(report.value(), expected.value());
    assert!(reassigned > 0);
    assert_eq!(cluster.master.stats().reassigned, reassigned);
}

#[test]
fn a_search_waits_for_its_first_slave_and_uses_it_at_once() {
    let request = Request::to_depth(Line::new(othello().swap_remove(1)), 5);
    let expected = sequential(request.clone(), Profile::Exact);
    let mut cluster = Cluster::new(0, Frontier::Fixed(2));
    cluster.master.begin(request, Profile::Exact, true);
    for _ in 0..200 {
        cluster.round();
    }
    assert!(cluster.finished.is_none());
    cluster.join();
    assert_eq!(cluster.finish().value(), expected.value());
}

#[test]
fn what_a_lost_slave_says_is_counted_and_dropped() {
    let request = Request::to_depth(Line::new(othello().swap_remove(2)), 7);
    let expected = sequential(request.clone(), Profile::Exact);
    let mut cluster = Cluster::new(2, Frontier::Fixed(2));
    cluster.master.begin(request, Profile::Exact, true);
    cluster.post();
    for _ in 0..40 {
        cluster.round();
    }
    let (mut zombie, orphans) = cluster.lose_first();
    assert!(orphans > 0);
    let before = cluster.master.stats();
    let (mut results, mut turns) = (0, 0);
    while results == 0 && turns < 1_000 {
        turns += 1;
        for mut message in zombie.turn(&mut None) {
            if let Event::Result(result) = &mut message.event {
                results += 1;
                result.bounds = Bounds { lower: 6_000, upper: 6_000 };
                let running = Running { tag: result.tag, depth: result.depth + 1, nodes: 1 };
                let event = Event::Running(vec![running]);
                let word = ToMaster { search: message.search, nodes: message.nodes, event };
                cluster.master.handle(zombie.id, word, 1_000);
            }
            cluster.master.handle(zombie.id, message, 1_000);
        }
    }
    assert_eq!(results, 1);
    let after = cluster.master.stats();
    assert_eq!(after.late_results, before.late_results + results);
    assert_eq!(after.late_reports, before.late_reports + results);
    assert_eq!(after.results, before.results);
    assert_eq!(cluster.finish().value(), expected.value());
}

#[test]
fn contradictory_bounds_end_the_search_all_the_same() {
    for profile in [Profile::Exact, Profile::Classic] {
        for frontier in [Frontier::Fixed(1), Frontier::Fixed(2)] {
            let position = Chess::parse(CHESS[0]).unwrap();
            let mut cluster = Cluster::new(2, frontier);
            cluster.lies = Some(BTreeMap::new());
            let request = Request::to_depth(Line::new(position.clone()), 3);
            let report = cluster.search(request, profile);
            assert_eq!(report.depth, 3);
            assert!(position.moves().contains(&report.best_move().unwrap()));
            let twice = cluster.lies.iter().flatten().filter(|(_, count)| **count == 2).count();
            assert!(twice > 0, "no leaf was contradicted");
        }
    }
}

#[test]
fn without_slaves_the_master_waits_and_stop_gives_a_move() {
    let position = Chess::parse(CHESS[0]).unwrap();
    let mut master: Master<Chess> = Master::new(Config::new(1, Frontier::Fixed(2)));
    master.begin(Request::to_depth(Line::new(position.clone()), 8), Profile::Exact, true);
    let turns = (0..10_000).take_while(|&now| master.work(100, now) == Pace::Busy).count();
    assert!((1..10_000).contains(&turns));
    assert_eq!(master.work(100, 10_000), Pace::Waiting);
    assert_eq!(master.poll_timeout(), None);
    master.stop();
    let outputs: Vec<_> = std::iter::from_fn(|| master.poll_output()).collect();
    let Some(Output::Finished(report)) = outputs.last() else { panic!("{outputs:?}") };
    assert!(position.moves().contains(&report.best_move().unwrap()));
    assert_eq!(master.work(100, 10_001), Pace::Waiting);
    assert_eq!(master.poll_output(), None);
}

// --- a slave and what it is told -----------------------------------------------------------------

const OPEN: Window = Window { alpha: -100, beta: 100 };

fn search(number: u32) -> SearchTag {
    SearchTag { epoch: 1, search: number }
}

fn greet(slave: &mut Slave<Othello>, number: u32) {
    let (search, profile) = (search(number), Profile::Exact);
    slave.handle(ToSlave::Begin { search, profile, fresh: false });
}

fn give(slave: &mut Slave<Othello>, number: u32, tag: LeafTag, position: Othello) {
    let line = Line::new(position);
    let leaves = vec![LeafSpec { tag, line, null_allowed: true }];
    slave.handle(ToSlave::Assign { search: search(number), leaves });
}

fn ask(slave: &mut Slave<Othello>, number: u32, sequence: u64, tag: LeafTag, depth: i32) {
    let (due, speculative) = (vec![Want { tag, depth, window: OPEN }], Vec::new());
    let search = search(number);
    slave.handle(ToSlave::Agenda { search, sequence, due, speculative, repeat: false });
}

fn results(slave: &mut Slave<Othello>) -> Vec<LeafResult> {
    let messages = std::iter::from_fn(|| slave.poll_output());
    let result = |message: ToMaster| match message.event {
        Event::Result(result) => Some(result),
        Event::Running(_) | Event::Missing(_) => None,
    };
    messages.filter_map(result).collect()
}

#[test]
fn a_job_of_the_last_search_is_never_taken_for_one_of_this() {
    let tag = LeafTag { leaf: 0, generation: 0 };
    let positions = othello();
    let mut slave = Slave::new(1, 1);
    greet(&mut slave, 1);
    give(&mut slave, 1, tag, positions[0]);
    ask(&mut slave, 1, 1, tag, 4);
    assert!(slave.pick(0).is_some());
    // The next search gives the same name to another leaf, all before the lane looks up.
    greet(&mut slave, 2);
    give(&mut slave, 2, tag, positions[1]);
    ask(&mut slave, 2, 1, tag, 4);
    assert!(!slave.still_wanted(0));
    slave.progress(0, 500);
    assert_eq!(slave.nodes(), 0, "nodes of the last search");
    slave.finish(0, Bounds { lower: 5, upper: 5 }, Vec::new());
    assert_eq!(results(&mut slave), []);
    let job = slave.pick(0).expect("the new leaf is open");
    assert_eq!(job.task.line.position, positions[1]);
}

#[test]
fn the_master_hears_in_time_of_a_heavy_leaf_but_not_all_the_time() {
    let tag = LeafTag { leaf: 0, generation: 0 };
    let mut slave = Slave::new(1, 1);
    greet(&mut slave, 1);
    give(&mut slave, 1, tag, Othello::start());
    ask(&mut slave, 1, 1, tag, 9);
    slave.pick(0).expect("the leaf is open");
    while slave.poll_output().is_some() {}
    let (mut heard, mut words) = (0, 0);
    for nodes in (100..=200_000).step_by(100) {
        slave.progress(0, 100);
        let told = slave.send_word(0);
        assert_eq!(slave.poll_output().is_some(), told);
        if told {
            (heard, words) = (nodes, words + 1);
        }
        let unheard = nodes - heard;
        assert!(unheard <= 500.max(heard / 4) && unheard <= 32_000, "{unheard} of {nodes}");
        assert!(slave.quiet_for(0) > 0);
    }
    assert!(words <= 40, "{words}");
}

#[test]
fn a_greeting_from_the_past_changes_nothing() {
    let tag = LeafTag { leaf: 0, generation: 0 };
    let mut slave = Slave::new(1, 1);
    greet(&mut slave, 2);
    give(&mut slave, 2, tag, Othello::start());
    greet(&mut slave, 1);
    assert!(slave.holds(search(2), tag));
    assert_eq!(slave.held(search(2)), 1);
    // A new master incarnation counts from 1 again.
    let (search, profile) = (SearchTag { epoch: 7, search: 1 }, Profile::Exact);
    slave.handle(ToSlave::Begin { search, profile, fresh: false });
    assert_eq!(slave.held(search), 0);
    assert!(!slave.holds(self::search(2), tag));
}

#[test]
fn what_was_never_assigned_is_reported_missing() {
    let tag = LeafTag { leaf: 3, generation: 1 };
    let mut slave: Slave<Othello> = Slave::new(1, 1);
    greet(&mut slave, 1);
    ask(&mut slave, 1, 1, tag, 4);
    assert!(slave.pick(0).is_none());
    let message = slave.poll_output().unwrap();
    assert_eq!(message.event, Event::Missing(vec![tag]));
    give(&mut slave, 1, tag, Othello::start());
    assert!(slave.pick(0).is_some());
}

#[test]
fn a_master_resends_what_is_missing() {
    let mut master: Master<Othello> = Master::new(Config::new(1, Frontier::Fixed(1)));
    let slave = SlaveId(1);
    master.join(slave, 1);
    master.begin(Request::to_depth(Line::new(Othello::start()), 4), Profile::Exact, true);
    while master.work(100, 0) == Pace::Busy {}
    let mut assigned = Vec::new();
    while let Some(output) = master.poll_output() {
        if let Output::ToSlave { message: ToSlave::Assign { leaves, .. }, .. } = output {
            assigned.extend(leaves.into_iter().map(|spec| spec.tag));
        }
    }
    let event = Event::Missing(vec![assigned[0]]);
    master.handle(slave, ToMaster { search: search(1), nodes: 0, event }, 1);
    let again: Vec<_> = std::iter::from_fn(|| master.poll_output()).collect();
    let [
        Output::ToSlave { message: ToSlave::Assign { leaves, .. }, .. },
        Output::ToSlave { message: ToSlave::Agenda { repeat: true, .. }, .. },
    ] = &again[..]
    else {
        panic!("{again:?}")
    };
    assert!(leaves.iter().any(|spec| spec.tag == assigned[0]));
}
