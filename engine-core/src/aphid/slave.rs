//! The slave: which leaf to search next, and what to say about it.
//!
//! "The slave looks in its portion of its local copy of the APHID table, and finds the highest
//! priority node to search. The slave then executes the search, and reports the result back"
//! (section 2.3). This is only the choosing and reporting; [`Lane`](super::lane::Lane) does the
//! searching. Nothing here waits, and time does not pass in here.
//!
//! Methods, in the order of use: [`handle`](Slave::handle) messages; per lane
//! [`pick`](Slave::pick), then [`progress`](Slave::progress), [`still_wanted`](Slave::still_wanted)
//! and [`send_word`](Slave::send_word) while searching, then [`finish`](Slave::finish) or
//! [`abandon`](Slave::abandon); [`poll_output`](Slave::poll_output) until it is empty.

use std::collections::{BTreeMap, VecDeque};

use crate::game::Game;
use crate::line::Line;
use crate::search::{Profile, Task};

use super::messages::{
    Bounds, Event, LeafResult, LeafSpec, LeafTag, Running, SearchTag, ToMaster, ToSlave, Want,
};
use super::tunables::{FIRST_WORD, LONGEST_SILENCE};

/// A leaf this slave owns: the right half of its table entry.
#[derive(Debug)]
struct OwnLeaf<G: Game> {
    generation: u32,
    line: Line<G>,
    null_allowed: bool,
    /// Result per depth.
    results: BTreeMap<i32, LeafResult>,
}

/// A piece of work for one lane.
#[derive(Debug, Clone)]
pub struct Job<G: Game> {
    /// What is searched for whom.
    pub want: Want,
    /// How.
    pub profile: Profile,
    /// The search itself.
    pub task: Task<G>,
    /// Deepest search of this leaf completed here so far, in plies; 0 if there was none.
    pub reached: i32,
    /// Forget what earlier games taught before starting.
    pub fresh: bool,
}

/// What one lane is doing.
#[derive(Debug, Clone, Copy)]
struct Busy {
    want: Want,
    nodes: u64,
    /// So many, and the master is told of them.
    next_word: u64,
    speculative: bool,
}

/// Chooses work for a fixed number of lanes (searches at once).
#[derive(Debug)]
pub struct Slave<G: Game> {
    search: Option<SearchTag>,
    profile: Profile,
    /// Lanes that have not yet heard that a new game began.
    stale_lanes: Vec<bool>,
    leaves: BTreeMap<u32, OwnLeaf<G>>,
    sequence: u64,
    due: Vec<Want>,
    speculative: Vec<Want>,
    lanes: Vec<Option<Busy>>,
    /// Processors of all lanes together. The more there are, the more nodes a message is worth.
    processors: u64,
    nodes: u64,
    output: VecDeque<ToMaster>,
}

impl<G: Game> Slave<G> {
    /// A slave that searches `lanes` leaves at once, on so many processors in all.
    pub fn new(lanes: usize, processors: usize) -> Self {
        Self {
            search: None,
            profile: Profile::default(),
            stale_lanes: vec![false; lanes],
            leaves: BTreeMap::new(),
            sequence: 0,
            due: Vec::new(),
            speculative: Vec::new(),
            lanes: vec![None; lanes],
            processors: processors as u64,
            nodes: 0,
            output: VecDeque::new(),
        }
    }

    /// The search this slave works for.
    pub fn search(&self) -> Option<SearchTag> {
        self.search
    }

    /// Nodes spent on the current search.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Leaves held for `search`; 0 when another search is the current one.
    pub fn held(&self, search: SearchTag) -> usize {
        if self.search == Some(search) { self.leaves.len() } else { 0 }
    }

    /// Whether this slave takes itself for the owner of `tag` in `search`.
    pub fn holds(&self, search: SearchTag, tag: LeafTag) -> bool {
        self.search == Some(search) && self.owned(tag).is_some()
    }

