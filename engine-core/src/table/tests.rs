//! What the module documentation promises, for the table as a whole.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use super::{Entry, Table};
use crate::random::SplitMix64;
use crate::value::{Bound, INFINITY, MATE, Value};

/// An entry whose every field follows from `key`.
fn entry_of(key: u64) -> Entry {
    let mut random = SplitMix64::new(key);
    let bounds = [Bound::Lower, Bound::Upper, Bound::Exact];
    Entry {
        mv: 1 + random.below(u64::from(u16::MAX)) as u16,
        value: random.below(2 * INFINITY as u64 + 1) as Value - INFINITY,
        depth: random.below(256) as u8,
        bound: bounds[random.below(3) as usize],
    }
}

fn entry(mv: u16, value: Value, depth: u8, bound: Bound) -> Entry {
    Entry { mv, value, depth, bound }
}

/// The first `count` keys of a fixed random sequence.
fn keys(count: u64) -> impl Iterator<Item = u64> {
    let mut random = SplitMix64::new(0x7ab1e);
    (0..count).map(move |_| random.next_u64())
}

/// Keys that share a bucket in every table: the bucket follows from the high bits.
const NEIGHBOURS: [u64; 6] = {
    let base = 0x5a5a_0000_0000_0000;
    [base, base + 1, base + 2, base + 3, base + 4, base + 5]
};

fn neighbours_present(table: &Table) -> Vec<usize> {
    (0..NEIGHBOURS.len()).filter(|&i| table.probe(NEIGHBOURS[i]).is_some()).collect()
}

#[test]
#[cfg_attr(miri, ignore = "too much for Miri")]
fn every_size_keeps_what_it_is_given() {
    for megabytes in [0, 1, 2, 3, 5, 7, 33] {
        let table = Table::new(megabytes);
        assert_eq!(table.size_mb(), megabytes.max(1));
        // A quarter of the slots of the smallest table: hardly any bucket overflows.
        let kept = keys(16_384)
            .filter(|&key| {
                table.store(key, entry_of(key));
                table.probe(key) == Some(entry_of(key))
            })
            .count();
        assert_eq!(kept, 16_384, "{megabytes} MB");
        let left = keys(16_384).filter(|&key| table.probe(key).is_some()).count();
        assert!(left > 16_200, "{megabytes} MB: {left} of 16384 left");
    }
}

#[test]
fn the_extreme_keys_have_a_place() {
    let table = Table::new(3);
    for key in [0, 1, u64::MAX, 1 << 63] {
        assert_eq!(table.probe(key), None);
        table.prefetch(key);
        table.store(key, entry_of(key));
        assert_eq!(table.probe(key), Some(entry_of(key)));
    }
}

