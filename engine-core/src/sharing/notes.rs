//! What a searcher writes down for others while it searches.

use std::collections::VecDeque;

use crate::table::{Entry, Table};

use super::threshold::Threshold;

/// Notes kept until somebody takes them. A thread is asked for them every 1,500 nodes, in which it
/// makes about 230 at the least threshold, where everything is told.
pub const NOTES_KEPT: usize = 512;

/// A table entry worth telling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// Key of the entry in the table, whole.
    pub key: u64,
    /// What is known of the position.
    pub entry: Entry,
}

/// Entries whose places in the table are on their way while one is let in.
const AHEAD: usize = 8;

/// Lets what another worker has noted into `table`, where there is nothing better. Returns how much
/// of it.
pub fn admit(table: &Table, notes: &[Note]) -> u64 {
    let mut admitted = 0;
    for (index, note) in notes.iter().enumerate() {
        if let Some(to_come) = notes.get(index + AHEAD) {
            table.prefetch(to_come.key);
        }
        admitted += u64::from(table.admit(note.key, note.entry));
    }
    admitted
}

/// The notes of one searcher: a ring, in which new ones take the place of the oldest.
#[derive(Debug)]
pub struct Notes {
    threshold: Threshold,
    ring: VecDeque<Note>,
    overwritten: u64,
    used: u64,
}

impl Default for Notes {
    /// Notes of a searcher that is to take none.
    fn default() -> Self {
        Self { threshold: Threshold::NEVER, ring: VecDeque::new(), overwritten: 0, used: 0 }
    }
}

impl Notes {
    /// What takes as many nodes as `threshold` is noted from now on.
    pub fn take_from(&mut self, threshold: Threshold) {
        if threshold != Threshold::NEVER && self.ring.capacity() == 0 {
            self.ring.reserve_exact(NOTES_KEPT);
        }
        self.threshold = threshold;
    }

    /// Whether an entry that took so many nodes is noted.
    #[inline]
    pub(crate) fn wants(&self, nodes: u64) -> bool {
        self.threshold.admits(nodes)
    }

    /// Notes an entry.
    #[cold]
    pub fn note(&mut self, note: Note) {
        if self.ring.len() == NOTES_KEPT {
            self.ring.pop_front();
            self.overwritten += 1;
        }
        self.ring.push_back(note);
    }

    /// An entry that came from elsewhere was found in the table.
    #[inline]
    pub(crate) fn count_use(&mut self) {
        self.used += 1;
    }

    /// Takes the notes, the oldest first.
    pub fn drain(&mut self) -> impl Iterator<Item = Note> + '_ {
        self.ring.drain(..)
    }

    /// Notes that nobody took in time, since the last call.
    pub fn take_overwritten(&mut self) -> u64 {
        std::mem::take(&mut self.overwritten)
    }

    /// Entries from elsewhere found in the table, since the last call.
    pub fn take_used(&mut self) -> u64 {
        std::mem::take(&mut self.used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Bound;

    #[test]
    fn the_oldest_make_room() {
        let entry = Entry { mv: 0, value: 1, depth: 3, bound: Bound::Exact };
        let mut notes = Notes::default();
        assert!(!notes.wants(1 << 40), "nothing, unless told to");
        notes.take_from(Threshold::nodes(3));
        assert!(notes.wants(3) && !notes.wants(2));
        let kept = NOTES_KEPT as u64;
        (0..kept + 5).for_each(|key| notes.note(Note { key, entry }));
        assert_eq!(notes.take_overwritten(), 5);
        let keys: Vec<u64> = notes.drain().map(|note| note.key).collect();
        assert_eq!(keys, (5..kept + 5).collect::<Vec<_>>());
        assert_eq!((notes.drain().count(), notes.take_overwritten()), (0, 0));
    }
}
