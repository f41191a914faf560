//! UNSPLIT: the last member takes the split point over (Hyatt, section 2.7).

use crate::game::Game;

use super::board::Board;
use super::processor::Busy;
use super::select::learn;

impl<G: Game> Busy<G> {
    /// Takes over the innermost split point if nobody else works there and no moves are left for
    /// anybody who might come.
    pub(super) fn unsplit_if_alone(&mut self, board: &mut Board<G>) {
        while let Some(block) = self.post.and_then(|id| board.pool.get(id))
            && block.members == 1
            && block.moves_left() == 0
        {
            self.unsplit(board);
        }
    }

    /// Folds the result of the split point into its own frame and gives the block back. Nothing
    /// reminds of the split any more; the processor carries on alone, in place of whoever was
    /// first here, and past this ply too.
    pub(super) fn unsplit(&mut self, board: &mut Board<G>) {
        let Some(id) = self.post else { return };
        let Some(block) = board.pool.get(id) else { return };
        let (ply, parent) = (block.ply, block.parent);
        let frame = self.hands.searcher.frame_mut(ply);
        learn(frame, block.frame());
        frame.next = frame.end;
        self.hands.searcher.set_line(ply, block.upper.line());
        self.release(id, parent, board);
    }
}
