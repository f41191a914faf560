//! One entry in memory: two words that vouch for each other.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Entry;
use crate::value::Bound;

/// A 64-bit word that many threads read and write without any order between words.
///
/// The seam at which the loom model (`loom.rs`) puts its own word in place of the machine's.
pub(super) trait Word {
    /// The value some thread stored here, not necessarily the latest.
    fn load(&self) -> u64;
    /// Makes `value` visible to every thread, at some time.
    fn store(&self, value: u64);
}

impl Word for AtomicU64 {
    #[inline]
    fn load(&self) -> u64 {
        AtomicU64::load(self, Relaxed)
    }
    #[inline]
    fn store(&self, value: u64) {
        AtomicU64::store(self, value, Relaxed);
    }
}

/// Searches are numbered modulo this: six bits of an entry.
pub(super) const GENERATIONS: u8 = 64;

const VALUE_SHIFT: u32 = 16;
const DEPTH_SHIFT: u32 = 32;
const BOUND_SHIFT: u32 = 40;
const GENERATION_SHIFT: u32 = 42;
const FOREIGN: u64 = 1 << 48;

/// An entry and the search that stored it, packed into one word.
///
/// | bits | hold |
/// |---|---|
/// | 0–15 | packed move, 0 = none |
/// | 16–31 | value, signed |
/// | 32–39 | depth |
/// | 40–41 | bound; 0 = there is no entry |
/// | 42–47 | generation: the search that stored it |
/// | 48 | another worker found it |
/// | 49–63 | zero |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Data(pub(super) u64);

impl Data {
    /// Packs `entry` as stored by the search `generation`.
    #[inline]
    pub(super) fn new(entry: Entry, generation: u8) -> Self {
        debug_assert!(i16::try_from(entry.value).is_ok(), "value {} is too wide", entry.value);
        Self(
            u64::from(entry.mv)
                | u64::from(entry.value as i16 as u16) << VALUE_SHIFT
                | u64::from(entry.depth) << DEPTH_SHIFT
                | (entry.bound as u64) << BOUND_SHIFT
                | u64::from(generation % GENERATIONS) << GENERATION_SHIFT,
        )
    }

    /// The same, found by another worker.
    #[inline]
    pub(super) fn foreign(self) -> Self {
        Self(self.0 | FOREIGN)
    }

    /// Another worker found it.
    #[inline]
    pub(super) fn is_foreign(self) -> bool {
        self.0 & FOREIGN != 0
    }

    /// The entry, or none if this word never was one.
    #[inline]
    pub(super) fn entry(self) -> Option<Entry> {
        Some(Entry {
            mv: self.mv(),
            value: (self.0 >> VALUE_SHIFT) as i16 as i32,
            depth: self.depth(),
            bound: self.bound()?,
        })
    }

    #[inline]
    pub(super) fn mv(self) -> u16 {
        self.0 as u16
    }

    #[inline]
    pub(super) fn depth(self) -> u8 {
        (self.0 >> DEPTH_SHIFT) as u8
    }

    #[inline]
    pub(super) fn bound(self) -> Option<Bound> {
        match (self.0 >> BOUND_SHIFT) & 3 {
            1 => Some(Bound::Lower),
            2 => Some(Bound::Upper),
            3 => Some(Bound::Exact),
            _ => None,
        }
    }

    /// How many searches before `generation` this was stored. Wraps: the oldest an entry can look
    /// is 63, and one search later it looks new.
    #[inline]
    pub(super) fn age(self, generation: u8) -> u8 {
        generation.wrapping_sub((self.0 >> GENERATION_SHIFT) as u8) % GENERATIONS
    }
}

/// Room for one entry, whatever keeps its two words together. All bits zero is an empty one.
///
/// The seam at which `benches/table` puts other ways in place of [`Slot`]'s.
pub(super) trait Cell {
    /// The key and the data that are here, and in an empty cell zeroes. What no single store left
    /// here must come back under a key that nobody asks for.
    fn load(&self) -> (u64, Data);

    /// Stores `data` under `key` over whatever was here.
    fn store(&self, key: u64, data: Data);

    /// Empties the cell.
    fn clear(&self);
}

/// The [`Cell`] of the table: two words that vouch for each other. A mixture of two stores comes
/// back under a key that is neither's.
#[derive(Default)]
#[repr(C)]
pub(super) struct Slot<W = AtomicU64> {
    /// `key ^ data`.
    check: W,
    data: W,
}

impl<W: Word> Slot<W> {
    #[cfg(all(test, loom))]
    pub(super) fn from_words(check: W, data: W) -> Self {
        Self { check, data }
    }

    /// Puts any bits into one of the two words, as a fault would.
    pub(super) fn overwrite(&self, second: bool, word: u64) {
        if second { self.data.store(word) } else { self.check.store(word) }
    }
}

impl<W: Word> Cell for Slot<W> {
    #[inline]
    fn load(&self) -> (u64, Data) {
        let data = self.data.load();
        (self.check.load() ^ data, Data(data))
    }

    #[inline]
    fn store(&self, key: u64, data: Data) {
        self.check.store(key ^ data.0);
        self.data.store(data.0);
    }

    /// Memory never written is only read, so that clearing a table hardly used does not make the
    /// system hand out and zero all its pages.
    #[inline]
    fn clear(&self) {
        for word in [&self.check, &self.data] {
            if word.load() != 0 {
                word.store(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{INFINITY, MATE, MATE_BAND};

    #[test]
    fn every_field_survives_packing() {
        for value in [0, 1, -1, 350, MATE, -MATE, MATE_BAND, -MATE_BAND, INFINITY, -INFINITY] {
            for (mv, depth) in [(0, 0), (1, 1), (0x8000, 127), (u16::MAX, u8::MAX)] {
                for bound in [Bound::Lower, Bound::Upper, Bound::Exact] {
                    let entry = Entry { mv, value, depth, bound };
                    assert_eq!(Data::new(entry, 63).entry(), Some(entry));
                    assert_eq!(Data::new(entry, 63).0 >> 48, 0);
                }
            }
        }
    }

    #[test]
    fn age_counts_across_the_wrap() {
        let stored = |generation| {
            Data::new(Entry { mv: 1, value: -1, depth: 255, bound: Bound::Exact }, generation)
        };
        assert_eq!(stored(5).age(5), 0);
        assert_eq!(stored(5).age(6), 1);
        assert_eq!(stored(63).age(0), 1);
        assert_eq!(stored(6).age(5), 63);
    }
}
