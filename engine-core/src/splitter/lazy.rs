//! Lazy SMP: everybody searches the same tree, and nobody says a word. What one has stored in the
//! shared table spares the others the work; so that they have something to spare each other, they
//! begin with different ideas of what a good move is.
//!
//! Some programs also let helpers search deeper. In virtual time that loses: with every other
//! helper a ply ahead the speedup on 2, 4, 8 and 16 processors falls from 1.8, 3.1, 4.9 and 6.9 to
//! 1.3, 2.3, 3.8 and 6.2 (six positions).

use std::sync::Arc;

use crate::game::Game;
use crate::search::{Searcher, Status};

use super::crowd::{Walker, Way};
use super::rounds::Rounds;
use super::{Counts, Group, Plan};

/// History scores with which helpers begin are drawn from so much around 0: as far as scores go.
/// The lab sees little difference down to a sixteenth of it.
const SPREAD: u32 = 8_000;

/// How a processor of Lazy SMP searches: like a sequential search.
#[derive(Debug)]
pub(super) struct Lazy;

impl Lazy {
    /// What the processors share, and the processors.
    pub fn crew<G: Game>(plan: &Plan) -> (Arc<Rounds<G>>, Vec<Walker<G, Lazy>>) {
        let rounds = Arc::new(Rounds::new(Arc::clone(&plan.stir)));
        let walker = |id| {
            let mut walker = Walker::new(plan, &rounds, Lazy);
            if id > 0 {
                walker.searcher().scatter(id as u64, SPREAD);
            }
            walker
        };
        let walkers = (0..plan.processors).map(walker).collect();
        (rounds, walkers)
    }
}

impl<G: Game> Way<G> for Lazy {
    #[inline]
    fn step(&mut self, searcher: &mut Searcher<G>) -> Status {
        searcher.step()
    }

    fn give_up(&mut self) {}
}

impl<G: Game> Group for Rounds<G> {
    fn counts(&self) -> Counts {
        Counts { joins: self.joins(), ..Counts::default() }
    }

    fn blocks_in_use(&self) -> usize {
        0
    }
}
