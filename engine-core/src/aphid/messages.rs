//! What master and slave tell each other: writes to the two halves of the APHID table.
//!
//! The table is one entry per frontier leaf. The master writes the left half (where the leaf is,
//! who owns it, what is wanted of it), the owning slave the right half (bounds per depth). A write
//! *is* a message; each side reads only its own copy, and nobody ever asks and waits
//! (Brockington & Schaeffer 1996, section 2.2).
//!
//! Every message may arrive late, twice, out of order or not at all. What makes that harmless:
//! all of them carry the search they belong to, leaves carry a generation that grows with every
//! change of owner, agendas are complete and numbered, and results are facts that stay true.

use crate::game::Game;
use crate::line::Line;
use crate::search::Profile;
use crate::value::{Bound, Value};

/// A search of one master incarnation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SearchTag {
    /// Drawn anew when a master process starts, so that its predecessor's results are told apart.
    pub epoch: u64,
    /// Counts up within the epoch.
    pub search: u32,
}

/// A leaf in the hands of one owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeafTag {
    /// Entry of the APHID table, counted from 0 in each search.
    pub leaf: u32,
    /// Grows with every change of owner; results of an earlier owner are dropped.
    pub generation: u32,
}

/// An alpha-beta window, counted from the leaf (see [`crate::value::from_node`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Values up to here need no exact number.
    pub alpha: Value,
    /// Values from here on need no exact number.
    pub beta: Value,
}

impl Window {
    /// There is room for a value inside: the number matters, not only its side.
    pub const fn is_open(self) -> bool {
        self.beta - self.alpha > 1
    }

    /// The smallest window that contains both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self { alpha: self.alpha.min(other.alpha), beta: self.beta.max(other.beta) }
    }
}

/// What is proved about a value: it lies in `lower..=upper`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The value is at least this.
    pub lower: Value,
    /// The value is at most this.
    pub upper: Value,
}

impl Bounds {
    /// Nothing is known.
    pub const UNKNOWN: Self =
        Self { lower: -crate::value::INFINITY, upper: crate::value::INFINITY };

    /// What a search that returned `value` proved.
    pub const fn proved(value: Value, bound: Bound) -> Self {
        match bound {
            Bound::Exact => Self { lower: value, upper: value },
            Bound::Lower => Self { lower: value, ..Self::UNKNOWN },
            Bound::Upper => Self { upper: value, ..Self::UNKNOWN },
        }
    }

    /// The answer these bounds give in `window`, if they decide it.
    pub fn decide(self, window: Window) -> Option<Value> {
        if self.lower >= window.beta || self.lower == self.upper {
            Some(self.lower)
        } else if self.upper <= window.alpha {
            Some(self.upper)
        } else {
            None
        }
    }

    /// Adds another proof. Searches with pruning can contradict each other; then the newer
    /// number stands as the value, so that every window is decided and no question comes back.
    #[must_use]
    pub fn and(self, newer: Self) -> Self {
        let both = Self { lower: self.lower.max(newer.lower), upper: self.upper.min(newer.upper) };
        if both.lower <= both.upper {
            both
        } else if self.lower == self.upper {
            self
        } else if newer.lower > self.upper {
            Self { lower: newer.lower, upper: newer.lower }
        } else {
            Self { lower: newer.upper, upper: newer.upper }
        }
    }
}

/// A leaf as its owner needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafSpec<G: Game> {
    /// Name of the leaf.
    pub tag: LeafTag,
    /// Position and the reversible moves before it.
    pub line: Line<G>,
    /// The side to move may try a null move.
    pub null_allowed: bool,
}

/// What the master wants of a leaf: a depth *and* a window, for a leaf can be asked for at two
/// depths in one pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    /// Which leaf.
    pub tag: LeafTag,
    /// Depth in plies.
    pub depth: i32,
    /// Window the master had there.
    pub window: Window,
}

/// A write to the master's half.
#[derive(Debug, Clone, PartialEq)]
pub enum ToSlave<G: Game> {
    /// A search begins; earlier ones are over.
    Begin {
        /// Its name.
        search: SearchTag,
        /// How leaves are to be searched.
        profile: Profile,
        /// A new game: what was learnt from the last is worth nothing.
        fresh: bool,
    },
    /// These leaves are yours from now on.
    Assign {
        /// Search they belong to.
        search: SearchTag,
        /// The leaves.
        leaves: Vec<LeafSpec<G>>,
    },
    /// Everything wanted of you, most urgent first; what is not listed is not wanted.
    Agenda {
        /// Search it belongs to.
        search: SearchTag,
        /// Counts up; an agenda older than one seen is to be ignored.
        sequence: u64,
        /// What the running iteration needs, in the order of the master's pass (the rank).
        due: Vec<Want>,
        /// What to do when nothing is due, rather than idle: deeper than needed yet.
        speculative: Vec<Want>,
        /// Results may have been lost: report again what you have.
        repeat: bool,
    },
    /// The search is over.
    End {
        /// Which.
        search: SearchTag,
    },
}

/// A write to the slave's half: the result of searching a leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafResult {
    /// Which leaf, and as whose.
    pub tag: LeafTag,
    /// Depth in plies.
    pub depth: i32,
    /// What is proved, counted from the leaf.
    pub bounds: Bounds,
    /// Best line from the leaf, packed; empty when unknown.
    pub pv: Vec<u16>,
    /// Nodes this took.
    pub nodes: u64,
}

/// A search in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    /// Which leaf.
    pub tag: LeafTag,
    /// Depth in plies.
    pub depth: i32,
    /// Nodes spent so far.
    pub nodes: u64,
}

/// A write to the slave's half.
#[derive(Debug, Clone, PartialEq)]
pub struct ToMaster {
    /// Search it belongs to.
    pub search: SearchTag,
    /// Nodes this slave has spent on the search so far, abandoned work included.
    pub nodes: u64,
    /// What happened.
    pub event: Event,
}

/// What a slave reports.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A leaf was searched.
    Result(LeafResult),
    /// What is being searched just now; sent when a search begins and now and then after.
    Running(Vec<Running>),
    /// The agenda names leaves that were never assigned here: please assign them again.
    Missing(Vec<LeafTag>),
}
