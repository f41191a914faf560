//! Moves that somebody is searching: a small table without locks.

use std::sync::atomic::Ordering::Relaxed;

use crate::sync::AtomicU64;

/// Places in which the mark of a move may stand.
const WAYS: usize = 4;
/// Groups of places, a power of two. With one mark a ply for each processor, few are ever in use.
const GROUPS: usize = 4096;

/// A set of marked moves, each by a name that is not 0. A name stands here at most once for each
/// processor; if there is no room for it, it is not marked, which costs only time.
#[derive(Debug)]
pub(super) struct Marks(Box<[AtomicU64]>);

/// The place of one mark. Whoever has it takes the mark away again.
#[derive(Debug)]
#[must_use]
pub(super) struct Place(usize);

impl Marks {
    /// No marks.
    pub fn new() -> Self {
        Self((0..WAYS * GROUPS).map(|_| AtomicU64::new(0)).collect())
    }

    fn ways(name: u64) -> std::ops::Range<usize> {
        let first = WAYS * (name >> 32) as usize % (WAYS * GROUPS);
        first..first + WAYS
    }

    /// Somebody is searching the move of this name.
    pub fn has(&self, name: u64) -> bool {
        self.0[Self::ways(name)].iter().any(|place| place.load(Relaxed) == name)
    }

    /// Marks the move of this name, if there is room.
    pub fn set(&self, name: u64) -> Option<Place> {
        let free = |&at: &usize| self.0[at].compare_exchange(0, name, Relaxed, Relaxed).is_ok();
        Self::ways(name).find(free).map(Place)
    }

    /// Takes a mark away.
    pub fn clear(&self, Place(at): Place) {
        self.0[at].store(0, Relaxed);
    }

    /// How many marks there are.
    pub fn len(&self) -> usize {
        self.0.iter().filter(|place| place.load(Relaxed) != 0).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_stands_until_its_place_is_cleared() {
        let marks = Marks::new();
        let places: Vec<_> = (1..=4).map(|name| marks.set(name).expect("room for four")).collect();
        assert!(marks.set(5).is_none(), "the group is full");
        assert!((1..=4).all(|name| marks.has(name)) && !marks.has(5));
        assert_eq!(marks.len(), 4);
        for place in places {
            marks.clear(place);
        }
        assert_eq!(marks.len(), 0);
        let mark = || marks.set(7).expect("room for two");
        let (first, second) = (mark(), mark());
        marks.clear(first);
        assert!(marks.has(7), "the mark of another processor");
        marks.clear(second);
        assert!(!marks.has(7));
    }
}
