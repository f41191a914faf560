//! What comes too late to be of use: it is counted and dropped.

use std::ops::{AddAssign, Sub};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use engine_core::aphid::master::Stats;
use engine_core::aphid::messages::Event;

/// An amount of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Late {
    /// Results of leaves.
    pub results: u64,
    /// Leaves said to be under way.
    pub reports: u64,
}

impl Late {
    /// All of an event, when nobody is there to take it in.
    pub fn all_of(event: &Event) -> Self {
        match event {
            Event::Result(_) => Self { results: 1, reports: 0 },
            Event::Running(running) => Self { results: 0, reports: running.len() as u64 },
            Event::Missing(_) => Self::default(),
        }
    }

    /// All that an APHID master has dropped.
    pub fn dropped(stats: &Stats) -> Self {
        Self { results: stats.late_results, reports: stats.late_reports }
    }
}

impl AddAssign for Late {
    fn add_assign(&mut self, more: Self) {
        self.results += more.results;
        self.reports += more.reports;
    }
}

impl Sub for Late {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self { results: self.results - earlier.results, reports: self.reports - earlier.reports }
    }
}

/// Counts it where several look on.
#[derive(Debug, Default)]
pub(crate) struct LateCounter {
    results: AtomicU64,
    reports: AtomicU64,
}

impl LateCounter {
    /// Counts more.
    pub fn add(&self, late: Late) {
        self.results.fetch_add(late.results, Relaxed);
        self.reports.fetch_add(late.reports, Relaxed);
    }

    /// All so far.
    pub fn read(&self) -> Late {
        Late { results: self.results.load(Relaxed), reports: self.reports.load(Relaxed) }
    }
}
