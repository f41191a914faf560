//! Help at ALL nodes, as in the chess program Typhoon: a processor that stands at a node whose
//! moves must probably all be searched, and sees that others are idle, splits it for them. It owns
//! that split point: when it finds no move there, it waits until the last of its helpers is back.
//! Nobody else carries on from there, not even who refutes the node.

use crate::dts::Busy;
use crate::dts::board::Board;
use crate::dts::choice::{NodeType, PlyState, describe};
use crate::dts::pool::BlockId;
use crate::dts::processor::Step;
use crate::game::Game;
use crate::search::frame::Phase;

use super::Plan;
use super::posted::{Gang, Next, Rules, is_ripe};

/// Split points there may be at a time.
const MAX_SPLIT_POINTS: usize = 20;

/// The rules of help at ALL nodes, and what one processor keeps in mind.
#[derive(Debug)]
pub(super) struct HelpAtAll {
    /// The tree described, for reuse.
    states: Vec<PlyState>,
}

impl<G: Game> Rules<G> for HelpAtAll {
    fn new(_: &Plan) -> Self {
        Self { states: Vec::new() }
    }

    /// Helpers join the split point they were called to when it was made, and no other.
    fn find(&mut self, id: usize, board: &mut Board<G>) -> Option<BlockId> {
        let call = board.seats[id].notes.call.take()?;
        let has_work = board.pool.get(call).is_some_and(|block| block.moves_left() > 0);
        (has_work && board.is_sound(call)).then_some(call)
    }

    #[inline]
    fn before_step(&mut self, busy: &mut Busy<G>, gang: &Gang<G>) -> Next {
        if busy.is_at_split_point() {
            return wait(busy, gang);
        }
        if gang.anybody_rests() && busy.hands.searcher.top().depth >= gang.tuning.min_depth {
            self.split_if_all(busy, gang);
        }
        Next::Step
    }
}

impl HelpAtAll {
    /// Splits the top node if all of its moves must probably be searched.
    fn split_if_all<G: Game>(&mut self, busy: &mut Busy<G>, gang: &Gang<G>) {
        let searcher = &mut busy.hands.searcher;
        if searcher.top().phase == Phase::Resolve {
            searcher.merge_value();
        }
        let (top, ply) = (searcher.top(), searcher.ply());
        if top.phase != Phase::Pick || !is_ripe(top, &gang.tuning) {
            return;
        }
        describe(searcher.path(), gang.tuning.typing, &mut self.states);
        let expected = self.states.last().is_some_and(|state| {
            state.kind != NodeType::Cut && state.confidence >= gang.tuning.min_confidence
        });
        if expected {
            gang.team.with(|board| split(busy, ply, board));
        }
    }
}

/// Splits at `ply` and calls everybody who is idle.
fn split<G: Game>(busy: &mut Busy<G>, ply: usize, board: &mut Board<G>) {
    let idle: Vec<usize> = (0..board.seats.len()).filter(|&id| is_free(id, board)).collect();
    if idle.is_empty() || board.pool.in_use() >= MAX_SPLIT_POINTS {
        return;
    }
    let before = busy.post;
    busy.split(ply, board);
    if busy.post == before {
        return;
    }
    if let Some(block) = busy.post.and_then(|id| board.pool.get_mut(id)) {
        block.owner = Some(busy.hands.id);
    }
    for id in idle {
        board.seats[id].notes.call = busy.post;
    }
    board.stirred = true;
}

/// Idle, and not on the way to a split point.
fn is_free<G: Game>(id: usize, board: &Board<G>) -> bool {
    let seat = &board.seats[id];
    !seat.busy && seat.notes.call.is_none_or(|call| board.pool.get(call).is_none())
}

/// The owner of a split point waits if there are no moves left but others are still there.
fn wait<G: Game>(busy: &mut Busy<G>, gang: &Gang<G>) -> Next {
    if gang.team.has_news(busy.hands.id) && busy.attend(&gang.team) == Step::Out {
        return Next::Rest;
    }
    if !busy.is_at_split_point() || busy.hands.searcher.top().phase != Phase::Pick {
        return Next::Step;
    }
    let block_is_busy = |board: &mut Board<G>| {
        let block = busy.post.and_then(|id| board.pool.get(id));
        block.is_some_and(|block| {
            block.owner == Some(busy.hands.id) && block.moves_left() == 0 && block.members > 1
        })
    };
    if gang.team.with(block_is_busy) { Next::Wait } else { Next::Step }
}
