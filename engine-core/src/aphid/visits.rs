//! The visits that a pass makes to leaves, in order.

use crate::game::Game;
use crate::search::horizon::Node;
use crate::value::{INFINITY, Value, from_node};

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

impl Visit {
    /// The visit to `leaf` by a pass that comes to `node`.
    pub fn at<G: Game>(node: &Node<'_, G>, leaf: u32) -> Self {
        let &Node { depth, ply, .. } = node;
        let window = window_from_leaf(node.alpha, node.beta, ply);
        Self { leaf, depth, window, root_side: ply.is_multiple_of(2) }
    }
}

/// A window at `ply` of the master's tree, counted from the node.
fn window_from_leaf(alpha: Value, beta: Value, ply: usize) -> Window {
    let clamp = |value: Value| from_node(value, ply).clamp(-INFINITY, INFINITY);
    Window { alpha: clamp(alpha), beta: clamp(beta) }
}

/// The visits of a pass, or of the part of it below one move.
#[derive(Debug, Default)]
pub(crate) struct Visits {
    /// Those that could not be decided.
    pub uncertain: Vec<Visit>,
    /// The others.
    pub certain: Vec<Visit>,
}

/// A place in the order of visits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    uncertain: usize,
    certain: usize,
}

impl Visits {
    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.uncertain.clear();
        self.certain.clear();
    }

    /// The end, by now.
    pub fn mark(&self) -> Mark {
        Mark { uncertain: self.uncertain.len(), certain: self.certain.len() }
    }

    /// Those from `mark` on.
    pub fn since(&self, mark: Mark) -> Self {
        let uncertain = self.uncertain[mark.uncertain..].to_vec();
        Self { uncertain, certain: self.certain[mark.certain..].to_vec() }
    }

    /// Makes `others` again.
    pub fn repeat(&mut self, others: &Self) {
        self.uncertain.extend_from_slice(&others.uncertain);
        self.certain.extend_from_slice(&others.certain);
    }

    /// Forgets the uncertain ones from `mark` on.
    pub fn drop_uncertain(&mut self, mark: Mark) {
        self.uncertain.truncate(mark.uncertain);
    }
}
