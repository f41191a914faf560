//! Dynamic Tree Splitting: all processors of one shared memory search one tree (R. M. Hyatt, *The
//! dynamic tree-splitting parallel search algorithm*, ICCA Journal 20(1), 1997).
//!
//! Pure logic: no thread, no clock. A processor is [`Idle`] or [`Busy`]; what it shares with the
//! others is a [`Team`]: split blocks and a notice board under one lock.
//!
//! - `help`: HELP, an idle processor looks for work
//! - `choice`: where to split
//! - `split`: SPLIT, a node becomes a split point
//! - `select`: SELECT, taking a move there
//! - `merge`: MERGE, what is found there becomes common property
//! - `unsplit`: UNSPLIT, the last member takes over and carries on
//! - `share`: SHARE, better values reach everybody at once
//! - `pool`: split blocks; `board`: the notice board; `team`: the lock; `processor`: who does all
//!   this
//! - [`Member`]: a processor as one of the [splitters](crate::splitter)
//!
//! A processor owns its frames. Those down to a split point are a copy of the block's; the node at
//! the split point belongs to the block, and taking a move there and giving back its value are the
//! only two things a member does differently from a sequential search. Nobody owns a split point,
//! and nobody waits: whoever finds no move there goes and helps elsewhere, and whoever is last
//! carries on past it. Split points nest; each takes the place of one member at its parent.

pub(crate) mod at;
pub(crate) mod board;
pub(crate) mod choice;
mod help;
mod member;
mod merge;
pub(crate) mod pool;
pub(crate) mod processor;
mod select;
mod share;
mod split;
mod team;
mod unsplit;

pub use member::Member;
pub use processor::{Busy, Idle, Outcome};
pub use team::{Team, Tuning, Typing};
