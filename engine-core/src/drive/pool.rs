//! A slave whose lanes are gangs of threads of the operating system.
//!
//! All threads share one table, which needs no lock, and one [`Slave`], which has one. A gang
//! takes the lock only to choose work and to report; it searches without. Between slices of search
//! its threads look at one number, the *news*, which changes whenever the slave has been told
//! something: only then, or when there is enough to report, do they take the lock. A gang that
//! finds nothing to do sleeps until there is news, at no cost.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::aphid::errand::Errand;
use crate::aphid::messages::{ToMaster, ToSlave};
use crate::aphid::slave::Slave;
use crate::dts::Tuning;
use crate::game::Game;
use crate::search::{Answer, Profile};
use crate::sharing::Notes;
use crate::splitter::{Counts, Splitter};
use crate::table::Table;

use super::exchange::Exchange;
use super::gang::{Assignment, Ending, Foreman, Gang, Hiring, Prepare, SLICE};
use super::timesheet::Usage;

/// What a pool is made of.
pub struct Settings {
    /// Number of threads, at least 1 (0 counts as 1).
    pub threads: usize,
    /// Threads that search one leaf together, the last group may be smaller; 0: all of them.
    pub leaf_threads: usize,
    /// How they share its tree.
    pub splitter: Splitter,
    /// The table all share.
    pub table: Arc<Table>,
    /// What they tell other workers; none: nothing.
    pub exchange: Option<Arc<Exchange>>,
    /// Run by every thread before all else, to set its priority for example.
    pub prepare: Prepare,
    /// Called, on any thread, when there is output to be had or a thread has died. It must not
    /// block and must not call the pool.
    pub notify: Box<dyn Fn() + Send + Sync>,
}

impl Settings {
    /// Threads of each lane.
    fn groups(&self) -> Vec<usize> {
        groups(self.threads, self.leaf_threads)
    }
}

/// How `threads` threads are divided among lanes of `leaf_threads` (0: all in one).
pub fn groups(threads: usize, leaf_threads: usize) -> Vec<usize> {
    let threads = threads.max(1);
    let each = if leaf_threads == 0 { threads } else { leaf_threads.min(threads) };
    (0..threads.div_ceil(each)).map(|group| each.min(threads - group * each)).collect()
}

/// The gangs and what they share. Dropping it stops the threads and waits until they have ended, a
/// few milliseconds.
pub struct SlavePool<G: Game> {
    shared: Arc<Shared<G>>,
    gangs: Vec<Gang<G>>,
    threads: usize,
}

struct Shared<G: Game> {
    state: Mutex<State<G>>,
    /// Changes, while the lock is held, when the slave has been told something.
    news: AtomicU64,
    nodes: AtomicU64,
    crashed: AtomicBool,
    table: Arc<Table>,
    exchange: Option<Arc<Exchange>>,
    notify: Box<dyn Fn() + Send + Sync>,
}

struct State<G: Game> {
    slave: Slave<G>,
    /// What each lane is about; none: it is at rest.
    errands: Vec<Option<Errand<G>>>,
    /// How it searches.
    profile: Profile,
    closing: bool,
}

impl<G: Game> SlavePool<G> {
    /// Starts the threads; they sleep until there is work.
    ///
    /// # Errors
    /// The system refuses another thread.
    pub fn new(settings: Settings) -> io::Result<Self> {
        let groups = settings.groups();
        let Settings { splitter, table, exchange, prepare, notify, .. } = settings;
        let threads = groups.iter().sum();
        let state = State {
            slave: Slave::new(groups.len(), threads),
            errands: groups.iter().map(|_| None).collect(),
            profile: Profile::default(),
            closing: false,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            news: AtomicU64::new(0),
            nodes: AtomicU64::new(0),
            crashed: AtomicBool::new(false),
            table: Arc::clone(&table),
            exchange,
            notify,
        });
        let gang = |(index, threads): (usize, usize)| {
            let (table, tuning) = (Arc::clone(&table), Tuning::threads());
            let prepare = Arc::clone(&prepare);
            let lane = Lane::new(index, &shared);
            Gang::new(Hiring { threads, splitter, tuning, table, prepare }, Box::new(lane))
        };
        let gangs = groups.into_iter().enumerate().map(gang).collect::<io::Result<_>>()?;
        Ok(Self { shared, gangs, threads })
    }

    /// Takes in a write to the master's half. A search that begins ages the shared table; a fresh
    /// one empties it first, which takes about a second for each 10 GB.
    pub fn handle(&self, message: ToSlave<G>) {
        let fresh = matches!(message, ToSlave::Begin { fresh: true, .. });
        self.tell(|state| {
            let before = state.slave.search();
            state.slave.handle(message);
            let now = state.slave.search();
            if now.is_some() && now != before {
                if fresh {
                    self.shared.table.clear(self.threads);
                }
                self.shared.table.new_search();
            }
        });
    }

    /// The master is gone: stop searching at once and forget what it wanted. The table stays.
    pub fn rest(&self) {
        self.tell(|state| state.slave.rest());
    }

    /// The same, and moves what the master has not heard yet to the end of `into`.
    pub fn part(&self, into: &mut Vec<ToMaster>) {
        self.tell(|state| into.extend(state.slave.part()));
    }

    /// Changes the state from outside, lets the searching lanes know, and gives work to the others.
    fn tell(&self, change: impl FnOnce(&mut State<G>)) {
        let mut state = self.shared.lock();
        change(&mut state);
        self.shared.news.fetch_add(1, Ordering::Release);
        let idle = (0..self.gangs.len()).filter(|&lane| state.errands[lane].is_none());
        let idle: Vec<usize> = idle.collect();
        let begun = idle.into_iter().filter_map(|lane| Some((lane, state.pick(lane)?)));
        let begun: Vec<_> = begun.collect();
        drop(state);
        for (lane, assignment) in begun {
            self.gangs[lane].begin(assignment);
        }
        (self.shared.notify)();
    }

    /// Moves everything there is to tell the master to the end of `into`.
    pub fn drain_output(&self, into: &mut Vec<ToMaster>) {
        let mut state = self.shared.lock();
        into.extend(std::iter::from_fn(|| state.slave.poll_output()));
    }

    /// Nodes searched since the pool was made; up to a slice a thread behind.
    pub fn nodes_total(&self) -> u64 {
        self.shared.nodes.load(Ordering::Relaxed)
    }

    /// Threads at work on some leaf just now.
    pub fn busy(&self) -> usize {
        self.gangs.iter().map(Gang::at_work).sum()
    }

    /// A thread has died of a bug in the search. Its pool is of no more use.
    pub fn crashed(&self) -> bool {
        self.shared.crashed.load(Ordering::Relaxed)
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// How often things happened at split points since the pool was made.
    pub fn counts(&self) -> Counts {
        self.gangs.iter().map(Gang::counts).fold(Counts::default(), |sum, counts| sum + counts)
    }

    /// How each thread has spent its time since the pool was made.
    pub fn usage(&self) -> Vec<Usage> {
        self.gangs.iter().flat_map(Gang::usage).collect()
    }

    /// Split blocks in use; 0 while no lane searches.
    pub fn blocks_in_use(&self) -> usize {
        self.gangs.iter().map(Gang::blocks_in_use).sum()
    }
}

