//! Move ordering learnt from cut-offs: killers and history.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use crate::game::Game;
use crate::random::SplitMix64;
use crate::value::MAX_PLY;

use super::tunables::{HISTORY_LIMIT, KILLER_ORDER};

/// Two killers a ply and one history score a slot.
#[derive(Debug)]
pub(crate) struct Memory<G: Game> {
    pub killers: Vec<[Option<G::Move>; 2]>,
    history: Arc<History>,
}

/// A score for each history slot. Processors that search one tree share theirs; an update that two
/// of them make at once may count once, which does no harm.
#[derive(Debug)]
pub(crate) struct History(Box<[AtomicI32]>);

impl History {
    /// Nothing learnt yet.
    pub fn new<G: Game>() -> Self {
        Self((0..G::HISTORY_SLOTS).map(|_| AtomicI32::new(0)).collect())
    }
}

impl<G: Game> Memory<G> {
    pub fn new() -> Self {
        let history = Arc::new(History::new::<G>());
        Self { killers: vec![[None; 2]; MAX_PLY + 1], history }
    }

    /// From now on learns together with all others who share `history`.
    pub fn share(&mut self, history: &Arc<History>) {
        self.history = Arc::clone(history);
    }

    /// Begins with scores of its own, drawn from ±`spread`.
    pub fn scatter(&mut self, random: &mut SplitMix64, spread: u32) {
        let width = 2 * u64::from(spread) + 1;
        for score in &self.history.0 {
            score.store(random.below(width) as i32 - spread as i32, Relaxed);
        }
    }

    pub fn clear(&mut self) {
        self.killers.fill([None; 2]);
        self.history.0.iter().for_each(|score| score.store(0, Relaxed));
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
            self.history.0[position.history_slot(mv)].load(Relaxed)
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
    fn nudge(&self, slot: usize, bonus: i32) {
        let score = &self.history.0[slot];
        let before = score.load(Relaxed);
        score.store(before + bonus - before * bonus.abs() / HISTORY_LIMIT, Relaxed);
    }
}
