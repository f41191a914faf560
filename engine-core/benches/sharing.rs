//! What sharing costs a worker: `cargo bench -p engine-core --bench sharing`.
//!
//! One item is one entry. A search of a million nodes a second notes some 150,000 a second at most,
//! and may hear the same from each of the others.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use engine_core::random::SplitMix64;
use engine_core::sharing::{BATCH, NOTES_KEPT, Note, Notes, Settings, Sharer, admit, pack, unpack};
use engine_core::table::{Entry, Table};
use engine_core::value::Bound;

fn main() {
    divan::main();
}

/// Table sizes in MB: within the reach of caches, and well beyond it.
const SIZES: [usize; 2] = [1, 256];

/// A batch as a search may make it: each ply less comes four times as often.
fn batch(seed: u64) -> Vec<Note> {
    let mut random = SplitMix64::new(seed);
    let note = |_| {
        let key = random.next_u64();
        let depth = 2 + (random.next_u64() | 1 << 20).trailing_zeros() as u8 / 2;
        Note { key, entry: Entry { mv: key as u16, value: 12, depth, bound: Bound::Lower } }
    };
    (0..BATCH).map(note).collect()
}

/// From the note of a searcher to the bytes for the wire.
#[divan::bench]
fn tell(bencher: Bencher) {
    let settings = Settings { bytes_per_second: 1 << 40, second: 1_000_000 };
    let mut sharer = Sharer::new(settings);
    sharer.tell(1);
    let mut notes = Notes::default();
    let (mut seed, mut now) = (0, 0);
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        (seed, now) = (seed + 1, now + 10_000);
        for part in batch(seed).chunks(NOTES_KEPT) {
            for &note in part {
                notes.note(note);
            }
            sharer.collect(&mut notes, now);
        }
        sharer.poll_batch(now).map(|batch| pack(&batch))
    });
}

/// From the bytes of the wire into the table.
#[divan::bench(args = SIZES)]
fn hear(bencher: Bencher, megabytes: usize) {
    let table = Table::new(megabytes);
    let mut seed = 0;
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        seed += 1;
        admit(&table, &unpack(black_box(&pack(&batch(seed)))).notes)
    });
}

/// What making up a batch takes, contained in the others; packing it, in `hear`.
#[divan::bench]
fn make_up(bencher: Bencher) {
    let mut seed = 0;
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        seed += 1;
        pack(&batch(seed))
    });
}
