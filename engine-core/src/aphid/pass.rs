//! One traversal of the master's tree: leaf values in, wishes out.
//!
//! "As long as the score at any of the leaves is uncertain, the master must do another pass over
//! the tree" (section 2.1). The pass is an ordinary search whose horizon this is.

use std::collections::{BTreeMap, HashMap}; // lookup only

use crate::game::Game;
use crate::search::horizon::{Horizon, Meeting, Node};
use crate::value::{Bound, Value, from_node, from_root};

use super::frontier;
use super::leaf::{Found, LeafTable, Side};
use super::messages::Bounds;
use super::recall::Recall;
use super::visits::{Visit, Visits};

/// What the master knows and wants while it traverses its tree.
#[derive(Debug)]
pub(crate) struct Pass<G: Game> {
    pub leaves: LeafTable<G>,
    pub horizon: frontier::Horizon,
    /// Values must be those of one depth exactly.
    exact: bool,
    /// In the order of the pass.
    pub visits: Visits,
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
            visits: Visits::default(),
            recall: Recall::default(),
            news: 0,
            order: HashMap::new(), // lookup only
            learnt: BTreeMap::new(),
        }
    }

    /// A new traversal begins.
    pub fn begin(&mut self) {
        self.visits.clear();
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
        for &visit in &self.visits.uncertain {
            let place = *places.entry((visit.leaf, visit.depth)).or_insert(wishes.len());
            match wishes.get_mut(place) {
                Some(listed) => listed.window = listed.window.hull(visit.window),
                None => wishes.push(visit),
            }
        }
        wishes
    }

    /// The proved value of `leaf`, which stands at `node`, if its owner has found it.
    fn certain_at(&mut self, node: &Node<'_, G>, leaf: u32) -> Option<Meeting<G>> {
        let visit = Visit::at(node, leaf);
        let entry = self.leaves.get_mut(leaf)?;
        let (value, found) = entry.decided(node.depth, visit.window, self.exact)?;
        let open = visit.window.is_open();
        let pv = if open { unpack_line(node.position, found) } else { Vec::new() };
        entry.last_side = Some(Side::of(value, visit.window));
        self.visits.certain.push(visit);
        Some(Meeting::Certain { value: from_root(value, node.ply), pv })
    }

    /// What to go on with at `node`, where `leaf` stands, until its owner has found its value.
    fn guess_at(&mut self, node: &Node<'_, G>, leaf: u32) -> Meeting<G> {
        let visit = Visit::at(node, leaf);
        self.visits.uncertain.push(visit);
        let guess = self.leaves.get(leaf).and_then(|leaf| leaf.guess(node.depth, visit.window));
        guess.map_or(Meeting::Unknown, |value| Meeting::Guess(from_root(value, node.ply)))
    }

    /// The tree goes on at `node`.
    fn expand(&mut self, node: &Node<'_, G>) -> Meeting<G> {
        self.recall.enter(node, self.visits.mark(), self.news);
        Meeting::Expand
    }
}

impl<G: Game> Horizon<G> for Pass<G> {
    const ACTIVE: bool = true;

    fn meet(&mut self, node: &Node<'_, G>) -> Meeting<G> {
        if node.ply == 0 {
            return self.expand(node);
        }
        // What has been found stands, however heavy the leaf turned out to be.
        let known = self.leaves.find(node.identity);
        if let Some(certain) = known.and_then(|leaf| self.certain_at(node, leaf)) {
            return certain;
        }
        let entry = known.and_then(|leaf| self.leaves.get(leaf));
        if !self.horizon.ends_at(node, entry) {
            return self.expand(node);
        }
        let leaf = self.leaves.visit(node);
        self.guess_at(node, leaf)
    }

    fn remembered(&mut self, identity: u64) -> u16 {
        let leaf = || self.leaves.get(self.leaves.find(identity)?);
        match self.order.get(&identity) {
            Some(&mv) => mv,
            // An opened leaf begins with what its owner thought best.
            None => leaf().map_or(0, super::leaf::Leaf::best_move),
        }
    }

