//! One master and its workers in virtual time, over a network with constant latency.
//!
//! One processor is the master's, as in the paper. What runs is production code: the APHID master,
//! slaves, lanes and the search; only the clock and the network are ours.

use std::ops::Add;

use engine_core::aphid::Frontier;
use engine_core::aphid::master::{Config, Master, Output, Pace, SlaveId, Stats};
use engine_core::aphid::messages::ToMaster;
use engine_core::game::Game;
use engine_core::search::Profile;
use engine_core::search::deepen::Request;
use engine_core::search::report::Report;
use engine_core::sharing::Tally;

use crate::clock::{Agenda, Time};
use crate::hearsay::{self, Hearsay};
use crate::virtual_worker::{Spent, VirtualWorker};

/// What a virtual cluster is made of.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Processors, the master's included; at least 2.
    pub processors: usize,
    /// Processors of the first worker, the second and so on, and again from the first; above 1 they
    /// split the tree of a leaf among them.
    pub threads: Vec<usize>,
    /// Where the master's tree ends.
    pub frontier: Frontier,
    /// How leaves are searched.
    pub profile: Profile,
    /// Time a message takes, in nodes.
    pub latency: Time,
    /// Table of each worker and of the sequential search, in MB.
    pub table_mb: usize,
    /// Workers run ahead rather than idle.
    pub speculate: bool,
    /// How workers tell each other of their tables; none: not at all.
    pub sharing: Option<hearsay::Plan>,
}

impl Setup {
    /// Processors of each worker, one after the other.
    pub fn hands(&self) -> impl Iterator<Item = usize> {
        self.threads.iter().copied().cycle().take(self.processors - 1)
    }
}

/// How a search in the cluster went.
#[derive(Debug, Clone)]
pub struct Outcome<G: Game> {
    /// What it found.
    pub report: Report<G>,
    /// When it was complete.
    pub time: Time,
    /// Where the workers' time went, added up.
    pub spent: Spent,
    /// The master's counters.
    pub stats: Stats,
    /// What became of shared table entries, added up.
    pub tally: Tally,
}

/// Searches `request` on a virtual cluster.
pub fn run<G: Game>(setup: &Setup, request: Request<G>) -> Outcome<G> {
    let mut config = Config::new(1, setup.frontier);
    config.refresh = Time::MAX / 4;
    config.table_mb = setup.table_mb;
    config.speculate = setup.speculate;
    let mut master = Master::new(config);
    let mut hearsay = Hearsay::new(setup.sharing, setup.processors - 1, setup.latency);
    let mut workers: Vec<VirtualWorker<G>> = setup
        .hands()
        .map(|threads| VirtualWorker::new(threads, setup.table_mb, hearsay.sharer(), 0))
        .collect();
    for index in 0..workers.len() {
        master.join(SlaveId(index as u64), 1);
    }
    master.begin(request, setup.profile, true);

    let mut post: Agenda<(usize, ToMaster)> = Agenda::default();
    let mut master_time = 0;
    let mut master_waits = false;
    let quantum = setup.latency.max(16);
    loop {
        // The master acts first: what it says at the same time as a worker is then on its way.
        let worker =
            (0..workers.len()).filter_map(|index| Some((workers[index].ready_at()?, index))).min();
        let master_ready = if master_waits {
            post.next_time().map(|arrival| arrival.max(master_time))
        } else {
            Some(master_time)
        };
        let masters_turn = match (master_ready, worker) {
            (Some(ready), Some((time, _))) => ready <= time,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => unreachable!("a search with live workers always goes on"),
        };
        if let Some((_, index)) = worker
            && !masters_turn
        {
            workers[index].live(quantum, |time, message| {
                post.add(time + setup.latency, (index, message));
            });
            hearsay.carry(&mut workers, index);
            continue;
        }
        master_time = master_ready.unwrap_or(master_time);
        while let Some((_, (from, message))) = post.take_until(master_time) {
            master.handle(SlaveId(from as u64), message, master_time);
        }
        let before = master.stats().master_nodes;
        master_waits = master.work(quantum, master_time) == Pace::Waiting;
        master_time += master.stats().master_nodes - before;
        while let Some(output) = master.poll_output() {
            match output {
                Output::ToSlave { slave, message } => {
                    workers[slave.0 as usize].receive(master_time + setup.latency, message);
                }
                Output::Info(_) => {}
                Output::Finished(report) => {
                    let spent = workers.iter().fold(Spent::default(), |sum, worker| Spent {
                        due: sum.due + worker.spent.due,
                        speculative: sum.speculative + worker.spent.speculative,
                    });
                    let tally =
                        workers.iter().map(VirtualWorker::tally).fold(Tally::default(), Tally::add);
                    let (time, stats) = (master_time, master.stats());
                    return Outcome { report, time, spent, stats, tally };
                }
            }
        }
    }
}
