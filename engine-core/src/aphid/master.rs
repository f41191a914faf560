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
use crate::search::{Answer, Profile, Searcher, Status};
use crate::table::Table;

use super::Frontier;
use super::assign::{Allocation, Member, speculative};
use super::messages::{Event, LeafResult, LeafTag, Running, SearchTag, ToMaster, ToSlave, Want};
use super::pass::Pass;

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
    /// Searches reported under way on leaves that belong to somebody else by now.
    pub late_reports: u64,
    /// Leaves taken from slaves that were lost.
    pub reassigned: u64,
}

/// The search in progress.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, not a state in disguise")]
#[derive(Debug)]
struct Thinking<G: Game> {
    tag: SearchTag,
    profile: Profile,
    fresh: bool,
    plan: Deepening<G>,
    searcher: Searcher<G, Pass<G>>,
    /// A pass is under way.
    in_pass: bool,
    /// Something changed since the last pass began.
    news: bool,
    hungry: bool,
    /// Nodes of slaves that have left.
    departed_nodes: u64,
    /// Nodes when the running iteration began.
    iteration_start: u64,
    /// Root values of the last two iterations, for the drift between odd and even depths.
    values: [Option<i32>; 2],
    passes: u64,
    /// Best root move of the running iteration that is proved to be one.
    proved: Option<Answer<G>>,
}

/// The APHID master of one game.
#[derive(Debug)]
pub struct Master<G: Game> {
    config: Config,
    table: Arc<Table>,
    members: BTreeMap<SlaveId, Member>,
    searches: u32,
    thinking: Option<Thinking<G>>,
    output: VecDeque<Output<G>>,
    stats: Stats,
    now: u64,
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
            thinking.searcher.horizon().horizon.provide_for(lanes);
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
        let thinking = Thinking {
            tag,
            profile,
            fresh,
            plan: Deepening::new(request),
            searcher,
            in_pass: false,
            news: true,
            hungry: true,
            departed_nodes: 0,
            iteration_start: 0,
            values: [None; 2],
            passes: 0,
            proved: None,
        };
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

    // --- inputs --------------------------------------------------------------------------------

    /// Takes in a write to a slave's half of the table.
    pub fn handle(&mut self, from: SlaveId, message: ToMaster, now: u64) {
        self.now = now;
        let current = self.thinking.as_ref().is_some_and(|t| t.tag == message.search);
        let member = self.members.get_mut(&from).filter(|_| current);
        let Some(member) = member else {
            self.stats.late_results += u64::from(matches!(message.event, Event::Result(_)));
            return;
        };
        member.last_heard = now;
        member.nodes = member.nodes.max(message.nodes);
        match message.event {
            Event::Result(result) => self.merge(from, result),
            Event::Running(running) => self.note_running(from, running),
            Event::Missing(missing) => self.resend(from, &missing),
        }
    }

    /// Merges a result, if its sender still owns the leaf.
    fn merge(&mut self, from: SlaveId, result: LeafResult) {
        let (Some(thinking), Some(member)) = (&mut self.thinking, self.members.get_mut(&from))
        else {
            return;
        };
        let pass = thinking.searcher.horizon();
        let leaf = pass.leaves.get_mut(result.tag.leaf);
        let owned = |leaf: &&mut super::leaf::Leaf<G>| {
            leaf.owner == Some(from) && leaf.generation == result.tag.generation
        };
        let Some(leaf) = leaf.filter(owned) else {
            self.stats.late_results += 1;
            return;
        };
        let same = |want: &&Want| want.tag == result.tag && want.depth == result.depth;
        if let Some(want) = member.due.iter().find(same) {
            let open = want.window.beta - want.window.alpha > 1;
            pass.horizon.learn(result.depth, open, result.nodes);
        }
        member.running.retain(|job| job.tag != result.tag || job.depth != result.depth);
        leaf.merge(result);
        self.stats.results += 1;
        thinking.news = true;
    }

