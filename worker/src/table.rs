//! The table of a worker: its own, or one that it shares with others on its machine.

use std::path::PathBuf;
use std::sync::LazyLock;

use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use engine_core::search::signature;
use engine_core::table::{Origin, Table};
use tracing::{info, warn};

use crate::config::{Config, WorkerError};

/// Where shared memory has names. Linux has this folder, and POSIX names live in it.
const SHARED_MEMORY: &str = "/dev/shm";
/// Longest name of a shared table, bytes.
const NAME_BYTES: usize = 64;

/// The table that `config` asks for.
///
/// # Errors
/// There is no shared table of that name to be had; see [`engine_core::table::Fault`].
pub fn open(config: &Config) -> Result<Table, WorkerError> {
    let Some(name) = &config.hash_shared else {
        let table = Table::new(config.hash_mb);
        if table.size_mb() < config.hash_mb {
            warn!("hash table of {} MiB: the system has no more to give", table.size_mb());
        }
        return Ok(table);
    };
    let path = path(name)?;
    let (table, origin) = Table::shared(&path, config.hash_mb, scheme())?;
    let (size, asked, shown) = (table.size_mb(), config.hash_mb.max(1), path.display());
    match origin {
        Origin::Created => {
            info!("made the shared hash table {shown} of {size} MiB; it stays until: rm {shown}");
            if size < asked {
                warn!("hash table of {size} MiB: the system has no more shared memory to give");
            }
        }
        Origin::Found => {
            info!("use the shared hash table {shown} of {size} MiB");
            if size != asked {
                warn!(
                    "hash table of {size} MiB, not {asked}: who made it chose its size; for \
                     another, stop its users, then: rm {shown}"
                );
            }
        }
    }
    Ok(table)
}

/// The file of the shared table of this name.
///
/// # Errors
/// The name could be no file, or that of something else.
pub fn path(name: &str) -> Result<PathBuf, WorkerError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if (1..=NAME_BYTES).contains(&name.len()) && name.bytes().all(plain) {
        Ok([SHARED_MEMORY, &format!("aphid-{name}")].iter().collect())
    } else {
        Err(WorkerError::HashShared(name.to_owned()))
    }
}

/// Equal for builds whose tables mean the same, whatever they search: those may share one, or tell
/// each other what is in theirs. Not 0. Takes some milliseconds, once.
pub fn scheme() -> u64 {
    static SCHEME: LazyLock<u64> = LazyLock::new(|| {
        let scheme = signature::<Chess>().rotate_left(1) ^ signature::<Othello>();
        scheme.max(1)
    });
    *SCHEME
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_plain_files() {
        assert_eq!(path("a").unwrap().to_str(), Some("/dev/shm/aphid-a"));
        assert!(path(&"x".repeat(64)).is_ok() && path("Team-1_b.c").is_ok() && path("..").is_ok());
        for name in ["", "a/b", "../a", "a b", "a\n", "ä", "a\0", &"x".repeat(65)] {
            assert!(matches!(path(name), Err(WorkerError::HashShared(_))), "{name:?}");
        }
    }

    #[test]
    fn every_build_has_its_own_scheme_and_keeps_it() {
        assert_eq!(scheme(), scheme());
    }
}
