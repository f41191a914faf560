//! The promise of [`Slot`], checked over every interleaving of its loads and stores and every
//! value that a relaxed load may return.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p engine-core --release loom`

use ::loom::sync::Arc;
use ::loom::sync::atomic::{AtomicU64, Ordering::Relaxed};
use ::loom::{model, thread};

use super::Entry;
use super::slot::{Cell, Data, Slot, Word};
use crate::value::Bound;

impl Word for AtomicU64 {
    fn load(&self) -> u64 {
        AtomicU64::load(self, Relaxed)
    }
    fn store(&self, value: u64) {
        AtomicU64::store(self, value, Relaxed);
    }
}

const KEYS: [u64; 2] = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210];

/// What is stored under `KEYS[which]`.
fn data(which: usize) -> Data {
    let mv = 1 + which as u16;
    Data::new(Entry { mv, value: -7, depth: 3, bound: Bound::Lower }, 0)
}

/// An empty slot under the model's eye.
fn slot() -> Arc<Slot<AtomicU64>> {
    Arc::new(Slot::from_words(AtomicU64::new(0), AtomicU64::new(0)))
}

/// What is stored under `key`.
fn read(slot: &Slot<AtomicU64>, key: u64) -> Option<Data> {
    let (stored, data) = slot.load();
    (stored == key).then_some(data)
}

#[test]
fn two_writers_never_show_a_reader_a_mixture() {
    model(|| {
        let slot = slot();
        let writers = [0, 1].map(|which| {
            let slot = Arc::clone(&slot);
            thread::spawn(move || slot.store(KEYS[which], data(which)))
        });
        for which in [0, 1] {
            let found = read(&slot, KEYS[which]);
            assert!(found.is_none_or(|found| found == data(which)), "{found:?}");
        }
        for writer in writers {
            writer.join().unwrap();
        }
        // Whoever was last, or a mixture that belongs to nobody.
        let left = [0, 1].map(|which| read(&slot, KEYS[which]));
        assert!(left.iter().filter(|found| found.is_some()).count() <= 1, "{left:?}");
    });
}

#[test]
fn one_writer_leaves_its_entry_to_whoever_joins_it() {
    model(|| {
        let slot = slot();
        let writer = {
            let slot = Arc::clone(&slot);
            thread::spawn(move || slot.store(KEYS[0], data(0)))
        };
        writer.join().unwrap();
        assert_eq!(read(&slot, KEYS[0]), Some(data(0)));
        assert_eq!(read(&slot, KEYS[1]), None);
    });
}
