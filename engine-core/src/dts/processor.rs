//! A processor: a searcher that is either idle or works at one place.
//!
//! The two states are two types. Joining a split point and starting a search consume the
//! [`Idle`] one, so a processor cannot be booked on two split points at once.

use std::sync::Arc;

use crate::game::Game;
use crate::search::frame::Phase;
use crate::search::{Answer, Profile, Searcher, Status, Task};
use crate::table::Table;

use super::pool::BlockId;
use super::team::Team;

/// No ply is shared.
pub(super) const ALONE: usize = usize::MAX;

/// What a processor keeps whether it works or not.
#[derive(Debug)]
pub(super) struct Hands<G: Game> {
    /// Its number in the team.
    pub id: usize,
    /// The machine it searches with, and what it has learnt about move order.
    pub searcher: Box<Searcher<G>>,
    /// What it has done for the others since it was last asked.
    pub chores: Chores,
}

/// Work that searches nothing, for a driver that wants to charge for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Chores {
    /// Copies of a tree made or taken.
    pub copies: u64,
    /// Messages read.
    pub messages: u64,
}

/// A processor without work.
#[derive(Debug)]
pub struct Idle<G: Game> {
    pub(super) hands: Hands<G>,
}

/// A processor at work.
#[derive(Debug)]
pub struct Busy<G: Game> {
    pub(super) hands: Hands<G>,
    /// The innermost split point it works at; none: it has the whole tree for itself.
    pub(super) post: Option<BlockId>,
    /// Ply of that split point, or [`ALONE`].
    pub(super) split_ply: usize,
    /// The thrashing counter: until it has searched so many nodes it answers no HELP.
    pub(super) calm_until: u64,
    /// Its node count when it last took a move at a split point.
    pub(super) taken_at: u64,
}

/// What became of a processor after a stretch of work.
#[derive(Debug)]
pub enum Outcome<G: Game> {
    /// There is more to do.
    Working(Busy<G>),
    /// It ran out of work, or was stopped.
    Free(Idle<G>),
    /// It was the one that backed up to the root: the search is over.
    Finished(Idle<G>, Answer<G>),
}

/// Whether a processor goes on after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    On,
    /// It has no work any more, and no place at any split point.
    Out,
    Done,
}

impl<G: Game> Idle<G> {
    /// Processor number `id` of `team`.
    pub fn new(id: usize, team: &Team<G>, profile: Profile, table: Arc<Table>) -> Self {
        let mut searcher = Box::new(Searcher::new(profile, table));
        searcher.share_history(&team.history);
        Self { hands: Hands { id, searcher, chores: Chores::default() } }
    }

    /// Begins a search as the only one at work; the others come and help.
    pub fn start(mut self, task: Task<G>, team: &mut Team<G>) -> Busy<G> {
        self.hands.searcher.start(task);
        self.work_at(None, ALONE, team)
    }

    /// Goes to work: at a split point, or alone.
    pub(super) fn work_at(
        self,
        post: Option<BlockId>,
        split_ply: usize,
        team: &mut Team<G>,
    ) -> Busy<G> {
        let seat = &mut team.seats[self.hands.id];
        seat.post = post;
        seat.busy = true;
        // Windows may have changed since the block was made.
        seat.news = true;
        let nodes = self.nodes();
        Busy { hands: self.hands, post, split_ply, calm_until: 0, taken_at: nodes }
    }

    /// Nodes searched since the processor was made.
    pub fn nodes(&self) -> u64 {
        self.hands.searcher.nodes()
    }

    /// Takes note of what it has done for others.
    pub fn take_chores(&mut self) -> Chores {
        std::mem::take(&mut self.hands.chores)
    }

    /// The machine it searches with.
    pub fn searcher(&mut self) -> &mut Searcher<G> {
        &mut self.hands.searcher
    }
}

impl<G: Game> Busy<G> {
    /// Searches at least `budget` more nodes, or until it has no work any more.
    pub fn run(mut self, budget: u64, team: &mut Team<G>) -> Outcome<G> {
        let end = self.nodes().saturating_add(budget);
        loop {
            match self.step(team) {
                Step::On if self.nodes() < end => {}
                Step::On => return Outcome::Working(self),
                Step::Out => return Outcome::Free(self.rest(team)),
                Step::Done => return self.finish(team),
            }
        }
    }

    /// One step of the machine; at the shared ply, of the algorithm.
    #[inline]
    fn step(&mut self, team: &mut Team<G>) -> Step {
        if team.seats[self.hands.id].news && self.attend(team) == Step::Out {
            return Step::Out;
        }
        if self.hands.searcher.ply() == self.split_ply {
            return match self.hands.searcher.frame_mut(self.split_ply).phase {
                Phase::Resolve => self.back_up(team),
                _ => self.select(team),
            };
        }
        match self.hands.searcher.step() {
            Status::Running => Step::On,
            Status::Done => Step::Done,
        }
    }

    /// Looks around: what have the others changed, and what do they want?
    #[cold]
    fn attend(&mut self, team: &mut Team<G>) -> Step {
        team.seats[self.hands.id].news = false;
        if self.share(team) == Step::Out {
            self.stop(team);
            return Step::Out;
        }
        self.unsplit_if_alone(team);
        self.answer_help(team);
        self.split_if_asked(team);
        Step::On
    }

    /// Some cut-off has made what it does pointless: it gives up its places.
    pub(super) fn stop(&mut self, team: &mut Team<G>) {
        team.counts.stops += 1;
        team.counts.stopped_nodes += self.nodes() - self.taken_at;
        self.hands.chores.messages += 1;
        team.vacate(self.post);
    }

    /// Stops at once, as when time is up, and gives up its places.
    pub fn abort(self, team: &mut Team<G>) -> Idle<G> {
        team.vacate(self.post);
        self.rest(team)
    }

    fn finish(self, team: &mut Team<G>) -> Outcome<G> {
        debug_assert!(self.post.is_none(), "nobody backs up past a split point");
        let answer = self.hands.searcher.answer();
        let idle = self.rest(team);
        match answer {
            Some(answer) => Outcome::Finished(idle, answer),
            None => Outcome::Free(idle),
        }
    }

    /// Becomes idle; what others wanted of it is void.
    fn rest(self, team: &mut Team<G>) -> Idle<G> {
        let id = self.hands.id;
        team.request = team.request.filter(|request| request.owner != id);
        let seat = &mut team.seats[id];
        (seat.news, seat.asked, seat.busy, seat.post) = (false, false, false, None);
        seat.states.clear();
        Idle { hands: self.hands }
    }

    /// Nodes searched since the processor was made.
    pub fn nodes(&self) -> u64 {
        self.hands.searcher.nodes()
    }

    /// Takes note of what it has done for others.
    pub fn take_chores(&mut self) -> Chores {
        std::mem::take(&mut self.hands.chores)
    }
}
