//! A master and its slaves wired directly: messages arrive at once, everybody gets a turn in order.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine_core::aphid::Frontier;
use engine_core::aphid::lane::Lane;
use engine_core::aphid::master::{Config, Master, Output, SlaveId};
use engine_core::aphid::messages::{Bounds, LeafTag, ToMaster, ToSlave};
use engine_core::aphid::slave::Slave;
use engine_core::game::Game;
use engine_core::search::deepen::{Analysis, Request};
use engine_core::search::report::Report;
use engine_core::search::{Profile, Searcher, Status};
use engine_core::table::Table;
use engine_core::value::Bound;

/// Nodes in one turn.
const TURN: u64 = 50;

/// A slave with one lane.
pub struct Worker<G: Game> {
    pub id: SlaveId,
    pub slave: Slave<G>,
    lane: Lane<G>,
    busy: bool,
    job: (LeafTag, i32),
}

/// Reports per leaf and depth.
pub type Lies = BTreeMap<(LeafTag, i32), u64>;

/// Master and slaves.
pub struct Cluster<G: Game> {
    pub master: Master<G>,
    pub workers: Vec<Worker<G>>,
    /// Slaves report contradictory bounds whatever they find; counts the reports per leaf and depth.
    pub lies: Option<Lies>,
    /// The final report, once it is there.
    pub finished: Option<Report<G>>,
    slaves: u64,
    now: u64,
}

impl<G: Game> Cluster<G> {
    /// `workers` slaves with a lane each.
    pub fn new(workers: usize, frontier: Frontier) -> Self {
        let config = Config { table_mb: 1, ..Config::new(1, frontier) };
        let master = Master::new(config);
        let workers_to_come = workers;
        let (workers, lies, finished) = (Vec::new(), None, None);
        let mut cluster = Self { master, workers, lies, finished, slaves: 0, now: 0 };
        for _ in 0..workers_to_come {
            cluster.join();
        }
        cluster
    }

    /// One slave more.
    pub fn join(&mut self) {
        self.slaves += 1;
        let id = SlaveId(self.slaves);
        let job = (LeafTag { leaf: 0, generation: 0 }, 0);
        let lane = Lane::new(0, Arc::new(Table::new(1)));
        self.workers.push(Worker { id, slave: Slave::new(1, 1), lane, busy: false, job });
        self.master.join(id, 1);
        self.post();
    }

    /// The first slave is lost. Returns it, and how many leaves it owned.
    pub fn lose_first(&mut self) -> (Worker<G>, u64) {
        let worker = self.workers.remove(0);
        let orphans = self.master.leave(worker.id);
        self.post();
        (worker, orphans)
    }

    /// Hands out what the master says.
    pub fn post(&mut self) {
        while let Some(output) = self.master.poll_output() {
            match output {
                Output::ToSlave { slave, message } => self.tell(slave, message),
                Output::Info(_) => {}
                Output::Finished(report) => self.finished = Some(report),
            }
        }
    }

    fn tell(&mut self, to: SlaveId, message: ToSlave<G>) {
        if let Some(worker) = self.workers.iter_mut().find(|worker| worker.id == to) {
            worker.slave.handle(message);
        }
    }

    /// Everybody gets a turn.
    pub fn round(&mut self) {
        self.now += 1;
        self.master.work(TURN, self.now);
        self.post();
        for index in 0..self.workers.len() {
            for message in self.workers[index].turn(&mut self.lies) {
                let from = self.workers[index].id;
                self.master.handle(from, message, self.now);
                self.post();
            }
        }
    }

    /// Searches to the end.
    pub fn search(&mut self, request: Request<G>, profile: Profile) -> Report<G> {
        self.master.begin(request, profile, true);
        self.post();
        self.finish()
    }

    /// Goes on until the search is over.
    pub fn finish(&mut self) -> Report<G> {
        for _ in 0..200_000 {
            if let Some(report) = self.finished.take() {
                return report;
            }
            self.round();
        }
        panic!("the search does not end");
    }
}

impl<G: Game> Worker<G> {
    /// Searches a little; comes back with what there is to say.
    pub fn turn(&mut self, lies: &mut Option<Lies>) -> Vec<ToMaster> {
        if self.busy && !self.slave.still_wanted(0) {
            self.slave.abandon(0);
            self.busy = false;
        }
        if !self.busy
            && let Some(job) = self.slave.pick(0)
        {
            self.job = (job.want.tag, job.want.depth);
            self.lane.begin(&job);
            self.busy = true;
        }
        if self.busy {
            let (status, nodes) = self.lane.run(TURN);
            self.slave.progress(0, nodes);
            if status == Status::Done {
                self.busy = false;
                match lies {
                    Some(lies) => {
                        let count = lies.entry(self.job).or_default();
                        *count += 1;
                        self.slave.finish(0, lie(*count), Vec::new());
                    }
                    None => self.lane.deliver(&mut self.slave),
                }
            }
        }
        std::iter::from_fn(|| self.slave.poll_output()).collect()
    }
}

/// Much, then little, then much.
fn lie(count: u64) -> Bounds {
    if count.is_multiple_of(2) {
        Bounds::proved(-300, Bound::Upper)
    } else {
        Bounds::proved(300, Bound::Lower)
    }
}

/// The sequential answer.
pub fn sequential<G: Game>(request: Request<G>, profile: Profile) -> Report<G> {
    let searcher: Searcher<G> = Searcher::new(profile, Arc::new(Table::new(1)));
    let mut analysis = Analysis::new(searcher, request);
    while analysis.work(10_000) == Status::Running {}
    analysis.report()
}
