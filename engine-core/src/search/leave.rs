//! Step 7: store what was learnt and return the value to the parent.

use crate::game::Game;
use crate::table::Entry;
use crate::value::{Bound, from_node};

use super::Searcher;
use super::horizon::Horizon;

impl<G: Game, H: Horizon<G>> Searcher<G, H> {
    #[inline]
    pub(super) fn leave(&mut self) {
        let ply = self.ply;
        let frame = &self.frames[ply];
        if frame.generated {
            self.moves.truncate(frame.first as usize);
        }
        let mv = frame.best_move.map_or(0, |mv| frame.position.pack_move(mv));
        let (best, uncertain) = (frame.best, frame.uncertain);
        if H::ACTIVE {
            let identity = self.identity(ply);
            self.horizon.left(identity, mv, best, !uncertain);
        }
        // A restricted root says nothing about the position, a guess nothing about anything.
        if !uncertain && (ply > 0 || self.root_moves.is_empty()) {
            let entry = Entry {
                mv,
                value: from_node(best, ply),
                depth: frame.depth as u8,
                bound: Bound::of(best, frame.entry_alpha, frame.beta),
            };
            self.table.store(self.table_key(ply), entry);
        }
        self.give(best, uncertain);
    }
}
