//! Below the horizon: search on until the position is quiet enough to be evaluated.
//!
//! This is plain recursion inside one step of the machine: such trees are small, bounded by the
//! captures on the board, and never split between processors.

use crate::game::Game;
use crate::value::{INFINITY, MAX_PLY, Value};

use super::outcome_value;
use super::pick::{Ranked, bring_best_forward};
use super::tunables::{DRAW, QUIET_EVASION_PLIES};
use super::variation::Variations;

/// The search below the horizon; also keeps the node count of the whole search.
#[derive(Debug)]
pub(crate) struct Quiescence<G: Game> {
    moves: Vec<Ranked<G>>,
    /// Nodes visited, above and below the horizon.
    pub nodes: u64,
    /// Greatest ply reached.
    pub deepest: usize,
}

impl<G: Game> Quiescence<G> {
    pub fn new() -> Self {
        Self { moves: Vec::with_capacity(1024), nodes: 0, deepest: 0 }
    }

    /// Counts a node at `ply`.
    #[inline]
    pub fn count(&mut self, ply: usize) {
        self.nodes += 1;
        self.deepest = self.deepest.max(ply);
    }

    /// Value of `position`, fail-soft. It depends on the position, the window and `below` (plies
    /// below the horizon) alone, so that every machine finds the same. In an open window the best
    /// line goes to `variations`, so that a mate found here can be shown to the end.
    pub fn search(
        &mut self,
        variations: &mut Variations<G>,
        position: &G,
        ply: usize,
        mut alpha: Value,
        beta: Value,
        below: i32,
    ) -> Value {
        self.count(ply);
        variations.clear(ply);
        let open = beta - alpha > 1;
        // Evasions are no captures: they can run into the end of the clock. (The node on the
        // horizon itself has been asked.)
        if below > 0 && position.plies_to_rule_draw() == 0 && position.is_rule_draw() {
            return DRAW;
        }
        let in_check = position.in_check();
        if ply >= MAX_PLY || (in_check && below >= QUIET_EVASION_PLIES) {
            return position.evaluate();
        }
        // Standing pat: some quiet move is nearly always as good as doing nothing.
        let mut best = if in_check { -INFINITY } else { position.evaluate() };
        if best >= beta {
            return best;
        }
        alpha = alpha.max(best);

        let first = self.moves.len();
        position.for_each_tactical(|mv| {
            self.moves.push(Ranked { mv, order: position.order(mv, 0) });
        });
        if in_check && self.moves.len() == first {
            return outcome_value(position.outcome(), ply);
        }
        let end = self.moves.len();
        for next in first..end {
            let mv = bring_best_forward(&mut self.moves[next..end]);
            let next = position.after(mv);
            let value = -self.search(variations, &next, ply + 1, -beta, -alpha, below + 1);
            best = best.max(value);
            if value > alpha {
                alpha = value;
                if open {
                    variations.prepend(ply, mv);
                }
                if alpha >= beta {
                    break;
                }
            }
        }
        self.moves.truncate(first);
        best
    }
}
