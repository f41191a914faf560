//! SELECT: taking the next move at a shared node (Hyatt, section 2.5).

use crate::game::Game;
use crate::search::frame::Frame;

use super::board::Board;
use super::processor::{Busy, Step};

impl<G: Game> Busy<G> {
    /// Takes the next move of the split point and searches it; without a move, leaves.
    pub(super) fn select(&mut self, board: &mut Board<G>) -> Step {
        let Some(block) = self.post.and_then(|id| board.pool.get_mut(id)) else {
            self.stop(board);
            return Step::Out;
        };
        if let Some(mv) = block.upper.take_move() {
            learn(self.hands.searcher.frame_mut(self.split_ply), block.frame());
            self.taken_at = self.hands.searcher.nodes();
            self.hands.searcher.search_move(mv);
            return Step::On;
        }
        if block.members == 1 {
            self.unsplit(board);
            return Step::On;
        }
        self.merge(board);
        Step::Out
    }
}

/// Brings a processor's own copy of a shared node up to date. The line and the moves stay where
/// they are: they are asked for at the split point.
pub(super) fn learn<G: Game>(own: &mut Frame<G>, shared: &Frame<G>) {
    own.alpha = shared.alpha;
    own.entry_alpha = shared.entry_alpha;
    own.beta = shared.beta;
    own.best = shared.best;
    own.best_move = shared.best_move;
    own.tried = shared.tried;
    own.uncertain = shared.uncertain;
}
