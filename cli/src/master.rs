//! `aphid master`: runs a master until it is told to end.

use std::env;
use std::net::SocketAddr;
use std::path::Path;

use ::master::{Config, Master};

use crate::args::MasterFlags;
use crate::choice::AnnounceChoice;
use crate::failure::Failure;
use crate::{service, settings, signals};

/// Runs the command.
///
/// # Errors
/// A usage error for an address that is none, or is to be announced although nobody else can reach
/// it; a failure when it cannot be listened on.
pub fn run(flags: &MasterFlags) -> Result<(), Failure> {
    let listen = settings::listen_address(&flags.listen)?;
    let announce = announce(flags.announce, listen, in_container())?;
    let config = Config { announce, ..Config::new(listen) };
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

/// Whether to announce the master on the local network.
fn announce(
    choice: AnnounceChoice,
    listen: SocketAddr,
    in_container: bool,
) -> Result<bool, Failure> {
    let reachable = !listen.ip().is_loopback();
    match choice {
        AnnounceChoice::Never => Ok(false),
        AnnounceChoice::Auto => Ok(reachable && !in_container),
        AnnounceChoice::Always if reachable => Ok(true),
        AnnounceChoice::Always => Err(Failure::usage(format!(
            "nothing to announce: only this machine can reach a master that listens on {listen}"
        ))),
    }
}

/// Whether this looks like a container, whose network is seldom the one of its machine: Docker and
/// Podman leave a file, others (systemd-nspawn, LXC, Kubernetes) a variable.
fn in_container() -> bool {
    let files = ["/.dockerenv", "/run/.containerenv"];
    let variables = ["container", "KUBERNETES_SERVICE_HOST"];
    files.iter().any(|file| Path::new(file).exists())
        || variables.iter().any(|variable| env::var_os(variable).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_master_is_announced_where_others_can_reach_it() {
        use AnnounceChoice::{Always, Auto, Never};
        for (choice, listen, in_container, expected) in [
            (Auto, "0.0.0.0:7300", false, Some(true)),
            (Auto, "[::]:7300", true, Some(false)),
            (Auto, "127.0.0.1:7300", false, Some(false)),
            (Auto, "[::1]:7300", false, Some(false)),
            (Always, "192.168.1.10:7300", true, Some(true)),
            (Always, "127.0.0.1:7300", false, None),
            (Never, "0.0.0.0:7300", false, Some(false)),
        ] {
            let address = listen.parse().expect("an address");
            let found = announce(choice, address, in_container).ok();
            assert_eq!(found, expected, "{choice:?} {listen} {in_container}");
        }
    }
}
