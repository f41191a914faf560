//! Where a processor is, for whoever keeps it from one stretch of work to the next.

use crate::game::Game;
use crate::sharing::Notes;
use crate::splitter::Chores;

use super::processor::{Busy, Idle};

/// A processor, idle or busy.
#[derive(Debug)]
pub(crate) enum At<G: Game> {
    Rest(Idle<G>),
    Work(Busy<G>),
    /// Only while the processor changes from one to the other.
    Between,
}

impl<G: Game> At<G> {
    /// Takes the processor out; it has to be put back.
    pub fn leave(&mut self) -> Self {
        std::mem::replace(self, At::Between)
    }

    /// Nodes searched since the processor was made.
    pub fn nodes(&self) -> u64 {
        match self {
            At::Rest(idle) => idle.nodes(),
            At::Work(busy) => busy.nodes(),
            At::Between => 0,
        }
    }

    /// Greatest ply reached since it was last asked; 0 unless it is at rest.
    pub fn take_deepest(&mut self) -> usize {
        match self {
            At::Rest(idle) => idle.take_deepest(),
            At::Work(_) | At::Between => 0,
        }
    }

    /// What its searcher has noted for other workers; none while it is not here.
    pub fn notes(&mut self) -> Option<&mut Notes> {
        match self {
            At::Rest(idle) => Some(idle.hands.searcher.notes()),
            At::Work(busy) => Some(busy.hands.searcher.notes()),
            At::Between => None,
        }
    }

    /// What it has done for others since it was last asked.
    pub fn take_chores(&mut self) -> Chores {
        match self {
            At::Rest(idle) => idle.take_chores(),
            At::Work(busy) => busy.take_chores(),
            At::Between => Chores::default(),
        }
    }
}
