//! Everything that thinks, nothing that talks.
//!
//! - [`aphid`]: asynchronous distributed search, as two state machines: master and slave
//! - [`drive`]: threads that drive the state machines
//! - [`sharing`]: what one worker has learnt, told to the others
//! - [`splitter`]: all processors of one memory on one tree, in several ways, the default of
//!   which is [`dts`], Dynamic Tree Splitting
//! - [`game`]: what a game must tell us; [`games`]: the games we bring
//! - [`mod@line`]: a position with the history that matters to it
//! - [`search`]: the search as a resumable machine
//! - [`random`]: seeded numbers, the only randomness here
//! - [`table`]: the shared hash table
//! - [`value`]: values, bounds and distances to a win

pub mod aphid;
pub mod drive;
pub mod dts;
pub mod game;
pub mod games;
pub mod line;
pub mod random;
pub mod search;
pub mod sharing;
pub mod splitter;
mod sync;
pub mod table;
pub mod value;
