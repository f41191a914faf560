//! One traversal of the master's tree: leaf values in, wishes out.
//!
//! "As long as the score at any of the leaves is uncertain, the master must do another pass over
//! the tree" (section 2.1). The pass is an ordinary search whose horizon this is.

use std::collections::{BTreeMap, HashMap}; // lookup only

use crate::game::Game;
use crate::search::horizon::{Horizon, Meeting, Node};
use crate::value::{INFINITY, Value, from_node, from_root};

use super::frontier;
use super::leaf::{Found, LeafTable, Side};
use super::messages::Window;

/// A visit to a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Visit {
    pub leaf: u32,
    pub depth: i32,
    /// Window, counted from the leaf.
    pub window: Window,
    /// The side to move at the root is to move at the leaf.
    pub root_side: bool,
}

/// What the master knows and wants while it traverses its tree.
#[derive(Debug)]
pub(crate) struct Pass<G: Game> {
    pub leaves: LeafTable<G>,
    pub horizon: frontier::Horizon,
    /// Values must be those of one depth exactly.
    exact: bool,
    /// Uncertain visits, in the order of the pass: the rank.
    pub uncertain: Vec<Visit>,
    /// Certain visits, in the same order.
    pub certain: Vec<Visit>,
    /// Where each (leaf, depth) stands in `uncertain`.
    listed: BTreeMap<(u32, i32), usize>,
    /// Best moves of the last iteration: the order frozen while this one lasts.
    order: HashMap<u64, u16>, // lookup only
    /// Certain best moves of this iteration.
    learnt: BTreeMap<u64, u16>,
}

impl<G: Game> Pass<G> {
    pub fn new(frontier: super::Frontier, exact: bool) -> Self {
        Self {
            leaves: LeafTable::new(),
            horizon: frontier::Horizon::new(frontier),
            exact,
            uncertain: Vec::new(),
            certain: Vec::new(),
            listed: BTreeMap::new(),
            order: HashMap::new(), // lookup only
            learnt: BTreeMap::new(),
        }
    }

    /// A new traversal begins.
    pub fn begin(&mut self) {
        self.uncertain.clear();
        self.certain.clear();
        self.listed.clear();
    }

    /// The iteration is complete: what was best in it is tried first in the next.
    pub fn iteration_done(&mut self, nodes: u64) {
        self.order.extend(std::mem::take(&mut self.learnt));
        self.horizon.iteration_done(nodes);
    }

    fn note_uncertain(&mut self, visit: Visit) {
        let place = *self.listed.entry((visit.leaf, visit.depth)).or_insert(self.uncertain.len());
        match self.uncertain.get_mut(place) {
            Some(listed) => listed.window = listed.window.hull(visit.window),
            None => self.uncertain.push(visit),
        }
    }
}

impl<G: Game> Horizon<G> for Pass<G> {
    const ACTIVE: bool = true;

    fn meet(&mut self, node: &Node<'_, G>) -> Meeting<G> {
        if node.ply == 0 {
            return Meeting::Expand;
        }
        let known = self.leaves.find(node.identity).and_then(|leaf| self.leaves.get(leaf));
        if !self.horizon.ends_at(node, known) {
            return Meeting::Expand;
        }
        let window = window_from_leaf(node.alpha, node.beta, node.ply);
        let leaf = self.leaves.visit(node);
        let visit =
            Visit { leaf, depth: node.depth, window, root_side: node.ply.is_multiple_of(2) };
        let Some(entry) = self.leaves.get_mut(leaf) else { return Meeting::Expand };
        if let Some((value, found)) = entry.decided(node.depth, window, self.exact) {
            let pv = if window.is_open() { unpack_line(node.position, found) } else { Vec::new() };
            entry.last_side = Some(Side::of(value, window));
            self.certain.push(visit);
            Meeting::Certain { value: from_root(value, node.ply), pv }
        } else {
            let guess = entry.guess(node.depth, window);
            self.note_uncertain(visit);
            guess.map_or(Meeting::Unknown, |value| Meeting::Guess(from_root(value, node.ply)))
        }
    }

    fn remembered(&mut self, identity: u64) -> u16 {
        let leaf = || self.leaves.get(self.leaves.find(identity)?);
        match self.order.get(&identity) {
            Some(&mv) => mv,
            // An opened leaf begins with what its owner thought best.
            None => leaf().map_or(0, super::leaf::Leaf::best_move),
        }
    }

    fn left(&mut self, identity: u64, best: u16, certain: bool) {
        if certain && best != 0 {
            self.learnt.insert(identity, best);
        }
    }
}

/// A window at `ply` of the master's tree, counted from the node.
fn window_from_leaf(alpha: Value, beta: Value, ply: usize) -> Window {
    let clamp = |value: Value| from_node(value, ply).clamp(-INFINITY, INFINITY);
    Window { alpha: clamp(alpha), beta: clamp(beta) }
}

/// The moves of a result, as far as they are legal.
fn unpack_line<G: Game>(position: &G, found: &Found) -> Vec<G::Move> {
    let mut position = position.clone();
    let mut line = Vec::with_capacity(found.pv.len());
    for &packed in &found.pv {
        let Some(mv) = position.unpack_move(packed) else { break };
        position.play(mv);
        line.push(mv);
    }
    line
}
