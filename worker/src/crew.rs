//! The search threads of a worker, whatever the game.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::thread;

use engine_core::aphid::messages::ToMaster;
use engine_core::drive::pool::{Settings, SlavePool, groups};
use engine_core::drive::timesheet::Usage;
use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use engine_core::splitter::{Counts, Splitter};
use engine_core::table::Table;
use proto::handshake::Sharer;
use proto::peers::PeerList;
use proto::v1::master_message::Kind;
use proto::{WireError, limits, printable, to_slave, v1};
use tokio::sync::Notify;

use crate::config::{Config, WorkerError};
use crate::peers::Peers;

/// Messages kept from one stream to the next.
const UNSENT: usize = 64;

/// A [`SlavePool`] of any game.
trait Pool: Send + Sync {
    fn handle(&self, kind: Kind) -> Result<(), WireError>;
    fn rest(&self);
    fn part(&self, into: &mut Vec<ToMaster>);
    fn drain_output(&self, into: &mut Vec<ToMaster>);
    fn nodes_total(&self) -> u64;
    fn busy(&self) -> usize;
    fn counts(&self) -> Counts;
    fn usage(&self) -> Vec<Usage>;
    fn crashed(&self) -> bool;
}

impl<G: Game> Pool for SlavePool<G> {
    fn handle(&self, kind: Kind) -> Result<(), WireError> {
        SlavePool::handle(self, to_slave::decode(kind)?);
        Ok(())
    }

    fn rest(&self) {
        SlavePool::rest(self);
    }

    fn part(&self, into: &mut Vec<ToMaster>) {
        SlavePool::part(self, into);
    }

    fn drain_output(&self, into: &mut Vec<ToMaster>) {
        SlavePool::drain_output(self, into);
    }

    fn nodes_total(&self) -> u64 {
        SlavePool::nodes_total(self)
    }

    fn busy(&self) -> usize {
        SlavePool::busy(self)
    }

    fn counts(&self) -> Counts {
        SlavePool::counts(self)
    }

    fn usage(&self) -> Vec<Usage> {
        SlavePool::usage(self)
    }

    fn crashed(&self) -> bool {
        SlavePool::crashed(self)
    }
}

type OpenPool = fn(Settings) -> io::Result<Arc<dyn Pool>>;

fn open<G: Game>(settings: Settings) -> io::Result<Arc<dyn Pool>> {
    Ok(Arc::new(SlavePool::<G>::new(settings)?))
}

/// The games a worker can search.
fn find_game(name: &str) -> Option<(&'static str, OpenPool)> {
    match name {
        Chess::NAME => Some((Chess::NAME, open::<Chess>)),
        Othello::NAME => Some((Othello::NAME, open::<Othello>)),
        _ => None,
    }
}

/// Why a crew could not do as it was told.
#[derive(Debug)]
pub enum CrewError {
    /// The message is malformed.
    Wire(WireError),
    /// This worker cannot go on.
    Fatal(WorkerError),
}

impl From<WireError> for CrewError {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

/// The threads and the table they share. There are threads of one game at a time, started when a
/// master first asks for it; the table outlives them.
pub struct Crew {
    threads: usize,
    leaf_threads: usize,
    splitter: Splitter,
    nice: u8,
    table: Arc<Table>,
    /// What its threads tell other workers, and hear from them; none: nothing.
    peers: Option<Peers>,
    news: Arc<Notify>,
    pool: Option<(&'static str, Arc<dyn Pool>)>,
    /// Nodes searched by pools of other games, which are no more.
    nodes_before: u64,
    /// What their threads did at split points.
    counts_before: Counts,
    /// What a master has not heard before its stream ended.
    unsent: VecDeque<ToMaster>,
}

impl Crew {
    /// A crew that has not yet been asked for any game.
    pub fn new(config: &Config, table: Arc<Table>, peers: Option<Peers>) -> Self {
        Self {
            threads: config.threads,
            leaf_threads: config.leaf_threads,
            splitter: config.splitter,
            nice: config.nice,
            table,
            peers,
            news: Arc::new(Notify::new()),
            pool: None,
            nodes_before: 0,
            counts_before: Counts::default(),
            unsent: VecDeque::new(),
        }
    }

    /// Takes in a message of a search, or about other workers. May take a moment when a table must be emptied.
    ///
    /// # Errors
    /// See [`CrewError`]; a malformed message changes nothing.
    pub async fn handle(&mut self, kind: Kind) -> Result<(), CrewError> {
        let kind = match kind {
            Kind::Peers(list) => {
                self.meet(PeerList::decode(list)?);
                return Ok(());
            }
            Kind::Hearsay(hearsay) => return Ok(self.hear(&hearsay)?),
            kind => kind,
        };
        let Kind::Begin(begin) = &kind else {
            // Leaves of a search that never began here: nothing to do, as for a slave at rest.
            let Some((_, pool)) = &self.pool else { return Ok(()) };
            return Ok(pool.handle(kind)?);
        };
        let pool = self.pool_for(&begin.game)?;
        let handled = tokio::task::spawn_blocking(move || pool.handle(kind)).await;
        Ok(handled.map_err(|_| CrewError::Fatal(WorkerError::SearchDied))??)
    }

    /// There is a master, at this host.
    pub fn join(&mut self, master: &str) {
        if let Some(peers) = &mut self.peers {
            peers.join(master);
        }
    }

    /// The master says who the other workers are.
    fn meet(&mut self, list: PeerList) {
        if let Some(peers) = &mut self.peers {
            peers.meet(list);
        }
    }

