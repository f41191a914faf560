//! The worker process: dials in at a master, searches the leaves it is given, and reports.
//!
//! - [`Config`]: what a worker needs to know; [`run`]: its whole life
//! - `session`: one stream with a master, from greeting to goodbye
//! - `crew`: the search threads, whatever the game; `load`: how busy they are
//! - `table`: the hash table they share, among themselves or with other workers of the machine
//! - `peers`: what it tells other workers of what it finds
//! - `polite`: when others need the machine more
//! - `backoff`: how long to wait before calling again
//!
//! Everything that talks runs on the caller's runtime, best a `current_thread` one; the search
//! threads run at nice 19, so that an answer is on its way at once on a fully loaded machine.

mod backoff;
mod config;
mod crew;
mod load;
mod peers;
mod polite;
mod session;
mod table;

use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::pin::{Pin, pin};
use std::sync::Arc;

use engine_core::table::Table;
use proto::pause::OwnPause;
use tokio::sync::watch;
use tracing::{info, warn};

use backoff::Backoff;
use crew::Crew;
use peers::Peers;
use polite::Watch;
use session::{Caller, Ending};

pub use config::{Config, SHARE_BUDGET, WorkerError};
pub use polite::Politeness;
pub use table::scheme;

/// Serves the master of `config` until `shutdown` completes: connects, reconnects for ever, stops
/// searching whenever the master is gone or others need the machine (if `config` has it so), uses
/// no processor time when nothing is wanted. On shutdown it says goodbye and returns within about
/// two seconds.
///
/// # Errors
/// A configuration that cannot work, a shared table that is not to be had, a machine that does not
/// tell how it is used, a system that refuses threads, or a search thread that died of a bug. An
/// unreachable, refusing or misbehaving master is no error.
pub async fn run(config: Config, shutdown: impl Future<Output = ()>) -> Result<(), WorkerError> {
    let master = config.check()?;
    let watch = Watch::new(&config)?;
    let shutdown = pin!(shutdown);
    let table = Arc::new(table::open(&config)?);
    let peers = open_peers(&config, &table).await?;
    let mut crew = Crew::new(&config, table, peers);
    if crew.hash_mb() < config.hash_mb {
        warn!("hash table of {} MiB: the system has no more to give", crew.hash_mb());
    }
    let instance_id = random_id();
    let caller = Caller::new(config.name, instance_id, master.clone(), &crew);
    // Launch scripts wait for these words, see cli/tests/aphid/launching.rs.
    info!(
        "worker of {} threads, {} leaves at once, master: {master}",
        crew.threads(),
        crew.lanes()
    );
    let (tell, reasons) = watch::channel(OwnPause::default());
    tokio::select! {
        // The first look at the machine comes before the first call.
        biased;
        never = watch.tell(tell) => match never {},
        ended = call(&caller, &mut crew, Backoff::new(instance_id), reasons, shutdown) => ended,
    }
}

/// Calls the master again and again.
async fn call<S: Future<Output = ()>>(
    caller: &Caller,
    crew: &mut Crew,
    mut backoff: Backoff,
    mut reasons: watch::Receiver<OwnPause>,
    mut shutdown: Pin<&mut S>,
) -> Result<(), WorkerError> {
    loop {
        let ending = caller.call(crew, &mut reasons, shutdown.as_mut()).await?;
        let delay = match &ending {
            Ending::ShutDown => return Ok(()),
            Ending::Refused(why) => {
                let delay = backoff.after_refusal();
                warn!("refused: {why}; next attempt in {} s", delay.as_secs());
                delay
            }
            Ending::Lost { why, healthy } => {
                let delay = backoff.after_loss(*healthy);
                warn!("{why}; next attempt in {} ms", delay.as_millis());
                delay
            }
        };
        tokio::select! {
            () = tokio::time::sleep(delay) => {}
            () = shutdown.as_mut() => return Ok(()),
        }
    }
}

/// What there is to tell other workers and to hear from them, if it is wanted.
async fn open_peers(config: &Config, table: &Arc<Table>) -> Result<Option<Peers>, WorkerError> {
    if config.share_budget == 0 {
        return Ok(None);
    }
    let port = config.peer_port;
    let peers = Peers::open(config, Arc::clone(table)).await;
    peers.map(Some).map_err(|source| WorkerError::PeerPort { port, source })
}

/// A number no other worker has, not 0.
fn random_id() -> u64 {
    RandomState::new().hash_one(std::process::id()).max(1)
}
