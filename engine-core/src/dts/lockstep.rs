//! All processors on one thread, in the order of virtual time: the reference driver.

use std::sync::Arc;

use crate::game::Game;
use crate::search::{Answer, Profile, Task};
use crate::table::Table;

use super::processor::{Busy, Chores, Idle, Outcome};
use super::team::{Team, Tuning};

/// What things cost besides searching, in nodes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Costs {
    /// Copying a tree into a split block or out of one.
    pub copy: u64,
    /// Reading a message: HELP, SHARE, UNSPLIT, a stop.
    pub message: u64,
}

/// A team in virtual time. One node is one unit of time; whoever is furthest behind goes next, so
/// what happens does not depend on how the caller slices the work.
#[derive(Debug)]
pub struct Lockstep<G: Game> {
    team: Team<G>,
    desks: Vec<Desk<G>>,
    costs: Costs,
    /// Who begins the next search: the one that ended the last.
    first: usize,
    /// When the last search ended.
    now: u64,
    overhead: u64,
    idle: u64,
}

#[derive(Debug)]
struct Desk<G: Game> {
    at_work: At<G>,
    clock: u64,
}

#[derive(Debug)]
enum At<G: Game> {
    Rest(Idle<G>),
    Work(Busy<G>),
    /// Only while its processor is being driven.
    Gone,
}

impl<G: Game> Lockstep<G> {
    /// `processors` processors, at least 1, that share `table`.
    pub fn new(
        processors: usize,
        profile: Profile,
        table: &Arc<Table>,
        costs: Costs,
        tuning: Tuning,
    ) -> Self {
        let team = Team::new(processors.max(1), tuning);
        let desk = |id| Desk {
            at_work: At::Rest(Idle::new(id, &team, profile, Arc::clone(table))),
            clock: 0,
        };
        Self {
            desks: (0..processors.max(1)).map(desk).collect(),
            team,
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
        let desk = &mut self.desks[self.first];
        if let At::Rest(idle) = std::mem::replace(&mut desk.at_work, At::Gone) {
            desk.at_work = At::Work(idle.start(task, &mut self.team));
        }
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
            desk.at_work = match std::mem::replace(&mut desk.at_work, At::Gone) {
                At::Work(busy) => At::Rest(busy.abort(&mut self.team)),
                other => other,
            };
        }
    }

    /// Whoever is furthest behind does the next thing.
    fn advance(&mut self) -> Option<Answer<G>> {
        let behind = self.desks.iter_mut().enumerate().min_by_key(|(id, desk)| (desk.clock, *id));
        let Some((id, desk)) = behind else { unreachable!("there is at least one processor") };
        let mut finished = None;
        desk.at_work = match std::mem::replace(&mut desk.at_work, At::Gone) {
            At::Rest(idle) => match idle.help(&mut self.team) {
                Ok(busy) => At::Work(busy),
                Err(idle) => {
                    desk.clock += 1;
                    self.idle += 1;
                    At::Rest(idle)
                }
            },
            At::Work(mut busy) => {
                let mut spent = price(self.costs, busy.take_chores());
                self.overhead += spent;
                let before = busy.nodes();
                let (nodes, at_work) = match busy.run(1, &mut self.team) {
                    Outcome::Working(busy) => (busy.nodes(), At::Work(busy)),
                    Outcome::Free(idle) => (idle.nodes(), At::Rest(idle)),
                    Outcome::Finished(idle, answer) => {
                        finished = Some(answer);
                        (idle.nodes(), At::Rest(idle))
                    }
                };
                spent += nodes - before;
                desk.clock += spent;
                at_work
            }
            At::Gone => unreachable!("every processor is put back"),
        };
        if finished.is_some() {
            self.first = id;
            self.now = self.desks[id].clock;
        }
        finished
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
        let nodes = |desk: &Desk<G>| match &desk.at_work {
            At::Rest(idle) => idle.nodes(),
            At::Work(busy) => busy.nodes(),
            At::Gone => 0,
        };
        self.desks.iter().map(nodes).sum()
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
    pub fn team(&self) -> &Team<G> {
        &self.team
    }
}

fn price(costs: Costs, chores: Chores) -> u64 {
    costs.copy * chores.copies + costs.message * chores.messages
}
