//! One table for several processes: what is in its file, and who may come and go.
//!
//! - `files`: files that are no such table
//! - `processes`: other processes that use it, and die over it

mod files;
mod processes;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use engine_core::random::SplitMix64;
use engine_core::table::{Entry, Origin, Table};
use engine_core::value::Bound;

/// What the entries of these tests mean.
const SCHEME: u64 = 0x7e57;

/// The file of a test's table, gone when the test is over.
struct Place(PathBuf);

impl Place {
    fn new(test: &str) -> Self {
        let shared = Path::new("/dev/shm");
        let folder = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
        let place = Self(folder.join(format!("aphid-test-{}-{test}", std::process::id())));
        // Left by a process of the same number that was killed.
        let _ = fs::remove_file(&place.0);
        place
    }

    fn open(&self, megabytes: usize) -> (Table, Origin) {
        Table::shared(&self.0, megabytes, SCHEME).expect("a table")
    }

    fn table(&self) -> Table {
        self.open(1).0
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// An entry whose every field follows from `key`.
fn entry_of(key: u64) -> Entry {
    let mut random = SplitMix64::new(key);
    Entry {
        mv: 1 + random.below(60_000) as u16,
        value: random.below(60_001) as i32 - 30_000,
        depth: random.below(256) as u8,
        bound: [Bound::Lower, Bound::Upper, Bound::Exact][random.below(3) as usize],
    }
}

/// The `index`-th key.
fn key(index: u64) -> u64 {
    SplitMix64::new(index).next_u64()
}

/// How many of the first `count` keys are there; panics if one has what nobody stored under it.
fn present(table: &Table, count: u64) -> u64 {
    let found = |index: &u64| {
        let found = table.probe(key(*index));
        assert!(found.is_none_or(|entry| entry == entry_of(key(*index))), "{found:?}");
        found.is_some()
    };
    (0..count).filter(found).count() as u64
}

#[test]
fn two_mappings_are_one_table() {
    let place = Place::new("mappings");
    let (first, made) = place.open(3);
    let (second, found) = place.open(3);
    assert_eq!((made, found), (Origin::Created, Origin::Found));
    for index in 0..1_000 {
        let (one, other) = if index % 2 == 0 { (&first, &second) } else { (&second, &first) };
        one.store(key(index), entry_of(key(index)));
        assert_eq!(other.probe(key(index)), Some(entry_of(key(index))));
    }
    assert_eq!(first.fullness(), second.fullness());
    assert_eq!(first.digest(), second.digest());
}

#[test]
fn it_outlives_its_users_and_keeps_the_size_of_the_first() {
    let place = Place::new("outlives");
    let (table, _) = place.open(5);
    assert_eq!(table.size_mb(), 5);
    table.store(7, entry_of(7));
    drop(table);
    for asked in [0, 1, 5, 64] {
        let (table, origin) = place.open(asked);
        assert_eq!((table.size_mb(), origin), (5, Origin::Found), "{asked} MB asked");
        assert_eq!(table.probe(7), Some(entry_of(7)));
    }
}

#[test]
fn nobody_else_may_open_it() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new("mode");
    let _table = place.table();
    assert_eq!(fs::metadata(&place.0).unwrap().permissions().mode() & 0o7777, 0o600);
}

#[test]
fn a_new_game_empties_it_once_for_all() {
    let place = Place::new("clear");
    let tables = [place.table(), place.table(), place.table()];
    for table in &tables[1..] {
        table.store(7, entry_of(7));
        table.clear(1);
        assert!(table.probe(7).is_some(), "a newcomer came for what is there");
    }
    for game in 0..3 {
        let first = &tables[game];
        first.clear(2);
        assert_eq!(first.probe(7), None);
        first.new_search();
        first.store(7, entry_of(7));
        for table in tables.iter().filter(|table| !std::ptr::eq(*table, first)) {
            table.clear(2);
            table.new_search();
            assert_eq!(table.probe(7), Some(entry_of(7)), "the first has emptied it, in {game}");
        }
        assert!(tables.iter().all(|table| table.fullness() == first.fullness()));
    }
}

#[test]
fn creators_at_the_same_time_agree() {
    let place = Place::new("creators");
    for round in 0..50 {
        let start = Barrier::new(4);
        let create = |megabytes: usize| {
            start.wait();
            let (table, origin) = place.open(megabytes);
            table.store(key(megabytes as u64), entry_of(key(megabytes as u64)));
            (table, origin)
        };
        let tables: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (1..=4).map(|size| scope.spawn(move || create(size))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let made = tables.iter().filter(|(_, origin)| *origin == Origin::Created).count();
        assert_eq!(made, 1, "round {round}");
        for (table, _) in &tables {
            assert_eq!(table.size_mb(), tables[0].0.size_mb(), "round {round}");
            for index in 1..=4 {
                assert_eq!(table.probe(key(index)), Some(entry_of(key(index))), "round {round}");
            }
        }
        fs::remove_file(&place.0).unwrap();
    }
}

/// `threads` threads, each with a mapping of its own, probe and store `probes` times each among
/// twice as many keys as there is room for, half of the time among eight. Returns the hits.
fn stress(place: &Place, threads: u64, probes: u64) -> u64 {
    let hits = AtomicU64::new(0);
    thread::scope(|scope| {
        for thread in 0..threads {
            let (table, hits) = (place.table(), &hits);
            scope.spawn(move || {
                let mut random = SplitMix64::new(thread);
                let mut found = 0;
                for step in 0..probes {
                    let draw = random.next_u64();
                    let key = if draw & 1 == 0 { draw >> 1 & 7 } else { key(draw >> 1 & 0x1_ffff) };
                    if let Some(entry) = table.probe(key) {
                        assert_eq!(entry, entry_of(key), "key {key:#018x}");
                        found += 1;
                    }
                    if draw >> 62 != 0 {
                        table.store(key, entry_of(key));
                    }
                    if step % 0x1_0000 == 0 {
                        table.new_search();
                    }
                }
                hits.fetch_add(found, Relaxed);
            });
        }
    });
    hits.into_inner()
}

#[test]
fn mappings_at_once_find_only_what_was_stored() {
    let place = Place::new("stress");
    let hits = stress(&place, 4, 1_000_000);
    assert!(hits > 1_000_000, "only {hits} of 4000000 probes hit");
}