    fn sounded(&mut self, node: &Node<'_, G>, value: Value) {
        let leaf = self.leaves.find(node.identity).and_then(|leaf| self.leaves.get_mut(leaf));
        if let Some(leaf) = leaf {
            let bound = Bound::of(value, node.alpha, node.beta);
            let sounded = Bounds::proved(from_node(value, node.ply), bound);
            leaf.quiet = leaf.quiet.and(sounded);
        }
    }

    fn recalled(&mut self, mv: u16, alpha: Value, beta: Value) -> Option<(Value, bool)> {
        let changed = |visit: &Visit, news| {
            self.leaves.get(visit.leaf).is_none_or(|leaf| leaf.changed > news)
        };
        let kept = self.recall.find(mv, (alpha, beta), changed)?;
        self.visits.repeat(&kept.visits);
        Some((kept.value, kept.certain))
    }

    fn returned(&mut self, mv: u16, alpha: Value, beta: Value, value: Value, certain: bool) {
        self.recall.keep(mv, (alpha, beta), (value, certain), &self.visits, self.news);
    }

    fn left(&mut self, identity: u64, best: u16, certain: bool) {
        if certain && best != 0 {
            self.learnt.insert(identity, best);
        }
        // One proof is enough: what was guessed on the way to it is not wanted.
        if let Some(first) = self.recall.leave()
            && certain
        {
            self.visits.drop_uncertain(first);
        }
    }
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
    use crate::aphid::Frontier;
    use crate::aphid::messages::LeafResult;
    use crate::games::othello::Othello;
    use crate::line::Line;
    use crate::search::{Profile, Searcher, Task};
    use crate::table::Table;

    fn searcher(frontier: Frontier) -> Searcher<Othello, Pass<Othello>> {
        Searcher::with_horizon(Profile::Exact, Arc::new(Table::new(1)), Pass::new(frontier, true))
    }

    /// Makes a pass of depth 6; its nodes and its wishes.
    fn pass(searcher: &mut Searcher<Othello, Pass<Othello>>) -> (u64, Vec<Visit>) {
        let before = searcher.nodes();
        searcher.horizon().begin();
        searcher.start(Task::full(Line::new(Othello::start()), 6));
        searcher.run(u64::MAX);
        (searcher.nodes() - before, searcher.horizon().wishes())
    }

    /// The owner of the leaf has found that its value is at most `value`.
    fn find(horizon: &mut Pass<Othello>, wish: &Visit, value: Value, nodes: u64) {
        let (tag, bounds) = (horizon.leaves.tag(wish.leaf), Bounds::proved(value, Bound::Upper));
        let result = LeafResult { tag, depth: wish.depth, bounds, pv: Vec::new(), nodes };
        horizon.leaves.get_mut(wish.leaf).expect("it was visited").merge(result);
        horizon.note_news(wish.leaf);
    }

    #[test]
    fn a_pass_walks_only_where_something_is_new() {
        let mut searcher = searcher(Frontier::Fixed(3));
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

    #[test]
    fn what_is_found_stands_however_heavy_the_leaf() {
        let mut searcher = searcher(Frontier::Auto);
        searcher.horizon().iteration_done(100_000);
        let (_, wishes) = pass(&mut searcher);
        let light = wishes.iter().find(|wish| !wish.window.is_open()).copied();
        let wish = light.expect("most leaves are visited with a zero window");
        find(searcher.horizon(), &wish, wish.window.alpha, 10_000_000);
        let (_, wishes) = pass(&mut searcher);
        let of_the_leaf = |visit: &&Visit| visit.leaf == wish.leaf;
        assert_eq!(wishes.iter().find(of_the_leaf), None);
        assert_eq!(searcher.horizon().visits.certain.iter().find(of_the_leaf), Some(&wish));
    }
}
