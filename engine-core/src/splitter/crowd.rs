//! Splitters without split points: everybody searches the whole task, and what one has found
//! others meet in the shared table. Who is done first ends the round for all.
//!
//! [`lazy`](super::lazy) and [`abdada`](super::abdada) differ in their [`Way`] of doing that.

use std::fmt;
use std::sync::Arc;

use crate::game::Game;
use crate::search::{Answer, Searcher, Status, Task};
use crate::sharing::Notes;

use super::rounds::Rounds;
use super::{Chores, Plan, Processor, Progress};

/// How a processor of a crowd searches, so that it does not do what the others do.
pub(super) trait Way<G: Game>: Send + fmt::Debug {
    /// One step of the machine.
    fn step(&mut self, searcher: &mut Searcher<G>) -> Status;

    /// The search is broken off: nothing of it may be left with the others.
    fn give_up(&mut self);
}

/// A processor that searches whole tasks, in its own way.
#[derive(Debug)]
pub(super) struct Walker<G: Game, W> {
    rounds: Arc<Rounds<G>>,
    searcher: Box<Searcher<G>>,
    way: W,
    /// The round it takes part in.
    round: Option<u64>,
    chores: Chores,
}

impl<G: Game, W: Way<G>> Walker<G, W> {
    /// One of the processors of `plan`.
    pub fn new(plan: &Plan, rounds: &Arc<Rounds<G>>, way: W) -> Self {
        let searcher = Box::new(Searcher::new(plan.profile, Arc::clone(&plan.table)));
        let (rounds, chores) = (Arc::clone(rounds), Chores::default());
        Self { rounds, searcher, way, round: None, chores }
    }

    /// The machine it searches with.
    pub fn searcher(&mut self) -> &mut Searcher<G> {
        &mut self.searcher
    }

    fn take_part(&mut self, round: u64, task: Task<G>) {
        self.searcher.start(task);
        self.round = Some(round);
    }

    /// The search has come to its end, and with it the round, unless somebody was faster.
    fn finish(&mut self, round: u64) -> Progress<G> {
        self.round = None;
        match self.searcher.answer() {
            Some(answer) if self.rounds.end(round) => Progress::Finished(answer),
            _ => Progress::Working,
        }
    }
}

impl<G: Game, W: Way<G>> Processor<G> for Walker<G, W> {
    fn start(&mut self, task: Task<G>) {
        self.abort();
        let round = self.rounds.begin(task.clone());
        self.take_part(round, task);
    }

    fn work(&mut self, budget: u64) -> Progress<G> {
        let Some(round) = self.round else {
            let Some((round, task)) = self.rounds.join() else { return Progress::Idle };
            self.chores.messages += 1;
            self.take_part(round, task);
            return Progress::Working;
        };
        let end = self.nodes().saturating_add(budget);
        while self.rounds.is_on(round) {
            if self.way.step(&mut self.searcher) == Status::Done {
                return self.finish(round);
            }
            if self.searcher.nodes() >= end {
                return Progress::Working;
            }
        }
        self.chores.messages += 1;
        self.way.give_up();
        self.round = None;
        Progress::Working
    }

    /// Ends the round for all, so that none of those already at rest joins it again.
    fn abort(&mut self) -> Option<Answer<G>> {
        self.rounds.end(self.round.take()?);
        self.way.give_up();
        self.searcher.answer()
    }

    fn nodes(&self) -> u64 {
        self.searcher.nodes()
    }

    fn take_deepest(&mut self) -> usize {
        self.searcher.take_deepest()
    }

    fn notes(&mut self) -> Option<&mut Notes> {
        Some(self.searcher.notes())
    }

    fn take_chores(&mut self) -> Chores {
        std::mem::take(&mut self.chores)
    }
}
