//! `aphid worker`: serves a master until it is told to end.

use ::worker::{Config, WorkerError};

use crate::args::WorkerFlags;
use crate::failure::Failure;
use crate::{settings, signals};

/// Runs the command.
///
/// # Errors
/// A usage error for a master's address or a name that cannot be one; a failure when the system
/// gives no threads or one of them dies. An absent master is no error.
pub fn run(flags: &WorkerFlags) -> Result<(), Failure> {
    let machine = settings::machine(&flags.machine);
    let usual = Config::new(flags.master.clone());
    let config = Config {
        threads: machine.threads as usize,
        leaf_threads: machine.leaf_threads as usize,
        splitter: machine.splitter,
        hash_mb: machine.hash_mb as usize,
        name: flags.name.clone().unwrap_or_else(|| usual.name.clone()),
        ..usual
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failure::failed)?;
    runtime.block_on(::worker::run(config, signals::shutdown())).map_err(|error| match error {
        WorkerError::Address(_)
        | WorkerError::Transport(_)
        | WorkerError::Threads(_)
        | WorkerError::LeafThreads(_)
        | WorkerError::Name(_) => Failure::usage(error.to_string()),
        WorkerError::Start(_) | WorkerError::SearchDied => Failure::failed(error),
    })
}