    /// Takes in a write to the master's half.
    pub fn handle(&mut self, message: ToSlave<G>) {
        match message {
            ToSlave::Begin { search, profile, fresh } => self.begin(search, profile, fresh),
            ToSlave::Assign { search, leaves } if self.search == Some(search) => {
                for leaf in leaves {
                    self.assign(leaf);
                }
            }
            ToSlave::Agenda { search, sequence, due, speculative, repeat }
                if self.search == Some(search) && sequence > self.sequence =>
            {
                self.sequence = sequence;
                self.due = due;
                self.speculative = speculative;
                self.report_missing();
                if repeat {
                    self.repeat_results();
                }
            }
            ToSlave::End { search } if self.search == Some(search) => self.rest(),
            ToSlave::Assign { .. } | ToSlave::Agenda { .. } | ToSlave::End { .. } => {}
        }
    }

    /// The master is gone, or has no more to do: nothing is wanted any more.
    pub fn rest(&mut self) {
        self.search = None;
        self.leaves.clear();
        self.due.clear();
        self.speculative.clear();
        // The next search numbers its leaves from 0 again. A lane still searching a leaf of this
        // one must not be taken for one at work on the leaf of the same name there.
        self.lanes.fill(None);
        self.output.clear();
    }

    /// The master is gone, perhaps not for ever: [`rest`](Slave::rest), but return what it has not
    /// heard yet, with a last word about what was being searched. Should it come back it will count
    /// and drop that.
    pub fn part(&mut self) -> impl Iterator<Item = ToMaster> {
        if self.lanes.iter().any(Option::is_some) {
            self.say_running();
        }
        let unsaid = std::mem::take(&mut self.output);
        self.rest();
        unsaid.into_iter()
    }

    fn begin(&mut self, search: SearchTag, profile: Profile, fresh: bool) {
        // A duplicate of this greeting or of an earlier one must not undo what has been done since.
        let known = |now: SearchTag| now.epoch == search.epoch && now.search >= search.search;
        if self.search.is_some_and(known) {
            return;
        }
        self.rest();
        self.search = Some(search);
        self.profile = profile;
        self.sequence = 0;
        self.nodes = 0;
        if fresh {
            self.stale_lanes.fill(true);
        }
    }

    fn assign(&mut self, spec: LeafSpec<G>) {
        let LeafSpec { tag, line, null_allowed } = spec;
        let newer = |own: &OwnLeaf<G>| own.generation >= tag.generation;
        if !self.leaves.get(&tag.leaf).is_some_and(newer) {
            let results = BTreeMap::new();
            let leaf = OwnLeaf { generation: tag.generation, line, null_allowed, results };
            self.leaves.insert(tag.leaf, leaf);
        }
    }

    fn owned(&self, tag: LeafTag) -> Option<&OwnLeaf<G>> {
        self.leaves.get(&tag.leaf).filter(|leaf| leaf.generation == tag.generation)
    }

    fn wants(&self) -> impl Iterator<Item = &Want> {
        self.due.iter().chain(&self.speculative)
    }

    fn report_missing(&mut self) {
        let mut missing: Vec<LeafTag> =
            self.wants().map(|want| want.tag).filter(|&tag| self.owned(tag).is_none()).collect();
        missing.dedup();
        if !missing.is_empty() {
            self.say(Event::Missing(missing));
        }
    }

    fn repeat_results(&mut self) {
        let known: Vec<LeafResult> = self
            .due
            .iter()
            .filter_map(|want| self.owned(want.tag)?.results.get(&want.depth).cloned())
            .collect();
        for result in known {
            self.say(Event::Result(result));
        }
        self.say_running();
    }

    fn say(&mut self, event: Event) {
        if let Some(search) = self.search {
            self.output.push_back(ToMaster { search, nodes: self.nodes, event });
        }
    }

    fn say_running(&mut self) {
        let running = self.lanes.iter().flatten();
        let running = running
            .map(|busy| Running { tag: busy.want.tag, depth: busy.want.depth, nodes: busy.nodes })
            .collect();
        // Only the latest matters: while nobody collects the output, it stays small.
        self.output.retain(|message| !matches!(message.event, Event::Running(_)));
        self.say(Event::Running(running));
    }

    /// The wanted bounds are not known yet and no lane is after them.
    fn is_open(&self, want: &Want) -> bool {
        let Some(leaf) = self.owned(want.tag) else { return false };
        let known = leaf.results.get(&want.depth).map_or(Bounds::UNKNOWN, |result| result.bounds);
        let taken = self
            .lanes
            .iter()
            .flatten()
            .any(|busy| busy.want.tag == want.tag && busy.want.depth == want.depth);
        !taken && known.decide(want.window).is_none()
    }

