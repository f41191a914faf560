//! Dynamic Tree Splitting proved on one thread: whoever goes when, `exact` finds the value of
//! plain negamax, and every split block comes back. What holds of every splitter is in
//! `splitters.rs`.

#[path = "common/crowd.rs"]
#[expect(dead_code, reason = "the other tests compare positions too")]
mod crowd;
#[path = "common/negamax.rs"]
mod negamax;
#[path = "common/synthetic.rs"]
mod synthetic;

use crowd::{break_off, compare_trees};
use engine_core::splitter::Splitter;

#[test]
fn synthetic_trees_have_the_values_of_negamax() {
    let sum = compare_trees(Splitter::Dts, 0..2_000);
    assert!(sum.splits > 4_000 && sum.stops > 1_000 && sum.shares > 1_000, "{sum:?}");
}

#[test]
#[ignore = "half a minute"]
fn ten_thousand_trees_have_the_values_of_negamax() {
    compare_trees(Splitter::Dts, 10_000..20_000);
}

#[test]
fn a_stop_at_any_time_releases_everything() {
    let stopped_split = break_off(Splitter::Dts, 3_000, 600);
    assert!(stopped_split > 500, "{stopped_split} of 3000 had split");
}
