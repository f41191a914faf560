//! A gang: threads that search one tree together, and sleep until there is a next one.
//!
//! Each thread drives one processor of a [`Crew`]. When a task begins, the
//! first thread to wake starts it and the others help; a thread without work waits at a bell, for
//! so short a time that it is worth waiting for. When the task ends or is stopped, every thread
//! lays its processor down, and the last of them tells the [`Foreman`]. Between tasks the threads
//! use no processor time.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::dts::Tuning;
use crate::game::Game;
use crate::search::{Answer, Profile, Task};
use crate::sharing::Notes;
use crate::splitter::{Counts, Crew, Group, Plan, Processor, Progress, Splitter};
use crate::table::Table;

use super::bell::Bell;
use super::timesheet::{Timesheet, Usage};

/// Nodes that take a thread well under a millisecond: the longest it should go on with a search
/// that has become useless.
pub const SLICE: u64 = 1_500;
/// How long an idle processor waits before it looks for work again, first and at most. It is
/// woken when there is some; this is for what nobody can tell it, as that another has calmed down.
const PATIENCE: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(2));

/// Run by a thread before all else.
pub type Prepare = Arc<dyn Fn() + Send + Sync>;

/// What a gang is made of.
#[derive(Clone)]
pub struct Hiring {
    /// Number of threads, at least 1 (0 counts as 1).
    pub threads: usize,
    /// How they share a tree.
    pub splitter: Splitter,
    /// Where they split it.
    pub tuning: Tuning,
    /// The table they share.
    pub table: Arc<Table>,
    /// Run by every thread before all else, to set its priority for example.
    pub prepare: Prepare,
}

/// For threads that need no preparation.
pub fn unprepared() -> Prepare {
    Arc::new(|| {})
}

/// Something to search.
#[derive(Debug, Clone)]
pub struct Assignment<G: Game> {
    /// How.
    pub profile: Profile,
    /// What.
    pub task: Task<G>,
    /// Forget what earlier games taught about move order.
    pub fresh: bool,
}

/// How an assignment ended.
#[derive(Debug, Clone)]
pub struct Ending<G: Game> {
    /// What it came to; none if it was stopped.
    pub answer: Option<Answer<G>>,
    /// The best root move found until it was stopped, if any.
    pub so_far: Option<Answer<G>>,
    /// Greatest ply reached.
    pub deepest: usize,
}

/// Who gives a gang its work. Called by the gang's threads.
pub trait Foreman<G: Game>: Send + Sync {
    /// A thread has searched `nodes` more. Returns after how many more it is to ask again, or 0 to
    /// end the search. Every thread calls this all the time, so it must be quick.
    fn pulse(&self, nodes: u64) -> u64;

    /// A thread hands in what it has noted for other workers, about as often as it
    /// [pulses](Self::pulse), and at the end of an assignment.
    fn collect(&self, _notes: &mut Notes) {}

    /// The assignment is over and every processor at rest. Returns the next one, if there is one
    /// already.
    fn rested(&self, ending: Ending<G>) -> Option<Assignment<G>>;

    /// A thread has died of a bug in the search. Its gang is of no more use.
    fn crashed(&self);
}

