//! What else could keep the two words of an entry together: one access to both, or a lock.
//!
//! All share the table's own buckets and replacement, compiled in here from its files, and differ
//! in the [`Cell`] alone. They live in ordinary pages, without the table's huge ones.

#[path = "../../src/table/bucket.rs"]
#[expect(dead_code, reason = "the table uses more of it")]
mod bucket;
#[path = "../../src/table/slot.rs"]
#[allow(dead_code, unused_imports, reason = "the table uses more of it, and tests it")]
mod slot;

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{hint, thread};

use divan::Bencher;
use divan::counter::ItemsCount;
use engine_core::random::SplitMix64;
use engine_core::table::Entry;
use portable_atomic::AtomicU128;

use super::{ROUND, THREADS, entry, half, key, time};
use bucket::Bucket;
use slot::{Cell, Data, Slot};

/// Table sizes in MB: within a core's own cache, and beyond every cache but the largest.
const SIZES: [usize; 2] = [1, 512];
/// Buckets that threads fight for.
const CONTESTED: u64 = 4;
/// Operations between two looks at the opponent.
const CHUNK: u64 = 1024;
/// Locks of a [`Striped`] table.
const LOCKS: usize = 1024;

/// A table of one kind.
trait Variant: Sync {
    fn new(buckets: usize) -> Self;
    fn probe(&self, key: u64) -> Option<Entry>;
    fn store(&self, key: u64, entry: Entry);
}

/// Buckets that need no lock.
struct Lockless<C>(Vec<Bucket<C>>);
/// Two words that vouch for each other: what the table uses.
type Xor = Lockless<Slot>;
/// Both words in one access, as far as the processor has one; the crate finds out as it runs.
type Wide = Lockless<AtomicU128>;

impl<C: Cell + Default + Sync> Variant for Lockless<C> {
    fn new(buckets: usize) -> Self {
        Self(empty(buckets))
    }

    fn probe(&self, key: u64) -> Option<Entry> {
        self.0[index(key, self.0.len())].probe(key)
    }

    fn store(&self, key: u64, entry: Entry) {
        self.0[index(key, self.0.len())].store(key, entry, 0);
    }
}

impl Cell for AtomicU128 {
    #[inline]
    fn load(&self) -> (u64, Data) {
        let both = AtomicU128::load(self, Relaxed);
        ((both >> 64) as u64, Data(both as u64))
    }

    #[inline]
    fn store(&self, key: u64, data: Data) {
        AtomicU128::store(self, u128::from(key) << 64 | u128::from(data.0), Relaxed);
    }

    fn clear(&self) {
        AtomicU128::store(self, 0, Relaxed);
    }
}

/// Two words that only a lock keeps together.
#[derive(Default)]
#[repr(C)]
struct Plain {
    key: AtomicU64,
    data: AtomicU64,
}

impl Cell for Plain {
    #[inline]
    fn load(&self) -> (u64, Data) {
        (self.key.load(Relaxed), Data(self.data.load(Relaxed)))
    }

    #[inline]
    fn store(&self, key: u64, data: Data) {
        self.key.store(key, Relaxed);
        self.data.store(data.0, Relaxed);
    }

    fn clear(&self) {
        self.store(0, Data(0));
    }
}

/// A lock with a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
struct Lock(Mutex<()>);

/// Buckets under a lock for every so many of them.
struct Striped {
    buckets: Vec<Bucket<Plain>>,
    locks: Vec<Lock>,
}

impl Striped {
    #[inline]
    fn lock(&self, index: usize) -> (&Bucket<Plain>, MutexGuard<'_, ()>) {
        let lock = self.locks[index % LOCKS].0.lock();
        (&self.buckets[index], lock.unwrap_or_else(PoisonError::into_inner))
    }
}

impl Variant for Striped {
    fn new(buckets: usize) -> Self {
        Self { buckets: empty(buckets), locks: (0..LOCKS).map(|_| Lock::default()).collect() }
    }

