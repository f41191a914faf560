//! The deepest entries told, for those who come later.

use std::collections::BTreeMap;

use super::notes::Note;

/// Entries kept: 32 KiB packed, which a newcomer gets from each of the others.
const KEPT: usize = 2_048;

/// The deepest entries of a search, the later ones among equals.
#[derive(Debug, Default)]
pub(super) struct Deepest {
    /// By their worth: depth, then the number of entries told before.
    kept: BTreeMap<(u8, u64), Note>,
    told: u64,
}

impl Deepest {
    /// An entry is told.
    pub fn add(&mut self, note: Note) {
        // Most entries are too shallow to stay: they must cost nothing.
        let least = self.kept.first_key_value().map_or(0, |(&(depth, _), _)| depth);
        if self.kept.len() == KEPT && note.entry.depth < least {
            return;
        }
        self.told += 1;
        self.kept.insert((note.entry.depth, self.told), note);
        if self.kept.len() > KEPT {
            self.kept.pop_first();
        }
    }

    /// All of them, the least deep first.
    pub fn notes(&self) -> Vec<Note> {
        self.kept.values().copied().collect()
    }

    pub fn forget(&mut self) {
        self.kept.clear();
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
