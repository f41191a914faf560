//! The master: passes over the top of the tree until the value is certain, then one ply deeper.
//!
//! Sections 2.1 and 2.2 of the paper. The master never waits for a slave: whenever something new
//! is known it makes another pass; what a pass could not decide goes out as agendas.
//!
//! Methods by kind. Members: [`join`](Master::join), [`leave`](Master::leave). Commands:
//! [`begin`](Master::begin), [`stop`](Master::stop). Inputs: [`handle`](Master::handle),
//! [`handle_timeout`](Master::handle_timeout), [`work`](Master::work). Outputs, to be polled after
//! each of these until empty: [`poll_output`](Master::poll_output), then
//! [`poll_timeout`](Master::poll_timeout). Getters: [`nodes`](Master::nodes),
//! [`report`](Master::report), [`stats`](Master::stats).

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::game::Game;
use crate::search::deepen::{Deepening, Request};
use crate::search::report::{Info, Report};
use crate::search::{Profile, Searcher};
use crate::table::Table;

use super::Frontier;
use super::assign::Member;
use super::messages::{SearchTag, ToSlave};
use super::pass::Pass;
use super::thinking::Thinking;

/// A slave, as the driver names it. Names are not used twice in a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlaveId(pub u64);

/// How a master works.
#[derive(Debug, Clone)]
pub struct Config {
    /// Told apart from every other master incarnation, e.g. drawn at random.
    pub epoch: u64,
    /// Where the master's tree ends.
    pub frontier: Frontier,
    /// Silence, in the driver's unit of time, after which a slave that owes results is sent
    /// everything again.
    pub refresh: u64,
    /// Size of the master's own table in MB.
    pub table_mb: usize,
    /// Slaves work ahead of the running iteration instead of idling.
    pub speculate: bool,
}

impl Config {
    /// Defaults for a driver that counts microseconds.
    pub fn new(epoch: u64, frontier: Frontier) -> Self {
        Self { epoch, frontier, refresh: 2_000_000, table_mb: 16, speculate: true }
    }
}

/// What the driver is to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Output<G: Game> {
    /// Send this.
    ToSlave {
        /// To whom.
        slave: SlaveId,
        /// What.
        message: ToSlave<G>,
    },
    /// An iteration is complete; its lines, best first.
    Info(Vec<Info<G>>),
    /// The search is over.
    Finished(Report<G>),
}

/// Whether there is work for the master itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Call [`Master::work`] again.
    Busy,
    /// Nothing to do before the next message, command or timeout.
    Waiting,
}

/// Counters since the master was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Traversals of the master's tree.
    pub passes: u64,
    /// Nodes of these traversals.
    pub master_nodes: u64,
    /// Leaves in the table of the current search.
    pub leaves: u64,
    /// Leaves of the current search that became inner nodes.
    pub opened: u64,
    /// Uncertain leaves in the last pass.
    pub uncertain: u64,
    /// Results taken in.
    pub results: u64,
    /// Results dropped because they came from an earlier search, owner or master.
    pub late_results: u64,
    /// Leaves reported under way, and not noted for the same reasons.
    pub late_reports: u64,
    /// Leaves taken from slaves that were lost.
    pub reassigned: u64,
}

/// The APHID master of one game.
#[derive(Debug)]
pub struct Master<G: Game> {
    pub(super) config: Config,
    pub(super) table: Arc<Table>,
    pub(super) members: BTreeMap<SlaveId, Member>,
    pub(super) searches: u32,
    pub(super) thinking: Option<Thinking<G>>,
    pub(super) output: VecDeque<Output<G>>,
    pub(super) stats: Stats,
    pub(super) now: u64,
}

impl<G: Game> Master<G> {
    /// A master without slaves.
    pub fn new(config: Config) -> Self {
        Self {
            table: Arc::new(Table::new(config.table_mb)),
            config,
            members: BTreeMap::new(),
            searches: 0,
            thinking: None,
            output: VecDeque::new(),
            stats: Stats::default(),
            now: 0,
        }
    }

    // --- members -------------------------------------------------------------------------------

