//! A slave whose lanes are threads of the operating system.
//!
//! All threads share one table, which needs no lock, and one [`Slave`], which has one. A thread
//! holds the lock only to choose work and to report; it searches without. Between slices of
//! search it looks at one number, the *news*, which changes whenever the slave has been told
//! something: only then, or when it has something to report, does it take the lock. A thread that
//! finds nothing to do sleeps until there is news, at no cost.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use crate::aphid::lane::Lane;
use crate::aphid::messages::{ToMaster, ToSlave};
use crate::aphid::slave::{Job, Slave};
use crate::game::Game;
use crate::search::Status;
use crate::table::Table;

/// Nodes between two looks at the news: about a millisecond, the longest a thread goes on with a
/// search that has become useless.
const SLICE: u64 = 2_000;
/// Nodes after which a thread reports how far it is.
const REPORT_EVERY: u64 = 32_000;

/// What a pool is made of.
pub struct Settings {
    /// Number of threads, at least 1 (0 counts as 1).
    pub threads: usize,
    /// The table they share.
    pub table: Arc<Table>,
    /// Run by every thread before all else, to set its priority for example.
    pub prepare: fn(),
    /// Called, on any thread, when there is output to be had or a thread has died. It must not
    /// block and must not call the pool.
    pub notify: Box<dyn Fn() + Send + Sync>,
}

/// The threads and what they share. Dropping it stops the threads and waits until they have ended,
/// a few milliseconds.
pub struct SlavePool<G: Game> {
    shared: Arc<Shared<G>>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared<G: Game> {
    state: Mutex<State<G>>,
    /// Signalled, with the lock just released, when there is news.
    wake: Condvar,
    /// Changes, while the lock is held, when the slave has been told something.
    news: AtomicU64,
    nodes: AtomicU64,
    busy: AtomicUsize,
    crashed: AtomicBool,
    threads: u64,
    table: Arc<Table>,
    notify: Box<dyn Fn() + Send + Sync>,
}

struct State<G: Game> {
    slave: Slave<G>,
    /// Nodes reported since the master was last sent word of what is running.
    untold: u64,
    closing: bool,
}

impl<G: Game> SlavePool<G> {
    /// Starts the threads; they sleep until there is work.
    ///
    /// # Errors
    /// The system refuses another thread.
    pub fn new(settings: Settings) -> io::Result<Self> {
        let Settings { threads, table, prepare, notify } = settings;
        let threads = threads.max(1);
        let state = State { slave: Slave::new(threads), untold: 0, closing: false };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            wake: Condvar::new(),
            news: AtomicU64::new(0),
            nodes: AtomicU64::new(0),
            busy: AtomicUsize::new(0),
            crashed: AtomicBool::new(false),
            threads: threads as u64,
            table,
            notify,
        });
        // Made before its threads: should one fail to start, dropping the pool ends the others.
        let mut pool = Self { shared, threads: Vec::new() };
        for index in 0..threads {
            let shared = Arc::clone(&pool.shared);
            let body = move || {
                prepare();
                shared.serve(index);
            };
            pool.threads.push(thread::Builder::new().name(format!("search-{index}")).spawn(body)?);
        }
        Ok(pool)
    }

    /// Takes in a write to the master's half. A search that begins ages the shared table; a fresh
    /// one empties it first, which takes about a second for each 10 GB.
    pub fn handle(&self, message: ToSlave<G>) {
        let fresh = matches!(message, ToSlave::Begin { fresh: true, .. });
        self.shared.tell(|state| {
            let before = state.slave.search();
            state.slave.handle(message);
            let now = state.slave.search();
            if now.is_some() && now != before {
                if fresh {
                    self.shared.table.clear(self.shared.threads as usize);
                }
                self.shared.table.new_search();
            }
        });
    }

    /// The master is gone: stop searching at once and forget what it wanted. The table stays.
    pub fn rest(&self) {
        self.shared.tell(|state| state.slave.rest());
    }

    /// The same, and moves what the master has not heard yet to the end of `into`.
    pub fn part(&self, into: &mut Vec<ToMaster>) {
        self.shared.tell(|state| into.extend(state.slave.part()));
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

    /// Threads searching just now.
    pub fn busy(&self) -> usize {
        self.shared.busy.load(Ordering::Relaxed)
    }

    /// A thread has died of a bug in the search. Its pool is of no more use.
    pub fn crashed(&self) -> bool {
        self.shared.crashed.load(Ordering::Relaxed)
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.shared.threads as usize
    }
}

