//! SHARE: a better value at a split point reaches everybody below it (Hyatt, section 2.8).

use crate::game::Game;

use super::board::Board;
use super::pool::BlockId;
use super::processor::{ALONE, Busy, Step};
use super::select::learn;

impl<G: Game> Busy<G> {
    /// Reads the windows of all split points it works at, from the outermost in, and pushes them
    /// down its own frames. Where that makes a node's best value good enough, the node is left at
    /// once. Comes back with [`Step::Out`] if a split point it works at has been decided.
    pub(super) fn share(&mut self, board: &mut Board<G>) -> Step {
        let Some(post) = self.post else { return Step::On };
        let mut chain: Vec<BlockId> = board.outward(Some(post)).collect();
        let outermost = chain.last().and_then(|&id| board.pool.get(id));
        if outermost.is_none_or(|block| block.parent.is_some()) {
            return Step::Out;
        }
        let mut from = outermost.map_or(0, |block| block.ply);
        while let Some(id) = chain.pop() {
            let Some(block) = board.pool.get_mut(id) else { return Step::Out };
            if block.is_refuted_for_others(self.hands.id) {
                return Step::Out;
            }
            if let Some(cut) = self.push_windows(from, block.ply) {
                self.leave_at(cut, board);
                return Step::On;
            }
            let own = self.hands.searcher.frame_mut(block.ply);
            block.narrow(own.entry_alpha, own.beta);
            learn(own, block.frame());
            from = block.ply;
        }
        if let Some(cut) = self.push_windows(from, self.hands.searcher.ply()) {
            self.leave_at(cut, board);
        }
        Step::On
    }

    /// Pushes the window of the frame at `from` down to the frame at `to`. Comes back with the
    /// first ply whose value is good enough already.
    fn push_windows(&mut self, from: usize, to: usize) -> Option<usize> {
        for ply in from..=to {
            let frame = self.hands.searcher.frame_mut(ply);
            if frame.alpha >= frame.beta {
                debug_assert!(frame.best >= frame.beta);
                return Some(ply);
            }
            if ply == to || frame.current.is_none() || frame.child_beta < frame.beta {
                // A scout asks whether a move is better than the alpha of its time. That it is not
                // is an answer for today's alpha too, so it goes on as it is.
                if ply < to {
                    return None;
                }
                continue;
            }
            frame.child_beta = frame.beta;
            let (alpha, beta) = (-frame.beta, -frame.alpha);
            let child = self.hands.searcher.frame_mut(ply + 1);
            child.alpha = child.alpha.max(alpha);
            child.entry_alpha = child.entry_alpha.max(alpha);
            child.beta = child.beta.min(beta);
        }
        None
    }

    /// Leaves the node at `ply`, whose value is good enough: it and the split points below it are
    /// decided.
    fn leave_at(&mut self, ply: usize, board: &mut Board<G>) {
        if let Some(id) = board.outermost_from(self.post, ply) {
            let Some(block) = board.pool.get(id) else { return };
            let (at, parent) = (block.ply, block.parent);
            if at == ply {
                return self.cut_off(id, board);
            }
            self.release(id, parent, board);
        }
        debug_assert!(self.split_ply == ALONE || self.split_ply < ply);
        self.hands.searcher.cut_off_at(ply);
    }
}

impl<G: Game> Board<G> {
    /// The outermost of the split points from `post` outwards that lie at `ply` or below.
    fn outermost_from(&self, post: Option<BlockId>, ply: usize) -> Option<BlockId> {
        let below = |id: &BlockId| self.pool.get(*id).is_some_and(|block| block.ply >= ply);
        self.outward(post).take_while(below).last()
    }
}
