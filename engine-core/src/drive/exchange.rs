//! What the threads of a worker tell other workers, and are told by them.
//!
//! Search threads hand in their notes between two slices and never wait: if the lock is taken,
//! the notes stay where they are until next time. Whoever carries batches to other workers is woken
//! when there is one. What comes from others goes straight into the table, which needs no lock.

#![expect(
    clippy::disallowed_methods,
    reason = "time decides when hints are told, never what is found"
)]

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use crate::sharing::{Note, Notes, Settings, Sharer, Tally, admit, unpack};
use crate::table::Table;

/// Microseconds, the unit of time here, in a second.
const SECOND: u64 = 1_000_000;

/// See the module. Shared by threads and whoever talks for them.
pub struct Exchange {
    sharer: Mutex<Sharer>,
    table: Arc<Table>,
    began: Instant,
    notify: Box<dyn Fn() + Send + Sync>,
}

impl Exchange {
    /// An exchange for the threads that share `table`, which may send so many bytes a second.
    /// Nothing is noted until somebody [listens](Self::tell). `notify` is called, on any thread,
    /// when there is something to wait for, or a whole batch to be had; it must not block.
    pub fn new(
        bytes_per_second: u64,
        table: Arc<Table>,
        notify: Box<dyn Fn() + Send + Sync>,
    ) -> Self {
        let sharer = Sharer::new(Settings { bytes_per_second, second: SECOND });
        Self { sharer: Mutex::new(sharer), table, began: Instant::now(), notify }
    }

    /// Another search begins; what is counted is counted anew.
    pub fn begin(&self) {
        let mut sharer = self.lock();
        sharer.begin(self.now());
        sharer.tally = Tally::default();
    }

    /// So many other workers listen from now on.
    pub fn tell(&self, listeners: usize) {
        self.lock().tell(listeners);
    }

    /// Takes the notes of a searcher, unless another thread is just at it.
    pub fn collect(&self, notes: &mut Notes) {
        let mut sharer = match self.sharer.try_lock() {
            Ok(sharer) => sharer,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        let nothing_waited = sharer.poll_timeout().is_none();
        sharer.collect(notes, self.now());
        let something_waits = sharer.poll_timeout().is_some();
        let due = sharer.is_full() || (nothing_waited && something_waits);
        drop(sharer);
        if due {
            (self.notify)();
        }
    }

    /// How long until there is a batch, if nothing else happens. Nothing: there is nothing to wait
    /// for.
    pub fn poll_timeout(&self) -> Option<Duration> {
        let at = self.lock().poll_timeout()?;
        Some(Duration::from_micros(at.saturating_sub(self.now())))
    }

    /// The next batch for all listeners.
    pub fn poll_batch(&self) -> Option<Vec<Note>> {
        let now = self.now();
        self.lock().poll_batch(now)
    }

    /// What a new listener should know: the deepest entries told so far in this search.
    pub fn greeting(&self) -> Vec<Note> {
        self.lock().greeting()
    }

    /// Takes in packed entries of another worker. Nothing but the entries in range is believed.
    pub fn admit(&self, packed: &[u8]) {
        let unpacked = unpack(packed);
        let admitted = admit(&self.table, &unpacked.notes);
        let tally = &mut self.lock().tally;
        tally.received += unpacked.notes.len() as u64;
        tally.admitted += admitted;
        tally.rejected += unpacked.malformed as u64;
    }

    /// So many entries came that cannot be for the running search.
    pub fn reject(&self, entries: u64) {
        self.lock().tally.rejected += entries;
    }

    /// So many copies of entries were sent and did not leave, or left in vain.
    pub fn lose(&self, entries: u64) {
        self.lock().tally.lost += entries;
    }

    /// What became of entries since the search began.
    pub fn tally(&self) -> Tally {
        self.lock().tally
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_micros() as u64
    }

    /// A thread that panics while holding the lock breaks nothing worse than a few hints.
    fn lock(&self) -> MutexGuard<'_, Sharer> {
        self.sharer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use super::*;
    use crate::sharing::{BATCH, pack};
    use crate::table::Entry;
    use crate::value::Bound;

    #[test]
    fn what_one_exchange_gives_another_takes() {
        let rung = Arc::new(AtomicU32::new(0));
        let bell = Arc::clone(&rung);
        let ring = Box::new(move || {
            bell.fetch_add(1, Relaxed);
        });
        let (here, there) = (Arc::new(Table::new(1)), Arc::new(Table::new(1)));
        let teller = Exchange::new(1 << 30, here, ring);
        let told = Exchange::new(1 << 30, Arc::clone(&there), Box::new(|| {}));
        teller.tell(1);
        let entry = Entry { mv: 3, value: -9, depth: 8, bound: Bound::Upper };
        let mut keys = (0..BATCH as u64).map(|key| key.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        while teller.tally().sent == 0 {
            let mut notes = Notes::default();
            for key in keys.by_ref().take(100) {
                notes.note(Note { key, entry });
            }
            teller.collect(&mut notes);
            if let Some(batch) = teller.poll_batch() {
                assert!(rung.load(Relaxed) > 0, "somebody was told");
                told.admit(&pack(&batch));
            }
        }
        let tally = told.tally();
        assert_eq!((tally.received, tally.admitted), (teller.tally().sent, tally.received));
        assert_eq!(there.probe_origin(0), Some((entry, true)));
        assert!(teller.greeting().len() as u64 >= tally.received);
        told.admit(&[1; 17]);
        told.reject(5);
        assert_eq!(told.tally().rejected, 7);
    }
}
