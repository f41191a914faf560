//! The search, as a machine that can be stopped after any step.
//!
//! A [`Searcher`] owns a bounded stack of frames, one a ply. [`Searcher::step`] performs one phase
//! of the top frame; [`Searcher::run`] is only a loop over it. Nothing here blocks, reads a clock
//! or allocates once warm, so the same code serves threads, a network master and a simulator.
//!
//! - [`Searcher::step`] is the table of contents of the algorithm
//! - [`deepen`]: iterative deepening, multi-PV, limits
//! - [`horizon`]: where a node may become a frontier leaf
//! - [`signature()`]: whether another build searches the same
//! - [`tunables`]: every number, with its evidence

mod contend;
pub mod deepen;
mod enter;
pub(crate) mod frame;
pub(crate) mod history;
pub mod horizon;
mod leave;
mod null;
mod pick;
mod quiesce;
pub mod report;
pub(crate) mod resolve;
mod signature;
pub mod tunables;
pub(crate) mod upper;
mod variation;

use std::sync::Arc;

use crate::game::{Game, Outcome};
use crate::line::Line;
use crate::sharing::Notes;
use crate::table::Table;
use crate::value::{Bound, INFINITY, MATE, MAX_PLY, Value};

use frame::{Frame, Phase};
use history::Memory;
use horizon::{Everything, Horizon};
use pick::Ranked;
use quiesce::Quiescence;
use variation::Variations;

pub use signature::signature;

/// Which search this is; see `interfaces` in the documentation of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Fixed-depth alpha-beta whose value depends on position, depth and history alone.
    Exact,
    /// The search of the papers' time: null move, check extension, table cut-offs.
    #[default]
    Classic,
}

impl Profile {
    /// Name on command lines and on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Profile::Exact => "exact",
            Profile::Classic => "classic",
        }
    }

    /// The profile of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Profile::Exact, Profile::Classic].into_iter().find(|profile| profile.name() == name)
    }
}

/// One search to a fixed depth within a window.
#[derive(Debug, Clone)]
pub struct Task<G: Game> {
    /// What to search.
    pub line: Line<G>,
    /// Depth in plies, at least 1.
    pub depth: i32,
    /// Lower end of the window, counted from the task's own position.
    pub alpha: Value,
    /// Upper end of the window.
    pub beta: Value,
    /// The side to move may try a null move.
    pub null_allowed: bool,
    /// Root moves to consider; empty: all.
    pub root_moves: Vec<G::Move>,
}

impl<G: Game> Task<G> {
    /// The full-window search of `line` to `depth`.
    pub fn full(line: Line<G>, depth: i32) -> Self {
        Self {
            line,
            depth,
            alpha: -INFINITY,
            beta: INFINITY,
            null_allowed: true,
            root_moves: Vec::new(),
        }
    }
}

/// Whether a search goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// There is more to do.
    Running,
    /// The value stands.
    Done,
}

/// What a finished task found.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<G: Game> {
    /// Value, counted from the task's own position.
    pub value: Value,
    /// How it relates to the true value.
    pub bound: Bound,
    /// Every value it rests on is proved.
    pub certain: bool,
    /// Best line found; empty when the search failed low or there is no move.
    pub pv: Vec<G::Move>,
}

/// The search machine.
///
/// Getters: [`nodes`](Searcher::nodes), [`answer`](Searcher::answer). Commands:
/// [`start`](Searcher::start), [`step`](Searcher::step), [`run`](Searcher::run).
#[derive(Debug)]
pub struct Searcher<G: Game, H: Horizon<G> = Everything> {
    profile: Profile,
    table: Arc<Table>,
    horizon: H,
    frames: Vec<Frame<G>>,
    ply: usize,
    moves: Vec<Ranked<G>>,
    quiescence: Quiescence<G>,
    /// Keys of the game's earlier positions, then of the frames: frame `p` is at `roots + p`.
    keys: Vec<u64>,
    roots: usize,
    root_moves: Vec<G::Move>,
    memory: Memory<G>,
    variations: Variations<G>,
    /// Value of the node just left, seen by its parent.
    returned: Value,
    returned_uncertain: bool,
    /// Value and line of the best root move while everything tried at the root was certain.
    proved: Option<(Value, Vec<G::Move>)>,
    /// What others may want to know.
    notes: Notes,
    done: bool,
}

