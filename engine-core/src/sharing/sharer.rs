//! Which entries a worker tells the others, and when.

use std::collections::VecDeque;
use std::ops::Add;

use super::budget::Budget;
use super::deepest::Deepest;
use super::notes::{Note, Notes};
use super::packed::PACKED_BYTES;
use super::recent::Recent;
use super::threshold::Threshold;

/// Entries in a batch at most: 32 KiB packed.
pub const BATCH: usize = 2_048;
/// Entries that wait for the budget at most; when there are more the oldest are given up.
const WAITING: usize = 2 * BATCH;
/// An entry waits for others to travel with, for this part of the time that the search has taken:
/// each message costs as much as some hundred entries, and what is a moment late in a long search
/// is no less worth.
const HASTE: u64 = 64;
/// It waits for these parts of a second at least and at most.
const PATIENCE: (u64, u64) = (2_000, 20);

/// How a sharer works.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Bytes it may send in a second, all copies of an entry counted.
    pub bytes_per_second: u64,
    /// Units of the driver's time in a second.
    pub second: u64,
}

/// What became of entries, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Entries sent, copies not counted.
    pub sent: u64,
    /// Bytes sent, all copies counted.
    pub sent_bytes: u64,
    /// Entries noted and not sent: told lately, no budget, or nobody took the note in time.
    pub unsent: u64,
    /// Entries that came from others.
    pub received: u64,
    /// Of those, how many the table had nothing better than.
    pub admitted: u64,
    /// Entries that came malformed or too late.
    pub rejected: u64,
    /// Copies sent that the network had no room for.
    pub lost: u64,
    /// Times a search found an entry from another worker in its table.
    pub used: u64,
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            sent: self.sent + other.sent,
            sent_bytes: self.sent_bytes + other.sent_bytes,
            unsent: self.unsent + other.unsent,
            received: self.received + other.received,
            admitted: self.admitted + other.admitted,
            rejected: self.rejected + other.rejected,
            lost: self.lost + other.lost,
            used: self.used + other.used,
        }
    }
}

/// Collects what the searchers of a worker have noted and makes batches for the others.
#[derive(Debug)]
pub struct Sharer {
    second: u64,
    budget: Budget,
    recent: Recent,
    deepest: Deepest,
    /// Workers that each entry is sent to.
    copies: u64,
    waiting: VecDeque<Note>,
    /// When they are to be sent at the latest.
    due: u64,
    /// When the search began.
    began: u64,
    /// What became of entries.
    pub tally: Tally,
}

impl Sharer {
    /// A sharer that nobody listens to yet.
    pub fn new(settings: Settings) -> Self {
        let Settings { bytes_per_second, second } = settings;
        Self {
            second,
            budget: Budget::new(bytes_per_second, second),
            recent: Recent::new(),
            deepest: Deepest::default(),
            copies: 0,
            waiting: VecDeque::with_capacity(WAITING),
            due: 0,
            began: 0,
            tally: Tally::default(),
        }
    }

    /// Entries are sent so many times each from now on; 0: there is nobody to tell.
    pub fn tell(&mut self, copies: usize) {
        self.copies = copies as u64;
        self.budget.listen(copies);
        if copies == 0 {
            self.waiting.clear();
        }
    }

    /// Another search begins: what was told in the last one may be forgotten there.
    pub fn begin(&mut self, now: u64) {
        self.began = now;
        self.recent.forget();
        self.deepest.forget();
        self.waiting.clear();
    }

    /// What a listener that comes now should know: the deepest entries told in this search.
    pub fn greeting(&mut self) -> Vec<Note> {
        let notes = self.deepest.notes();
        let bytes = (notes.len() * PACKED_BYTES) as u64;
        self.budget.spend(bytes);
        self.tally.sent_bytes += bytes;
        notes
    }

    /// Takes the notes of a searcher, and tells it what to note from now on.
    pub fn collect(&mut self, notes: &mut Notes, now: u64) {
        self.tally.unsent += notes.take_overwritten();
        self.tally.used += notes.take_used();
        for note in notes.drain() {
            if self.copies == 0 || !self.recent.is_news(&note) {
                self.tally.unsent += 1;
                continue;
            }
            self.budget.want(self.copies * PACKED_BYTES as u64);
            if self.waiting.is_empty() {
                self.due = now + self.patience(now);
            }
            if self.waiting.len() == WAITING {
                self.waiting.pop_front();
                self.tally.unsent += 1;
            }
            self.waiting.push_back(note);
        }
        notes.take_from(if self.copies == 0 { Threshold::NEVER } else { self.threshold() });
    }

    fn patience(&self, now: u64) -> u64 {
        let (least, most) = (self.second / PATIENCE.0, self.second / PATIENCE.1);
        (now.saturating_sub(self.began) / HASTE).clamp(least, most)
    }

    /// When there will be a batch at the latest, if nothing else happens.
    pub fn poll_timeout(&self) -> Option<u64> {
        (!self.waiting.is_empty()).then_some(self.due)
    }

    /// There is a whole batch to be sent, if the budget has room for it.
    pub fn is_full(&self) -> bool {
        self.waiting.len() >= BATCH
    }

    /// There is a batch to be sent, if the budget has room for it.
    fn is_ripe(&self, now: u64) -> bool {
        self.is_full() || self.poll_timeout().is_some_and(|at| at <= now)
    }

