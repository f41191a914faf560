//! What the processors of one search share.

use std::sync::Arc;

use crate::game::Game;
use crate::search::history::History;

use super::choice::PlyState;
use super::pool::{BlockId, Pool};

/// Split blocks for each processor. One that finds none left simply does not split.
const BLOCKS_EACH: u32 = 8;

/// What the processors of one search share: split blocks, and a notice board.
#[derive(Debug)]
pub struct Team<G: Game> {
    pub(super) pool: Pool<G>,
    pub(super) seats: Vec<Seat>,
    /// A split point that an idle processor has chosen and its owner has not made yet.
    pub(super) request: Option<Request>,
    pub(super) counts: Counts,
    /// What everybody has learnt about move order.
    pub(super) history: Arc<History>,
    pub(super) tuning: Tuning,
}

/// What can be set from outside, for experiments.
#[derive(Debug, Clone, Copy)]
pub struct Tuning {
    /// Nodes that a processor searches after it has answered a HELP before it answers another.
    pub calm: u64,
    /// Least remaining depth, in plies, at which a node is split.
    pub min_depth: i32,
    /// Confidence that every move must be searched, in permille, below which a node is not split.
    pub min_confidence: i32,
    /// Value of full confidence in doublings of the work at a split point, in hundredths.
    pub confidence_weight: i32,
    /// Moves searched at an open node before it is split.
    pub open_moves: u32,
    /// Root moves that everybody searches together.
    pub root_moves: u32,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            calm: 4,
            min_depth: 1,
            min_confidence: 300,
            confidence_weight: 1200,
            open_moves: 1,
            root_moves: 1,
        }
    }
}

/// What the others see of one processor.
#[derive(Debug, Default)]
pub(super) struct Seat {
    /// Something concerns this processor: it looks around before its next node. (SHARE, UNSPLIT,
    /// a cut-off, HELP, or a split point chosen for it.)
    pub news: bool,
    /// HELP: somebody is idle and wants to see this processor's tree.
    pub asked: bool,
    /// This processor has work.
    pub busy: bool,
    /// Its answer to HELP.
    pub states: Vec<PlyState>,
    /// The innermost split point it works at.
    pub post: Option<BlockId>,
}

/// "Please split there": the node is named by ply and key, for by now it may be gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Request {
    pub owner: usize,
    pub ply: usize,
    pub key: u64,
    pub depth: i32,
    /// Moves searched there at least; fewer, and it is another visit of the same position.
    pub tried: u32,
}

/// How often things happened since the team was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// HELP broadcasts.
    pub helps: u64,
    /// Split points chosen.
    pub attempts: u64,
    /// Split points made.
    pub splits: u64,
    /// Processors that joined a split point.
    pub joins: u64,
    /// Better values told to the other members of a split point.
    pub shares: u64,
    /// Processors stopped in mid-search because a cut-off made their work pointless.
    pub stops: u64,
    /// Nodes they had searched since they last took a move at a split point.
    pub stopped_nodes: u64,
}

impl<G: Game> Team<G> {
    /// A team of `processors`, numbered from 0.
    pub fn new(processors: usize, tuning: Tuning) -> Self {
        Self {
            pool: Pool::new(BLOCKS_EACH * processors as u32),
            seats: (0..processors).map(|_| Seat::default()).collect(),
            request: None,
            counts: Counts::default(),
            history: Arc::new(History::new::<G>()),
            tuning,
        }
    }

    /// Split blocks in use; 0 between searches.
    pub fn blocks_in_use(&self) -> usize {
        self.pool.in_use()
    }

    /// How often things happened.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The split points from `post` outwards, as far as they still exist.
    pub(super) fn outward(&self, post: Option<BlockId>) -> impl Iterator<Item = BlockId> {
        let live = move |id: &BlockId| self.pool.get(*id).is_some();
        std::iter::successors(post.filter(live), move |&id| {
            self.pool.get(id).and_then(|block| block.parent).filter(live)
        })
    }

    /// Everybody who works at `at` or below, except `from`, looks around before the next node.
    pub(super) fn notify_members(&mut self, at: BlockId, from: usize) {
        for index in 0..self.seats.len() {
            let post = self.seats[index].post;
            if index != from && self.outward(post).any(|id| id == at) {
                self.seats[index].news = true;
            }
        }
    }

    /// Gives up the place that a processor has at `post`. A block left by its last member goes
    /// back to the pool and in turn gives up its place at its parent.
    pub(super) fn vacate(&mut self, post: Option<BlockId>) {
        let mut at = post;
        while let Some(id) = at
            && let Some(block) = self.pool.get_mut(id)
        {
            block.members -= 1;
            if block.members > 0 {
                return;
            }
            at = block.parent;
            self.pool.release(id);
        }
    }
}
