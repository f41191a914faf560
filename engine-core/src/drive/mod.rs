//! Threads: the only place that starts any.
//!
//! - [`pool`]: drives a slave's lanes on threads of the operating system

pub mod pool;
