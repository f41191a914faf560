//! What workers tell each other of their tables: on time, late, twice, or never.

use std::sync::Arc;

use engine_core::game::Game;
use engine_core::random::SplitMix64;
use engine_core::sharing::Note;
use engine_core::value::Bound;

use super::options::Sabotage;
use super::worker::{Condition, Worker};
use super::world::World;
use crate::clock::{Agenda, Time};

/// How many times the shortest, or the longest, latency a rumour may take: half of them come soon,
/// and some reach a search after the one they come from.
const LATE: Time = 20;

/// Rumours under way.
#[derive(Debug)]
pub struct Rumours {
    random: SplitMix64,
    /// To which worker, and what.
    agenda: Agenda<(usize, Arc<[Note]>)>,
    /// Entries that have arrived.
    pub heard: u64,
}

impl Rumours {
    /// Rumours whose whims follow from `seed`.
    pub fn new(seed: u64) -> Self {
        Self { random: SplitMix64::new(seed), agenda: Agenda::default(), heard: 0 }
    }
}

impl<G: Game> World<G> {
    /// What worker `from` has noted goes to the others.
    pub(super) fn spread(&mut self, from: usize, now: Time) {
        let Some(threshold) = self.options.share_from else { return };
        let mut notes = self.workers[from].take_notes(threshold);
        if self.options.sabotage == Some(Sabotage::Rumour) {
            for note in &mut notes {
                note.entry.value = if note.entry.bound == Bound::Upper { -9_000 } else { 9_000 };
            }
        }
        let notes: Arc<[Note]> = notes.into();
        if notes.is_empty() {
            return;
        }
        let rumours = &mut self.rumours;
        for to in (0..self.workers.len()).filter(|&to| to != from) {
            // Nobody hears it, or it is heard once, or twice.
            for _ in 0..rumours.random.below(3) {
                let (soon, late) = self.options.latency;
                let latency = if rumours.random.below(2) == 0 { soon } else { late };
                let delay = rumours.random.below(LATE * latency);
                rumours.agenda.add(now + delay, (to, Arc::clone(&notes)));
            }
        }
    }

    /// Lets the rumours arrive that are due.
    pub(super) fn hear(&mut self) {
        while let Some((_, (to, notes))) = self.rumours.agenda.take_until(self.now) {
            let worker: &Worker<G> = &self.workers[to];
            if worker.condition == Condition::Alive {
                worker.hear(&notes);
                self.rumours.heard += notes.len() as u64;
            }
        }
    }
}
