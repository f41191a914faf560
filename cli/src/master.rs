//! `aphid master`: runs a master until it is told to end.

use ::master::{Config, Master};

use crate::args::MasterFlags;
use crate::failure::Failure;
use crate::{service, settings, signals};

/// Runs the command.
///
/// # Errors
/// A usage error for an address that is none; a failure when it cannot be listened on.
pub fn run(flags: &MasterFlags) -> Result<(), Failure> {
    let config = Config::new(settings::listen_address(&flags.listen)?);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failure::failed)?;
    runtime.block_on(async {
        let shutdown = service::told(signals::shutdown());
        let server = Master::bind(config).map_err(Failure::failed)?;
        tokio::select! {
            biased;
            ended = server.serve(shutdown) => ended.map_err(Failure::failed),
            never = service::attend() => match never {},
        }
    })
}
