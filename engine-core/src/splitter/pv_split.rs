//! Principal variation splitting (Marsland and Campbell; Hyatt, section 1): one processor goes
//! down the left-most branch. At its end, and then at every node on the way back up, all search
//! the remaining moves together, and nobody goes on before the last one is done.

use crate::dts::Busy;
use crate::dts::board::Board;
use crate::dts::pool::BlockId;
use crate::game::Game;

use super::Plan;
use super::posted::{Gang, Next, Rules, is_ripe};

/// The rules of principal variation splitting.
#[derive(Debug)]
pub(super) struct PvSplit;

impl<G: Game> Rules<G> for PvSplit {
    fn new(_: &Plan) -> Self {
        Self
    }

    /// There is at most one split point at a time.
    fn find(&mut self, _: usize, board: &mut Board<G>) -> Option<BlockId> {
        board.most_work_left()
    }

    #[inline]
    fn before_step(&mut self, busy: &mut Busy<G>, gang: &Gang<G>) -> Next {
        split_left_most(busy, gang);
        Next::Step
    }
}

/// Splits the top node if it is on the left-most branch, its first move is searched, and there is
/// somebody to help. Whoever is the last to leave that split point goes on up the branch.
#[inline]
pub(super) fn split_left_most<G: Game>(busy: &mut Busy<G>, gang: &Gang<G>) {
    let searcher = &busy.hands.searcher;
    let (top, ply) = (searcher.top(), searcher.ply());
    let ready = busy.post.is_none() && top.is_pv() && is_ripe(top, &gang.tuning);
    if ready && gang.anybody_rests() && searcher.path()[..ply].iter().all(|up| up.tried == 0) {
        gang.team.with(|board| {
            busy.split(ply, board);
            board.stirred = true;
        });
    }
}