impl<G: Game> Searcher<G> {
    /// A searcher of whole trees that shares `table` with others.
    pub fn new(profile: Profile, table: Arc<Table>) -> Self {
        Self::with_horizon(profile, table, Everything)
    }
}

impl<G: Game, H: Horizon<G>> Searcher<G, H> {
    /// A searcher that asks `horizon` at every node.
    pub fn with_horizon(profile: Profile, table: Arc<Table>, horizon: H) -> Self {
        Self {
            profile,
            table,
            horizon,
            frames: vec![Frame::idle(); MAX_PLY + 1],
            ply: 0,
            moves: Vec::with_capacity(4096),
            quiescence: Quiescence::new(),
            keys: Vec::with_capacity(MAX_PLY + 256),
            roots: 0,
            root_moves: Vec::new(),
            memory: Memory::new(),
            variations: Variations::new(),
            returned: 0,
            returned_uncertain: false,
            proved: None,
            notes: Notes::default(),
            done: true,
        }
    }

    /// Sets up a task; the next [`run`](Searcher::run) begins it. What was learnt stays.
    pub fn start(&mut self, task: Task<G>) {
        debug_assert!(task.depth >= 1 && task.alpha < task.beta);
        self.keys.clear();
        self.keys.extend_from_slice(&task.line.history);
        self.roots = self.keys.len();
        self.keys.resize(self.roots + MAX_PLY + 1, 0);
        self.root_moves = task.root_moves;
        self.moves.clear();
        self.ply = 0;
        self.quiescence.deepest = 0;
        self.done = false;
        self.proved = None;
        let root = &mut self.frames[0];
        root.position = task.line.position;
        root.null_allowed = task.null_allowed;
        root.reversible = root.position.reversible_plies().min(self.roots as u32);
        root.trail = self.keys[self.roots - root.reversible as usize..self.roots]
            .iter()
            .fold(0, |trail, &key| extend_trail(trail, key));
        root.arrive();
        root.open(task.depth, task.alpha, task.beta);
        self.keys[self.roots] = root.key;
    }

    /// Forgets killers and history, as before a new game.
    pub fn forget(&mut self) {
        self.memory.clear();
    }

    /// Nodes searched since this searcher was made.
    pub fn nodes(&self) -> u64 {
        self.quiescence.nodes
    }

    /// Greatest ply reached in the task.
    pub fn deepest(&self) -> usize {
        self.quiescence.deepest
    }

    /// The same, and begins anew with the next one: a processor of several goes from one search to
    /// the next without a start of its own.
    pub fn take_deepest(&mut self) -> usize {
        std::mem::take(&mut self.quiescence.deepest)
    }

    /// What it has noted for other workers: nothing, unless told to.
    pub fn notes(&mut self) -> &mut Notes {
        &mut self.notes
    }

    /// The search this is.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The shared table.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// The hook.
    pub fn horizon(&mut self) -> &mut H {
        &mut self.horizon
    }

    /// What the finished task found; while it runs, the best root move searched completely so far.
    pub fn answer(&self) -> Option<Answer<G>> {
        let root = &self.frames[0];
        let value = if self.done { self.returned } else { root.best };
        if !self.done && root.best_move.is_none() {
            return None;
        }
        Some(Answer {
            value,
            bound: Bound::of(value, root.entry_alpha, root.beta),
            certain: !root.uncertain,
            pv: self.variations.line(0).to_vec(),
        })
    }

    /// The best root move when it and every root move tried before it rest on proved values alone,
    /// although the task as a whole does not yet.
    pub fn proved_so_far(&self) -> Option<Answer<G>> {
        let (value, pv) = self.proved.clone()?;
        Some(Answer { value, bound: Bound::Lower, certain: true, pv })
    }

