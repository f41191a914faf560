//! APHID: asynchronous parallel hierarchical iterative deepening (Brockington & Schaeffer 1996).
//!
//! The master searches the top of the tree over and over; below a frontier it takes values from
//! the APHID table, which slaves fill by searching the frontier leaves ever deeper. Master and
//! slave are state machines without threads, sockets or clocks: messages and time come in as
//! arguments, messages go out through `poll_output`. Threads, gRPC and the virtual-time simulator
//! drive the same code.
//!
//! - [`messages`]: the writes to the two halves of the table
//! - [`master`]: passes, agendas, iterations; [`frontier`]: where the master's tree ends; `recall`:
//!   what a pass need not walk through again
//! - [`slave`]: which leaf to search next; [`errand`]: the searches that takes; [`lane`]: doing
//!   them

mod assign;
pub mod errand;
pub mod frontier;
mod hear;
mod iterate;
pub mod lane;
mod leaf;
pub mod master;
pub mod messages;
mod pass;
mod recall;
pub mod slave;
mod thinking;
pub mod tunables;
mod visits;

pub use frontier::Frontier;
