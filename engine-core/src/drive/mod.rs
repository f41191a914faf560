//! Threads: the only place that starts any.
//!
//! - [`gang`]: threads that search one tree together; `bell`: where they wait for work meanwhile;
//!   [`timesheet`]: how they spend their time
//! - [`analysis`]: a whole search by a gang
//! - [`pool`]: a slave whose lanes are gangs
//! - [`exchange`]: what the threads of a worker tell those of others
//! - [`team`]: a master and its slaves in one process

pub mod analysis;
mod bell;
pub mod exchange;
pub mod gang;
pub mod pool;
pub mod team;
pub mod timesheet;
