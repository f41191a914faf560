//! The shared hash table: what every thread of a worker knows about positions already searched.
//!
//! # Concurrency contract
//!
//! - Any number of threads may call anything here at any time. Nothing blocks, and no thread can
//!   hold up another.
//! - [`probe`](Table::probe) returns an entry only if one [`store`](Table::store) call wrote it,
//!   whole, under exactly the key asked for. An entry is two 64-bit words, `key ^ data` and
//!   `data`, each written in one piece but not both together. When two threads write the same
//!   slot at once, a mixture may stay behind: its words do not XOR back to either key, and it
//!   counts as absent (Hyatt and Mann, *A lockless transposition table implementation for parallel
//!   search*, ICGA Journal 25(1), 2002). A mixture, or memory gone bad, passes for some given key
//!   with probability 2⁻⁶⁴.
//! - Nothing else is promised. An entry may vanish at any moment, a probe may miss what another
//!   thread has just stored, two entries of one key may stand side by side for a while. Losing
//!   one costs time, never correctness.
//! - No order is promised either, between entries or towards other memory (all accesses are
//!   relaxed): who finds an entry may not conclude that anything else its writer did is visible.
//! - Two positions may have the same 64-bit key. Callers must check that a move from the table is
//!   legal before they play it, and can check nothing else.
//!
//! `loom.rs` proves the promise for one slot over every interleaving and reordering; the stress
//! tests look for what the model leaves out.
//!
//! # Between processes
//!
//! The buckets may lie in a file of shared memory that several processes of one machine map
//! ([`Table::shared`]); the above then holds for all threads of all of them. `shared.rs` says how
//! they find it and how they know that they mean the same by its bits, `state.rs` how they count
//! searches and clears together:
//!
//! - All store under the number of the newest search, whoever began it. A search that several of
//!   them take part in counts once.
//! - A new game empties the table once, for all: [`clear`](Table::clear) does nothing if another
//!   process has done it since this one last did. A process that finds a table there leaves it as
//!   it is the first time, for what is in it is what it came for.
//! - A process may die at any point. Between the two words of an entry it leaves a mixture behind,
//!   and while emptying the table, entries that are still true.
//!
//! # Replacement
//!
//! A key belongs to one *bucket* of four slots, one cache line. A store takes
//!
//! 1. the slot of the same key. The new result wins, but a result without a move keeps the old
//!    move, and an exact value of the current search is not given up for a bound that is four or
//!    more plies shallower (the store is then dropped);
//! 2. else an empty slot;
//! 3. else the entry of the oldest search, and among those of one search the shallowest.
//!
//! What another worker has found is [admitted](Table::admit) by the same order, but only where it
//! is worth more than what it takes the place of.
//!
//! Probing never writes, so threads that only read share the cache line in peace.

mod bucket;
#[cfg(all(test, loom))]
mod loom;
mod memory;
mod shared;
mod slot;
mod state;
#[cfg(test)]
mod tests;

use std::alloc::{Layout, handle_alloc_error};
use std::thread;

use crate::value::{Bound, Value};
use bucket::{Bucket, SLOTS};
use memory::Memory;
pub use shared::{Fault, Origin, SharedError};
use slot::Cell;
use state::{Seen, State};

/// Buckets in a megabyte (2²⁰ bytes); a few under Miri, to which a megabyte is a lot.
const BUCKETS_PER_MB: usize = if cfg!(miri) { 64 } else { (1 << 20) / size_of::<Bucket>() };
/// Buckets that [`Table::fullness`] looks at.
const SAMPLED_BUCKETS: usize = 250;

/// What is known about a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Best or refuting move as [`Game::pack_move`](crate::game::Game::pack_move) packs it,
    /// 0 = none.
    pub mv: u16,
    /// Value counted from this node (see [`crate::value::from_root`]); must fit an `i16`, as
    /// every value within ±[`crate::value::INFINITY`] does.
    pub value: Value,
    /// Remaining depth it was searched to, in plies.
    pub depth: u8,
    /// How `value` relates to the true one.
    pub bound: Bound,
}

/// The shared hash table; see the [module](self) for what it promises. Used as `Arc<Table>`.
pub struct Table {
    buckets: Memory,
    /// What this process knows of the searches and clears of all.
    seen: Seen,
}

