//! What one worker has learnt, told to the others: table entries as hints, the dearest first.
//!
//! Workers of a cluster have no memory in common, so what one finds another finds again: the
//! largest single loss of a distributed search. Here every searcher takes [`Notes`] of what it
//! stores, if finding it took enough nodes (a [`Threshold`]); a [`Sharer`] collects them, leaves out
//! what it has said lately, makes batches of them and keeps to a budget of bytes, which moves the
//! threshold; whoever receives a batch lets each entry into its table if nothing better is there
//! ([`Table::admit`](crate::table::Table::admit)).
//!
//! An entry is a hint, like any entry of the table: it may be lost, late, or come twice. Nobody
//! waits for one. All of this is logic; time is passed in and batches are handed out.
//!
//! What never travels, see [`Searcher`](crate::search::Searcher): in `classic`, a draw that may
//! come from the path to the position rather than from the position, and what a rule that counts
//! moves may soon make false. In `exact` the key of an entry names its history, its clock and its
//! depth: it is the same fact for everybody.

mod budget;
mod deepest;
mod notes;
mod packed;
mod recent;
mod sharer;
mod threshold;

pub use notes::{NOTES_KEPT, Note, Notes, admit};
pub use packed::{PACKED_BYTES, Unpacked, pack, unpack};
pub use sharer::{BATCH, Settings, Sharer, Tally};
pub use threshold::Threshold;
