//! What many seeds come to.

use std::fmt;
use std::ops::AddAssign;

use super::Outcome;

/// Sums over the runs of several seeds, all promises kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    seeds: u64,
    searches: u64,
    late_results: u64,
    reassigned: u64,
    heard: u64,
    crashes: u64,
    freezes: u64,
    partitions: u64,
}

impl AddAssign<&Outcome> for Tally {
    fn add_assign(&mut self, run: &Outcome) {
        self.seeds += 1;
        self.searches += u64::from(run.searches);
        self.late_results += run.late_results;
        self.reassigned += run.reassigned;
        self.heard += run.heard;
        self.crashes += run.faults.crashes;
        self.freezes += run.faults.freezes;
        self.partitions += run.faults.partitions;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "every promise kept in {} seeds, {} searches: {} results late, {} leaves reassigned, \
             {} entries heard; {} crashes, {} freezes, {} partitions",
            self.seeds,
            self.searches,
            self.late_results,
            self.reassigned,
            self.heard,
            self.crashes,
            self.freezes,
            self.partitions,
        )
    }
}