#[test]
fn mate_values_and_window_limits_come_back() {
    let table = Table::new(1);
    for value in [MATE, MATE - 1, MATE - 127, -MATE, 1 - MATE, INFINITY, -INFINITY, 0, -1] {
        for bound in [Bound::Lower, Bound::Upper, Bound::Exact] {
            table.store(9, entry(0, value, 1, bound));
            assert_eq!(
                table.probe(9).map(|found| (found.value, found.bound)),
                Some((value, bound))
            );
            table.clear(1);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "too much for Miri")]
fn more_memory_than_there_is_becomes_less() {
    let table = Table::new(usize::MAX);
    assert!(table.size_mb() >= 1 && table.size_mb() < usize::MAX / 2);
    for key in [0, u64::MAX] {
        table.store(key, entry_of(key));
        assert_eq!(table.probe(key), Some(entry_of(key)));
    }
}

#[test]
fn a_result_without_a_move_keeps_the_old_move() {
    let table = Table::new(1);
    table.store(5, entry(77, 10, 6, Bound::Exact));
    table.store(5, entry(0, -20, 7, Bound::Upper));
    assert_eq!(table.probe(5), Some(entry(77, -20, 7, Bound::Upper)));
    table.store(5, entry(78, 30, 7, Bound::Lower));
    assert_eq!(table.probe(5), Some(entry(78, 30, 7, Bound::Lower)));
}

#[test]
fn a_much_shallower_bound_does_not_displace_an_exact_value() {
    let exact = entry(1, 10, 12, Bound::Exact);
    let after = |new: Entry| {
        let table = Table::new(1);
        table.store(5, exact);
        table.store(5, new);
        table.probe(5).unwrap()
    };
    assert_eq!(after(entry(2, 40, 8, Bound::Lower)), exact);
    assert_eq!(after(entry(2, 40, 0, Bound::Upper)), exact);
    for wins in [entry(2, 40, 9, Bound::Lower), entry(2, 40, 1, Bound::Exact)] {
        assert_eq!(after(wins), wins);
    }
}

#[test]
fn an_exact_value_of_an_earlier_search_is_not_protected() {
    let table = Table::new(1);
    table.store(5, entry(1, 10, 12, Bound::Exact));
    table.new_search();
    table.store(5, entry(2, 40, 3, Bound::Lower));
    assert_eq!(table.probe(5), Some(entry(2, 40, 3, Bound::Lower)));
}

#[test]
fn the_shallowest_makes_room() {
    let table = Table::new(1);
    for (key, depth) in NEIGHBOURS.into_iter().zip([9, 4, 8, 7, 1, 2]) {
        table.store(key, entry(1, 0, depth, Bound::Exact));
    }
    // 4 went for 1, which went for 2.
    assert_eq!(neighbours_present(&table), [0, 2, 3, 5]);
}

#[test]
fn the_oldest_makes_room_however_deep() {
    let table = Table::new(1);
    let depths = [3, 90, 2, 1];
    for (key, depth) in NEIGHBOURS.into_iter().zip(depths) {
        table.store(key, entry(1, 0, depth, Bound::Exact));
        if depth == 90 {
            table.new_search();
        }
    }
    table.store(NEIGHBOURS[4], entry(1, 0, 0, Bound::Upper));
    assert_eq!(neighbours_present(&table), [1, 2, 3, 4]);
    table.store(NEIGHBOURS[5], entry(1, 0, 0, Bound::Upper));
    assert_eq!(neighbours_present(&table), [2, 3, 4, 5]);
}

#[test]
fn ages_compare_across_the_wrap() {
    let table = Table::new(1);
    (0..63).for_each(|_| table.new_search());
    table.store(NEIGHBOURS[0], entry(1, 0, 50, Bound::Exact));
    table.new_search(); // The counter is 0 again.
    for &key in &NEIGHBOURS[1..5] {
        table.store(key, entry(1, 0, 5, Bound::Exact));
    }
    assert_eq!(neighbours_present(&table), [1, 2, 3, 4]);
}

#[test]
#[cfg_attr(miri, ignore = "too much for Miri")]
fn clearing_empties_every_slot_with_any_number_of_threads() {
    let table = Table::new(3);
    for threads in [0, 1, 2, 3, 64, usize::MAX] {
        for key in keys(50_000) {
            table.store(key, entry_of(key));
        }
        table.clear(threads);
        assert_eq!(keys(50_000).filter(|&key| table.probe(key).is_some()).count(), 0);
        assert_eq!(table.fullness(), 0);
    }
}

/// A terabyte, as far as the system plays along: to look at all of it would take minutes.
#[test]
#[cfg_attr(miri, ignore = "too much for Miri")]
fn clearing_what_was_never_used_looks_at_nothing() {
    let table = Table::new(1 << 20);
    table.clear(1);
    table.new_search();
    table.clear(1);
    assert_eq!(table.fullness(), 0);
}

#[test]
#[cfg_attr(miri, ignore = "too much for Miri")]
fn fullness_counts_this_search_only() {
    let table = Table::new(1);
    assert_eq!(table.fullness(), 0);
    keys(16_384).for_each(|key| table.store(key, entry_of(key)));
    let quarter = table.fullness();
    assert!((200..300).contains(&quarter), "{quarter}");
    table.new_search();
    assert_eq!(table.fullness(), 0);
    keys(1_000_000).for_each(|key| table.store(key, entry_of(key)));
    assert_eq!(table.fullness(), 1000);
}

#[test]
#[cfg_attr(miri, ignore = "too much for Miri")]
fn damaged_words_never_yield_a_wrong_entry() {
    let table = Table::new(1);
    let mut random = SplitMix64::new(0xdead);
    for key in keys(50_000) {
        table.store(key, entry_of(key));
    }
    let before = keys(50_000).filter(|&key| table.probe(key).is_some()).count();
    for index in (0..131_072).step_by(3) {
        let word = match random.below(4) {
            0 => 0,
            1 => u64::MAX,
            _ => random.next_u64(),
        };
        table.overwrite_word(index, word);
    }
    let mut left = 0;
    for key in keys(200_000) {
        if let Some(found) = table.probe(key) {
            assert_eq!(found, entry_of(key));
            left += 1;
        }
    }
    // Two words an entry, every third word hit: a third of the entries are whole.
    assert!(left > before / 4 && left < before / 2, "{left} of {before}");
}

/// Four threads probe and store, `probes` probes in all, in a table too small for their keys,
/// half of the time in one single bucket, while searches begin and entries grow old. Returns how
/// many probes found something; panics if one found what nobody had stored.
fn stress(probes: u64) -> u64 {
    const THREADS: u64 = 4;
    const KEYS: u64 = 1 << 17;
    let table = Table::new(1);
    let hits = AtomicU64::new(0);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (table, hits) = (&table, &hits);
            scope.spawn(move || {
                let mut random = SplitMix64::new(thread);
                let mut found = 0;
                for step in 0..probes / THREADS {
                    let draw = random.next_u64();
                    let key = match draw & 1 {
                        0 => draw >> 1 & 7,
                        _ => SplitMix64::new(draw >> 1 & (KEYS - 1)).next_u64(),
                    };
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
fn threads_at_once_find_only_what_was_stored() {
    // So few under Miri that most keys are never met again.
    let (probes, share) = if cfg!(miri) { (2_000, 16) } else { (4_000_000, 4) };
    let hits = stress(probes);
    assert!(hits > probes / share, "only {hits} of {probes} probes hit");
}

/// `cargo test -p engine-core --release -- --ignored hundred_million`
#[test]
#[ignore = "some seconds of every core"]
fn a_hundred_million_probes_find_only_what_was_stored() {
    let probes = 100_000_000;
    let hits = stress(probes);
    assert!(hits > probes / 4, "only {hits} of {probes} probes hit");
}

#[test]
fn what_others_found_never_takes_the_place_of_something_better() {
    let table = Table::new(1);
    let own = entry(7, 10, 6, Bound::Lower);
    table.store(5, own);
    assert!(!table.admit(5, entry(8, 20, 5, Bound::Exact)), "less deep");
    assert!(!table.admit(5, entry(8, 20, 6, Bound::Lower)), "the same again");
    assert_eq!(table.probe_origin(5), Some((own, false)));
    for better in [entry(8, 20, 6, Bound::Exact), entry(9, -3, 7, Bound::Upper)] {
        assert!(table.admit(5, better), "{better:?}");
        assert_eq!(table.probe_origin(5), Some((better, true)));
    }
    table.store(5, own);
    assert_eq!(table.probe_origin(5), Some((own, false)), "found here, too");
}

#[test]
fn what_others_found_leaves_deeper_neighbours_alone() {
    let table = Table::new(1);
    for &key in &NEIGHBOURS[..4] {
        table.store(key, entry(1, 0, 6, Bound::Exact));
    }
    assert!(!table.admit(NEIGHBOURS[4], entry(1, 0, 5, Bound::Exact)));
    assert_eq!(neighbours_present(&table), [0, 1, 2, 3]);
    assert!(table.admit(NEIGHBOURS[4], entry(1, 0, 7, Bound::Exact)));
    assert_eq!(neighbours_present(&table).len(), 4);
    table.new_search();
    assert!(table.admit(NEIGHBOURS[5], entry(1, 0, 2, Bound::Exact)), "an older search makes room");
}
