//! Step 1: everything that can end a node before a move is searched.

use crate::game::Game;
use crate::table::Entry;
use crate::value::{Bound, MATE, MATE_BAND, MAX_PLY, Value, from_root};

use super::frame::Phase;
use super::horizon::{Horizon, Meeting, Node};
use super::tunables::DRAW;
use super::{Profile, Searcher};

impl<G: Game, H: Horizon<G>> Searcher<G, H> {
    #[inline]
    pub(super) fn enter(&mut self) {
        let ply = self.ply;
        self.variations.clear(ply);
        let frame = &self.frames[ply];
        if ply > 0 && (frame.position.is_rule_draw() || self.repeats(ply)) {
            self.quiescence.count(ply);
            return self.give(DRAW, false);
        }
        if frame.depth <= 0 || ply >= MAX_PLY {
            let (position, variations) = (&frame.position, &mut self.variations);
            let value =
                self.quiescence.search(variations, position, ply, frame.alpha, frame.beta, 0);
            return self.give(value, false);
        }
        self.quiescence.count(ply);
        let entry = self.look_up(ply);
        if let Some(value) = entry.and_then(|entry| self.table_cut(entry)) {
            return self.give(value, false);
        }
        let frame = &mut self.frames[ply];
        frame.remembered = entry.map_or(0, |entry| entry.mv);
        frame.generated = false;
        frame.entered = self.quiescence.nodes - 1;
        frame.phase = Phase::TryNull;
        if H::ACTIVE {
            self.meet_horizon();
        }
    }

    /// What the table holds about the node at `ply`.
    #[inline]
    pub(super) fn look_up(&mut self, ply: usize) -> Option<Entry> {
        let (entry, foreign) = self.table.probe_origin(self.table_key(ply))?;
        if foreign {
            self.notes.count_use();
        }
        Some(entry)
    }

    /// The position stood on the board before, in the game or on the way here.
    #[inline]
    fn repeats(&self, ply: usize) -> bool {
        let reversible = self.frames[ply].reversible as usize;
        let here = self.roots + ply;
        let key = self.frames[ply].key;
        (4..=reversible).step_by(2).any(|back| self.keys[here - back] == key)
    }

    /// The value of the node if a table entry decides it.
    ///
    /// Never at open windows, so that the best line stays whole. In `exact` only an entry of the
    /// very same depth counts (its key holds the history, see `table_key`).
    #[inline]
    pub(super) fn table_cut(&self, entry: Entry) -> Option<Value> {
        let frame = &self.frames[self.ply];
        let depth = i32::from(entry.depth);
        let deep_enough = match self.profile {
            Profile::Exact => depth == frame.depth,
            Profile::Classic => depth >= frame.depth,
        };
        if !deep_enough || frame.is_pv() || self.ply == 0 {
            return None;
        }
        // A mate that takes longer than the clock allows is no mate.
        let left = frame.position.plies_to_rule_draw();
        if entry.value.abs() >= MATE_BAND && (MATE - entry.value.abs()) as u32 > left {
            return None;
        }
        let value = from_root(entry.value, self.ply);
        let decides = match entry.bound {
            Bound::Exact => true,
            Bound::Lower => value >= frame.beta,
            Bound::Upper => value <= frame.alpha,
        };
        decides.then_some(value)
    }

    /// Asks whether the tree ends here; if it goes on, the horizon alone orders the moves.
    fn meet_horizon(&mut self) {
        let ply = self.ply;
        let identity = self.identity(ply);
        let frame = &self.frames[ply];
        let here = self.roots + ply;
        let node = Node {
            position: &frame.position,
            identity,
            ply,
            depth: frame.depth,
            alpha: frame.alpha,
            beta: frame.beta,
            null_allowed: frame.null_allowed,
            history: &self.keys[here - frame.reversible as usize..here],
        };
        match self.horizon.meet(&node) {
            Meeting::Expand => self.frames[ply].remembered = self.horizon.remembered(identity),
            Meeting::Certain { value, pv } => {
                self.variations.set(ply, &pv);
                self.give(value, false);
            }
            Meeting::Guess(value) => self.give(value, true),
            Meeting::Unknown => {
                let (alpha, beta) = (frame.alpha, frame.beta);
                let (position, variations) = (&frame.position, &mut self.variations);
                let value = self.quiescence.search(variations, position, ply, alpha, beta, 0);
                self.horizon.sounded(&node, value);
                self.variations.clear(ply);
                self.give(value, true);
            }
        }
    }
}
