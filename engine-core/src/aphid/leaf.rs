//! The APHID table as the master sees it: one entry per frontier leaf ever visited.
//!
//! Entries that drop out of the tree are kept, for they often return, but get no work
//! (section 2.2).

use std::collections::{BTreeMap, HashMap}; // lookup only

use crate::game::Game;
use crate::line::Line;
use crate::search::horizon::Node;
use crate::value::{MATE_BAND, Value};

use super::master::SlaveId;
use super::messages::{Bounds, LeafResult, LeafSpec, LeafTag, Window};

/// On which side of its window a leaf's value lay. Depth parity shifts all values from iteration
/// to iteration, so an old number predicts a wrong tree; the side of the window holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// At most alpha.
    Low,
    /// Inside: this was the value.
    Inside(Value),
    /// At least beta.
    High,
}

impl Side {
    /// Where `value` lies in `window`.
    pub fn of(value: Value, window: Window) -> Self {
        if value >= window.beta {
            Side::High
        } else if value <= window.alpha {
            Side::Low
        } else {
            Side::Inside(value)
        }
    }
}

/// What the owner has found at one depth.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub bounds: Bounds,
    pub pv: Vec<u16>,
    pub nodes: u64,
}

/// One entry of the table.
#[derive(Debug)]
pub(crate) struct Leaf<G: Game> {
    /// What tells it from other leaves, see [`Node::identity`].
    pub identity: u64,
    pub line: Line<G>,
    pub null_allowed: bool,
    pub owner: Option<SlaveId>,
    pub generation: u32,
    /// The owner has been sent the leaf.
    pub sent: bool,
    /// Side of its window in the last certain visit.
    pub last_side: Option<Side>,
    /// What the quiescence search says, for want of anything better.
    pub quiet: Bounds,
    /// Pieces of news counted when the last one about this leaf came in.
    pub changed: u64,
    /// Right half: results by depth.
    pub found: BTreeMap<i32, Found>,
}

impl<G: Game> Leaf<G> {
    /// The value that decides `window` at `depth`, if one is known. Outside `exact` a deeper
    /// result answers a shallower question.
    pub fn decided(&self, depth: i32, window: Window, exact: bool) -> Option<(Value, &Found)> {
        let deepest = if exact { depth } else { i32::MAX };
        self.found
            .range(depth..=deepest)
            .rev()
            .find_map(|(_, found)| Some((found.bounds.decide(window)?, found)))
    }

    /// A value to go on with while the owner is at work; nothing is known of a new leaf.
    ///
    /// What is proved about this depth counts first; then the outcome of the last visit is
    /// repeated. A leaf that has no result yet has the value of its quiescence search.
    pub fn guess(&self, depth: i32, window: Window) -> Option<Value> {
        let Window { alpha, beta } = window;
        if let Some(found) = self.found.get(&depth) {
            if found.bounds.lower > alpha {
                return Some(found.bounds.lower.min(beta));
            }
            if found.bounds.upper < beta {
                return Some(found.bounds.upper.max(alpha));
            }
        }
        match self.last_side {
            Some(Side::High) if beta < MATE_BAND => Some(beta),
            Some(Side::Low) if alpha > -MATE_BAND => Some(alpha),
            Some(Side::Inside(value)) => Some(value.clamp(alpha, beta)),
            _ => match self.last_number() {
                Some(value) => Some(value.clamp(alpha, beta)),
                None => self.quiet.decide(window),
            },
        }
    }

    /// The deepest result's number.
    fn last_number(&self) -> Option<Value> {
        let bounds = self.found.values().next_back()?.bounds;
        if bounds.lower > Bounds::UNKNOWN.lower { Some(bounds.lower) } else { Some(bounds.upper) }
    }

    /// Best move of the deepest result that has one, packed; 0 if none has.
    pub fn best_move(&self) -> u16 {
        self.found.values().rev().find_map(|found| found.pv.first().copied()).unwrap_or(0)
    }

    /// Takes in a result; facts only ever add up.
    pub fn merge(&mut self, result: LeafResult) {
        let found = self.found.entry(result.depth).or_insert(Found {
            bounds: Bounds::UNKNOWN,
            pv: Vec::new(),
            nodes: 0,
        });
        found.bounds = found.bounds.and(result.bounds);
        found.nodes = found.nodes.max(result.nodes);
        if !result.pv.is_empty() {
            found.pv = result.pv;
        }
    }

    /// `slave` owns the leaf, and under the name `tag`.
    pub fn is_held(&self, slave: SlaveId, tag: LeafTag) -> bool {
        self.owner == Some(slave) && self.generation == tag.generation
    }

    /// Takes the leaf from its owner; whatever that one still sends is late.
    pub fn disown(&mut self) {
        self.owner = None;
        self.generation += 1;
        self.sent = false;
    }
}

/// All entries, found by index or identity.
#[derive(Debug)]
pub(crate) struct LeafTable<G: Game> {
    entries: Vec<Leaf<G>>,
    by_identity: HashMap<u64, u32>, // lookup only
}

impl<G: Game> LeafTable<G> {
    pub fn new() -> Self {
        Self { entries: Vec::new(), by_identity: HashMap::new() } // lookup only
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn get(&self, leaf: u32) -> Option<&Leaf<G>> {
        self.entries.get(leaf as usize)
    }

    pub fn get_mut(&mut self, leaf: u32) -> Option<&mut Leaf<G>> {
        self.entries.get_mut(leaf as usize)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Leaf<G>> {
        self.entries.iter_mut()
    }

    pub fn find(&self, identity: u64) -> Option<u32> {
        self.by_identity.get(&identity).copied()
    }

    /// The entry of `node`, made on its first visit.
    pub fn visit(&mut self, node: &Node<'_, G>) -> u32 {
        if let Some(leaf) = self.find(node.identity) {
            return leaf;
        }
        let leaf = self.entries.len() as u32;
        self.by_identity.insert(node.identity, leaf);
        self.entries.push(Leaf {
            identity: node.identity,
            line: node.line(),
            null_allowed: node.null_allowed,
            owner: None,
            generation: 0,
            sent: false,
            last_side: None,
            quiet: Bounds::UNKNOWN,
            changed: 0,
            found: BTreeMap::new(),
        });
        leaf
    }

    /// The present name of an entry.
    pub fn tag(&self, leaf: u32) -> LeafTag {
        LeafTag { leaf, generation: self.entries[leaf as usize].generation }
    }

    /// The entry as its owner needs it.
    pub fn spec(&self, leaf: u32) -> LeafSpec<G> {
        let entry = &self.entries[leaf as usize];
        LeafSpec { tag: self.tag(leaf), line: entry.line.clone(), null_allowed: entry.null_allowed }
    }
}