    /// A slave lacks leaves it should have: a message was lost, or it was restarted.
    fn resend(&mut self, slave: SlaveId, missing: &[LeafTag]) {
        let Some(thinking) = &mut self.thinking else { return };
        let leaves = &mut thinking.searcher.horizon().leaves;
        for tag in missing {
            if let Some(leaf) = leaves.get_mut(tag.leaf)
                && leaf.owner == Some(slave)
            {
                leaf.sent = false;
            }
        }
        if let Some(member) = self.members.get_mut(&slave) {
            send_agenda(thinking, slave, member, true, &mut self.output);
        }
    }

    /// Notes what a slave is doing, as far as it still has the right to.
    fn note_running(&mut self, from: SlaveId, mut running: Vec<Running>) {
        let (Some(thinking), Some(member)) = (&mut self.thinking, self.members.get_mut(&from))
        else {
            return;
        };
        let reported = running.len();
        let leaves = &thinking.searcher.horizon().leaves;
        running.retain(|job| {
            let leaf = leaves.get(job.tag.leaf);
            leaf.is_some_and(|l| l.owner == Some(from) && l.generation == job.tag.generation)
        });
        self.stats.late_reports += (reported - running.len()) as u64;
        member.running = running;
        self.open_outgrown(from);
    }

    /// Breaks up the search of a leaf that turned out too big, when somebody has nothing to do.
    fn open_outgrown(&mut self, slave: SlaveId) {
        let (Some(thinking), Some(member)) = (&mut self.thinking, self.members.get(&slave)) else {
            return;
        };
        if !thinking.hungry {
            return;
        }
        let pass = thinking.searcher.horizon();
        for job in &member.running {
            let same = |want: &&Want| want.tag == job.tag && want.depth == job.depth;
            let Some(want) = member.due.iter().find(same) else { continue };
            let Some(leaf) = pass.leaves.get(job.tag.leaf) else { continue };
            let open_window = want.window.beta - want.window.alpha > 1;
            let estimate = pass.horizon.estimate(Some(leaf), job.depth, open_window);
            if pass.horizon.outgrown(job.depth, job.nodes, estimate) {
                pass.horizon.open(leaf.identity);
                thinking.news = true;
            }
        }
    }

    /// Time has passed: slaves that owe results and have been silent are told everything again.
    pub fn handle_timeout(&mut self, now: u64) {
        self.now = now;
        let Some(thinking) = &mut self.thinking else { return };
        for (&slave, member) in &mut self.members {
            let silent = now >= member.last_heard.saturating_add(self.config.refresh);
            if silent && !member.due.is_empty() {
                member.last_heard = now;
                let message = thinking.greeting();
                self.output.push_back(Output::ToSlave { slave, message });
                send_agenda(thinking, slave, member, true, &mut self.output);
            }
        }
    }

    /// When to call [`handle_timeout`](Master::handle_timeout).
    pub fn poll_timeout(&self) -> Option<u64> {
        self.thinking.as_ref()?;
        let owing = self.members.values().filter(|member| !member.due.is_empty());
        owing.map(|member| member.last_heard.saturating_add(self.config.refresh)).min()
    }

    /// Searches about `budget` nodes of the master's own tree.
    pub fn work(&mut self, budget: u64, now: u64) -> Pace {
        self.now = now;
        if self.thinking.is_some() && self.nodes() >= self.request_nodes() {
            self.stop();
        }
        let Some(thinking) = &mut self.thinking else { return Pace::Waiting };
        if !thinking.in_pass {
            if !thinking.news {
                return Pace::Waiting;
            }
            let Some(task) = thinking.plan.task() else {
                self.stop();
                return Pace::Waiting;
            };
            thinking.news = false;
            thinking.in_pass = true;
            thinking.searcher.horizon().begin();
            thinking.searcher.start(task);
        }
        let before = thinking.searcher.nodes();
        let status = thinking.searcher.run(budget);
        self.stats.master_nodes += thinking.searcher.nodes() - before;
        if status == Status::Done {
            self.pass_done();
        }
        Pace::Busy
    }

