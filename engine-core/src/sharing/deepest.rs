//! The deepest entries told, for those who come later.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::notes::Note;

/// Entries kept: 32 KiB packed, which a newcomer gets from each of the others.
const KEPT: usize = 2_048;

/// The deepest entries of a search, the later ones among equals.
#[derive(Debug, Default)]
pub(super) struct Deepest {
    heap: BinaryHeap<Reverse<Told>>,
    told: u64,
}

/// An entry by its worth.
#[derive(Debug)]
struct Told {
    number: u64,
    note: Note,
}

impl Deepest {
    /// An entry is told.
    pub fn add(&mut self, note: Note) {
        if self.heap.len() >= KEPT {
            if self.heap.peek().is_some_and(|least| least.0.note.entry.depth > note.entry.depth) {
                return;
            }
            self.heap.pop();
        }
        self.told += 1;
        self.heap.push(Reverse(Told { number: self.told, note }));
    }

    /// All of them, in no order.
    pub fn notes(&self) -> Vec<Note> {
        self.heap.iter().map(|told| told.0.note).collect()
    }

    pub fn forget(&mut self) {
        self.heap.clear();
    }
}

impl Told {
    fn worth(&self) -> (u8, u64) {
        (self.note.entry.depth, self.number)
    }
}

impl PartialEq for Told {
    fn eq(&self, other: &Self) -> bool {
        self.worth() == other.worth()
    }
}

impl Eq for Told {}

impl PartialOrd for Told {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Told {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.worth().cmp(&other.worth())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Entry;
    use crate::value::Bound;

    #[test]
    fn the_deepest_and_latest_stay() {
        let mut deepest = Deepest::default();
        for key in 0..3 * KEPT as u64 {
            let depth = if key % 3 == 0 { 9 } else { 4 };
            let entry = Entry { mv: 0, value: 0, depth, bound: Bound::Exact };
            deepest.add(Note { key, entry });
        }
        let notes = deepest.notes();
        assert_eq!(notes.len(), KEPT);
        assert!(notes.iter().all(|note| note.entry.depth == 9));
        deepest.forget();
        assert!(deepest.notes().is_empty());
    }
}
