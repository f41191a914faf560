//! What a worker needs to know.

use std::io;

use engine_core::splitter::Splitter;
use proto::address::{Address, AddressError};
use proto::limits;

/// Hash table of a worker that was told nothing, MiB.
const DEFAULT_HASH_MB: usize = 256;

/// What a worker needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Where the master listens: host and port. The host is resolved anew for each call.
    pub master: String,
    /// Search threads, 1..=4096.
    pub threads: usize,
    /// Threads that search one leaf together, 0..=4096; 0: all of them.
    pub leaf_threads: usize,
    /// How they share its tree.
    pub splitter: Splitter,
    /// Hash table shared by all of them, MiB (0 counts as 1).
    pub hash_mb: usize,
    /// What people call this worker; need not be unique. 1..=64 bytes, no control characters.
    pub name: String,
}

impl Config {
    /// A worker with a thread for each processor this process may use (a quota set by a
    /// container counts), 256 MiB of hash table and the name of the machine.
    pub fn new(master: impl Into<String>) -> Self {
        Self {
            master: master.into(),
            threads: std::thread::available_parallelism()
                .map_or(1, |threads| threads.get().min(limits::THREADS)),
            leaf_threads: 0,
            splitter: Splitter::default(),
            hash_mb: DEFAULT_HASH_MB,
            name: host_name(),
        }
    }

    /// Checks everything; returns where to call.
    pub(crate) fn check(&self) -> Result<Address, WorkerError> {
        if !(1..=limits::THREADS).contains(&self.threads) {
            return Err(WorkerError::Threads(self.threads));
        }
        if self.leaf_threads > limits::THREADS {
            return Err(WorkerError::LeafThreads(self.leaf_threads));
        }
        let length = self.name.len();
        if length == 0 || length > limits::NAME_BYTES || self.name.contains(char::is_control) {
            return Err(WorkerError::Name(self.name.clone()));
        }
        Ok(self.master.parse()?)
    }
}

/// The name of the machine, as far as it can serve as a worker's.
fn host_name() -> String {
    let system = rustix::system::uname();
    let name = proto::printable(&system.nodename().to_string_lossy(), limits::NAME_BYTES);
    if name.is_empty() { "worker".to_owned() } else { name }
}

/// Why a worker cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The master's address is none.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The master's address passed our check, but not that of the transport.
    #[error("the master's address cannot be used: {0}")]
    Transport(#[source] tonic::transport::Error),
    /// A number of threads out of range.
    #[error("{0} threads: a worker has 1 to 4096")]
    Threads(usize),
    /// A number of threads a leaf out of range.
    #[error("{0} threads a leaf: 1 to 4096, or 0 for all the worker has")]
    LeafThreads(usize),
    /// A name that masters would refuse.
    #[error("{0:?} cannot be a worker's name: 1 to 64 bytes, no control characters")]
    Name(String),
    /// The system refuses to start search threads.
    #[error("cannot start the search threads: {0}")]
    Start(#[source] io::Error),
    /// A search thread died of a bug; what it said stands in the log.
    #[error("a search thread has died")]
    SearchDied,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> Config {
        Config { threads: 2, hash_mb: 1, name: "seven".into(), ..Config::new("mill:7300") }
    }

    #[test]
    fn the_defaults_can_work() {
        let config = Config::new("mill:7300");
        assert!(config.check().is_ok(), "{config:?}");
    }

    #[test]
    fn what_cannot_work_is_said_at_once() {
        let error = |config: Config| config.check().unwrap_err();
        assert!(matches!(
            error(Config { master: "mill".into(), ..config() }),
            WorkerError::Address(_)
        ));
        assert!(matches!(error(Config { threads: 0, ..config() }), WorkerError::Threads(0)));
        assert!(matches!(error(Config { threads: 4097, ..config() }), WorkerError::Threads(4097)));
        assert!(matches!(
            error(Config { leaf_threads: 4097, ..config() }),
            WorkerError::LeafThreads(4097)
        ));
        for name in [String::new(), "a\nb".into(), "x".repeat(65)] {
            assert!(matches!(error(Config { name, ..config() }), WorkerError::Name(_)));
        }
    }
}