    /// Another worker says something by the master.
    fn hear(&self, hearsay: &v1::Hearsay) -> Result<(), WireError> {
        proto::peers::check(hearsay)?;
        if let Some(peers) = &self.peers {
            peers.hear(hearsay);
        }
        Ok(())
    }

    /// Completes when there is something for other workers that the master has to pass on. To be
    /// awaited all the time, for meanwhile others are told directly.
    pub async fn next_relay(&self) -> v1::Relay {
        match &self.peers {
            Some(peers) => peers.next_relay().await,
            None => std::future::pending().await,
        }
    }

    /// The master has no room for what it was to pass on.
    pub fn lose(&self, relay: &v1::Relay) {
        if let Some(peers) = &self.peers {
            peers.lose(relay);
        }
    }

    /// What became of entries shared in the running search; nothing if none are.
    pub fn sharing(&self) -> Option<v1::Sharing> {
        self.peers.as_ref().map(Peers::sharing)
    }

    /// How it introduces itself to those it is to share with.
    pub fn sharer(&self) -> Sharer {
        self.peers.as_ref().map_or_else(Sharer::default, Peers::introduce)
    }

    /// The pool of a game, started if need be in place of another game's.
    fn pool_for(&mut self, game: &str) -> Result<Arc<dyn Pool>, CrewError> {
        let Some((name, open)) = find_game(game) else {
            let found = printable(game, limits::NAME_BYTES);
            return Err(WireError::UnknownGame(found).into());
        };
        if let Some((playing, pool)) = &self.pool
            && *playing == name
        {
            return Ok(Arc::clone(pool));
        }
        (self.nodes_before, self.counts_before) = (self.nodes_total(), self.counts());
        self.dismiss();
        let (news, nice) = (Arc::clone(&self.news), self.nice);
        let settings = Settings {
            threads: self.threads,
            leaf_threads: self.leaf_threads,
            splitter: self.splitter,
            table: Arc::clone(&self.table),
            exchange: self.peers.as_ref().map(|peers| Arc::clone(peers.exchange())),
            prepare: Arc::new(move || step_back(nice)),
            notify: Box::new(move || news.notify_one()),
        };
        let pool = open(settings).map_err(|error| CrewError::Fatal(WorkerError::Start(error)))?;
        self.pool = Some((name, Arc::clone(&pool)));
        Ok(pool)
    }

    /// Ends the threads without waiting for them: on a loaded machine, threads of their priority
    /// can take long to come to their end, and the conversation must go on meanwhile.
    fn dismiss(&mut self) {
        if let Some((_, pool)) = self.pool.take() {
            pool.rest();
            let farewell = thread::Builder::new().name("farewell".to_owned());
            // Without another thread the wait is here after all.
            let _ = farewell.spawn(move || drop(pool));
        }
    }

    /// Nothing is wanted for now: stop at once and forget what was.
    pub fn rest(&self) {
        if let Some((_, pool)) = &self.pool {
            pool.rest();
        }
    }

    /// The master is gone: stop at once. The table stays, and so do the last [`UNSENT`] things
    /// the master has not heard; `unsent` are earlier ones.
    pub fn part(&mut self, mut unsent: Vec<ToMaster>) {
        if let Some(peers) = &mut self.peers {
            peers.part();
        }
        if let Some((_, pool)) = &self.pool {
            pool.part(&mut unsent);
        }
        self.unsent.extend(unsent);
        let excess = self.unsent.len().saturating_sub(UNSENT);
        self.unsent.drain(..excess);
    }

    /// What an earlier stream ended too soon for. The master drops what comes too late.
    pub fn take_unsent(&mut self) -> VecDeque<ToMaster> {
        std::mem::take(&mut self.unsent)
    }

    /// Completes when there may be output, or a thread has died.
    pub async fn news(&self) {
        self.news.notified().await;
    }

    /// Moves everything there is to tell the master to the end of `into`.
    ///
    /// # Errors
    /// A search thread has died.
    pub fn drain_output(&self, into: &mut Vec<ToMaster>) -> Result<(), WorkerError> {
        let Some((_, pool)) = &self.pool else { return Ok(()) };
        pool.drain_output(into);
        if pool.crashed() { Err(WorkerError::SearchDied) } else { Ok(()) }
    }

    /// Nodes searched since the crew was made.
    pub fn nodes_total(&self) -> u64 {
        self.nodes_before + self.pool.as_ref().map_or(0, |(_, pool)| pool.nodes_total())
    }

    /// Threads searching just now.
    pub fn busy(&self) -> usize {
        self.pool.as_ref().map_or(0, |(_, pool)| pool.busy())
    }

    /// What its threads did at split points since the crew was made.
    pub fn counts(&self) -> Counts {
        let now = self.pool.as_ref().map_or_else(Counts::default, |(_, pool)| pool.counts());
        self.counts_before + now
    }

    /// How each of the present threads has spent its time.
    pub fn usage(&self) -> Vec<Usage> {
        self.pool.as_ref().map_or_else(Vec::new, |(_, pool)| pool.usage())
    }

    /// Search threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Leaves searched at once.
    pub fn lanes(&self) -> usize {
        groups(self.threads, self.leaf_threads).len()
    }

    /// Size of the table in MiB.
    pub fn hash_mb(&self) -> usize {
        self.table.size_mb()
    }

    /// Part of the table filled by the running search, permille.
    pub fn hashfull(&self) -> u32 {
        self.table.fullness()
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.dismiss();
    }
}

/// Lets everybody else on the machine go first, the more so the nicer.
fn step_back(nice: u8) {
    // On Linux this means the calling thread; elsewhere it would mean the whole process.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, nice.into()) {
        tracing::debug!("search threads stay at normal priority: {error}");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = nice;
}
