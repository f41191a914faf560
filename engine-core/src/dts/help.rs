//! HELP: an idle processor looks for work (Hyatt, section 2.3).

use std::cmp::Reverse;

use crate::game::Game;

use super::board::{Board, Request};
use super::choice::{self, PlyState};
use super::pool::BlockId;
use super::processor::{Busy, Idle};
use super::team::Team;

impl<G: Game> Idle<G> {
    /// Looks for work. It joins the split point with the most work left; only if there is none
    /// does it ask every busy processor for the state of its tree, and once they have answered
    /// chooses where to split.
    ///
    /// # Errors
    /// There is no work yet: the processor comes back as it was, to try again later.
    pub fn help(self, team: &Team<G>) -> Result<Busy<G>, Self> {
        team.with(|board| {
            if let Some(block) = board.most_work_left() {
                return Ok(self.join(block, board));
            }
            if board.request.is_none() && !board.seats.iter().any(|seat| seat.asked) {
                board.choose_or_broadcast();
            }
            Err(self)
        })
    }

    /// Becomes a member of a split point.
    pub(crate) fn join(mut self, id: BlockId, board: &mut Board<G>) -> Busy<G> {
        let Some(block) = board.pool.get_mut(id) else { unreachable!("it was found just now") };
        block.members += 1;
        self.hands.searcher.adopt(&block.upper);
        self.hands.chores.copies += 1;
        board.counts.joins += 1;
        let ply = block.ply;
        self.work_at(Some(id), ply, board)
    }
}

impl<G: Game> Board<G> {
    /// The split point with the most work left, if there is any with work.
    pub(crate) fn most_work_left(&self) -> Option<BlockId> {
        let open = self.pool.live().filter(|(_, block)| block.moves_left() > 0);
        let sound = open.filter(|(id, _)| self.is_sound(*id));
        let most = sound.max_by_key(|(_, block)| {
            (choice::work(block.frame().depth, block.moves_left()), Reverse(block.ply))
        });
        most.map(|(id, _)| id)
    }

    /// No split point above this one has been cut off.
    pub(crate) fn is_sound(&self, id: BlockId) -> bool {
        let outermost = self.outward(Some(id)).last();
        outermost.and_then(|id| self.pool.get(id)).is_some_and(|block| block.parent.is_none())
    }

    /// Chooses the best split point of the trees that were shown, and asks its owner to make it.
    /// If none will do, asks everybody to show theirs.
    fn choose_or_broadcast(&mut self) {
        let seats = self.seats.iter().enumerate();
        let states = seats.map(|(owner, seat)| (owner, seat.states.as_slice()));
        let chosen = choice::choose(states, &self.tuning);
        for seat in &mut self.seats {
            seat.states.clear();
        }
        if let Some((owner, PlyState { ply, key, depth, tried, .. })) = chosen {
            self.request = Some(Request { owner, ply, key, depth, tried });
            self.notify(owner);
            self.counts.attempts += 1;
            return;
        }
        self.counts.helps += 1;
        for (id, seat) in self.seats.iter_mut().enumerate().filter(|(_, seat)| seat.busy) {
            seat.asked = true;
            self.signals.raise(id);
        }
    }
}

impl<G: Game> Busy<G> {
    /// Shows the state of its tree to whoever asked for it, unless the thrashing counter forbids.
    pub(super) fn answer_help(&mut self, board: &mut Board<G>) {
        let seat = &mut board.seats[self.hands.id];
        if !std::mem::take(&mut seat.asked) || self.nodes() < self.calm_until {
            return;
        }
        self.calm_until = self.nodes() + board.tuning.calm;
        self.hands.chores.messages += 1;
        let mut states = std::mem::take(&mut board.seats[self.hands.id].states);
        choice::describe(self.hands.searcher.path(), board.tuning.typing, &mut states);
        states.retain(|state| !board.is_shared(self.post, state.ply));
        board.seats[self.hands.id].states = states;
        board.stirred = true;
    }
}
