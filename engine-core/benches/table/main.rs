//! What a probe and a store cost: `cargo bench -p engine-core --bench table`.
//!
//! Every key depends on what the probe before it found, as in a search, so a row is nearer to a
//! latency than to a throughput (a processor that guesses hit or miss right still overlaps some,
//! most of all in `probe_and_store`, which mostly misses). Compare rows with each other rather
//! than with another machine's; `no_table` is the cost of choosing the keys, contained in all.
//!
//! [`variants`] compares what else could keep the two words of an entry together.

mod variants;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use divan::Bencher;
use divan::counter::ItemsCount;
use engine_core::random::SplitMix64;
use engine_core::table::{Entry, Table};
use engine_core::value::{self, Bound};

fn main() {
    divan::main();
}

/// Table sizes in MB: within the reach of caches, and well beyond it.
const SIZES: [usize; 2] = [16, 256];
/// Threads that share the table.
const THREADS: [usize; 2] = [1, 2];
/// Operations in one timed round.
const ROUND: u64 = 8192;

/// The `index`-th key.
fn key(index: u64) -> u64 {
    SplitMix64::new(index).next_u64()
}

fn entry(key: u64) -> Entry {
    Entry { mv: key as u16 | 1, value: 25, depth: 7, bound: Bound::Lower }
}

/// Entries that fill half of a table.
fn half(megabytes: usize) -> u64 {
    (megabytes << 20) as u64 / 16 / 2
}

/// A table with about half of its slots in use, by the first keys.
fn half_full(megabytes: usize) -> Table {
    fill(Table::new(megabytes), megabytes)
}

fn fill(table: Table, megabytes: usize) -> Table {
    for index in 0..half(megabytes) {
        table.store(key(index), entry(key(index)));
    }
    table
}

/// Times rounds of `operation`, each on a random index below `keys`.
fn time(bencher: Bencher, keys: u64, operation: impl Fn(u64) -> Option<Entry> + Sync) {
    let seed = AtomicU64::new(0);
    bencher
        .counter(ItemsCount::new(ROUND))
        .with_inputs(|| SplitMix64::new(seed.fetch_add(1, Relaxed)))
        .bench_values(|mut random| {
            let mut last = 0;
            for _ in 0..ROUND {
                // The last probe decides the next key, as in a search.
                let index = (random.below(keys) + last) % keys;
                last = operation(key(index)).map_or(0, |found| u64::from(found.depth));
            }
            last
        });
}

#[divan::bench(args = SIZES, threads = THREADS)]
fn no_table(bencher: Bencher, megabytes: usize) {
    time(bencher, half(megabytes), |key| divan::black_box(Some(entry(key))));
}

#[divan::bench(args = SIZES, threads = THREADS)]
fn probe_hit(bencher: Bencher, megabytes: usize) {
    let table = half_full(megabytes);
    time(bencher, half(megabytes), |key| table.probe(key));
}

/// The same in memory that processes share, which systems seldom give in huge pages.
#[cfg(target_os = "linux")]
#[divan::bench(args = SIZES, threads = THREADS)]
fn probe_hit_between_processes(bencher: Bencher, megabytes: usize) {
    let path = format!("/dev/shm/aphid-bench-{}", std::process::id());
    let table = Table::shared(path.as_ref(), megabytes, 0);
    // The mapping stays.
    std::fs::remove_file(path).expect("the file of the table");
    let table = fill(table.expect("shared memory").0, megabytes);
    time(bencher, half(megabytes), |key| table.probe(key));
}

#[divan::bench(args = SIZES, threads = THREADS)]
fn probe_miss(bencher: Bencher, megabytes: usize) {
    let table = half_full(megabytes);
    time(bencher, half(megabytes), |key| table.probe(!key));
}

/// Random keys, twice as many as the table has room for: replacement at work.
#[divan::bench(args = SIZES, threads = THREADS)]
fn probe_and_store(bencher: Bencher, megabytes: usize) {
    let table = half_full(megabytes);
    time(bencher, 4 * half(megabytes), |key| {
        let found = table.probe(key);
        table.store(key, entry(key));
        found
    });
}

/// Stands for what a search does between knowing a position's key and probing for it: checks for
/// repetition, for time, for a won ending. One long chain of arithmetic, some 50 ns.
fn work(key: u64) {
    divan::black_box((0..16).fold(key, |chain, _| SplitMix64::new(chain).next_u64()));
}

#[divan::bench(args = SIZES, threads = THREADS)]
fn work_then_probe(bencher: Bencher, megabytes: usize) {
    let table = half_full(megabytes);
    time(bencher, half(megabytes), |key| {
        work(key);
        table.probe(key)
    });
}

#[divan::bench(args = SIZES, threads = THREADS)]
fn prefetch_then_work_then_probe(bencher: Bencher, megabytes: usize) {
    let table = half_full(megabytes);
    time(bencher, half(megabytes), |key| {
        table.prefetch(key);
        work(key);
        table.probe(key)
    });
}