    /// The most urgent piece of work for an idle `lane`; nothing means: sleep until the next message.
    pub fn pick(&mut self, lane: usize) -> Option<Job<G>> {
        let due = self.due.iter().position(|want| self.is_open(want));
        let (want, speculative) = match due {
            Some(index) => (self.due[index], false),
            None => (*self.speculative.iter().find(|want| self.is_open(want))?, true),
        };
        let leaf = self.owned(want.tag)?;
        let task = Task {
            line: leaf.line.clone(),
            depth: want.depth,
            alpha: want.window.alpha,
            beta: want.window.beta,
            null_allowed: leaf.null_allowed,
            root_moves: Vec::new(),
        };
        let reached = leaf.results.last_key_value().map_or(0, |(&depth, _)| depth);
        let fresh = std::mem::take(&mut self.stale_lanes[lane]);
        let next_word = FIRST_WORD * self.processors;
        self.lanes[lane] = Some(Busy { want, nodes: 0, next_word, speculative });
        self.say_running();
        Some(Job { want, profile: self.profile, task, reached, fresh })
    }

    /// Whether the search in `lane` is still worth finishing. It is not when its leaf is no longer
    /// ours or wanted, when neither outcome could decide the window now wanted, or when it is
    /// speculative and something due waits ("the search is immediately aborted", section 2.3).
    pub fn still_wanted(&self, lane: usize) -> bool {
        let Some(busy) = self.lanes[lane] else { return false };
        if busy.speculative && self.due.iter().any(|want| self.is_open(want)) {
            return false;
        }
        let (want, window) = (busy.want, busy.want.window);
        self.owned(want.tag).is_some()
            && self.wants().any(|now| {
                let same = now.tag == want.tag && now.depth == want.depth;
                same && (window.alpha <= now.window.alpha || window.beta >= now.window.beta)
            })
    }

    /// The search in `lane` runs ahead of what the master needs now.
    pub fn is_speculative(&self, lane: usize) -> bool {
        self.lanes[lane].is_some_and(|busy| busy.speculative)
    }

    /// The search in `lane` has spent `nodes` more.
    pub fn progress(&mut self, lane: usize, nodes: u64) {
        if let Some(busy) = &mut self.lanes[lane] {
            busy.nodes += nodes;
            self.nodes += nodes;
        }
    }

    /// Nodes that the search in `lane` may still spend before the master should hear of it. One that
    /// has grown by a quarter is worth a word: so a leaf too heavy for one slave is known in time,
    /// whatever its size, and a light one costs no more than a few messages.
    pub fn quiet_for(&self, lane: usize) -> u64 {
        self.lanes[lane].map_or(u64::MAX, |busy| busy.next_word.saturating_sub(busy.nodes))
    }

    /// Lets the master know how far the search in `lane` is, if it is time to. Returns whether it
    /// was.
    pub fn send_word(&mut self, lane: usize) -> bool {
        let due = self.quiet_for(lane) == 0;
        if due && let Some(busy) = &mut self.lanes[lane] {
            busy.next_word = busy.nodes + (busy.nodes / 4).min(LONGEST_SILENCE * self.processors);
            self.say_running();
        }
        due
    }

    /// The search in `lane` is complete; the rest of its nodes must have been reported.
    pub fn finish(&mut self, lane: usize, bounds: Bounds, pv: Vec<u16>) {
        let Some(Busy { want, nodes, .. }) = self.lanes[lane].take() else { return };
        let Some(leaf) = self.leaves.get_mut(&want.tag.leaf) else { return };
        if leaf.generation != want.tag.generation {
            return;
        }
        let mut result = LeafResult { tag: want.tag, depth: want.depth, bounds, pv, nodes };
        if let Some(earlier) = leaf.results.get(&want.depth) {
            result.bounds = earlier.bounds.and(bounds);
        }
        leaf.results.insert(want.depth, result.clone());
        self.say(Event::Result(result));
    }

    /// The search in `lane` was broken off.
    pub fn abandon(&mut self, lane: usize) {
        if self.lanes[lane].take().is_some() {
            self.say_running();
        }
    }

    /// The next message for the master.
    pub fn poll_output(&mut self) -> Option<ToMaster> {
        self.output.pop_front()
    }
}
