//! Checks that several commands need.

use std::net::SocketAddr;
use std::thread;

use proto::address::{Address, AddressError};
use proto::lan::Whereabouts;

use crate::args::{ClusterFlags, MachineFlags};
use crate::choice::Switch;
use crate::failure::Failure;
use crate::think::{Machine, Setup};

/// What a worker may use. Search threads: as many as asked for, else one a core (or as many as the
/// system lets us have).
pub fn machine(flags: &MachineFlags) -> Machine {
    let cores = || thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Machine {
        threads: flags.threads.unwrap_or_else(|| u32::try_from(cores()).unwrap_or(1)),
        leaf_threads: flags.leaf_threads,
        splitter: flags.splitter.0,
        hash_mb: flags.hash,
        share_budget: match flags.share {
            Switch::On => u64::from(flags.share_budget) * 1_000,
            Switch::Off => 0,
        },
    }
}

/// The embedded cluster. Without workers nothing is shared unless threads are asked for: the plain
/// sequential search, the reference.
pub fn setup(flags: &ClusterFlags) -> Setup {
    let mut machine = machine(&flags.machine);
    if flags.workers == 0 && flags.machine.threads.is_none() {
        machine.threads = 1;
    }
    Setup { workers: flags.workers, machine }
}

/// A `HOST:PORT`. Whether the host exists is for the network to say.
///
/// # Errors
/// A usage error for anything else.
pub fn address(text: &str) -> Result<Address, Failure> {
    text.parse().map_err(|error: AddressError| Failure::usage(error.to_string()))
}

/// Where a master is: `HOST:PORT`, or `auto` for one that announces itself on the local network.
///
/// # Errors
/// A usage error for anything else.
pub fn whereabouts(text: &str) -> Result<Whereabouts, Failure> {
    text.parse().map_err(|error: AddressError| Failure::usage(error.to_string()))
}

/// An address of this machine to listen on.
///
/// # Errors
/// A usage error for anything else.
pub fn listen_address(text: &str) -> Result<SocketAddr, Failure> {
    text.parse().map_err(|_| {
        Failure::usage(format!("address {text:?}: expected ADDR:PORT, such as 0.0.0.0:7300"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masters_have_names_but_listen_on_addresses() {
        assert!(address("desk:7300").is_ok());
        assert!(matches!(address("desk"), Err(Failure::Usage(_))));
        assert!(listen_address("desk:7300").is_err());
        assert!(listen_address("127.0.0.1:0").is_ok());
        assert!(listen_address("7300").is_err());
    }
}
