//! What splitters without split blocks need of the machine: a say in which move comes next.
//!
//! Nothing here is called by a search that nobody shares.

use crate::game::Game;
use crate::random::SplitMix64;

use super::frame::Frame;
use super::pick::{Ranked, bring_best_forward};
use super::{Everything, Searcher};

/// What a move that is put off loses in order: more than any two moves can differ by otherwise.
const PUT_OFF: i32 = 1 << 29;

impl<G: Game> Searcher<G, Everything> {
    /// From now on tries moves in an order of its own, which follows from `seed`, until it has
    /// learnt a better one.
    pub(crate) fn scatter(&mut self, seed: u64, spread: u32) {
        self.memory.scatter(&mut SplitMix64::new(seed), spread);
    }

    /// The top frame.
    #[inline]
    pub(crate) fn top(&self) -> &Frame<G> {
        &self.frames[self.ply]
    }

    /// The best untried move of the top frame, which stays untried, and whether it is one that
    /// was put off.
    pub(crate) fn best_untried(&mut self) -> Option<(G::Move, bool)> {
        let untried = self.untried();
        if untried.is_empty() {
            return None;
        }
        let mv = bring_best_forward(untried);
        Some((mv, untried[0].order < -PUT_OFF / 2))
    }

    /// The move that [`best_untried`](Searcher::best_untried) has just found is tried after all
    /// that have not been put off.
    pub(crate) fn put_off(&mut self) {
        self.untried()[0].order -= PUT_OFF;
    }

    /// The move that [`best_untried`](Searcher::best_untried) has just found counts as tried.
    pub(crate) fn take_untried(&mut self) {
        self.frames[self.ply].next += 1;
    }

    fn untried(&mut self) -> &mut [Ranked<G>] {
        let frame = &self.frames[self.ply];
        &mut self.moves[frame.next as usize..frame.end as usize]
    }

    /// Ends the top node, whose moves stand, if by now the table knows its value.
    pub(crate) fn leave_if_known(&mut self) -> bool {
        let entry = self.look_up(self.ply);
        let Some(value) = entry.and_then(|entry| self.table_cut(entry)) else { return false };
        self.moves.truncate(self.top().first as usize);
        self.give(value, false);
        true
    }
}
