//! A lane: one searcher working for a slave.

use std::sync::Arc;

use crate::game::Game;
use crate::search::{Profile, Searcher, Status};
use crate::sharing::Notes;
use crate::table::Table;

use super::errand::Errand;
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
    errand: Option<Errand<G>>,
}

impl<G: Game> Lane<G> {
    /// Lane number `index` of a slave, sharing `table` with its neighbours.
    pub fn new(index: usize, table: Arc<Table>) -> Self {
        Self { index, searcher: Searcher::new(Profile::default(), table), errand: None }
    }

    /// Sets up a job picked for this lane.
    pub fn begin(&mut self, job: &Job<G>) {
        if job.profile != self.searcher.profile() || job.fresh {
            self.searcher = Searcher::new(job.profile, Arc::clone(self.searcher.table()));
        }
        self.errand = Some(Errand::new(job));
        self.next_search();
    }

    /// Goes on to the next search, if there is one.
    fn next_search(&mut self) -> Status {
        match self.errand.as_mut().and_then(Errand::next_search) {
            Some(task) => {
                self.searcher.start(task);
                Status::Running
            }
            None => Status::Done,
        }
    }

    /// Searches about `budget` nodes. Returns what happened and the nodes spent.
    pub fn run(&mut self, budget: u64) -> (Status, u64) {
        let before = self.searcher.nodes();
        let status = match self.searcher.run(budget) {
            Status::Running => Status::Running,
            Status::Done => self.next_search(),
        };
        (status, self.searcher.nodes() - before)
    }

    /// What its searcher has noted for other workers.
    pub fn notes(&mut self) -> &mut Notes {
        self.searcher.notes()
    }

    /// Hands the finished search to the slave.
    pub fn deliver(&self, slave: &mut Slave<G>) {
        match (self.searcher.answer(), &self.errand) {
            (Some(answer), Some(errand)) => errand.deliver(slave, self.index, &answer),
            _ => slave.abandon(self.index),
        }
    }
}
