//! `aphid worker`: serves a master until it is told to end.

use ::worker::{Config, Politeness, WorkerError};

use crate::args::WorkerFlags;
use crate::failure::Failure;
use crate::{health, service, settings, signals};

/// Runs the command.
///
/// # Errors
/// A usage error for a master's address or a name that cannot be one; a failure when a shared hash
/// table is not to be had, the machine does not tell how it is used, the system gives no threads or one of them dies, or health checks cannot
/// be listened for. An absent master is no error.
pub fn run(flags: &WorkerFlags) -> Result<(), Failure> {
    let health = flags.health.as_deref().map(settings::listen_address).transpose()?;
    let machine = settings::machine(&flags.machine);
    let usual = Config::new(flags.master.clone());
    let config = Config {
        threads: machine.threads as usize,
        leaf_threads: machine.leaf_threads as usize,
        splitter: machine.splitter,
        hash_mb: machine.hash_mb as usize,
        nice: flags.nice,
        share_budget: machine.share_budget,
        peer_port: flags.peer_port,
        polite: Politeness {
            in_use: flags.polite.pause_in_use,
            on_battery: flags.polite.pause_on_battery,
            idle_after: flags.polite.idle_after.0,
            busy_above: flags.polite.busy_above,
        },
        hash_shared: flags.hash_shared.clone(),
        name: flags.name.clone().unwrap_or_else(|| usual.name.clone()),
        ..usual
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failure::failed)?;
    runtime.block_on(async {
        let shutdown = service::told(signals::shutdown());
        let health = async {
            match health {
                Some(address) => health::answer(address).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            ended = ::worker::run(config, shutdown) => ended.map_err(failure),
            Err(error) = health => Err(Failure::failed(error)),
            never = service::attend() => match never {},
        }
    })
}

fn failure(error: WorkerError) -> Failure {
    match error {
        WorkerError::Address(_)
        | WorkerError::Transport(_)
        | WorkerError::Threads(_)
        | WorkerError::LeafThreads(_)
        | WorkerError::Nice(_)
        | WorkerError::IdleAfter(_)
        | WorkerError::BusyAbove(_)
        | WorkerError::NoManners
        | WorkerError::Name(_)
        | WorkerError::HashShared(_) => Failure::usage(error.to_string()),
        WorkerError::Table(_)
        | WorkerError::PeerPort { .. }
        | WorkerError::Machine { .. }
        | WorkerError::Start(_)
        | WorkerError::SearchDied => Failure::failed(error),
    }
}