/// The threads. Dropping it stops them and waits until they have ended, a few milliseconds.
pub struct Gang<G: Game> {
    shared: Arc<Shared<G>>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared<G: Game> {
    hiring: Hiring,
    state: Mutex<State<G>>,
    /// Signalled when a task begins, or no more will.
    wake: Condvar,
    /// The processors are to be laid down.
    halt: AtomicBool,
    /// Rings when an idle processor may find work, or is to lay down its tools.
    bell: Arc<Bell>,
    /// Threads at a task.
    at_work: AtomicUsize,
    timesheet: Timesheet,
    foreman: Box<dyn Foreman<G>>,
}

struct State<G: Game> {
    crew: Equipment<G>,
    /// Numbers the assignments.
    number: u64,
    /// What begins, until a thread has taken it.
    task: Option<Task<G>>,
    ending: Ending<G>,
    closing: bool,
}

/// The crew's processors, those with no thread in their places.
struct Equipment<G: Game> {
    processors: Vec<Option<Box<dyn Processor<G>>>>,
    group: Arc<dyn Group>,
    profile: Profile,
    /// What crews before this one did.
    counts_before: Counts,
}

impl<G: Game> Gang<G> {
    /// Starts the threads; they sleep until there is a task.
    ///
    /// # Errors
    /// The system refuses another thread.
    pub fn new(mut hiring: Hiring, foreman: Box<dyn Foreman<G>>) -> io::Result<Self> {
        hiring.threads = hiring.threads.max(1);
        let (threads, prepare) = (hiring.threads, Arc::clone(&hiring.prepare));
        let bell = Arc::new(Bell::default());
        let state = State {
            crew: Equipment::new(&hiring, &bell, Profile::default(), Counts::default()),
            number: 0,
            task: None,
            ending: Ending::nothing(),
            closing: false,
        };
        let shared = Arc::new(Shared {
            hiring,
            state: Mutex::new(state),
            wake: Condvar::new(),
            halt: AtomicBool::new(true),
            bell,
            at_work: AtomicUsize::new(0),
            timesheet: Timesheet::new(threads),
            foreman,
        });
        // Made before its threads: should one fail to start, dropping the gang ends the others.
        let mut gang = Self { shared, threads: Vec::new() };
        for index in 0..threads {
            let (shared, prepare) = (Arc::clone(&gang.shared), Arc::clone(&prepare));
            let body = move || {
                prepare();
                shared.serve(index);
            };
            gang.threads.push(thread::Builder::new().name(format!("search-{index}")).spawn(body)?);
        }
        Ok(gang)
    }

    /// Begins an assignment. The one before must be over: the foreman has been told, and has not
    /// answered with another.
    pub fn begin(&self, assignment: Assignment<G>) {
        self.shared.begin(assignment);
    }

    /// Threads at a task just now.
    pub fn at_work(&self) -> usize {
        self.shared.at_work.load(Relaxed)
    }

    /// How often things happened since the gang was made.
    pub fn counts(&self) -> Counts {
        self.shared.lock().crew.counts()
    }

    /// How each thread has spent its time since the gang was made.
    pub fn usage(&self) -> Vec<Usage> {
        self.shared.timesheet.read()
    }

    /// Split blocks in use; 0 between searches.
    pub fn blocks_in_use(&self) -> usize {
        self.shared.lock().crew.group.blocks_in_use()
    }
}

impl<G: Game> Drop for Gang<G> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.closing = true;
        self.shared.halt(&state);
        drop(state);
        self.shared.wake.notify_all();
        for thread in self.threads.drain(..) {
            // A thread that panicked has already said so, to the foreman.
            drop(thread.join());
        }
    }
}

