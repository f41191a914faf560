//! What all parts of a master share: who is connected, what is being searched, what was counted.
//!
//! One lock guards it. It is held for moments only, never while waiting, and taken before the
//! locks of inboxes and outboxes, never after.
//!
//! - [`pause`]: who is not to search; [`peers`]: who tells whom what they find; [`ticket`]: the right
//!   to search

pub(crate) mod pause;
mod peers;
mod ticket;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engine_core::aphid::Frontier;
use engine_core::game::Game;
use proto::handshake::Introduction;
use proto::v1;
use tokio::sync::Notify;

use crate::config::Config;
use crate::events::Events;
use crate::inbox::{Inbox, Input};
use crate::late::{Late, LateCounter};
use crate::mailbox::Mailbox;
use crate::mind::{Mind, Shelf};
use crate::outbox::Outbox;
use crate::registry::{Recruit, Registry, Worker};

pub(crate) use ticket::Ticket;

/// Counted since the process started.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Searches begun.
    pub searches: AtomicU64,
    /// Dropped because it came too late.
    pub late: LateCounter,
    /// Leaves taken from workers that were lost.
    pub reassigned_leaves: AtomicU64,
    /// Workers refused.
    pub refused_workers: AtomicU64,
    /// Workers lost without a goodbye.
    pub lost_workers: AtomicU64,
    /// Malformed messages received.
    pub malformed_messages: AtomicU64,
}

/// Adds to a counter.
pub(crate) fn count(counter: &AtomicU64, more: u64) {
    counter.fetch_add(more, Relaxed);
}

/// Where a search stands, for onlookers.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    /// Iteration in progress, plies.
    pub depth: AtomicU64,
    /// Nodes of the whole cluster.
    pub nodes: AtomicU64,
    /// Leaves in the APHID table.
    pub leaves: AtomicU64,
    /// Passes of the master.
    pub passes: AtomicU64,
}

/// The search in progress, seen from outside its thread.
#[derive(Debug, Clone)]
pub(crate) struct Running {
    pub session: u64,
    pub game: &'static str,
    /// Root position in the game's own text.
    pub position: String,
    pub started: Instant,
    /// What its workers know each other by, not 0.
    pub token: u64,
    pub inbox: Arc<Inbox>,
    pub standing: Arc<Standing>,
}

/// Why a search cannot begin.
#[derive(Debug)]
pub(crate) enum Busy {
    /// The master shuts down.
    Closing,
    /// This session's own earlier search is still running.
    Same(Arc<Inbox>),
    /// Somebody else's search is running.
    Other,
}

/// Why a worker cannot join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Declined {
    /// The master shuts down.
    Closing,
    /// There are as many as it takes.
    Full,
}

/// A worker's place.
#[derive(Debug)]
pub(crate) struct Place {
    /// Its number.
    pub id: u64,
    /// Name and number.
    pub label: String,
    /// Its search threads.
    pub threads: u32,
    /// Rung when another stream of the same process has taken it.
    pub replaced: Arc<Notify>,
    /// Label of the stream whose place this one took.
    pub instead_of: Option<String>,
}

/// Everything a search begins with.
#[derive(Debug)]
pub(crate) struct Opening<G: Game> {
    pub mind: Mind<G>,
    pub recruits: Vec<Recruit>,
    /// Forget what was learnt before.
    pub fresh: bool,
    pub running: Running,
    pub ticket: Ticket,
}

#[derive(Debug, Default)]
struct State {
    workers: Registry,
    search: Option<Running>,
    shelf: Shelf,
    fresh: bool,
    closing: bool,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Hub {
    pub config: Config,
    /// Drawn anew when the process starts, not 0.
    pub epoch: u64,
    pub born: Instant,
    pub counters: Counters,
    state: Mutex<State>,
    /// Rung whenever a search ends.
    over: Notify,
}

impl Hub {
    /// A master with nothing to do.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            epoch: RandomState::new().build_hasher().finish().max(1),
            born: Instant::now(),
            counters: Counters::default(),
            state: Mutex::default(),
            over: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // --- workers -------------------------------------------------------------------------------

    /// Gives a worker its place. An earlier stream of the same process loses its own.
    pub fn join(
        &self,
        introduction: Introduction,
        address: Option<SocketAddr>,
        outbox: Outbox<Mailbox>,
    ) -> Result<Place, Declined> {
        let mut state = self.state();
        if state.closing {
            return Err(Declined::Closing);
        }
        let old = state.workers.find_instance(introduction.instance_id);
        if old.is_none() && state.workers.len() >= self.config.max_workers {
            return Err(Declined::Full);
        }
        let old = old.and_then(|id| state.leave(id, "a newer stream took over"));
        if let Some(old) = &old {
            let detail = "a newer stream of this process took over".to_owned();
            let reason = v1::goodbye::Reason::Replaced;
            say_goodbye(&old.recruit.outbox, reason, detail);
            old.replaced.notify_one();
        }
        let worker = state.workers.join(introduction, address, outbox);
        let place = Place {
            id: worker.recruit.id,
            label: worker.recruit.label.clone(),
            threads: worker.introduction.threads,
            replaced: Arc::clone(&worker.replaced),
            instead_of: old.map(|old| old.recruit.label),
        };
        let recruit = worker.recruit.clone();
        if worker.pause.is_paused() {
            recruit.outbox.post(Mailbox::pause);
        } else if let Some(search) = &state.search {
            search.inbox.push(Input::Join(recruit));
        }
        state.introduce_peers();
        Ok(place)
    }

