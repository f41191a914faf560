//! The wire: what master, workers and clients say to each other.
//!
//! The specification is `aphid/v1/*.proto`; [`v1`] is generated from it. Nothing that arrives from
//! a socket is used before one of the checked conversions here has looked at every value:
//!
//! - [`address`], [`link`]: calling a master, and noticing when the other end is gone
//! - [`lan`]: finding a master on the local network
//! - [`handshake`]: greeting and refusing a worker
//! - [`to_slave`]: writes to the master's half of the APHID table, on their way to a worker
//! - [`to_master`]: writes to a worker's half, on their way to the master
//! - [`pause`]: why a worker does not search
//! - [`peers`]: what workers tell each other, and to whom
//! - [`score`], [`profile`]: small words both services use
//!
//! No conversion panics, whatever the bytes.

pub mod address;
mod error;
pub mod handshake;
pub mod lan;
pub mod limits;
pub mod link;
mod parts;
pub mod pause;
pub mod peers;
pub mod profile;
pub mod score;
mod text;
pub mod to_master;
pub mod to_slave;

pub use error::WireError;
pub use text::printable;

/// Types and services generated from `aphid/v1/*.proto`, which documents them.
#[allow(missing_docs, clippy::all, clippy::pedantic, reason = "generated")]
pub mod v1 {
    tonic::include_proto!("aphid.v1");
}

/// Version of the specification this program speaks. It grows with every change that an older
/// program would misunderstand.
pub const PROTOCOL_VERSION: u32 = 2;

/// Version of this program, as it introduces itself.
pub const PROGRAM_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The specification in machine-readable form, for server reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

impl From<v1::master_message::Kind> for v1::MasterMessage {
    fn from(kind: v1::master_message::Kind) -> Self {
        Self { kind: Some(kind) }
    }
}

impl From<v1::worker_message::Kind> for v1::WorkerMessage {
    fn from(kind: v1::worker_message::Kind) -> Self {
        Self { kind: Some(kind) }
    }
}