impl<G: Game> Drop for SlavePool<G> {
    fn drop(&mut self) {
        self.tell(|state| state.closing = true);
    }
}

impl<G: Game> Shared<G> {
    /// A thread that panics while holding the lock breaks nothing worse than its own lane.
    fn lock(&self) -> MutexGuard<'_, State<G>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<G: Game> State<G> {
    /// The next work for a lane at rest.
    fn pick(&mut self, lane: usize) -> Option<Assignment<G>> {
        if self.closing {
            return None;
        }
        let job = self.slave.pick(lane)?;
        let mut errand = Errand::new(&job);
        let task = errand.next_search()?;
        self.errands[lane] = Some(errand);
        self.profile = job.profile;
        Some(Assignment { profile: job.profile, task, fresh: job.fresh })
    }

    /// A search of a lane has ended: what the lane does next.
    fn go_on(&mut self, lane: usize, answer: Option<&Answer<G>>) -> Option<Assignment<G>> {
        let wanted = !self.closing && self.slave.still_wanted(lane);
        match (answer, self.errands[lane].take()) {
            (Some(answer), Some(mut errand)) => match errand.next_search() {
                Some(task) if wanted => {
                    self.errands[lane] = Some(errand);
                    return Some(Assignment { profile: self.profile, task, fresh: false });
                }
                Some(_) => self.slave.abandon(lane),
                None => errand.deliver(&mut self.slave, lane, answer),
            },
            _ => self.slave.abandon(lane),
        }
        self.pick(lane)
    }
}

/// A lane of the slave: what its gang has to do with the others.
struct Lane<G: Game> {
    index: usize,
    shared: Arc<Shared<G>>,
    /// The news that its search answers to.
    known: AtomicU64,
    /// Nodes the slave does not know of yet.
    unreported: AtomicU64,
    /// When there are so many it has to.
    report_at: AtomicU64,
}

impl<G: Game> Lane<G> {
    fn new(index: usize, shared: &Arc<Shared<G>>) -> Self {
        Self {
            index,
            shared: Arc::clone(shared),
            known: AtomicU64::new(0),
            unreported: AtomicU64::new(0),
            report_at: AtomicU64::new(0),
        }
    }

    /// Brings the slave up to date with what this lane has searched.
    fn report(&self, slave: &mut Slave<G>) {
        slave.progress(self.index, self.unreported.swap(0, Ordering::Relaxed));
    }

    /// The lane goes on: when is the slave to hear of it again?
    fn wait_for_report(&self, slave: &Slave<G>) {
        self.report_at.store(slave.quiet_for(self.index), Ordering::Relaxed);
    }
}

impl<G: Game> Foreman<G> for Lane<G> {
    fn pulse(&self, nodes: u64) -> u64 {
        self.shared.nodes.fetch_add(nodes, Ordering::Relaxed);
        let unreported = self.unreported.fetch_add(nodes, Ordering::Relaxed) + nodes;
        let news = self.shared.news.load(Ordering::Acquire);
        if news == self.known.load(Ordering::Relaxed)
            && unreported < self.report_at.load(Ordering::Relaxed)
        {
            return SLICE;
        }
        let mut state = self.shared.lock();
        self.known.store(news, Ordering::Relaxed);
        self.report(&mut state.slave);
        let wanted = !state.closing && state.slave.still_wanted(self.index);
        let told = wanted && state.slave.send_word(self.index);
        self.wait_for_report(&state.slave);
        drop(state);
        if told {
            (self.shared.notify)();
        }
        if wanted { SLICE } else { 0 }
    }

    fn collect(&self, notes: &mut Notes) {
        if let Some(exchange) = &self.shared.exchange {
            exchange.collect(notes);
        }
    }

    fn rested(&self, ending: Ending<G>) -> Option<Assignment<G>> {
        let mut state = self.shared.lock();
        self.report(&mut state.slave);
        let next = state.go_on(self.index, ending.answer.as_ref());
        self.wait_for_report(&state.slave);
        drop(state);
        (self.shared.notify)();
        next
    }

    fn crashed(&self) {
        self.shared.crashed.store(true, Ordering::Relaxed);
        (self.shared.notify)();
    }
}
