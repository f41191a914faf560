//! Splitters that work at split points as DTS does, by rules of their own: the blocks, taking a
//! move, merging a value, sharing a window and carrying on past the split point are those of
//! [`dts`](crate::dts).
//!
//! [`pv_split`](super::pv_split), [`epvs`](super::epvs) and [`help_at_all`](super::help_at_all)
//! differ in their [`Rules`]: where a processor splits, where an idle one joins, and who waits.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::dts::at::At;
use crate::dts::board::Board;
use crate::dts::pool::BlockId;
use crate::dts::processor::Step;
use crate::dts::{Busy, Idle, Outcome, Team, Tuning};
use crate::game::Game;
use crate::search::frame::{Frame, Phase};
use crate::search::{Answer, Task};
use crate::sharing;
use crate::sync::AtomicU64;

use super::{Chores, Counts, Group, Plan, Processor, Progress, Stir};

/// What a processor at work does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// A step of the machine, or of the algorithm at a split point.
    Step,
    /// It waits for the other members of its split point.
    Wait,
    /// It has left its split point.
    Rest,
}

/// How one splitter differs from others.
pub(super) trait Rules<G: Game>: Send + fmt::Debug + Sized {
    /// The rules of one processor.
    fn new(plan: &Plan) -> Self;

    /// The split point that the idle processor `id` joins, if there is one for it.
    fn find(&mut self, id: usize, board: &mut Board<G>) -> Option<BlockId>;

    /// Called before every step of a processor at work: the time to split.
    fn before_step(&mut self, busy: &mut Busy<G>, gang: &Gang<G>) -> Next;
}

/// What the processors share.
#[derive(Debug)]
pub(super) struct Gang<G: Game> {
    pub team: Team<G>,
    pub tuning: Tuning,
    /// Processors without work. Read without the lock, so only nearly right.
    resting: AtomicU64,
    stir: CallStir,
}

struct CallStir(Stir);

/// What a splitter notes about one processor, at its seat.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Notes {
    /// A split point that it is called to.
    pub call: Option<BlockId>,
    /// Moves taken at its split point when it took its own.
    pub turn: u32,
    /// Ply of the innermost split point that it works at, or below if that has no other member.
    pub below: Option<usize>,
    /// It is to split its tree further down.
    pub asked: bool,
    /// It is to put its move back and leave this split point.
    pub recalled: Option<BlockId>,
}

impl<G: Game> Gang<G> {
    /// Somebody has no work.
    #[inline]
    pub fn anybody_rests(&self) -> bool {
        self.resting.load(Relaxed) > 0
    }
}

/// Node that may be split: it has moves left, and one of those before them has been searched.
pub(super) fn is_ripe<G: Game>(frame: &Frame<G>, tuning: &Tuning) -> bool {
    frame.generated
        && matches!(frame.phase, Phase::Pick | Phase::Resolve)
        && frame.tried >= tuning.open_moves.max(1)
        && frame.depth >= tuning.min_depth
        && frame.next < frame.end
}

/// A processor that works at split points by the rules `R`.
#[derive(Debug)]
pub(super) struct Posted<G: Game, R> {
    gang: Arc<Gang<G>>,
    rules: R,
    at: At<G>,
}

impl<G: Game, R: Rules<G>> Posted<G, R> {
    /// What the processors of `plan` share, and the processors.
    pub fn crew(plan: &Plan) -> (Arc<Gang<G>>, Vec<Self>) {
        let gang = Arc::new(Gang {
            team: Team::new(plan.processors, plan.tuning, Arc::clone(&plan.stir)),
            tuning: plan.tuning,
            resting: AtomicU64::new(plan.processors as u64),
            stir: CallStir(Arc::clone(&plan.stir)),
        });
        let posted = |id| {
            let idle = Idle::new(id, &gang.team, plan.profile, Arc::clone(&plan.table));
            Self { gang: Arc::clone(&gang), rules: R::new(plan), at: At::Rest(idle) }
        };
        let processors = (0..plan.processors).map(posted).collect();
        (gang, processors)
    }