    fn request_nodes(&self) -> u64 {
        self.thinking.as_ref().map_or(u64::MAX, |thinking| thinking.plan.request().nodes)
    }

    /// A pass has come to its end: the iteration is complete, or agendas go out.
    fn pass_done(&mut self) {
        let nodes = self.nodes();
        let Some(thinking) = &mut self.thinking else { return };
        thinking.in_pass = false;
        thinking.passes += 1;
        self.stats.passes += 1;
        let Some(answer) = thinking.searcher.answer() else { return };
        thinking.proved = thinking.searcher.proved_so_far();
        if answer.certain {
            thinking.proved = None;
            let deepest = thinking.searcher.deepest();
            let lines = thinking.plan.absorb(answer, nodes, deepest);
            thinking.news = true;
            if let Some(best) = lines.first() {
                thinking.values = [thinking.values[1], Some(best.value)];
                self.output.push_back(Output::Info(lines.to_vec()));
                let own = nodes - thinking.iteration_start;
                thinking.iteration_start = nodes;
                thinking.searcher.horizon().iteration_done(own);
            }
            return;
        }
        self.publish();
    }

    /// Turns what the pass could not decide into agendas.
    fn publish(&mut self) {
        let Some(thinking) = &mut self.thinking else { return };
        let pass = thinking.searcher.horizon();
        let uncertain = std::mem::take(&mut pass.uncertain);
        let allocation = Allocation::deal(&mut pass.leaves, &self.members, &uncertain);
        self.stats.uncertain = uncertain.len() as u64;
        self.stats.leaves = pass.leaves.len() as u64;
        self.stats.opened = pass.horizon.opened() as u64;
        pass.uncertain = uncertain;
        thinking.hungry = allocation.hungry(&self.members);
        let drift = match thinking.values {
            [Some(before), Some(last)] => before - last,
            _ => 0,
        };
        for (&slave, member) in &mut self.members {
            let pass = thinking.searcher.horizon();
            let due = allocation.due(slave, &pass.leaves);
            let ahead = if self.config.speculate {
                speculative(slave, &pass.leaves, &pass.certain, drift)
            } else {
                Vec::new()
            };
            if due != member.due || ahead != member.speculative {
                member.due = due;
                member.speculative = ahead;
                send_agenda(thinking, slave, member, false, &mut self.output);
            }
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

    /// What a slave is known to be doing.
    pub fn running(&self, slave: SlaveId) -> &[Running] {
        self.members.get(&slave).map_or(&[], |member| &member.running)
    }
}

impl<G: Game> Thinking<G> {
    fn greeting(&self) -> ToSlave<G> {
        ToSlave::Begin { search: self.tag, profile: self.profile, fresh: self.fresh }
    }
}

/// Sends a slave its agenda, after the leaves on it that it does not have yet. `repeat` sends every
/// leaf again and asks for every result again.
fn send_agenda<G: Game>(
    thinking: &mut Thinking<G>,
    slave: SlaveId,
    member: &mut Member,
    repeat: bool,
    output: &mut VecDeque<Output<G>>,
) {
    let search = thinking.tag;
    let leaves = &mut thinking.searcher.horizon().leaves;
    let mut unsent = Vec::new();
    for want in member.due.iter().chain(&member.speculative) {
        let Some(leaf) = leaves.get_mut(want.tag.leaf) else { continue };
        let mine = leaf.owner == Some(slave) && leaf.generation == want.tag.generation;
        if mine && (!leaf.sent || repeat) {
            leaf.sent = true;
            unsent.push(leaves.spec(want.tag.leaf));
        }
    }
    unsent.dedup_by_key(|spec| spec.tag);
    if !unsent.is_empty() {
        let message = ToSlave::Assign { search, leaves: unsent };
        output.push_back(Output::ToSlave { slave, message });
    }
    member.sequence += 1;
    let message = ToSlave::Agenda {
        search,
        sequence: member.sequence,
        due: member.due.clone(),
        speculative: member.speculative.clone(),
        repeat,
    };
    output.push_back(Output::ToSlave { slave, message });
}
