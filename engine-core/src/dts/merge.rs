//! MERGE: what members find at a split point becomes common property (Hyatt, section 2.6).

use crate::game::Game;
use crate::search::frame::Phase;

use super::board::Board;
use super::pool::BlockId;
use super::processor::{Busy, Step};
use super::select::learn;

impl<G: Game> Busy<G> {
    /// A move of the shared node has been searched: its value goes to the block at once. A better
    /// one is shared, a fail-high ends the split point.
    ///
    /// This is `resolve` of the sequential search for a window that others may have narrowed in
    /// the meantime.
    pub(super) fn back_up(&mut self, board: &mut Board<G>) -> Step {
        let ply = self.split_ply;
        let Some(id) = self.post else { unreachable!("a shared ply has a block") };
        let Some(block) = board.pool.get_mut(id) else {
            self.stop(board);
            return Step::Out;
        };
        let (value, uncertain) = self.hands.searcher.returned();
        let frame = self.hands.searcher.frame_mut(ply);
        let was_scout = frame.child_beta < frame.beta;
        learn(frame, block.frame());
        if was_scout && value >= frame.child_beta && frame.child_beta < frame.beta {
            // Better than the alpha of its time. Better than today's? If that is unknown, ask.
            let wider = if value > frame.alpha { frame.beta } else { frame.alpha + 1 };
            self.hands.searcher.search_again(wider);
            return Step::On;
        }
        let Some(mv) = frame.current else { unreachable!("null moves are not shared") };
        frame.phase = Phase::Pick;
        let shared = block.upper.last_mut();
        shared.tried += 1;
        shared.uncertain |= uncertain;
        shared.best = shared.best.max(value);
        if value <= shared.alpha {
            return Step::On;
        }
        shared.alpha = value;
        shared.best_move = Some(mv);
        let fails_high = value >= shared.beta;
        if ply == 0 || shared.is_pv() {
            block.upper.set_line(mv, self.hands.searcher.line(ply + 1));
        }
        if fails_high {
            block.upper.last_mut().uncertain = uncertain;
            if block.is_refuted_for_others(self.hands.id) {
                block.close();
                self.hands.searcher.remember_refutation(mv);
                board.notify_members(id, self.hands.id);
                board.vacate(self.post);
                return Step::Out;
            }
            self.cut_off(id, board);
            self.hands.searcher.remember_refutation(mv);
        } else {
            board.counts.shares += 1;
            board.notify_members(id, self.hands.id);
        }
        Step::On
    }

    /// Out of moves: everything found is in the block already, so all that is left is to leave. If
    /// exactly one member stays, it is told to UNSPLIT.
    pub(super) fn merge(&mut self, board: &mut Board<G>) {
        let Some(id) = self.post else { unreachable!("a shared ply has a block") };
        let Some(block) = board.pool.get_mut(id) else { return };
        block.members -= 1;
        if block.members == 1 {
            board.notify_members(id, self.hands.id);
        }
    }

    /// The node of the split point `id`, at which this processor works, is decided: it leaves the
    /// node alone, and everybody else who works there or below is stopped.
    pub(super) fn cut_off(&mut self, id: BlockId, board: &mut Board<G>) {
        let Some(block) = board.pool.get_mut(id) else { return };
        let (ply, parent) = (block.ply, block.parent);
        let own = self.hands.searcher.frame_mut(ply);
        // What decides the node may be its window, which the block has not heard of yet.
        block.narrow(own.entry_alpha, own.beta);
        learn(own, block.frame());
        self.hands.searcher.set_line(ply, block.upper.line());
        self.hands.searcher.cut_off_at(ply);
        self.release(id, parent, board);
    }

    /// Ends the split point `id` for all its members and goes on at its parent.
    pub(super) fn release(&mut self, id: BlockId, parent: Option<BlockId>, board: &mut Board<G>) {
        board.notify_members(id, self.hands.id);
        board.pool.release(id);
        // It may have had a place further in, too.
        board.vacate(self.post);
        let ply = parent.and_then(|id| board.pool.get(id)).map(|block| block.ply);
        self.move_to(parent, ply.unwrap_or(super::processor::ALONE), board);
    }
}
