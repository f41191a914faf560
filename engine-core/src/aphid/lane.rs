//! A lane: one searcher working for a slave.

use std::sync::Arc;

use crate::game::Game;
use crate::search::{Answer, Profile, Searcher, Status};
use crate::table::Table;

use super::messages::Bounds;
use super::slave::{Job, Slave};

/// One of the searches a slave runs at once, by one searcher: [`begin`]
/// with a job, then [`run`] in slices until it says done, then [`deliver`] to the slave.
///
/// [`begin`]: Lane::begin
/// [`run`]: Lane::run
/// [`deliver`]: Lane::deliver
#[derive(Debug)]
pub struct Lane<G: Game> {
    index: usize,
    searcher: Searcher<G>,
    root: G,
}

impl<G: Game> Lane<G> {
    /// Lane number `index` of a slave, sharing `table` with its neighbours.
    pub fn new(index: usize, table: Arc<Table>) -> Self {
        let searcher = Searcher::new(Profile::default(), table);
        Self { index, searcher, root: G::start() }
    }

    /// Sets up a job picked for this lane.
    pub fn begin(&mut self, job: Job<G>) {
        if job.profile != self.searcher.profile() || job.fresh {
            self.searcher = Searcher::new(job.profile, Arc::clone(self.searcher.table()));
        }
        self.root.clone_from(&job.task.line.position);
        self.searcher.start(job.task);
    }

    /// Searches about `budget` nodes. Returns what happened and the nodes spent.
    pub fn run(&mut self, budget: u64) -> (Status, u64) {
        let before = self.searcher.nodes();
        let status = self.searcher.run(budget);
        (status, self.searcher.nodes() - before)
    }

    /// Hands the finished search to the slave.
    pub fn deliver(&self, slave: &mut Slave<G>) {
        match self.searcher.answer() {
            Some(answer) => deliver(slave, self.index, &self.root, &answer),
            None => slave.abandon(self.index),
        }
    }
}

/// Hands to the slave what the search of its job at `root`, in `lane`, came to.
pub fn deliver<G: Game>(slave: &mut Slave<G>, lane: usize, root: &G, answer: &Answer<G>) {
    let mut position = root.clone();
    let pack = |&mv: &G::Move| {
        let packed = position.pack_move(mv);
        position.play(mv);
        packed
    };
    let pv = answer.pv.iter().map(pack).collect();
    slave.finish(lane, Bounds::proved(answer.value, answer.bound), pv);
}
