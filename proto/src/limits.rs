//! How large the parts of a message may be. The specification states the same numbers.
//!
//! Together they keep every well-formed message below the 4 MiB that gRPC reads by default.

/// Leaves in one Assign.
pub const LEAVES: usize = 1000;
/// Bytes of a leaf's position and history.
pub const LINE_BYTES: usize = 4096;
/// Wants in each of the two lists of an Agenda.
pub const WANTS: usize = 32_768;
/// Leaves in one `MissingLeaves`: everything an agenda can name.
pub const MISSING: usize = 2 * WANTS;
/// Search threads of a worker, and so searches it may run at once.
pub const THREADS: usize = 4096;
/// Workers that one worker may tell what it finds.
pub const PEERS: usize = 4096;
/// Moves of a best line.
pub const PV_MOVES: usize = 256;
/// Greatest depth of a leaf search, in plies.
pub const DEPTH: u32 = 127;
/// Bytes of a name.
pub const NAME_BYTES: usize = 64;
/// Bytes of a program version.
pub const VERSION_BYTES: usize = 64;
/// Bytes of a sentence for people.
pub const DETAIL_BYTES: usize = 512;
/// Workers named in one list of a request to pause or resume them.
pub const CHOICES: usize = 4096;