    /// A slave with room for `lanes` searches joins; a running search uses it at once.
    pub fn join(&mut self, slave: SlaveId, lanes: u32) {
        self.members.insert(slave, Member::new(lanes, self.now));
        if let Some(thinking) = &mut self.thinking {
            thinking.news = true;
            let message = thinking.greeting();
            self.output.push_back(Output::ToSlave { slave, message });
        }
        self.provide();
    }

    /// A slave is lost. Its results stay, its leaves go to others. Returns how many leaves.
    pub fn leave(&mut self, slave: SlaveId) -> u64 {
        let Some(member) = self.members.remove(&slave) else { return 0 };
        let mut orphans = 0;
        if let Some(thinking) = &mut self.thinking {
            thinking.news = true;
            thinking.departed_nodes += member.nodes;
            let leaves = &mut thinking.searcher.horizon().leaves;
            for leaf in leaves.iter_mut().filter(|leaf| leaf.owner == Some(slave)) {
                leaf.disown();
                orphans += 1;
            }
        }
        self.stats.reassigned += orphans;
        self.provide();
        orphans
    }

    /// Tells the horizon how many searches there is room for.
    fn provide(&mut self) {
        let lanes = self.members.values().map(|member| member.lanes).sum();
        if let Some(thinking) = &mut self.thinking {
            thinking.searcher.horizon().provide_for(lanes);
        }
    }

    // --- commands ------------------------------------------------------------------------------

    /// Begins a search; one that is running ends without a word.
    pub fn begin(&mut self, request: Request<G>, profile: Profile, fresh: bool) {
        self.end();
        self.searches += 1;
        self.table.new_search();
        if fresh {
            self.table.clear(1);
        }
        let tag = SearchTag { epoch: self.config.epoch, search: self.searches };
        let pass = Pass::new(self.config.frontier, profile == Profile::Exact);
        let searcher = Searcher::with_horizon(profile, Arc::clone(&self.table), pass);
        let thinking = Thinking::new(tag, profile, fresh, Deepening::new(request), searcher);
        let now = self.now;
        for (&slave, member) in &mut self.members {
            *member = Member::new(member.lanes, now);
            self.output.push_back(Output::ToSlave { slave, message: thinking.greeting() });
        }
        self.thinking = Some(thinking);
        self.provide();
    }

    /// Ends the search with what is certain by now.
    pub fn stop(&mut self) {
        if self.thinking.is_some() {
            let report = self.report();
            self.end();
            self.output.push_back(Output::Finished(report));
        }
    }

    fn end(&mut self) {
        let Some(thinking) = self.thinking.take() else { return };
        let search = thinking.tag;
        for &slave in self.members.keys() {
            self.output.push_back(Output::ToSlave { slave, message: ToSlave::End { search } });
        }
    }

    // --- outputs and getters -------------------------------------------------------------------

    /// The next thing to do for the driver.
    pub fn poll_output(&mut self) -> Option<Output<G>> {
        self.output.pop_front()
    }

    /// Nodes searched in the current search, by everybody.
    pub fn nodes(&self) -> u64 {
        let Some(thinking) = &self.thinking else { return 0 };
        let slaves: u64 = self.members.values().map(|member| member.nodes).sum();
        thinking.searcher.nodes() + thinking.departed_nodes + slaves
    }

    /// The running iteration in plies; 0 when there is no search.
    pub fn depth(&self) -> u32 {
        self.thinking.as_ref().map_or(0, |thinking| thinking.plan.depth())
    }

    /// What the search comes to if it ends now: the last certain iteration, unless the running one
    /// has a certain better move.
    pub fn report(&self) -> Report<G> {
        let nodes = self.nodes();
        match &self.thinking {
            Some(thinking) => {
                let passes = thinking.passes;
                Report { passes, ..thinking.plan.report(thinking.proved.clone(), nodes) }
            }
            None => Report {
                lines: Vec::new(),
                outcome: None,
                depth: 0,
                nodes,
                passes: 0,
                certain: false,
            },
        }
    }

    /// Counters.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Part of the master's own table filled by the current search, in permille.
    pub fn hashfull(&self) -> u32 {
        self.table.fullness()
    }
}