    /// Takes a worker's place away, unless another stream did already; `None` then.
    pub fn leave(&self, id: u64, reason: &str) -> Option<Worker> {
        self.state().leave(id, reason)
    }

    /// Notes something about a worker that was just heard of.
    pub fn heard(&self, id: u64, note: impl FnOnce(&mut Worker)) {
        if let Some(worker) = self.state().workers.get_mut(id) {
            worker.heard = Instant::now();
            note(worker);
        }
    }

    /// A worker had something to say while nothing is being searched.
    pub fn late(&self, id: u64, late: Late) {
        self.counters.late.add(late);
        self.heard(id, |worker| worker.recruit.gauges.late.add(late));
    }

    /// Where reports go. `None`: nothing is being searched.
    pub fn inbox(&self) -> Option<Arc<Inbox>> {
        self.state().search.as_ref().map(|search| Arc::clone(&search.inbox))
    }

    /// A number no worker or other slave has.
    pub fn draw_slave(&self) -> u64 {
        self.state().workers.draw_id()
    }

    // --- searches ------------------------------------------------------------------------------

    /// Takes the one place for a search.
    pub fn begin<G: Game>(
        self: &Arc<Self>,
        session: u64,
        position: String,
        frontier: Frontier,
        events: Outbox<Events>,
    ) -> Result<Opening<G>, Busy> {
        let mut state = self.state();
        if state.closing {
            return Err(Busy::Closing);
        }
        match &state.search {
            Some(other) if other.session == session => {
                return Err(Busy::Same(Arc::clone(&other.inbox)));
            }
            Some(_) => return Err(Busy::Other),
            None => {}
        }
        let running = Running {
            session,
            game: G::NAME,
            position,
            started: Instant::now(),
            token: RandomState::new().hash_one(self.epoch).max(1),
            inbox: Arc::default(),
            standing: Arc::default(),
        };
        state.search = Some(running.clone());
        state.workers.forget_sharing();
        state.introduce_peers();
        count(&self.counters.searches, 1);
        Ok(Opening {
            mind: state.shelf.take(frontier, self.epoch, self.config.hash_mb),
            recruits: state.recruits(),
            fresh: std::mem::take(&mut state.fresh),
            ticket: Ticket::new(Arc::clone(self), Arc::clone(&running.inbox), events),
            running,
        })
    }

    /// Waits until no search runs, at most `patience`. Returns whether that is so.
    pub async fn search_over(&self, patience: Duration) -> bool {
        let over = async {
            loop {
                let rung = self.over.notified();
                tokio::pin!(rung);
                // Listen first, look then: a search that ends in between is not missed.
                rung.as_mut().enable();
                if self.state().search.is_none() {
                    return;
                }
                rung.await;
            }
        };
        tokio::time::timeout(patience, over).await.is_ok()
    }

    /// Passes a command to the search of `session`. Returns whether there is one.
    pub fn command(&self, session: u64, input: Input) -> bool {
        let state = self.state();
        let search = state.search.as_ref().filter(|search| search.session == session);
        if let Some(search) = search {
            search.inbox.push(input);
        }
        search.is_some()
    }

    /// Lets the next search begin with nothing learnt. `false`: another session is searching.
    pub fn new_game(&self, session: u64) -> bool {
        let mut state = self.state();
        let allowed = state.search.as_ref().is_none_or(|search| search.session == session);
        state.fresh |= allowed;
        allowed
    }

    // --- looking on ----------------------------------------------------------------------------

    /// How many workers are connected.
    pub fn worker_count(&self) -> usize {
        self.state().workers.len()
    }

    /// Shows the workers and the search.
    pub fn look<T>(&self, look: impl FnOnce(&Registry, Option<&Running>) -> T) -> T {
        let state = self.state();
        look(&state.workers, state.search.as_ref())
    }

    // --- the end -------------------------------------------------------------------------------

    /// Takes on nothing new and lets the running search answer.
    pub fn close(&self) {
        let mut state = self.state();
        state.closing = true;
        if let Some(search) = &state.search {
            search.inbox.push(Input::Stop);
        }
    }

    /// The end has begun.
    pub fn is_closing(&self) -> bool {
        self.state().closing
    }

    /// Sends the workers away.
    pub fn dismiss_workers(&self) {
        for worker in self.state().workers.iter() {
            let detail = "the master is shutting down".to_owned();
            say_goodbye(&worker.recruit.outbox, v1::goodbye::Reason::ShuttingDown, detail);
        }
    }
}

impl State {
    /// Those that can take part in a search.
    fn recruits(&self) -> Vec<Recruit> {
        let ready = self.workers.iter().filter(|worker| !worker.pause.is_paused());
        ready.map(|worker| worker.recruit.clone()).collect()
    }

    fn leave(&mut self, id: u64, reason: &str) -> Option<Worker> {
        let worker = self.workers.leave(id)?;
        if let Some(search) = &self.search {
            search.inbox.push(Input::Leave { worker: id, reason: reason.to_owned() });
        }
        self.introduce_peers();
        Some(worker)
    }
}

/// Says goodbye and ends the stream.
fn say_goodbye(outbox: &Outbox<Mailbox>, reason: v1::goodbye::Reason, detail: String) {
    let goodbye = v1::Goodbye { reason: reason.into(), detail };
    outbox.post(|mailbox| mailbox.put(v1::master_message::Kind::Goodbye(goodbye)));
    outbox.close();
}