impl<G: Game> Drop for SlavePool<G> {
    fn drop(&mut self) {
        self.shared.tell(|state| state.closing = true);
        for thread in self.threads.drain(..) {
            // A thread that panicked has already said so, through `crashed`.
            drop(thread.join());
        }
    }
}

impl<G: Game> Shared<G> {
    /// A thread that panics while holding the lock breaks nothing worse than its own lane.
    fn lock(&self) -> MutexGuard<'_, State<G>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state from outside, and lets every thread know.
    fn tell(&self, change: impl FnOnce(&mut State<G>)) {
        let mut state = self.lock();
        change(&mut state);
        self.news.fetch_add(1, Ordering::Release);
        drop(state);
        self.wake.notify_all();
        (self.notify)();
    }

    /// The life of thread number `index`.
    fn serve(&self, index: usize) {
        let guard = CrashGuard(self);
        let mut lane = Lane::new(index, Arc::clone(&self.table));
        while let Some((job, news)) = self.next_job(index) {
            (self.notify)();
            lane.begin(job);
            self.search(index, &mut lane, news);
            self.busy.fetch_sub(1, Ordering::Relaxed);
            (self.notify)();
        }
        std::mem::forget(guard);
    }

    /// Waits for work, and returns it with the news it answers to; nothing when the pool closes.
    fn next_job(&self, index: usize) -> Option<(Job<G>, u64)> {
        let mut state = self.lock();
        while !state.closing {
            if let Some(job) = state.slave.pick(index) {
                self.busy.fetch_add(1, Ordering::Relaxed);
                return Some((job, self.news.load(Ordering::Relaxed)));
            }
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Searches to the end, or until the search has become useless.
    fn search(&self, index: usize, lane: &mut Lane<G>, mut known: u64) {
        let mut unreported = 0;
        loop {
            let (status, nodes) = lane.run(SLICE);
            self.nodes.fetch_add(nodes, Ordering::Relaxed);
            unreported += nodes;
            if status == Status::Done {
                let mut state = self.lock();
                state.slave.progress(index, unreported, false);
                lane.deliver(&mut state.slave);
                return;
            }
            let news = self.news.load(Ordering::Acquire);
            if news == known && unreported < REPORT_EVERY {
                continue;
            }
            known = news;
            let mut state = self.lock();
            let told = state.report(index, unreported, REPORT_EVERY * self.threads);
            unreported = 0;
            if state.closing || !state.slave.still_wanted(index) {
                state.slave.abandon(index);
                return;
            }
            drop(state);
            if told {
                (self.notify)();
            }
        }
    }
}

impl<G: Game> State<G> {
    /// Counts nodes of a lane. Every `tell_every` nodes of all lanes together the master is sent
    /// a word too, so often that it knows a heavy leaf in time, so seldom that many threads do
    /// not flood it. Returns whether it was.
    fn report(&mut self, lane: usize, nodes: u64, tell_every: u64) -> bool {
        self.untold += nodes;
        let tell = self.untold >= tell_every;
        if tell {
            self.untold = 0;
        }
        self.slave.progress(lane, nodes, tell);
        tell
    }
}

/// Lets the owner of the pool know when its thread unwinds.
struct CrashGuard<'a, G: Game>(&'a Shared<G>);

impl<G: Game> Drop for CrashGuard<'_, G> {
    fn drop(&mut self) {
        self.0.crashed.store(true, Ordering::Relaxed);
        (self.0.notify)();
    }
}