    fn probe(&self, key: u64) -> Option<Entry> {
        let (bucket, _guard) = self.lock(index(key, self.buckets.len()));
        bucket.probe(key)
    }

    fn store(&self, key: u64, entry: Entry) {
        let (bucket, _guard) = self.lock(index(key, self.buckets.len()));
        bucket.store(key, entry, 0);
    }
}

fn empty<C: Cell + Default>(buckets: usize) -> Vec<Bucket<C>> {
    (0..buckets).map(|_| Bucket { slots: Default::default() }).collect()
}

/// The table's own choice of a bucket.
#[inline]
fn index(key: u64, buckets: usize) -> usize {
    ((u128::from(key) * buckets as u128) >> 64) as usize
}

/// A table with about half of its slots in use, by the first keys.
fn half_full<V: Variant>(megabytes: usize) -> V {
    let table = V::new((megabytes << 20) / size_of::<Bucket>());
    for index in 0..half(megabytes) {
        table.store(key(index), entry(key(index)));
    }
    table
}

#[divan::bench(types = [Xor, Wide, Striped], args = SIZES, threads = THREADS)]
fn probe<V: Variant>(bencher: Bencher, megabytes: usize) {
    let table: V = half_full(megabytes);
    time(bencher, half(megabytes), |key| table.probe(key));
}

#[divan::bench(types = [Xor, Wide, Striped], args = SIZES, threads = THREADS)]
fn probe_and_store<V: Variant>(bencher: Bencher, megabytes: usize) {
    let table: V = half_full(megabytes);
    time(bencher, 4 * half(megabytes), |key| {
        let found = table.probe(key);
        table.store(key, entry(key));
        found
    });
}

/// Another thread in the same few buckets, all of them full; one store for `probes` probes.
///
/// The system seldom runs two threads at the same time when others want processors too. So the
/// opponent is asked, before every [`CHUNK`] of operations, whether it is at work, and the
/// *fastest* rounds are those in which it always was, and nobody was interrupted.
fn contested<V: Variant>(bencher: Bencher, opponents: usize, probes: u64) {
    let table = V::new(CONTESTED as usize);
    let keys = CONTESTED * bucket::SLOTS as u64;
    (0..keys).for_each(|index| table.store(key(index), entry(key(index))));
    let operation = |index: u64| {
        let key = key(index % keys);
        if key.is_multiple_of(probes) {
            table.store(key, entry(key));
        }
        table.probe(key).map_or(0, |found| u64::from(found.depth))
    };
    let (asked, answered) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..opponents {
            scope.spawn(|| {
                let mut random = SplitMix64::new(u64::MAX);
                while asked.load(Relaxed) < u64::MAX {
                    answered.store(asked.load(Relaxed), Relaxed);
                    (0..16).for_each(|_| _ = divan::black_box(operation(random.next_u64() >> 8)));
                }
            });
        }
        let random = || SplitMix64::new(asked.load(Relaxed));
        bencher.counter(ItemsCount::new(ROUND)).with_inputs(random).bench_local_values(
            |mut random| {
                let mut last = 0;
                for step in 0..ROUND {
                    if opponents > 0 && step % CHUNK == 0 {
                        let question = asked.fetch_add(1, Relaxed) + 1;
                        while answered.load(Relaxed) < question {
                            hint::spin_loop();
                        }
                    }
                    last = operation((random.next_u64() >> 8) + last);
                }
                last
            },
        );
        asked.store(u64::MAX, Relaxed);
    });
}

#[divan::bench(types = [Xor, Wide, Striped], args = [0, 1], sample_count = 200)]
fn contested_mostly_read<V: Variant>(bencher: Bencher, opponents: usize) {
    contested::<V>(bencher, opponents, 16);
}

#[divan::bench(types = [Xor, Wide, Striped], args = [0, 1], sample_count = 200)]
fn contested_all_write<V: Variant>(bencher: Bencher, opponents: usize) {
    contested::<V>(bencher, opponents, 1);
}
