//! What a worker needs to know.

use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use engine_core::splitter::Splitter;
use engine_core::table::SharedError;
use proto::address::AddressError;
use proto::lan::Whereabouts;
use proto::limits;

use crate::polite::Politeness;
use crate::table;

/// Hash table of a worker that was told nothing, MiB.
const DEFAULT_HASH_MB: usize = 256;

/// What a worker may tell others, bytes a second. With 16 workers each one's wire carries as much
/// in either direction: 19 % of a gigabit.
pub const SHARE_BUDGET: u64 = 24_000_000;

/// The greatest niceness there is.
const NICEST: u8 = 19;

/// What a worker needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Where the master listens: host and port, or `auto` for one that announces itself on the local
    /// network. The host is resolved, or the master looked for, anew for each call.
    pub master: String,
    /// Search threads, 1..=4096.
    pub threads: usize,
    /// Threads that search one leaf together, 0..=4096; 0: all of them.
    pub leaf_threads: usize,
    /// How they share its tree.
    pub splitter: Splitter,
    /// Hash table shared by all of them, MiB (0 counts as 1).
    pub hash_mb: usize,
    /// Niceness of the search threads, 0 (as everybody) to 19 (after everybody). Below about 10 a
    /// message waits for the processor on a loaded machine: 3 ms at 0, 20 µs at 19.
    pub nice: u8,
    /// Name of a table shared with other workers on this machine, instead of one of its own:
    /// 1..=64 letters, digits and `-_.`. Its first user decides its size.
    pub hash_shared: Option<String>,
    /// Bytes a second that it may tell other workers of what it finds, all copies counted; 0: it
    /// tells nothing and hears nothing.
    pub share_budget: u64,
    /// Where it hears other workers, at any address of this machine or at [`Config::peer_host`]: a
    /// port, 0 for any free one.
    pub peer_port: u16,
    /// The one address of this machine at which it hears other workers; none: all of them.
    pub peer_host: Option<IpAddr>,
    /// What people call this worker; need not be unique. 1..=64 bytes, no control characters.
    pub name: String,
    /// When it pauses itself.
    pub polite: Politeness,
    /// Where the files of the machine are that tell how it is used; not `/` only in tests.
    pub machine_root: PathBuf,
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
            nice: NICEST,
            hash_shared: None,
            share_budget: SHARE_BUDGET,
            peer_port: 0,
            peer_host: None,
            name: host_name(),
            polite: Politeness::default(),
            machine_root: "/".into(),
        }
    }

    /// Checks everything; returns where to call.
    pub(crate) fn check(&self) -> Result<Whereabouts, WorkerError> {
        if !(1..=limits::THREADS).contains(&self.threads) {
            return Err(WorkerError::Threads(self.threads));
        }
        if self.nice > NICEST {
            return Err(WorkerError::Nice(self.nice));
        }
        if self.leaf_threads > limits::THREADS {
            return Err(WorkerError::LeafThreads(self.leaf_threads));
        }
        let length = self.name.len();
        if length == 0 || length > limits::NAME_BYTES || self.name.contains(char::is_control) {
            return Err(WorkerError::Name(self.name.clone()));
        }
        if let Some(name) = &self.hash_shared {
            table::path(name)?;
        }
        self.polite.check()?;
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
    /// A niceness out of range.
    #[error("niceness {0}: 0 to 19")]
    Nice(u8),
    /// A name that masters would refuse.
    #[error("{0:?} cannot be a worker's name: 1 to 64 bytes, no control characters")]
    Name(String),
    /// A name that no shared hash table can have.
    #[error("{0:?} cannot be the name of a shared hash table: 1 to 64 letters, digits and -_.")]
    HashShared(String),
    /// A quiet time out of range.
    #[error("a machine idle after {} s: 1 s to 24 h", .0.as_secs_f64())]
    IdleAfter(Duration),
    /// A share of the processors out of range.
    #[error("a machine busy above {0} %: 1 to 100")]
    BusyAbove(u8),
    /// Pausing for others needs a system that tells about them.
    #[error("pausing while the machine is in use, or on battery, works only on Linux")]
    NoManners,
    /// The machine does not tell how it is used.
    #[error("cannot tell whether the machine is in use: {}: {source}", path.display())]
    Machine {
        /// The file that should.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// There is no such shared hash table to be had.
    #[error(transparent)]
    Table(#[from] SharedError),
    /// The port at which to hear other workers is not to be had.
    #[error("cannot listen to other workers at port {port}: {source}")]
    PeerPort {
        /// The port asked for; 0: any.
        port: u16,
        /// What the system says.
        source: io::Error,
    },
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
        assert!(matches!(error(Config { nice: 20, ..config() }), WorkerError::Nice(20)));
        for name in [String::new(), "a\nb".into(), "x".repeat(65)] {
            assert!(matches!(error(Config { name, ..config() }), WorkerError::Name(_)));
        }
        let polite = |change: fn(&mut Politeness)| {
            let mut polite = Politeness::default();
            change(&mut polite);
            error(Config { polite, ..config() })
        };
        let never = polite(|polite| polite.idle_after = Duration::ZERO);
        assert!(matches!(never, WorkerError::IdleAfter(Duration::ZERO)));
        assert!(matches!(polite(|polite| polite.busy_above = 101), WorkerError::BusyAbove(101)));
        let hash_shared = Some("a/b".to_owned());
        assert!(matches!(error(Config { hash_shared, ..config() }), WorkerError::HashShared(_)));
    }
}