    /// A batch to be sent to every listener, when one is full or has waited long enough and the
    /// budget has room for it.
    pub fn poll_batch(&mut self, now: u64) -> Option<Vec<Note>> {
        self.budget.pass(now);
        if !self.is_ripe(now) || self.copies == 0 {
            return None;
        }
        let each = self.copies * PACKED_BYTES as u64;
        let affordable = (self.budget.allowance() / each) as usize;
        let length = self.waiting.len().min(BATCH).min(affordable);
        // What there is no room for now waits as long again.
        self.due = now + self.patience(now);
        if length == 0 {
            return None;
        }
        self.budget.spend(length as u64 * each);
        self.tally.sent += length as u64;
        self.tally.sent_bytes += length as u64 * each;
        let batch: Vec<Note> = self.waiting.drain(..length).collect();
        for &note in &batch {
            self.deepest.add(note);
        }
        Some(batch)
    }

    /// Nodes that an entry must have taken to be told.
    pub fn threshold(&self) -> Threshold {
        self.budget.threshold()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Entry;
    use crate::value::Bound;

    /// Units of time in a second here: an entry waits for 5 at least and 500 at most.
    const SECOND: u64 = 10_000;

    /// A sharer with two listeners.
    fn sharer(bytes_per_second: u64) -> Sharer {
        let mut sharer = Sharer::new(Settings { bytes_per_second, second: SECOND });
        sharer.tell(2);
        sharer.collect(&mut Notes::default(), 0);
        sharer
    }

    fn note(key: u64, depth: u8) -> Note {
        Note { key, entry: Entry { mv: 1, value: 7, depth, bound: Bound::Lower } }
    }

    /// Notes of these keys, all of depth 9.
    fn notes(keys: std::ops::Range<u64>) -> Notes {
        let mut notes = Notes::default();
        keys.for_each(|key| notes.note(note(key, 9)));
        notes
    }

    #[test]
    fn a_batch_waits_for_company_but_not_for_long() {
        let mut sharer = sharer(1_000_000);
        assert_eq!((sharer.poll_batch(0), sharer.poll_timeout()), (None, None));
        sharer.collect(&mut notes(0..3), 10);
        assert_eq!((sharer.poll_batch(14), sharer.poll_timeout()), (None, Some(15)));
        assert_eq!(sharer.poll_batch(15).map(|batch| batch.len()), Some(3));
        assert_eq!((sharer.poll_batch(99), sharer.poll_timeout()), (None, None));
        for first in (0..BATCH as u64).step_by(100) {
            sharer.collect(&mut notes(1_000 + first..1_100 + first), 100);
        }
        assert_eq!(sharer.poll_batch(100).map(|batch| batch.len()), Some(BATCH), "a full one");
        assert_eq!(sharer.tally.sent_bytes, sharer.tally.sent * 2 * PACKED_BYTES as u64);
    }

    #[test]
    fn the_longer_a_search_takes_the_longer_an_entry_waits() {
        let mut sharer = sharer(1_000_000);
        let mut waits = |now: u64| {
            sharer.collect(&mut notes(now..now + 1), now);
            let due = sharer.poll_timeout().unwrap();
            assert!(sharer.poll_batch(due).is_some());
            due - now
        };
        assert_eq!([6_400, 1_000_000].map(&mut waits), [100, 500]);
        sharer.begin(1_000_000);
        sharer.collect(&mut notes(0..1), 1_000_064);
        assert_eq!(sharer.poll_timeout(), Some(1_000_069), "another search");
    }

    #[test]
    fn nothing_is_told_twice_in_a_row() {
        let mut sharer = sharer(1_000_000);
        for _ in 0..2 {
            sharer.collect(&mut notes(0..3), 0);
        }
        assert_eq!(sharer.poll_batch(5).map(|batch| batch.len()), Some(3));
        sharer.collect(&mut notes(0..3), 6);
        assert_eq!((sharer.poll_batch(99), sharer.tally.unsent), (None, 6));
        sharer.begin(100);
        sharer.collect(&mut notes(0..3), 100);
        assert!(sharer.poll_batch(105).is_some(), "another search");
    }

    #[test]
    fn the_budget_holds_and_the_oldest_is_given_up() {
        // In a tenth of a second 3,200 bytes, which are two copies of 100 entries.
        let mut sharer = sharer(32_000);
        let mut told = 0;
        for first in (0..10_000).step_by(200) {
            sharer.collect(&mut notes(first..first + 200), 5);
            while let Some(batch) = sharer.poll_batch(10) {
                told += batch.len();
            }
        }
        assert_eq!(told, 100);
        let next = sharer.poll_batch(1_000).map(|batch| batch[0].key);
        assert_eq!(next, Some(10_000 - WAITING as u64), "what came later is worth more");
    }

    #[test]
    fn without_listeners_nothing_is_noted() {
        let mut sharer = sharer(1_000_000);
        let mut searcher = notes(0..1);
        sharer.tell(0);
        sharer.collect(&mut searcher, 0);
        assert_eq!((sharer.poll_batch(5), sharer.poll_timeout()), (None, None));
        assert!(!searcher.wants(1 << 40));
        sharer.tell(1);
        sharer.collect(&mut searcher, 0);
        assert!(searcher.wants(100));
    }
}
