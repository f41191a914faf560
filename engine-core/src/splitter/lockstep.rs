//! All processors on one thread, in the order of virtual time: the reference driver.

use std::sync::Arc;

use crate::dts::Tuning;
use crate::game::Game;
use crate::search::{Answer, Profile, Task};
use crate::sharing::Notes;
use crate::table::Table;

use super::{Chores, Group, Plan, Processor, Progress, Splitter, nobody};

/// What things cost besides searching, in nodes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Costs {
    /// Copying a tree into a split block or out of one.
    pub copy: u64,
    /// Reading a message: HELP, SHARE, UNSPLIT, a stop.
    pub message: u64,
}

/// A crew in virtual time. One node is one unit of time; whoever is furthest behind goes next, so
/// what happens does not depend on how the caller slices the work.
pub struct Lockstep<G: Game> {
    group: Arc<dyn Group>,
    desks: Vec<Desk<G>>,
    costs: Costs,
    /// Who begins the next search: the one that ended the last.
    first: usize,
    /// When the last search ended.
    now: u64,
    overhead: u64,
    idle: u64,
}

struct Desk<G: Game> {
    processor: Box<dyn Processor<G>>,
    clock: u64,
}

impl<G: Game> Lockstep<G> {
    /// `processors` processors, at least 1, that share `table`.
    pub fn new(
        splitter: Splitter,
        processors: usize,
        profile: Profile,
        table: &Arc<Table>,
        costs: Costs,
        tuning: Tuning,
    ) -> Self {
        let (processors, table) = (processors.max(1), Arc::clone(table));
        let plan = Plan { processors, profile, table, tuning, stir: nobody() };
        let crew = splitter.crew(&plan);
        let desk = |processor| Desk { processor, clock: 0 };
        Self {
            group: crew.group,
            desks: crew.processors.into_iter().map(desk).collect(),
            costs,
            first: 0,
            now: 0,
            overhead: 0,
            idle: 0,
        }
    }

    /// Begins a search; one that is still on is aborted.
    pub fn start(&mut self, task: Task<G>) {
        self.abort();
        self.desks[self.first].processor.start(task);
    }

    /// Searches until somebody has spent `budget` units of time, or to the end.
    pub fn run(&mut self, budget: u64) -> Option<Answer<G>> {
        let end = self.time().saturating_add(budget);
        while self.time() < end {
            if let Some(answer) = self.advance() {
                self.abort();
                return Some(answer);
            }
        }
        None
    }

    /// Stops the search; everybody comes to rest.
    pub fn abort(&mut self) {
        for desk in &mut self.desks {
            desk.processor.abort();
        }
    }

    /// Whoever is furthest behind does the next thing.
    fn advance(&mut self) -> Option<Answer<G>> {
        let behind = self.desks.iter_mut().enumerate().min_by_key(|(id, desk)| (desk.clock, *id));
        let Some((id, desk)) = behind else { unreachable!("there is at least one processor") };
        let chores = price(self.costs, desk.processor.take_chores());
        self.overhead += chores;
        let before = desk.processor.nodes();
        let progress = desk.processor.work(1);
        desk.clock += chores + desk.processor.nodes() - before;
        match progress {
            Progress::Working => None,
            Progress::Idle => {
                desk.clock += 1;
                self.idle += 1;
                None
            }
            Progress::Finished(answer) => {
                (self.first, self.now) = (id, desk.clock);
                Some(answer)
            }
        }
    }

    /// What the searchers have noted for other workers.
    pub fn notes(&mut self) -> impl Iterator<Item = &mut Notes> {
        self.desks.iter_mut().filter_map(|desk| desk.processor.notes())
    }

    /// Virtual time: how far the one furthest behind is.
    pub fn time(&self) -> u64 {
        self.desks.iter().map(|desk| desk.clock).min().unwrap_or(0)
    }

    /// When the last search ended.
    pub fn ended_at(&self) -> u64 {
        self.now
    }

    /// Nodes searched by everybody.
    pub fn nodes(&self) -> u64 {
        self.desks.iter().map(|desk| desk.processor.nodes()).sum()
    }

    /// Time spent idle, by everybody.
    pub fn idle(&self) -> u64 {
        self.idle
    }

    /// Time spent on copies and messages, by everybody.
    pub fn overhead(&self) -> u64 {
        self.overhead
    }

    /// What they share.
    pub fn group(&self) -> &dyn Group {
        self.group.as_ref()
    }
}

fn price(costs: Costs, chores: Chores) -> u64 {
    costs.copy * chores.copies + costs.message * chores.messages
}
