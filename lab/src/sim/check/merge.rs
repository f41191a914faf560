//! No stale merge: the master takes results from the present owner only, and counts the rest.

use engine_core::aphid::master::Stats;

use super::{Verdict, check};

/// Results delivered to the master, as seen from outside.
#[derive(Debug, Clone, Copy, Default)]
pub struct Merging {
    owners: u64,
    others: u64,
}

impl Merging {
    /// A result was delivered, by the present owner of the leaf or by somebody else.
    pub fn delivered(&mut self, by_owner: bool) {
        if by_owner {
            self.owners += 1;
        } else {
            self.others += 1;
        }
    }

    /// The master's counters say the same.
    pub fn agrees(&self, stats: Stats) -> Verdict {
        let Self { owners, others } = *self;
        check("merge", (stats.results, stats.late_results) == (owners, others), || {
            format!(
                "{owners} results came from owners and {others} late ones, but {} were merged \
                 and {} dropped",
                stats.results, stats.late_results
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merged_late_result_is_found() {
        let mut merging = Merging::default();
        merging.delivered(true);
        merging.delivered(false);
        merging.agrees(Stats { results: 1, late_results: 1, ..Stats::default() }).unwrap();
        assert!(merging.agrees(Stats { results: 2, ..Stats::default() }).is_err());
    }
}
