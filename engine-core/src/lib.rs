//! Everything that thinks, nothing that talks.
//!
//! - [`game`]: what a game must tell us; [`games`]: the games we bring
//! - [`search`]: the search as a resumable machine
//! - [`table`]: the shared hash table
//! - [`aphid`]: asynchronous distributed search as two state machines, master and slave
//! - [`drive`]: the only code that starts threads

pub mod game;
pub mod games;
pub mod line;
pub mod random;
pub mod table;
pub mod value;
