//! What a virtual worker searches with: one processor, or several that split the tree of a leaf.

use std::sync::Arc;

use engine_core::aphid::errand::Errand;
use engine_core::aphid::lane::Lane;
use engine_core::aphid::slave::{Job, Slave};
use engine_core::dts::Tuning;
use engine_core::game::Game;
use engine_core::search::{Answer, Profile, Status};
use engine_core::sharing::Notes;
use engine_core::splitter::Splitter;
use engine_core::splitter::lockstep::{Costs, Lockstep};
use engine_core::table::Table;

use crate::clock::Time;

/// The processors of a worker.
pub enum Team<G: Game> {
    /// One: the production lane.
    One(Box<Lane<G>>),
    /// Several: production DTS, driven in virtual time.
    Many(Box<Many<G>>),
}

/// What a stretch of work came to.
pub struct Stretch {
    pub status: Status,
    /// How long it took.
    pub time: Time,
    /// Nodes of all processors.
    pub nodes: u64,
}

impl<G: Game> Team<G> {
    /// So many processors, at least 1, that share `table`.
    pub fn new(processors: usize, table: &Arc<Table>) -> Self {
        if processors <= 1 {
            return Self::One(Box::new(Lane::new(0, Arc::clone(table))));
        }
        Self::Many(Box::new(Many::new(processors, Profile::default(), table)))
    }

    /// Sets up a job.
    pub fn begin(&mut self, job: &Job<G>) {
        match self {
            Self::One(lane) => lane.begin(job),
            Self::Many(many) => many.begin(job),
        }
    }

    /// Works for about `time`.
    pub fn run(&mut self, time: Time) -> Stretch {
        match self {
            Self::One(lane) => {
                let (status, nodes) = lane.run(time);
                Stretch { status, time: nodes, nodes }
            }
            Self::Many(many) => many.run(time),
        }
    }

    /// Hands the finished search to the slave.
    pub fn deliver(&self, slave: &mut Slave<G>) {
        match self {
            Self::One(lane) => lane.deliver(slave),
            Self::Many(many) => many.deliver(slave),
        }
    }

    /// What the searchers have noted for other workers.
    pub fn for_each_notes(&mut self, mut visit: impl FnMut(&mut Notes)) {
        match self {
            Self::One(lane) => visit(lane.notes()),
            Self::Many(many) => many.crew.notes().for_each(visit),
        }
    }
}

/// Processors that split the tree of a leaf.
pub struct Many<G: Game> {
    crew: Lockstep<G>,
    processors: usize,
    profile: Profile,
    table: Arc<Table>,
    errand: Option<Errand<G>>,
    answer: Option<Answer<G>>,
}

impl<G: Game> Many<G> {
    fn new(processors: usize, profile: Profile, table: &Arc<Table>) -> Self {
        let (costs, tuning) = (Costs::default(), Tuning::default());
        let crew = Lockstep::new(Splitter::Dts, processors, profile, table, costs, tuning);
        let table = Arc::clone(table);
        Self { crew, processors, profile, table, errand: None, answer: None }
    }

    fn begin(&mut self, job: &Job<G>) {
        if job.profile != self.profile || job.fresh {
            *self = Self::new(self.processors, job.profile, &self.table);
        }
        self.errand = Some(Errand::new(job));
        self.next_search();
    }

    fn next_search(&mut self) -> Status {
        match self.errand.as_mut().and_then(Errand::next_search) {
            Some(task) => {
                self.crew.start(task);
                Status::Running
            }
            None => Status::Done,
        }
    }

    fn run(&mut self, budget: Time) -> Stretch {
        let (time, nodes) = (self.crew.time(), self.crew.nodes());
        let status = match self.crew.run(budget) {
            None => Status::Running,
            answer => {
                self.answer = answer;
                self.next_search()
            }
        };
        // A search may end before the first of them has done a step.
        Stretch { status, time: (self.crew.time() - time).max(1), nodes: self.crew.nodes() - nodes }
    }

    fn deliver(&self, slave: &mut Slave<G>) {
        match (&self.answer, &self.errand) {
            (Some(answer), Some(errand)) => errand.deliver(slave, 0, answer),
            _ => slave.abandon(0),
        }
    }
}
