//! What all users of one table must agree on besides its entries.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::slot::GENERATIONS;

/// Lives beside the buckets, in the same memory: users may be threads or processes. Zero at first.
/// Any bits are a valid state, whoever wrote them.
#[repr(C, align(64))]
pub(super) struct State {
    /// Searches begun, wrapping.
    searches: AtomicU32,
    /// Times the table was emptied, wrapping.
    clears: AtomicU32,
    /// Not 0: something may have been stored since the table was last emptied.
    used: AtomicU32,
}

/// The counts of a [`State`] as one process last saw them.
#[derive(Default)]
pub(super) struct Seen {
    searches: AtomicU32,
    clears: AtomicU32,
}

impl Seen {
    /// For a process that finds this state, which was not made for it. Its first clear is left
    /// undone.
    pub(super) fn newcomer(state: &State) -> Self {
        let searches = state.searches.load(Relaxed);
        let clears = state.clears.load(Relaxed).wrapping_sub(1);
        Self { searches: searches.into(), clears: clears.into() }
    }
}

impl State {
    /// Number of the current search.
    #[inline]
    pub(super) fn generation(&self) -> u8 {
        (self.searches.load(Relaxed) % u32::from(GENERATIONS)) as u8
    }

    /// Must come before anything is stored. Writes once only, so that the cache line stays shared.
    #[inline]
    pub(super) fn mark_used(&self) {
        if self.used.load(Relaxed) == 0 {
            self.used.store(1, Relaxed);
        }
    }

    /// Begins a search, unless another process has done so since this one last did.
    pub(super) fn begin_search(&self, seen: &Seen) {
        advance(&self.searches, &seen.searches);
    }

    /// Whether the caller has to empty the table: not if nothing was stored since the last time,
    /// nor if another process has done it since this one last did.
    pub(super) fn begin_clear(&self, seen: &Seen) -> bool {
        // The mark goes before the entries do, so that one stored meanwhile sets it again.
        advance(&self.clears, &seen.clears) && self.used.swap(0, Relaxed) != 0
    }
}

/// Adds one to a count that several processes want to advance once all together: whoever comes
/// first advances it, the others find that it has moved since they last saw it and leave it there.
/// Returns whether this caller was the first.
fn advance(count: &AtomicU32, seen: &AtomicU32) -> bool {
    let before = seen.load(Relaxed);
    let next = before.wrapping_add(1);
    let moved = count.compare_exchange(before, next, Relaxed, Relaxed).err();
    seen.store(moved.unwrap_or(next), Relaxed);
    moved.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> State {
        State { searches: 0.into(), clears: 0.into(), used: 0.into() }
    }

    #[test]
    fn several_users_begin_one_search_together() {
        let (state, users) = (state(), [Seen::default(), Seen::default(), Seen::default()]);
        for round in 1..200_u8 {
            for user in &users {
                state.begin_search(user);
            }
            assert_eq!(state.generation(), round % GENERATIONS);
        }
        // One that missed searches catches up with the others, and leads the next time.
        (0..3).for_each(|_| state.begin_search(&users[0]));
        state.begin_search(&users[1]);
        assert_eq!(state.generation(), 202 % GENERATIONS);
        state.begin_search(&users[1]);
        assert_eq!(state.generation(), 203 % GENERATIONS);
    }

    #[test]
    fn only_the_first_user_empties_what_was_used() {
        let (state, users) = (state(), [Seen::default(), Seen::default()]);
        assert!(!state.begin_clear(&users[0]), "nothing was stored");
        state.mark_used();
        assert!(!state.begin_clear(&users[1]), "the other has done it");
        assert!(state.begin_clear(&users[1]), "once more, by itself");
        state.mark_used();
        assert!(!state.begin_clear(&users[0]), "the other has done it");
        assert!(state.begin_clear(&users[0]));
        assert!(!state.begin_clear(&users[0]), "nothing was stored since");
    }

    #[test]
    fn a_newcomer_keeps_what_it_finds() {
        let (state, first) = (state(), Seen::default());
        state.begin_search(&first);
        state.mark_used();
        let newcomer = Seen::newcomer(&state);
        assert!(!state.begin_clear(&newcomer), "it came for what is there");
        state.begin_search(&newcomer);
        assert_eq!(state.generation(), 2);
        assert!(state.begin_clear(&newcomer), "another game");
    }

    #[test]
    fn counts_wrap() {
        let state = State { searches: u32::MAX.into(), ..state() };
        let seen = Seen { searches: u32::MAX.into(), ..Seen::default() };
        assert_eq!(state.generation(), 63);
        state.begin_search(&seen);
        state.begin_search(&seen);
        assert_eq!(state.generation(), 1);
    }
}
