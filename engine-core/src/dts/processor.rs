//! A processor: a searcher that is either idle or works at one place.
//!
//! The two states are two types. Joining a split point and starting a search consume the
//! [`Idle`] one, so a processor cannot be booked on two split points at once.

use std::sync::Arc;

use crate::game::Game;
use crate::search::frame::Phase;
use crate::search::{Answer, Profile, Searcher, Status, Task};
use crate::splitter::Chores;
use crate::table::Table;

use super::board::Board;
use super::pool::BlockId;
use super::team::Team;

/// No ply is shared.
pub(crate) const ALONE: usize = usize::MAX;

/// What a processor keeps whether it works or not.
#[derive(Debug)]
pub(crate) struct Hands<G: Game> {
    /// Its number in the team.
    pub id: usize,
    /// The machine it searches with, and what it has learnt about move order.
    pub searcher: Box<Searcher<G>>,
    /// What it has done for the others since it was last asked.
    pub chores: Chores,
}

/// A processor without work.
#[derive(Debug)]
pub struct Idle<G: Game> {
    pub(crate) hands: Hands<G>,
}

/// A processor at work.
#[derive(Debug)]
pub struct Busy<G: Game> {
    pub(crate) hands: Hands<G>,
    /// The innermost split point it works at; none: it has the whole tree for itself.
    pub(crate) post: Option<BlockId>,
    /// Ply of that split point, or [`ALONE`].
    pub(crate) split_ply: usize,
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
pub(crate) enum Step {
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
    pub fn start(mut self, task: Task<G>, team: &Team<G>) -> Busy<G> {
        self.hands.searcher.start(task);
        team.with(|board| self.work_at(None, ALONE, board))
    }

    /// Goes to work: at a split point, or alone.
    pub(super) fn work_at(
        self,
        post: Option<BlockId>,
        split_ply: usize,
        board: &mut Board<G>,
    ) -> Busy<G> {
        let id = self.hands.id;
        let seat = &mut board.seats[id];
        seat.post = post;
        seat.busy = true;
        // Windows may have changed since the block was made.
        board.notify(id);
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

    /// Greatest ply reached since it was last asked.
    pub fn take_deepest(&mut self) -> usize {
        self.hands.searcher.take_deepest()
    }
}

impl<G: Game> Busy<G> {
    /// Searches at least `budget` more nodes, or until it has no work any more.
    pub fn run(mut self, budget: u64, team: &Team<G>) -> Outcome<G> {
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
    pub(crate) fn step(&mut self, team: &Team<G>) -> Step {
        if team.has_news(self.hands.id) && self.attend(team) == Step::Out {
            return Step::Out;
        }
        if self.is_at_split_point() {
            return self.meet(team);
        }
        match self.hands.searcher.step() {
            Status::Running => Step::On,
            Status::Done => Step::Done,
        }
    }

    /// The top node is the one at its innermost split point.
    pub(crate) fn is_at_split_point(&self) -> bool {
        self.hands.searcher.ply() == self.split_ply
    }

    /// A step at the shared ply.
    fn meet(&mut self, team: &Team<G>) -> Step {
        team.with(|board| match self.hands.searcher.frame_mut(self.split_ply).phase {
            Phase::Resolve => self.back_up(board),
            _ => self.select(board),
        })
    }

    /// Looks around: what have the others changed, and what do they want?
    #[cold]
    pub(crate) fn attend(&mut self, team: &Team<G>) -> Step {
        team.with(|board| {
            team.lower(self.hands.id);
            if self.share(board) == Step::Out {
                self.stop(board);
                return Step::Out;
            }
            self.unsplit_if_alone(board);
            self.answer_help(board);
            self.split_if_asked(board);
            Step::On
        })
    }

    /// Some cut-off has made what it does pointless: it gives up its places.
    pub(crate) fn stop(&mut self, board: &mut Board<G>) {
        board.counts.stops += 1;
        board.counts.stopped_nodes += self.nodes() - self.taken_at;
        self.hands.chores.messages += 1;
        board.vacate(self.post);
    }

    /// Stops at once, as when time is up, and gives up its places. Comes back with the best root
    /// move found so far, if there is one.
    pub fn abort(self, team: &Team<G>) -> (Idle<G>, Option<Answer<G>>) {
        let so_far = team.with(|board| {
            let so_far = self.so_far(board);
            board.vacate(self.post);
            so_far
        });
        (self.rest(team), so_far)
    }

    /// What is known at the root: it belongs to the block there, if it is shared.
    fn so_far(&self, board: &Board<G>) -> Option<Answer<G>> {
        let outermost = board.outward(self.post).last().and_then(|id| board.pool.get(id));
        match (outermost, self.post) {
            (None, None) => self.hands.searcher.answer(),
            (Some(block), _) if block.parent.is_none() => match block.ply {
                0 => block.upper.answer(),
                _ => self.hands.searcher.answer(),
            },
            // Its work has been cut off by others.
            _ => None,
        }
    }

    pub(crate) fn finish(self, team: &Team<G>) -> Outcome<G> {
        debug_assert!(self.post.is_none(), "nobody backs up past a split point");
        let answer = self.hands.searcher.answer();
        let idle = self.rest(team);
        match answer {
            Some(answer) => Outcome::Finished(idle, answer),
            None => Outcome::Free(idle),
        }
    }

    /// Becomes idle; what others wanted of it is void.
    pub(crate) fn rest(self, team: &Team<G>) -> Idle<G> {
        let id = self.hands.id;
        team.with(|board| {
            team.lower(id);
            // Whoever asked this processor to split has to look again.
            board.stirred |= board.request.take_if(|request| request.owner == id).is_some();
            let seat = &mut board.seats[id];
            (seat.asked, seat.busy, seat.post) = (false, false, None);
            seat.states.clear();
        });
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
