//! What was said lately need not be said again.

use super::notes::Note;

/// Entries remembered; each place belongs to the keys that share its low bits.
const REMEMBERED: usize = 8_192;

/// The last entries told, as far as their places have not been taken by others.
#[derive(Debug)]
pub(super) struct Recent {
    places: Vec<Option<Note>>,
}

impl Recent {
    pub fn new() -> Self {
        Self { places: vec![None; REMEMBERED] }
    }

    /// Whether this very result was not told lately; from now on it was.
    pub fn is_news(&mut self, note: &Note) -> bool {
        let place = &mut self.places[note.key as usize % REMEMBERED];
        let said = place.is_some_and(|old| {
            let (old_entry, entry) = (old.entry, note.entry);
            old.key == note.key
                && old_entry.bound == entry.bound
                && old_entry.value == entry.value
                && old_entry.depth >= entry.depth
        });
        if !said {
            *place = Some(*note);
        }
        !said
    }

    pub fn forget(&mut self) {
        self.places.fill(None);
    }
}
