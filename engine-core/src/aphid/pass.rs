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
use super::recall::Recall;

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
    /// Uncertain visits, in the order of the pass.
    uncertain: Vec<Visit>,
    /// Certain visits, in the same order.
    pub certain: Vec<Visit>,
    recall: Recall,
    /// Pieces of news about leaves that have come in.
    news: u64,
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
            recall: Recall::default(),
            news: 0,
            order: HashMap::new(), // lookup only
            learnt: BTreeMap::new(),
        }
    }

    /// A new traversal begins.
    pub fn begin(&mut self) {
        self.uncertain.clear();
        self.certain.clear();
        self.recall.begin();
    }

    /// The iteration is complete: what was best in it is tried first in the next.
    pub fn iteration_done(&mut self, nodes: u64) {
        self.order.extend(std::mem::take(&mut self.learnt));
        self.horizon.iteration_done(nodes);
        self.recall.forget();
    }

    /// Sets how many searches should run side by side: the tree may end elsewhere from now on.
    pub fn provide_for(&mut self, workers: u32) {
        self.horizon.provide_for(workers);
        self.recall.forget();
    }

    /// Something new is known about `leaf`: the next pass has to walk there.
    pub fn note_news(&mut self, leaf: u32) {
        self.news += 1;
        if let Some(leaf) = self.leaves.get_mut(leaf) {
            leaf.changed = self.news;
        }
    }

    /// What the pass could not decide, in its order (the rank), each leaf and depth once.
    pub fn wishes(&self) -> Vec<Visit> {
        let mut wishes: Vec<Visit> = Vec::new();
        let mut places = BTreeMap::new();
        for &visit in &self.uncertain {
            let place = *places.entry((visit.leaf, visit.depth)).or_insert(wishes.len());
            match wishes.get_mut(place) {
                Some(listed) => listed.window = listed.window.hull(visit.window),
                None => wishes.push(visit),
            }
        }
        wishes
    }

    /// The uncertain value of an inner node that was asked the same before, when nothing new has
    /// come in about any leaf it rests on. The visits below count as made.
    fn recall(&mut self, node: &Node<'_, G>) -> Option<Value> {
        let answer = self.recall.find(node)?;
        let as_before = |visit: &Visit| {
            self.leaves.get(visit.leaf).is_some_and(|leaf| leaf.changed <= answer.news)
        };
        if !answer.uncertain.iter().all(as_before) {
            return None;
        }
        self.uncertain.extend_from_slice(&answer.uncertain);
        self.certain.extend_from_slice(&answer.certain);
        Some(answer.value)
    }

    /// The tree goes on at `node`, unless what is below has just been walked through.
    fn expand(&mut self, node: &Node<'_, G>) -> Meeting<G> {
        // The root has no question of its own: in a search for several lines its moves differ.
        let known = if node.ply > 0 { self.recall(node) } else { None };
        if let Some(value) = known {
            return Meeting::Guess(value);
        }
        self.recall.enter(node, self.news, self.uncertain.len(), self.certain.len());
        Meeting::Expand
    }
}

impl<G: Game> Horizon<G> for Pass<G> {
    const ACTIVE: bool = true;

    fn meet(&mut self, node: &Node<'_, G>) -> Meeting<G> {
        if node.ply == 0 {
            return self.expand(node);
        }
        let known = self.leaves.find(node.identity).and_then(|leaf| self.leaves.get(leaf));
        if !self.horizon.ends_at(node, known) {
            return self.expand(node);
        }
        let window = window_from_leaf(node.alpha, node.beta, node.ply);
        let leaf = self.leaves.visit(node);
        let visit =
            Visit { leaf, depth: node.depth, window, root_side: node.ply.is_multiple_of(2) };
        let Some(entry) = self.leaves.get_mut(leaf) else { return self.expand(node) };
        if let Some((value, found)) = entry.decided(node.depth, window, self.exact) {
            let pv = if window.is_open() { unpack_line(node.position, found) } else { Vec::new() };
            entry.last_side = Some(Side::of(value, window));
            self.certain.push(visit);
            Meeting::Certain { value: from_root(value, node.ply), pv }
        } else {
            let guess = entry.guess(node.depth, window);
            self.uncertain.push(visit);
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

    fn left(&mut self, identity: u64, best: u16, value: Value, certain: bool) {
        if certain && best != 0 {
            self.learnt.insert(identity, best);
        }
        let Some(node) = self.recall.leave() else { return };
        if certain {
            // One proof is enough: what was guessed on the way to it is not wanted.
            self.uncertain.truncate(node.uncertain);
        } else {
            let below = (&self.uncertain[node.uncertain..], &self.certain[node.certain..]);
            self.recall.keep(&node, value, below.0, below.1);
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::games::othello::Othello;
    use crate::line::Line;
    use crate::search::{Profile, Searcher, Task};
    use crate::table::Table;

    /// Makes a pass; its nodes and its wishes.
    fn pass(searcher: &mut Searcher<Othello, Pass<Othello>>) -> (u64, Vec<Visit>) {
        let before = searcher.nodes();
        searcher.horizon().begin();
        searcher.start(Task::full(Line::new(Othello::start()), 6));
        searcher.run(u64::MAX);
        (searcher.nodes() - before, searcher.horizon().wishes())
    }

    #[test]
    fn a_pass_walks_only_where_something_is_new() {
        let horizon = Pass::new(crate::aphid::Frontier::Fixed(3), true);
        let table = Arc::new(Table::new(1));
        let mut searcher = Searcher::with_horizon(Profile::Exact, table, horizon);
        let (whole, wishes) = pass(&mut searcher);
        assert!(wishes.len() > 3, "{wishes:?}");
        let (nothing_new, same) = pass(&mut searcher);
        assert_eq!(same, wishes);
        searcher.horizon().note_news(wishes[0].leaf);
        let (one_new, same) = pass(&mut searcher);
        assert_eq!(same, wishes);
        searcher.horizon().provide_for(2);
        let (again, same) = pass(&mut searcher);
        assert_eq!(same, wishes);
        assert!(nothing_new < one_new && one_new < again, "{nothing_new}, {one_new}, {again}");
        assert!(again <= whole, "{again}, {whole}");
    }
}
