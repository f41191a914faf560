//! Enhanced principal variation splitting (Hyatt, section 1): as [`pv_split`](super::pv_split),
//! but as soon as a processor finds no move left at the split point, all work there is stopped.
//! The first of the moves being searched is followed two plies down, and there all split the tree
//! again. The others are searched once more when all come back; the table remembers what was
//! done.

use crate::dts::Busy;
use crate::dts::board::{Board, Seat};
use crate::dts::pool::BlockId;
use crate::dts::processor::ALONE;
use crate::game::Game;
use crate::search::frame::Phase;

use super::Plan;
use super::posted::{Gang, Next, Rules, is_ripe};
use super::pv_split::split_left_most;

/// Plies from a split point without moves to the next: where all moves of the one must be
/// searched, all moves of the other probably must.
const PLIES_DOWN: usize = 2;

/// The rules of enhanced principal variation splitting, and what one processor keeps in mind.
#[derive(Debug)]
pub(super) struct Epvs {
    /// Its split point when it last looked.
    post: Option<BlockId>,
    /// Ply of that split point, or of one further down that it is still below although nobody
    /// else works there; [`ALONE`]: none.
    below: usize,
    /// It has just taken a move at its split point, or looked for one.
    takes: bool,
    /// It is to split its tree as soon as it can.
    asked: bool,
    /// The split point it is to leave.
    recalled: Option<BlockId>,
}

impl<G: Game> Rules<G> for Epvs {
    fn new(_: &Plan) -> Self {
        Self::fresh()
    }

    /// All work at the innermost split point. If it has no moves left, whoever is searching the
    /// first of its moves is asked to split further down.
    fn find(&mut self, _: usize, board: &mut Board<G>) -> Option<BlockId> {
        let sound = board.pool.live().filter(|(id, _)| board.is_sound(*id));
        let innermost = sound.max_by_key(|(_, block)| block.ply);
        let deepest = board.seats.iter().filter_map(|seat| seat.notes.below).max();
        if let Some((id, block)) = innermost
            && block.moves_left() > 0
            && deepest.is_none_or(|ply| ply <= block.ply)
        {
            *self = Self::fresh();
            return Some(id);
        }
        let deepest = deepest?;
        let is_there = |seat: &Seat| seat.busy && seat.notes.below == Some(deepest);
        let there = board.seats.iter_mut().enumerate().filter(|(_, seat)| is_there(seat));
        let (first, seat) = there.min_by_key(|(_, seat)| (!seat.notes.asked, seat.notes.turn))?;
        if !std::mem::replace(&mut seat.notes.asked, true) {
            board.counts.attempts += 1;
            board.notify(first);
        }
        None
    }

    #[inline]
    fn before_step(&mut self, busy: &mut Busy<G>, gang: &Gang<G>) -> Next {
        if gang.team.has_news(busy.hands.id) {
            gang.team.with(|board| {
                let notes = board.seats[busy.hands.id].notes;
                (self.asked, self.recalled) = (notes.asked, notes.recalled);
            });
        }
        let phase = busy.hands.searcher.top().phase;
        // A value that has come back already is not thrown away.
        let has_value = busy.is_at_split_point() && phase == Phase::Resolve;
        if self.recalled.is_some() && self.recalled == busy.post && !has_value {
            self.recalled = None;
            if gang.team.with(|board| put_back(busy, board)) {
                return Next::Rest;
            }
        }
        self.note_place(busy, gang);
        if busy.post.is_none() {
            split_left_most(busy, gang);
        }
        if self.asked && self.below != ALONE {
            self.split_again(busy, gang);
        }
        Next::Step
    }
}

impl Epvs {
    /// Knows nothing yet.
    fn fresh() -> Self {
        Self { post: None, below: ALONE, takes: false, asked: false, recalled: None }
    }

    /// Notes at which split point it works, and which of the moves there it has.
    #[inline]
    fn note_place<G: Game>(&mut self, busy: &Busy<G>, gang: &Gang<G>) {
        let ply = busy.hands.searcher.ply();
        let has_left = self.below != ALONE && ply <= self.below;
        let moved = self.post != busy.post;
        let has_taken = !busy.is_at_split_point() && self.takes;
        self.takes = busy.is_at_split_point();
        if !moved && !has_taken && !(has_left && (self.asked || self.below != busy.split_ply)) {
            return;
        }
        let goes_in = busy.split_ply != ALONE && self.below != ALONE && busy.split_ply > self.below;
        if self.below == ALONE || has_left || goes_in {
            self.below = busy.split_ply;
        }
        self.post = busy.post;
        self.asked &= !has_left;
        gang.team.with(|board| {
            let block = busy.post.and_then(|id| board.pool.get(id));
            let taken = block.map_or(0, |block| block.frame().next - block.frame().first);
            let notes = &mut board.seats[busy.hands.id].notes;
            notes.below = (self.below != ALONE).then_some(self.below);
            notes.asked &= !has_left;
            if has_taken {
                notes.turn = taken;
            }
        });
    }

    /// Splits two plies below its split point if that node is ready, and calls everybody there.
    fn split_again<G: Game>(&mut self, busy: &mut Busy<G>, gang: &Gang<G>) {
        let ply = self.below + PLIES_DOWN;
        let node = busy.hands.searcher.path().get(ply);
        if !node.is_some_and(|node| is_ripe(node, &gang.tuning)) {
            return;
        }
        gang.team.with(|board| {
            let (id, post) = (busy.hands.id, busy.post);
            self.asked = false;
            board.seats[id].notes.asked = false;
            busy.split(ply, board);
            if busy.post == post {
                return;
            }
            for seat in (0..board.seats.len()).filter(|&seat| seat != id) {
                if board.seats[seat].post.is_some() {
                    board.seats[seat].notes.recalled = board.seats[seat].post;
                    board.notify(seat);
                }
            }
            board.stirred = true;
        });
    }
}

/// Leaves the split point; the move that the processor is searching there is to be taken again.
/// False if everybody else has left by now: then it stays.
fn put_back<G: Game>(busy: &mut Busy<G>, board: &mut Board<G>) -> bool {
    let mv = busy.hands.searcher.path()[busy.split_ply].current;
    if let Some(block) = busy.post.and_then(|id| board.pool.get_mut(id)) {
        if block.members == 1 {
            return false;
        }
        if let Some(mv) = mv.filter(|_| !busy.is_at_split_point()) {
            block.upper.return_move(mv);
        }
    }
    busy.stop(board);
    true
}
