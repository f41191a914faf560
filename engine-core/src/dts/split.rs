//! SPLIT: a node of one processor's tree becomes a split point (Hyatt, section 2.4).

use crate::game::Game;
use crate::search::frame::Phase;

use super::board::{Board, Request};
use super::pool::BlockId;
use super::processor::Busy;

impl<G: Game> Busy<G> {
    /// Splits where an idle processor asked it to, if that node is still there.
    pub(super) fn split_if_asked(&mut self, board: &mut Board<G>) {
        let mine = |request: &Request| request.owner == self.hands.id;
        if let Some(request) = board.request.take_if(|request| mine(request)) {
            self.hands.chores.messages += 1;
            // Made or not, whoever asked has to look again.
            board.stirred = true;
            if self.can_split(&request, board) {
                self.split(request.ply, board);
            }
        }
    }

    /// The node asked for is still there, has moves left, and is not shared already.
    fn can_split(&self, request: &Request, board: &Board<G>) -> bool {
        let node = self.hands.searcher.path().get(request.ply);
        let stands = node.is_some_and(|frame| {
            frame.key == request.key
                && frame.depth == request.depth
                && frame.tried >= request.tried
                && frame.generated
                && matches!(frame.phase, Phase::Pick | Phase::Resolve)
                && frame.next < frame.end
        });
        stands && !board.is_shared(self.post, request.ply)
    }

    /// Copies the tree down to `ply` into a split block, where all idle processors find it. The
    /// ply may lie above split points this processor works at: then the block takes its place
    /// between them, and they all become one member of it.
    pub(crate) fn split(&mut self, ply: usize, board: &mut Board<G>) {
        let below = board.outermost_below(self.post, ply);
        let above = match below {
            Some(id) => board.pool.get(id).and_then(|block| block.parent),
            None => self.post,
        };
        let Some((id, block)) = board.pool.allocate() else { return };
        self.hands.searcher.copy_upper(ply, &mut block.upper);
        (block.ply, block.parent, block.members, block.owner) = (ply, above, 1, None);
        self.hands.chores.copies += 1;
        board.counts.splits += 1;
        match below.and_then(|below| board.pool.get_mut(below)) {
            Some(below) => below.parent = Some(id),
            None => self.move_to(Some(id), ply, board),
        }
    }

    /// From now on this is the innermost split point it works at.
    pub(super) fn move_to(&mut self, post: Option<BlockId>, ply: usize, board: &mut Board<G>) {
        self.post = post;
        self.split_ply = ply;
        self.taken_at = self.nodes();
        board.seats[self.hands.id].post = post;
    }
}

impl<G: Game> Board<G> {
    /// One of the split points from `post` outwards is at `ply`.
    pub(super) fn is_shared(&self, post: Option<BlockId>, ply: usize) -> bool {
        let here = |id| self.pool.get(id).is_some_and(|block| block.ply == ply);
        self.outward(post).any(here)
    }

    /// The outermost of the split points from `post` outwards that lie below `ply`.
    fn outermost_below(&self, post: Option<BlockId>, ply: usize) -> Option<BlockId> {
        let below = |id: &BlockId| self.pool.get(*id).is_some_and(|block| block.ply > ply);
        self.outward(post).take_while(below).last()
    }
}
