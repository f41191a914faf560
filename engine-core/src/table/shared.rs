//! A table in a file of shared memory, for several processes of one machine.
//!
//! The file begins with an *identity*: what it is, how it is laid out, what its keys and values mean
//! and how large it is. Behind it lies what [`super::memory`] maps. Who opens it holds the file's
//! lock until it knows where it stands; the system takes the lock from a process that dies. Whoever
//! finds the file empty, or with an identity that was never finished, makes the table, and all
//! others find it made. Its memory is taken from the system at once, for what is only promised may
//! be gone when it is needed, and the process with it.
//!
//! Nobody removes the file: it outlives every process, until the machine is switched off or someone
//! deletes it. Those who still use a deleted one go on among themselves.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, OFlags, fallocate};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::geteuid;

use super::memory::{FRONT, Memory, STATE, file_bytes};
use super::state::Seen;
use super::{BUCKETS_PER_MB, Table};

/// The first bytes of a file that holds a table.
const MAGIC: [u8; 8] = *b"aphidtbl";
/// Counts the ways in which identity, state and buckets were laid out.
const LAYOUT: u32 = 1;

/// Whether a shared table was there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// This process made it.
    Created,
    /// Another one did, perhaps long ago.
    Found,
}

/// Why there is no shared table.
#[derive(Debug, thiserror::Error)]
#[error("shared hash table {}: {fault}{}", .path.display(), remedy(.fault, .path))]
pub struct SharedError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it; part of the message, and so not its source.
    pub fault: Fault,
}

/// What is wrong with the file of a shared table.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The system refuses to open, lock, enlarge or map it.
    #[error("{0}")]
    System(#[from] io::Error),
    /// No room for even one megabyte.
    #[error("no room for even 1 MB of shared memory")]
    NoRoom,
    /// Others could read, change or shorten it.
    #[error("not a plain file that this user alone owns and may open (mode 600)")]
    Owner,
    /// It does not begin as a table does.
    #[error("not a hash table of this program")]
    Foreign,
    /// A table laid out by an older or newer version.
    #[error("made by another version of this program (layout {0}, here {LAYOUT})")]
    Layout(u32),
    /// A table whose keys or values are not those of this build.
    #[error("made by another build of this program, whose positions and values mean other things")]
    Scheme,
    /// A table of one size in a file of another.
    #[error("{found} bytes long, where a table of its size has {expected}")]
    Length {
        /// Length of the file.
        found: u64,
        /// Length for the size it claims to have; 0 if there cannot be such a size.
        expected: u64,
    },
}

/// What can be done about it, if it lies with the file.
fn remedy(fault: &Fault, path: &Path) -> String {
    match fault {
        Fault::System(_) | Fault::NoRoom => String::new(),
        _ => format!("; choose another name, or once nobody uses it: rm {}", path.display()),
    }
}

impl Table {
    /// The table in the file at `path`, a place in shared memory such as `/dev/shm/NAME`; made
    /// there, readable by this user alone, if there is none. Whoever makes it decides its size:
    /// `megabytes` MB (2²⁰ bytes; 0 counts as 1), halved until the system has that much.
    /// [`size_mb`](Self::size_mb) tells what it is.
    ///
    /// `scheme` stands for all that the meaning of entries depends on beyond this module: how keys
    /// come from positions, moves are packed, positions are judged and searched. Only processes
    /// with equal schemes share a table. Games need not be told apart: keys of different games are
    /// as unlikely to be equal as those of different positions.
    ///
    /// Waits for others that are just making or opening it.
    ///
    /// # Errors
    /// See [`Fault`]. A file that is no table of this kind is left as it is.
    pub fn shared(
        path: &Path,
        megabytes: usize,
        scheme: u64,
    ) -> Result<(Self, Origin), SharedError> {
        attach(path, megabytes.max(1), scheme)
            .map_err(|fault| SharedError { path: path.to_owned(), fault })
    }
}

fn attach(path: &Path, megabytes: usize, scheme: u64) -> Result<(Table, Origin), Fault> {
    let file = open(path)?;
    file.lock()?;
    let (buckets, origin) = match Identity::read(&file)? {
        Some(identity) => (identity.open(&file, scheme)?, Origin::Found),
        None => (create(&file, megabytes, scheme, reserve)?, Origin::Created),
    };
    // Said aloud, for the mapping would keep the lock beyond the life of `file`.
    file.unlock()?;
    let seen = match origin {
        Origin::Created => Seen::default(),
        Origin::Found => Seen::newcomer(buckets.state()),
    };
    Ok((Table { buckets, seen }, origin))
}

/// Opens the file, or an empty one that did not exist. Not through a link, which others may have
/// laid in a folder that is everybody's.
fn open(path: &Path) -> Result<File, Fault> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits() as i32)
        .open(path)?;
    let metadata = file.metadata()?;
    let ours = metadata.uid() == geteuid().as_raw() && metadata.mode() & 0o777 == 0o600;
    if metadata.is_file() && ours { Ok(file) } else { Err(Fault::Owner) }
}

