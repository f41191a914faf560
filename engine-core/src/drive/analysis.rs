//! A whole search, iteration by iteration, by all threads of one gang.
//!
//! What [`deepen::Analysis`](crate::search::deepen::Analysis) is for one searcher; with one thread
//! it searches the very same nodes.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::game::Game;
use crate::search::deepen::{Deepening, Request};
use crate::search::report::{Info, Report};
use crate::search::{Answer, Profile, Status};
use crate::splitter::Counts;
use crate::table::Table;

use super::gang::{Assignment, Ending, Foreman, Gang, Hiring, SLICE};
use super::timesheet::Usage;

/// Threads that carry out one request at a time.
pub struct Thinkers<G: Game> {
    gang: Gang<G>,
    table: Arc<Table>,
    desk: Arc<Desk<G>>,
}

/// Ends the search of some [`Thinkers`], from anywhere.
pub struct Stopper(Arc<dyn Stop>);

trait Stop: Send + Sync {
    fn stop(&self);
}

/// What the threads and whoever asked them share.
struct Desk<G: Game> {
    threads: u64,
    nodes: AtomicU64,
    /// Nodes after which to stop.
    limit: AtomicU64,
    stop: AtomicBool,
    thinking: Mutex<Option<Thinking<G>>>,
    /// Signalled when there is something new in `thinking`.
    news: Condvar,
}

struct Thinking<G: Game> {
    plan: Deepening<G>,
    profile: Profile,
    infos: VecDeque<Info<G>>,
    /// The best root move of the iteration in which the search was stopped.
    partial: Option<Answer<G>>,
    status: Status,
    crashed: bool,
}

impl<G: Game> Thinkers<G> {
    /// Starts the threads; they sleep until they are asked.
    ///
    /// # Errors
    /// The system refuses another thread.
    pub fn new(hiring: Hiring) -> io::Result<Self> {
        let desk = Arc::new(Desk {
            threads: hiring.threads.max(1) as u64,
            nodes: AtomicU64::new(0),
            limit: AtomicU64::new(u64::MAX),
            stop: AtomicBool::new(false),
            thinking: Mutex::new(None),
            news: Condvar::new(),
        });
        let table = Arc::clone(&hiring.table);
        let gang = Gang::new(hiring, Box::new(Arc::clone(&desk)))?;
        Ok(Self { gang, table, desk })
    }

    /// Begins to think about `request`; `fresh` forgets what was learnt about move order. The
    /// request before must be over: fulfilled, or stopped and waited for.
    pub fn begin(&mut self, request: Request<G>, profile: Profile, fresh: bool) {
        debug_assert!(self.desk.lock().as_ref().is_none_or(|now| now.status == Status::Done));
        self.table.new_search();
        self.desk.nodes.store(0, Relaxed);
        self.desk.limit.store(request.nodes, Relaxed);
        self.desk.stop.store(false, Relaxed);
        let plan = Deepening::new(request);
        let task = plan.task();
        let status = if task.is_some() { Status::Running } else { Status::Done };
        let infos = VecDeque::new();
        let thinking = Thinking { plan, profile, infos, partial: None, status, crashed: false };
        *self.desk.lock() = Some(thinking);
        if let Some(task) = task {
            self.gang.begin(Assignment { profile, task, fresh });
        }
    }

    /// Ends the running search; may be kept for later ones.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.desk) as Arc<dyn Stop>)
    }

    /// Sleeps until there is news, but no longer than `patience`.
    ///
    /// # Errors
    /// A thread has died of a bug in the search; these threads are of no more use.
    pub fn wait(&self, patience: Duration) -> io::Result<Status> {
        let nothing = |thinking: &mut Option<Thinking<G>>| {
            thinking.as_ref().is_some_and(|now| {
                now.status == Status::Running && now.infos.is_empty() && !now.crashed
            })
        };
        let waited = self.desk.news.wait_timeout_while(self.desk.lock(), patience, nothing);
        let (thinking, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match thinking.as_ref() {
            Some(now) if now.crashed => Err(io::Error::other("a search thread has died")),
            Some(now) => Ok(now.status),
            None => Ok(Status::Done),
        }
    }

    /// Nodes searched so far, by all; up to a slice a thread behind.
    pub fn nodes(&self) -> u64 {
        self.desk.nodes.load(Relaxed)
    }

    /// The next line found, in order.
    pub fn poll_info(&self) -> Option<Info<G>> {
        self.desk.lock().as_mut()?.infos.pop_front()
    }

    /// What it comes to if it ends now; nothing before the first request.
    pub fn report(&self) -> Option<Report<G>> {
        let thinking = self.desk.lock();
        let thinking = thinking.as_ref()?;
        Some(thinking.plan.report(thinking.partial.clone(), self.nodes()))
    }

    /// How often things happened at split points since the threads were started.
    pub fn counts(&self) -> Counts {
        self.gang.counts()
    }

    /// How each thread has spent its time since it was started.
    pub fn usage(&self) -> Vec<Usage> {
        self.gang.usage()
    }

    /// Split blocks in use; 0 between searches.
    pub fn blocks_in_use(&self) -> usize {
        self.gang.blocks_in_use()
    }
}

impl<G: Game> Desk<G> {
    fn lock(&self) -> MutexGuard<'_, Option<Thinking<G>>> {
        self.thinking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nodes a thread may search before it asks again.
    fn allowance(&self, nodes: u64) -> u64 {
        if self.stop.load(Relaxed) {
            return 0;
        }
        let left = self.limit.load(Relaxed).saturating_sub(nodes);
        left.div_ceil(self.threads).min(SLICE)
    }
}

impl Stopper {
    /// Ends the search that is on, about a millisecond later.
    pub fn stop(&self) {
        self.0.stop();
    }
}

impl<G: Game> Stop for Desk<G> {
    fn stop(&self) {
        self.stop.store(true, Relaxed);
    }
}

impl<G: Game> Foreman<G> for Arc<Desk<G>> {
    fn pulse(&self, nodes: u64) -> u64 {
        self.allowance(self.nodes.fetch_add(nodes, Relaxed) + nodes)
    }

    fn rested(&self, ending: Ending<G>) -> Option<Assignment<G>> {
        let nodes = self.nodes.load(Relaxed);
        let mut thinking = self.lock();
        let thinking = thinking.as_mut()?;
        let unfinished = ending.answer.is_none();
        match ending.answer {
            Some(answer) => {
                let infos = thinking.plan.absorb(answer, nodes, ending.deepest);
                thinking.infos.extend(infos.iter().cloned());
            }
            None => thinking.partial = ending.so_far,
        }
        let over = unfinished || self.allowance(nodes) == 0;
        let task = if over { None } else { thinking.plan.task() };
        if task.is_none() {
            thinking.status = Status::Done;
        }
        self.news.notify_all();
        Some(Assignment { profile: thinking.profile, task: task?, fresh: false })
    }

    fn crashed(&self) {
        if let Some(thinking) = self.lock().as_mut() {
            thinking.crashed = true;
        }
        self.news.notify_all();
    }
}
