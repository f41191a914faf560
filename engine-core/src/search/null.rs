//! Step 2: the null move. A node so good that even a free move for the opponent does not bring the
//! value under beta is not worth searching in full. Not in `exact`: it is a guess.

use crate::game::Game;
use crate::value::MATE_BAND;

use super::frame::Phase;
use super::horizon::Horizon;
use super::tunables::{NULL_MIN_DEPTH, NULL_REDUCTION};
use super::{Profile, Searcher};

impl<G: Game, H: Horizon<G>> Searcher<G, H> {
    #[inline]
    pub(super) fn try_null(&mut self) {
        let ply = self.ply;
        let frame = &mut self.frames[ply];
        frame.phase = Phase::TryRemembered;
        let worth_trying = self.profile == Profile::Classic
            && frame.null_allowed
            && frame.depth >= NULL_MIN_DEPTH
            && !frame.in_check
            && !frame.is_pv()
            && frame.beta.abs() < MATE_BAND
            && frame.position.evaluate() >= frame.beta;
        if !worth_trying {
            return self.try_remembered();
        }
        let Some(passed) = frame.position.null_move() else { return };
        frame.current = None;
        let (depth, beta) = (frame.depth - 1 - NULL_REDUCTION, frame.beta);
        if H::ACTIVE
            && let Some((value, certain)) = self.horizon.recalled(0, beta - 1, beta)
        {
            (self.returned, self.returned_uncertain) = (value, !certain);
            frame.phase = Phase::NullReturned;
            return;
        }
        let child = &mut self.frames[ply + 1];
        child.position = passed;
        child.null_allowed = false;
        child.reversible = 0;
        child.trail = 0;
        child.arrive();
        child.open(depth, -beta, 1 - beta);
        self.descend();
    }

    #[inline]
    pub(super) fn null_returned(&mut self) {
        let frame = &mut self.frames[self.ply];
        frame.phase = Phase::TryRemembered;
        if H::ACTIVE {
            let (value, certain) = (self.returned, !self.returned_uncertain);
            self.horizon.returned(0, frame.beta - 1, frame.beta, value, certain);
        }
        if self.returned >= frame.beta {
            // A mate found after a null move is not a mate on the board.
            frame.best = if self.returned >= MATE_BAND { frame.beta } else { self.returned };
            frame.uncertain = self.returned_uncertain;
            frame.phase = Phase::Leave;
        }
    }
}