impl<G: Game> Shared<G> {
    /// A thread that panics while holding the lock breaks nothing worse than its own search.
    fn lock(&self) -> MutexGuard<'_, State<G>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, assignment: Assignment<G>) {
        let mut state = self.lock();
        debug_assert!(self.halt.load(Relaxed), "the assignment before is over");
        let Assignment { profile, task, fresh } = assignment;
        if fresh || profile != state.crew.profile {
            let before = state.crew.counts();
            state.crew = Equipment::new(&self.hiring, &self.bell, profile, before);
        }
        state.number += 1;
        state.task = Some(task);
        state.ending = Ending::nothing();
        self.halt.store(false, Relaxed);
        drop(state);
        self.wake.notify_all();
    }

    /// Everybody lays down the tools. The lock is held, so no assignment begins meanwhile.
    fn halt(&self, _state: &MutexGuard<'_, State<G>>) {
        self.halt.store(true, Relaxed);
        self.bell.ring();
    }

    /// The life of thread number `index`.
    fn serve(&self, index: usize) {
        let guard = CrashGuard(self);
        let mut served = 0;
        while let Some((mut processor, task)) = self.take_up(index, &mut served) {
            if let Some(task) = task {
                processor.start(task);
                self.bell.ring();
            }
            self.search(index, processor.as_mut());
            self.lay_down(index, processor);
        }
        std::mem::forget(guard);
    }

    /// Waits for an assignment and takes up a processor, with the task if nobody has begun it;
    /// nothing when the gang closes.
    fn take_up(&self, index: usize, served: &mut u64) -> Option<Taken<G>> {
        let mut state = self.lock();
        while !state.closing {
            let open = state.task.is_some() || !self.halt.load(Relaxed);
            if open
                && state.number != *served
                && let Some(processor) = state.crew.processors[index].take()
            {
                *served = state.number;
                self.at_work.fetch_add(1, Relaxed);
                return Some((processor, state.task.take()));
            }
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Searches until the assignment is over.
    fn search(&self, index: usize, processor: &mut dyn Processor<G>) {
        let mut shift = self.timesheet.shift(index);
        let mut told = processor.nodes();
        let mut allowance = self.foreman.pulse(0);
        let mut patience = PATIENCE.0;
        while !self.halt.load(Relaxed) {
            let rung = self.bell.rung();
            match processor.work(allowance) {
                Progress::Working => patience = PATIENCE.0,
                Progress::Idle => {
                    shift.pause(|| self.bell.wait(rung, patience));
                    patience = (2 * patience).min(PATIENCE.1);
                }
                Progress::Finished(answer) => {
                    let mut state = self.lock();
                    state.ending.answer = Some(answer);
                    self.halt(&state);
                }
            }
            let nodes = processor.nodes() - told;
            if nodes >= allowance {
                told += nodes;
                shift.note();
                if let Some(notes) = processor.notes() {
                    self.foreman.collect(notes);
                }
                allowance = self.foreman.pulse(nodes);
                if allowance == 0 {
                    self.halt(&self.lock());
                }
            }
        }
        if let Some(notes) = processor.notes() {
            self.foreman.collect(notes);
        }
        // The search is over, whatever the foreman says to the rest.
        let _ = self.foreman.pulse(processor.nodes() - told);
    }

    /// Puts the processor back to its place. The last one to do so tells the foreman.
    fn lay_down(&self, index: usize, mut processor: Box<dyn Processor<G>>) {
        let so_far = processor.abort();
        let mut state = self.lock();
        state.ending.deepest = state.ending.deepest.max(processor.take_deepest());
        state.ending.so_far = state.ending.so_far.take().or(so_far);
        state.crew.processors[index] = Some(processor);
        if self.at_work.fetch_sub(1, Relaxed) > 1 || state.closing {
            return;
        }
        let ending = std::mem::replace(&mut state.ending, Ending::nothing());
        drop(state);
        if let Some(next) = self.foreman.rested(ending) {
            self.begin(next);
        }
    }
}

/// A processor, and the task for whoever begins it.
type Taken<G> = (Box<dyn Processor<G>>, Option<Task<G>>);

impl<G: Game> Equipment<G> {
    fn new(hiring: &Hiring, bell: &Arc<Bell>, profile: Profile, counts_before: Counts) -> Self {
        let bell = Arc::clone(bell);
        let plan = Plan {
            processors: hiring.threads,
            profile,
            table: Arc::clone(&hiring.table),
            tuning: hiring.tuning,
            stir: Arc::new(move || bell.ring()),
        };
        let Crew { processors, group } = hiring.splitter.crew(&plan);
        let processors = processors.into_iter().map(Some).collect();
        Self { processors, group, profile, counts_before }
    }

    fn counts(&self) -> Counts {
        self.counts_before + self.group.counts()
    }
}

impl<G: Game> Ending<G> {
    fn nothing() -> Self {
        Self { answer: None, so_far: None, deepest: 0 }
    }
}

/// Lets the foreman know when a thread unwinds.
struct CrashGuard<'a, G: Game>(&'a Shared<G>);

impl<G: Game> Drop for CrashGuard<'_, G> {
    fn drop(&mut self) {
        self.0.foreman.crashed();
    }
}
