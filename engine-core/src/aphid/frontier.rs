//! Where the master's tree ends.

use std::collections::{BTreeMap, HashSet}; // lookup only

use crate::game::Game;
use crate::search::horizon::Node;

use super::leaf::Leaf;
use super::tunables::{
    FIRST_GROWTH, LEAVES_PER_WORKER, LOCAL_ITERATION, MIN_LEAF_DEPTH, MIN_OPENED_NODES, OUTGROWN,
};

/// How the horizon is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Frontier {
    /// Every node at this ply is a leaf: the paper's d′, at least 1.
    Fixed(u32),
    /// Decided per node: heavy leaves are opened, so that leaves are of comparable size.
    #[default]
    Auto,
}

/// What has been learnt about the sizes of leaves, and the decisions made from it.
#[derive(Debug)]
pub(crate) struct Horizon {
    frontier: Frontier,
    /// Workers to keep busy.
    workers: u32,
    /// Leaves that became inner nodes; opened stays opened.
    opened: HashSet<u64>, // lookup only
    /// Nodes and number of results per (depth, open window).
    sizes: BTreeMap<(i32, bool), (u64, u64)>,
    /// Nodes of each completed iteration, index = depth.
    iterations: Vec<u64>,
}

impl Horizon {
    pub fn new(frontier: Frontier) -> Self {
        let opened = HashSet::new(); // lookup only
        Self { frontier, workers: 1, opened, sizes: BTreeMap::new(), iterations: vec![1] }
    }

    pub fn opened(&self) -> usize {
        self.opened.len()
    }

    /// Sets how many searches should run side by side.
    pub fn provide_for(&mut self, workers: u32) {
        self.workers = workers.max(1);
    }

    /// An iteration is complete after `nodes` nodes of its own.
    pub fn iteration_done(&mut self, nodes: u64) {
        self.iterations.push(nodes.max(1));
    }

    /// A leaf search took `nodes`.
    pub fn learn(&mut self, depth: i32, open_window: bool, nodes: u64) {
        let (sum, count) = self.sizes.entry((depth, open_window)).or_default();
        *sum += nodes;
        *count += 1;
    }

    /// Factor by which one ply more enlarges a search. Over two plies, since odd and even
    /// iterations differ.
    fn growth(&self) -> f64 {
        match self.iterations[..] {
            [.., before, _, last] if last > before => {
                (last as f64 / before as f64).sqrt().clamp(1.3, 8.0)
            }
            _ => FIRST_GROWTH,
        }
    }

    /// Nodes the running iteration will take.
    fn total(&self) -> f64 {
        *self.iterations.last().unwrap_or(&1) as f64 * self.growth()
    }

    /// Nodes that searching a leaf to `depth` will take, as far as it can be told.
    pub fn estimate<G: Game>(
        &self,
        leaf: Option<&Leaf<G>>,
        depth: i32,
        open_window: bool,
    ) -> Option<f64> {
        let own = leaf.and_then(|leaf| leaf.found.range(..=depth).next_back());
        if let Some((&at, found)) = own {
            return Some(found.nodes as f64 * self.growth().powi(depth - at));
        }
        let like = |depth| self.sizes.get(&(depth, open_window));
        (0..=2).find_map(|back| {
            let (sum, count) = like(depth - back)?;
            Some(*sum as f64 / *count as f64 * self.growth().powi(back))
        })
    }

    /// The tree ends at `node`. `leaf` is its entry, if it was one before.
    pub fn ends_at<G: Game>(&mut self, node: &Node<'_, G>, leaf: Option<&Leaf<G>>) -> bool {
        match self.frontier {
            Frontier::Fixed(ply) => node.ply as u32 >= ply,
            Frontier::Auto => {
                if self.total() < f64::from(LOCAL_ITERATION) || node.depth < MIN_LEAF_DEPTH {
                    return false;
                }
                if self.opened.contains(&node.identity) {
                    return false;
                }
                let open_window = node.beta - node.alpha > 1;
                let heavy = self.total() / (f64::from(LEAVES_PER_WORKER) * f64::from(self.workers));
                let open = match self.estimate(leaf, node.depth, open_window) {
                    Some(nodes) => nodes > heavy,
                    None => open_window,
                };
                if open {
                    self.opened.insert(node.identity);
                }
                !open
            }
        }
    }

    /// Whether a search that has spent `nodes` on a leaf, estimated at `estimate`, is better broken
    /// off and opened, given that so many lanes are `idle`: the more, the sooner.
    pub fn outgrown(&self, depth: i32, nodes: u64, estimate: Option<f64>, idle: usize) -> bool {
        let part = (1.0 / (1.0 + idle as f64)).max(OUTGROWN);
        self.frontier == Frontier::Auto
            && idle > 0
            && depth > MIN_LEAF_DEPTH
            && nodes >= MIN_OPENED_NODES as u64
            && estimate.is_none_or(|estimate| nodes as f64 > part * estimate)
    }

    /// Makes a leaf an inner node from the next pass on.
    pub fn open(&mut self, identity: u64) {
        self.opened.insert(identity);
    }
}
