//! The notice board: split blocks, and what the processors have to say to each other.
//!
//! Whoever reads or writes here holds the team's lock.

use std::sync::Arc;

use crate::game::Game;

use super::choice::PlyState;
use super::pool::{BlockId, Pool};
use super::team::{Signals, Tuning};
use crate::splitter::Counts;
use crate::splitter::posted::Notes;

/// Split blocks for each processor. One that finds none left simply does not split.
const BLOCKS_EACH: u32 = 8;

/// Everything the processors of one search share under one lock.
#[derive(Debug)]
pub(crate) struct Board<G: Game> {
    pub pool: Pool<G>,
    pub seats: Vec<Seat>,
    /// A split point that an idle processor has chosen and its owner has not made yet.
    pub request: Option<Request>,
    pub counts: Counts,
    pub tuning: Tuning,
    /// Something has happened that an idle processor may be waiting for.
    pub stirred: bool,
    pub signals: Arc<Signals>,
}

/// What the others see of one processor.
#[derive(Debug, Default)]
pub(crate) struct Seat {
    /// HELP: somebody is idle and wants to see this processor's tree.
    pub asked: bool,
    /// This processor has work.
    pub busy: bool,
    /// Its answer to HELP.
    pub states: Vec<PlyState>,
    /// The innermost split point it works at.
    pub post: Option<BlockId>,
    /// What other splitters write down here.
    pub notes: Notes,
}

/// "Please split there": the node is named by ply and key, for by now it may be gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request {
    pub owner: usize,
    pub ply: usize,
    pub key: u64,
    pub depth: i32,
    /// Moves searched there at least; fewer, and it is another visit of the same position.
    pub tried: u32,
}

impl<G: Game> Board<G> {
    /// For `processors` processors, who are told of news by `signals`.
    pub fn new(processors: usize, tuning: Tuning, signals: Arc<Signals>) -> Self {
        Self {
            pool: Pool::new(BLOCKS_EACH * processors as u32),
            seats: (0..processors).map(|_| Seat::default()).collect(),
            request: None,
            counts: Counts::default(),
            tuning,
            stirred: false,
            signals,
        }
    }

    /// The split points from `post` outwards, as far as they still exist.
    pub fn outward(&self, post: Option<BlockId>) -> impl Iterator<Item = BlockId> {
        let live = move |id: &BlockId| self.pool.get(*id).is_some();
        std::iter::successors(post.filter(live), move |&id| {
            self.pool.get(id).and_then(|block| block.parent).filter(live)
        })
    }

    /// Processor `id` looks around before its next node.
    pub fn notify(&self, id: usize) {
        self.signals.raise(id);
    }

    /// Everybody who works at `at` or below, except `from`, looks around before the next node.
    pub fn notify_members(&self, at: BlockId, from: usize) {
        for (index, seat) in self.seats.iter().enumerate() {
            if index != from && self.outward(seat.post).any(|id| id == at) {
                self.notify(index);
            }
        }
    }

    /// Gives up the place that a processor has at `post`. A block left by its last member goes
    /// back to the pool and in turn gives up its place at its parent.
    pub fn vacate(&mut self, post: Option<BlockId>) {
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
