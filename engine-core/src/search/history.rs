//! Move ordering learnt from cut-offs: killers and history.

use crate::game::Game;
use crate::value::MAX_PLY;

use super::tunables::{HISTORY_LIMIT, KILLER_ORDER};

/// Two killers a ply and one history score a slot.
#[derive(Debug, Clone)]
pub(crate) struct Memory<G: Game> {
    killers: Vec<[Option<G::Move>; 2]>,
    history: Vec<i32>,
}

impl<G: Game> Memory<G> {
    pub fn new() -> Self {
        Self { killers: vec![[None; 2]; MAX_PLY + 1], history: vec![0; G::HISTORY_SLOTS] }
    }

    pub fn clear(&mut self) {
        self.killers.fill([None; 2]);
        self.history.fill(0);
    }

    /// Learnt part of a quiet move's order.
    #[inline]
    pub fn order(&self, position: &G, ply: usize, mv: G::Move) -> i32 {
        let [first, second] = self.killers[ply];
        if first == Some(mv) {
            KILLER_ORDER + 1
        } else if second == Some(mv) {
            KILLER_ORDER
        } else {
            self.history[position.history_slot(mv)]
        }
    }

    /// A quiet move caused a cut-off after the `failed` moves had not.
    #[inline]
    pub fn reward(
        &mut self,
        position: &G,
        ply: usize,
        depth: i32,
        mv: G::Move,
        failed: impl Iterator<Item = G::Move>,
    ) {
        let killers = &mut self.killers[ply];
        if killers[0] != Some(mv) {
            killers[1] = killers[0];
            killers[0] = Some(mv);
        }
        let bonus = (depth * depth).min(400);
        self.nudge(position.history_slot(mv), bonus);
        for failure in failed {
            if failure != mv && position.is_quiet(failure) {
                self.nudge(position.history_slot(failure), -bonus);
            }
        }
    }

    /// Moves a score towards ±[`HISTORY_LIMIT`], the more slowly the nearer it is.
    #[inline]
    fn nudge(&mut self, slot: usize, bonus: i32) {
        let score = &mut self.history[slot];
        *score += bonus - *score * bonus.abs() / HISTORY_LIMIT;
    }
}
