//! The slave that searches in the master's own process while no worker is connected.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use engine_core::aphid::messages::{ToMaster, ToSlave};
use engine_core::drive::pool::{Settings, SlavePool};
use engine_core::game::Game;
use engine_core::splitter::Splitter;
use engine_core::table::Table;

use crate::inbox::{Inbox, Input};

/// Search threads leave the processor to everything else, so that messages are never late.
const SEARCH_NICE: i32 = 19;

/// A slave with one thread. Dropping it ends the thread and waits for that.
pub(crate) struct LocalSlave<G: Game> {
    id: u64,
    pool: SlavePool<G>,
    /// The inbox holds a word that there is output.
    announced: Arc<AtomicBool>,
}

impl<G: Game> LocalSlave<G> {
    /// Starts a slave under the number `id`; [`Input::LocalNews`] in `inbox` says that it has
    /// something to tell.
    ///
    /// # Errors
    /// The system has no thread left.
    pub fn start(id: u64, table: Arc<Table>, inbox: Arc<Inbox>) -> io::Result<Self> {
        let announced = Arc::new(AtomicBool::new(false));
        let notify = {
            let announced = Arc::clone(&announced);
            move || {
                if !announced.swap(true, Ordering::AcqRel) {
                    inbox.push(Input::LocalNews);
                }
            }
        };
        let prepare = Arc::new(|| be_nice(SEARCH_NICE));
        let settings = Settings {
            threads: 1,
            leaf_threads: 0,
            splitter: Splitter::default(),
            table,
            exchange: None,
            prepare,
            notify: Box::new(notify),
        };
        Ok(Self { id, pool: SlavePool::new(settings)?, announced })
    }

    /// Its number.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Hands over what the master says.
    pub fn post(&self, message: ToSlave<G>) {
        self.pool.handle(message);
    }

    /// What it has to tell the master.
    pub fn collect(&self) -> Vec<ToMaster> {
        // First the flag: what comes after this is announced again.
        self.announced.store(false, Ordering::Release);
        let mut messages = Vec::new();
        self.pool.drain_output(&mut messages);
        messages
    }

    /// Ends it without waiting. On a loaded machine a thread of its priority can take long to come
    /// to its end.
    pub fn dismiss(self) {
        let farewell = thread::Builder::new().name("farewell".to_owned());
        // Without another thread the wait is here after all.
        let _ = farewell.spawn(move || drop(self));
    }

    /// It has died of a bug in the search.
    pub fn crashed(&self) -> bool {
        self.pool.crashed()
    }
}

/// Lowers the priority of the calling thread. Failing to is no reason not to search.
pub(crate) fn be_nice(nice: i32) {
    // Linux keeps the value for each thread; elsewhere this would slow down the whole process.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, nice) {
        tracing::debug!(%error, nice, "cannot lower the priority of a thread");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = nice;
}
