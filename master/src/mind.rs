//! What a master remembers from one search to the next.

use std::any::Any;
use std::sync::Arc;

use engine_core::aphid::Frontier;
use engine_core::aphid::master::{Config, Master};
use engine_core::game::Game;
use engine_core::table::Table;

use crate::crew::Crew;
use crate::registry::Recruit;

/// The APHID master of one game with its crew.
#[derive(Debug)]
pub(crate) struct Mind<G: Game> {
    pub master: Master<G>,
    pub crew: Crew,
    /// Table of the local slave, made when it is first needed.
    table: Option<Arc<Table>>,
    table_mb: usize,
    frontier: Frontier,
}

impl<G: Game> Mind<G> {
    /// A mind that knows nothing. `epoch` must differ from that of every other.
    fn new(frontier: Frontier, epoch: u64, table_mb: usize) -> Self {
        let master = Master::new(Config::new(epoch, frontier));
        Self { master, crew: Crew::default(), table: None, table_mb, frontier }
    }

    /// The table of the local slave.
    pub fn table(&mut self) -> Arc<Table> {
        let table = self.table.get_or_insert_with(|| Arc::new(Table::new(self.table_mb)));
        Arc::clone(table)
    }

    /// Makes the crew be `recruits`: what happened between two searches is made up for.
    pub fn muster(&mut self, recruits: Vec<Recruit>) {
        let present = recruits.iter().map(|recruit| (recruit.id, recruit.seat)).collect();
        for gone in self.crew.absent(&present) {
            self.crew.unseat(gone.0);
            self.master.leave(gone);
        }
        for recruit in recruits {
            self.enlist(recruit);
        }
        self.crew.begin();
    }

    /// Takes a worker in, unless it is here already.
    pub fn enlist(&mut self, recruit: Recruit) {
        if !self.crew.has(&recruit) {
            self.master.join(engine_core::aphid::master::SlaveId(recruit.id), recruit.lanes);
            self.crew.seat(recruit);
        }
    }
}

/// Where a mind rests between searches. Only one does: another game, or another kind of frontier,
/// begins anew.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    mind: Option<Box<dyn Any + Send>>,
    /// Minds made so far.
    made: u64,
}

impl Shelf {
    /// The mind of the last search if it fits, or a new one. Each has an epoch of its own, counted
    /// from the process's, so that results of another mind's searches are told apart.
    pub fn take<G: Game>(&mut self, frontier: Frontier, epoch: u64, table_mb: usize) -> Mind<G> {
        let kept = self.mind.take().and_then(|mind| mind.downcast::<Mind<G>>().ok());
        if let Some(mind) = kept.filter(|mind| mind.frontier == frontier) {
            return *mind;
        }
        let epoch = epoch.wrapping_add(self.made).max(1);
        self.made += 1;
        Mind::new(frontier, epoch, table_mb)
    }

    /// Keeps a mind for the next search.
    pub fn put<G: Game>(&mut self, mind: Mind<G>) {
        self.mind = Some(Box::new(mind));
    }
}