impl Table {
    /// An empty table of `megabytes` MB (2²⁰ bytes; 0 counts as 1). Any size works as well as any
    /// other. If the system refuses that much memory the size is halved until it agrees;
    /// [`size_mb`](Self::size_mb) tells what was granted.
    ///
    /// Memory is taken from the system page by page as entries arrive, so this returns at once.
    pub fn new(megabytes: usize) -> Self {
        let mut size = megabytes.max(1);
        loop {
            if let Some(buckets) = size.checked_mul(BUCKETS_PER_MB).and_then(Memory::new) {
                return Self { buckets, seen: Seen::default() };
            }
            if size == 1 {
                // Not even one megabyte: what any allocation does on a machine in that state.
                handle_alloc_error(Layout::new::<[Bucket; BUCKETS_PER_MB]>());
            }
            size /= 2;
        }
    }

    /// What is known about the position with this key.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        self.bucket(key).probe(key)
    }

    /// The same, and whether another worker found it.
    #[inline]
    pub fn probe_origin(&self, key: u64) -> Option<(Entry, bool)> {
        let data = self.bucket(key).find(key)?;
        Some((data.entry()?, data.is_foreign()))
    }

    /// Records what another worker has found out, unless there is something better to remember in
    /// its place. Returns whether there was not.
    pub fn admit(&self, key: u64, entry: Entry) -> bool {
        self.state().mark_used();
        self.bucket(key).admit(key, entry, self.state().generation())
    }

    /// Records what was found out about the position with this key.
    #[inline]
    pub fn store(&self, key: u64, entry: Entry) {
        self.state().mark_used();
        self.bucket(key).store(key, entry, self.state().generation());
    }

    /// Starts fetching the place of `key` into the caches; call it as soon as a move is chosen,
    /// so that the probe after it finds the cache line there.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        memory::prefetch(self.bucket(key));
    }

    /// Begins a new search: from now on everything stored before is one search older. One call for
    /// each search of the whole program, not for each thread.
    pub fn new_search(&self) {
        self.state().begin_search(&self.seen);
    }

    /// Empties the table, sharing the work among `threads` threads. Entries that other threads
    /// store meanwhile may survive. A table in which nothing was stored since it was made or last
    /// emptied is not looked at, nor is one that another process has emptied for the same reason
    /// (see the [module](self)).
    pub fn clear(&self, threads: usize) {
        if !self.state().begin_clear(&self.seen) {
            return;
        }
        // At least a megabyte for each: for less, starting a thread costs more than it saves.
        let share = self.buckets.len().div_ceil(threads.max(1)).max(BUCKETS_PER_MB);
        // Scoped threads that end before this function does, between searches: not the kind of
        // thread that belongs in `drive`.
        thread::scope(|scope| {
            for part in self.buckets.chunks(share) {
                let work = move || part.iter().for_each(Bucket::clear);
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    work(); // The system is out of threads.
                }
            }
        });
    }

    /// How full the table is with results of the current search, in permille of a sample.
    pub fn fullness(&self) -> u32 {
        let generation = self.state().generation();
        // Keys spread evenly over the buckets, so the first ones are as good as any.
        let sample = &self.buckets[..SAMPLED_BUCKETS.min(self.buckets.len())];
        let slots = sample.iter().flat_map(|bucket| &bucket.slots);
        let used = slots
            .map(|slot| slot.load().1)
            .filter(|data| data.bound().is_some() && data.age(generation) == 0)
            .count();
        (used * 1000 / (sample.len() * SLOTS)) as u32
    }

    /// Size in megabytes (2²⁰ bytes), which is less than asked for if the system had less.
    pub fn size_mb(&self) -> usize {
        self.buckets.len() / BUCKETS_PER_MB
    }

    /// A number that follows from everything stored and where: whoever computes another one from
    /// the same stores packs, numbers or places entries differently.
    pub fn digest(&self) -> u64 {
        let cells = self.buckets.iter().flat_map(|bucket| &bucket.slots).map(Cell::load);
        let words = cells.flat_map(|(key, data)| [key, data.0]);
        words.fold(0, |digest, word| {
            (digest ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        })
    }

    /// Puts any bits into the `index`-th word of the table (modulo its size), as a fault would:
    /// for tests that a damaged table does no damage.
    #[doc(hidden)]
    pub fn overwrite_word(&self, index: usize, word: u64) {
        self.state().mark_used();
        let (slot, second) = (index / 2, index % 2 == 1);
        let bucket = &self.buckets[slot / SLOTS % self.buckets.len()];
        bucket.slots[slot % SLOTS].overwrite(second, word);
    }

    #[inline]
    fn state(&self) -> &State {
        self.buckets.state()
    }

    /// The bucket of `key`. The high half of `key × buckets` spreads keys evenly over any number
    /// of buckets, without a division.
    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        let index = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table").field("size_mb", &self.size_mb()).finish_non_exhaustive()
    }
}
