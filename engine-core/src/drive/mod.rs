//! Threads: the only place that starts any.
//!
//! - [`pool`]: drives a slave's lanes on threads of the operating system
//! - [`team`]: a master and its slaves in one process

pub mod pool;
pub mod team;