/// Makes the table in a file whose lock we hold, as large as `reserve` can make it.
fn create(
    file: &File,
    megabytes: usize,
    scheme: u64,
    reserve: impl Fn(&File, u64) -> Result<bool, Fault>,
) -> Result<Memory, Fault> {
    let mut size = megabytes;
    loop {
        file.set_len(0)?;
        if let Some(buckets) = size.checked_mul(BUCKETS_PER_MB)
            && let Some(bytes) = file_bytes(buckets)
        {
            let mut identity = Identity { layout: LAYOUT, ready: false, scheme, buckets };
            // First of all, so that who comes after a crash knows that nothing here is foreign.
            identity.write(file)?;
            if reserve(file, bytes)? {
                let memory =
                    Memory::of_file(file, buckets).inspect_err(|_| drop(file.set_len(0)))?;
                identity.ready = true;
                identity.write(file)?;
                return Ok(memory);
            }
            file.set_len(0)?;
        }
        if size == 1 {
            return Err(Fault::NoRoom);
        }
        size /= 2;
    }
}

/// Makes the file `bytes` long and has the system set the buckets' memory aside; whether it could.
fn reserve(file: &File, bytes: u64) -> Result<bool, Fault> {
    let start = FRONT as u64;
    let taken = file.set_len(bytes).and_then(|()| {
        Ok(retry_on_intr(|| fallocate(file, FallocateFlags::empty(), start, bytes - start))?)
    });
    match taken {
        Ok(()) => Ok(true),
        Err(error) => match Errno::from_io_error(&error) {
            Some(Errno::NOSPC | Errno::FBIG | Errno::NOMEM | Errno::INVAL) => Ok(false),
            _ => Err(error.into()),
        },
    }
}

/// What a file says of itself in its first [`STATE`] bytes, little endian.
///
/// | bytes | hold |
/// |---|---|
/// | 0–7 | [`MAGIC`] |
/// | 8–11 | layout |
/// | 12–15 | 1 if the table is ready, 0 if its maker has not finished |
/// | 16–23 | scheme |
/// | 24–31 | number of buckets |
/// | 32–63 | zero |
struct Identity {
    layout: u32,
    ready: bool,
    scheme: u64,
    buckets: usize,
}

impl Identity {
    /// None if the file is empty, or its maker died.
    fn read(file: &File) -> Result<Option<Self>, Fault> {
        let length = file.metadata()?.len();
        if length == 0 {
            return Ok(None);
        }
        let mut bytes = [0; STATE];
        let fits = file.read_exact_at(&mut bytes, 0);
        if fits.is_err() || bytes[..8] != MAGIC {
            return Err(Fault::Foreign);
        }
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|index| bytes[at + index]));
        let layout = word(8) as u32;
        if (word(8) >> 32) == 0 {
            return Ok(None);
        }
        if layout != LAYOUT {
            return Err(Fault::Layout(layout));
        }
        let buckets = usize::try_from(word(24)).unwrap_or(usize::MAX);
        Ok(Some(Self { layout, ready: true, scheme: word(16), buckets }))
    }

    fn write(&self, file: &File) -> Result<(), Fault> {
        let mut bytes = [0; STATE];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&self.layout.to_le_bytes());
        bytes[12..16].copy_from_slice(&u32::from(self.ready).to_le_bytes());
        bytes[16..24].copy_from_slice(&self.scheme.to_le_bytes());
        bytes[24..32].copy_from_slice(&(self.buckets as u64).to_le_bytes());
        Ok(file.write_all_at(&bytes, 0)?)
    }

    /// Maps the table in `file`, whose identity this is, if entries mean there what they mean here.
    fn open(&self, file: &File, scheme: u64) -> Result<Memory, Fault> {
        if self.scheme != scheme {
            return Err(Fault::Scheme);
        }
        let whole = self.buckets > 0 && self.buckets.is_multiple_of(BUCKETS_PER_MB);
        let expected = if whole { file_bytes(self.buckets).unwrap_or(0) } else { 0 };
        let found = file.metadata()?.len();
        if found != expected {
            return Err(Fault::Length { found, expected });
        }
        Ok(Memory::of_file(file, self.buckets)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table made where `room` bytes are left, of so many megabytes.
    fn size_within(room: u64, megabytes: usize) -> Result<usize, Fault> {
        let path = std::env::temp_dir().join(format!("aphid-{}-room-{room}", std::process::id()));
        let file = open(&path)?;
        std::fs::remove_file(&path)?;
        let within = |file: &File, bytes| Ok(bytes <= room && reserve(file, bytes)?);
        let memory = create(&file, megabytes, 1, within);
        // Whatever became of it, the next one knows.
        let found = Identity::read(&file)?;
        assert_eq!(found.is_some_and(|identity| identity.open(&file, 1).is_ok()), memory.is_ok());
        Ok(memory?.len() / BUCKETS_PER_MB)
    }

    #[test]
    #[cfg_attr(miri, ignore = "maps files")]
    fn more_memory_than_there_is_becomes_less() {
        let front = FRONT as u64;
        for (room, asked, got) in [(8, 8, 8), (8, 9, 4), (8, 1000, 7), (1, 64, 1)] {
            assert_eq!(size_within(front + (room << 20), asked).unwrap(), got, "{asked} in {room}");
        }
        assert!((5..=8).contains(&size_within(front + (8 << 20), usize::MAX).unwrap()));
        assert!(matches!(size_within(front, 4), Err(Fault::NoRoom)));
    }
}
