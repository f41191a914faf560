//! Step 6: merge the value of the move just searched.

use crate::game::Game;

use super::Searcher;
use super::frame::Phase;
use super::horizon::Horizon;

/// What the value of a move came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Merged {
    /// The move is searched again in a wider window.
    SearchedAgain,
    /// The move is no better than what there was.
    BelowAlpha,
    /// The move is the best so far; it may even end the node.
    RaisedAlpha,
}

impl<G: Game, H: Horizon<G>> Searcher<G, H> {
    #[inline]
    pub(super) fn resolve(&mut self) {
        // By far the most frequent end of a move: on to the next without a detour.
        if self.merge_value() == Merged::BelowAlpha && self.frames[self.ply].generated {
            self.pick();
        }
    }

    /// Merges the value without going on to the next move.
    #[inline]
    pub(crate) fn merge_value(&mut self) -> Merged {
        let ply = self.ply;
        let (value, uncertain) = (self.returned, self.returned_uncertain);
        let frame = &mut self.frames[ply];
        let Some(mv) = frame.current else { unreachable!("a null move has its own step") };

        if H::ACTIVE {
            let mv = frame.position.pack_move(mv);
            self.horizon.returned(mv, frame.alpha, frame.child_beta, value, !uncertain);
        }
        // Better than a zero window could tell: search again with the rest of the window.
        if value >= frame.child_beta && frame.child_beta < frame.beta {
            frame.child_beta = frame.beta;
            let (alpha, beta) = (frame.alpha, frame.beta);
            let child = &mut self.frames[ply + 1];
            child.open(child.depth, -beta, -alpha);
            self.descend();
            return Merged::SearchedAgain;
        }

        frame.tried += 1;
        frame.uncertain |= uncertain;
        frame.phase = if frame.generated { Phase::Pick } else { Phase::Generate };
        frame.best = frame.best.max(value);
        if value <= frame.alpha {
            return Merged::BelowAlpha;
        }
        frame.alpha = value;
        frame.best_move = Some(mv);
        if ply == 0 || frame.is_pv() {
            self.variations.prepend(ply, mv);
        }
        if H::ACTIVE && ply == 0 && !frame.uncertain {
            self.proved = Some((value, self.variations.line(0).to_vec()));
        }
        let frame = &mut self.frames[ply];
        if value >= frame.beta {
            // One proved refutation is enough, whatever was guessed about other moves.
            frame.uncertain = uncertain;
            frame.phase = Phase::Leave;
            self.remember_refutation(mv);
        }
        Merged::RaisedAlpha
    }

    /// A move that refutes may refute elsewhere. An active horizon keeps its order frozen.
    #[inline]
    pub(crate) fn remember_refutation(&mut self, mv: G::Move) {
        let frame = &self.frames[self.ply];
        if H::ACTIVE || !frame.position.is_quiet(mv) {
            return;
        }
        let tried = if frame.generated { frame.first as usize..frame.next as usize } else { 0..0 };
        let tried = self.moves[tried].iter().map(|ranked| ranked.mv);
        self.memory.reward(&frame.position, self.ply, frame.depth, mv, tried);
    }
}