    /// Searches at least `budget` more nodes, or to the end.
    pub fn run(&mut self, budget: u64) -> Status {
        let end = self.nodes().saturating_add(budget);
        while self.step() == Status::Running {
            if self.nodes() >= end {
                return Status::Running;
            }
        }
        Status::Done
    }

    /// Performs one phase of the top frame. This is the algorithm's table of contents. A phase
    /// that finds nothing to do or to wait for goes straight on to the next one.
    #[inline]
    pub fn step(&mut self) -> Status {
        if self.done {
            return Status::Done;
        }
        match self.frames[self.ply].phase {
            // 1. A draw, a value below the horizon, or a table value may end the node at once.
            Phase::Enter => self.enter(),
            // 2. If even a free move for the opponent fails high, so does the node.
            Phase::TryNull => self.try_null(),
            Phase::NullReturned => self.null_returned(),
            // 3. The move that was best before is tried before moves are generated.
            Phase::TryRemembered => self.try_remembered(),
            // 4. Generate and rank.
            Phase::Generate => self.generate(),
            // 5. Search the moves one after the other, the first with the whole window.
            Phase::Pick => self.pick(),
            // 6. Merge the value of a move: raise alpha, cut off, or search again wider.
            Phase::Resolve => self.resolve(),
            // 7. Store the node and return its value to the parent.
            Phase::Leave => self.leave(),
        }
        if self.done { Status::Done } else { Status::Running }
    }

    /// Makes the frame below, which has been opened, the top frame.
    #[inline]
    fn descend(&mut self) {
        self.ply += 1;
        self.keys[self.roots + self.ply] = self.frames[self.ply].key;
    }

    /// Ends the top node with `value`.
    #[inline]
    fn give(&mut self, value: Value, uncertain: bool) {
        if self.ply == 0 {
            self.returned = value;
            self.frames[0].uncertain = uncertain;
            self.done = true;
            return;
        }
        self.returned = -value;
        self.returned_uncertain = uncertain;
        self.ply -= 1;
        let parent = &mut self.frames[self.ply];
        parent.phase = if parent.current.is_some() { Phase::Resolve } else { Phase::NullReturned };
    }

    /// Key under which the node at `ply` may be exchanged with others that have equal values: of
    /// other searches and other processes too, but not of another profile.
    #[inline]
    fn table_key(&self, ply: usize) -> u64 {
        let frame = &self.frames[ply];
        let left = frame.position.plies_to_rule_draw();
        let (trail, matters) = match self.profile {
            Profile::Exact => (frame.trail ^ EXACT_ONLY, tunables::CLOCK_MATTERS_EXACT),
            Profile::Classic => (0, tunables::CLOCK_MATTERS),
        };
        let clock = if left < matters { mix(u64::from(left) + 1) } else { 0 };
        frame.key ^ trail ^ clock
    }

    /// Identity of the node at `ply` as a frontier leaf. Nodes that may answer for each other in the
    /// table are one leaf, so that no two slaves search one position for two orders of moves; but a
    /// search that may not try a null move is another search.
    fn identity(&self, ply: usize) -> u64 {
        self.table_key(ply) ^ if self.frames[ply].null_allowed { 0 } else { NULL_BARRED }
    }
}

/// Keeps what `exact` stores apart from what `classic` stores about the same position.
const EXACT_ONLY: u64 = 0x5e8a_1c07_9d3b_f246;
/// Distinguishes a leaf that may not try a null move.
const NULL_BARRED: u64 = 0x6e75_6c6c_2062_6172;

/// Adds a position to the digest of those that could repeat. Order does not matter to repetition,
/// so it does not matter here.
#[inline]
fn extend_trail(trail: u64, key: u64) -> u64 {
    trail.wrapping_add(mix(key))
}

/// Spreads a word's bits (the finaliser of `SplitMix64`).
#[inline]
fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Value of a finished game for the side to move at `ply`.
#[inline]
fn outcome_value(outcome: Outcome, ply: usize) -> Value {
    match outcome {
        Outcome::Loss => ply as Value - MATE,
        Outcome::Draw => tunables::DRAW,
        Outcome::Margin(value) => value,
    }
}