    fn go_to_work(&mut self, busy: Busy<G>) -> At<G> {
        self.gang.resting.fetch_sub(1, Relaxed);
        At::Work(busy)
    }

    fn come_to_rest(&mut self, idle: Idle<G>) -> At<G> {
        let id = idle.hands.id;
        self.gang.team.with(|board| {
            let notes = &mut board.seats[id].notes;
            *notes = Notes { call: notes.call, ..Notes::default() };
        });
        self.gang.resting.fetch_add(1, Relaxed);
        // Somebody may have waited for this.
        (self.gang.stir.0)();
        At::Rest(idle)
    }

    fn look_for_work(&mut self, idle: Idle<G>) -> (At<G>, Progress<G>) {
        let found = self.gang.team.with(|board| match self.rules.find(idle.hands.id, board) {
            Some(block) => Ok(idle.join(block, board)),
            None => Err(idle),
        });
        match found {
            Ok(busy) => (self.go_to_work(busy), Progress::Working),
            Err(idle) => (At::Rest(idle), Progress::Idle),
        }
    }

    fn run(&mut self, mut busy: Busy<G>, budget: u64) -> (At<G>, Progress<G>) {
        let end = busy.nodes().saturating_add(budget);
        while busy.nodes() < end {
            let step = match self.rules.before_step(&mut busy, &self.gang) {
                Next::Step => busy.step(&self.gang.team),
                Next::Wait => return (At::Work(busy), Progress::Idle),
                Next::Rest => Step::Out,
            };
            match step {
                Step::On => {}
                Step::Out => {
                    let idle = busy.rest(&self.gang.team);
                    return (self.come_to_rest(idle), Progress::Working);
                }
                Step::Done => {
                    return match busy.finish(&self.gang.team) {
                        Outcome::Finished(idle, answer) => {
                            (self.come_to_rest(idle), Progress::Finished(answer))
                        }
                        Outcome::Free(idle) => (self.come_to_rest(idle), Progress::Working),
                        Outcome::Working(busy) => (At::Work(busy), Progress::Working),
                    };
                }
            }
        }
        (At::Work(busy), Progress::Working)
    }
}

impl<G: Game, R: Rules<G>> Processor<G> for Posted<G, R> {
    fn start(&mut self, task: Task<G>) {
        self.abort();
        if let At::Rest(idle) = self.at.leave() {
            let busy = idle.start(task, &self.gang.team);
            self.at = self.go_to_work(busy);
        }
    }

    fn work(&mut self, budget: u64) -> Progress<G> {
        let (at, progress) = match self.at.leave() {
            At::Rest(idle) => self.look_for_work(idle),
            At::Work(busy) => self.run(busy, budget),
            At::Between => unreachable!("a processor is always one or the other"),
        };
        self.at = at;
        progress
    }

    fn abort(&mut self) -> Option<Answer<G>> {
        match self.at.leave() {
            At::Work(busy) => {
                let (idle, so_far) = busy.abort(&self.gang.team);
                self.at = self.come_to_rest(idle);
                so_far
            }
            rest => {
                self.at = rest;
                None
            }
        }
    }

    fn nodes(&self) -> u64 {
        self.at.nodes()
    }

    fn take_deepest(&mut self) -> usize {
        self.at.take_deepest()
    }

    fn notes(&mut self) -> Option<&mut sharing::Notes> {
        self.at.notes()
    }

    fn take_chores(&mut self) -> Chores {
        self.at.take_chores()
    }
}

impl<G: Game> Group for Gang<G> {
    fn counts(&self) -> Counts {
        self.team.counts()
    }

    fn blocks_in_use(&self) -> usize {
        self.team.blocks_in_use()
    }
}

impl fmt::Debug for CallStir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stir")
    }
}
