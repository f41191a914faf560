//! How threads spend their time: searching, or waiting for work in the middle of a search.

#![expect(clippy::disallowed_methods, reason = "nothing is decided by these times")]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How one thread has spent its time. Sleep between searches counts as neither.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Searching, and whatever that takes besides.
    pub busy: Duration,
    /// Waiting for work while others searched.
    pub idle: Duration,
}

impl Usage {
    /// What came after `earlier`.
    #[must_use]
    pub fn since(self, earlier: Usage) -> Usage {
        Usage {
            busy: self.busy.saturating_sub(earlier.busy),
            idle: self.idle.saturating_sub(earlier.idle),
        }
    }

    /// Idle time in permille of both; 0 for no time at all.
    pub fn idle_permille(self) -> u32 {
        let all = (self.busy + self.idle).as_nanos();
        (self.idle.as_nanos() * 1000).checked_div(all).unwrap_or(0) as u32
    }
}

/// One line for each thread.
#[derive(Debug)]
pub(super) struct Timesheet(Box<[Line]>);

/// Nanoseconds, on a cache line of its own: its thread writes it often.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Line {
    busy: AtomicU64,
    idle: AtomicU64,
}

impl Timesheet {
    /// Nobody has worked yet.
    pub fn new(threads: usize) -> Self {
        Self((0..threads).map(|_| Line::default()).collect())
    }

    /// Thread number `index` begins to work.
    pub fn shift(&self, index: usize) -> Shift<'_> {
        Shift { line: &self.0[index], since: Instant::now() }
    }

    /// What has been noted so far.
    pub fn read(&self) -> Vec<Usage> {
        let read = |nanoseconds: &AtomicU64| Duration::from_nanos(nanoseconds.load(Relaxed));
        self.0.iter().map(|line| Usage { busy: read(&line.busy), idle: read(&line.idle) }).collect()
    }
}

/// A thread at work. What it has not noted is noted when it is dropped.
#[derive(Debug)]
pub(super) struct Shift<'a> {
    line: &'a Line,
    /// Busy from then on, not noted yet.
    since: Instant,
}

impl Shift<'_> {
    /// Notes the time until now as busy.
    pub fn note(&mut self) {
        let now = Instant::now();
        add(&self.line.busy, now - self.since);
        self.since = now;
    }

    /// Spends the time that `wait` takes idle.
    pub fn pause(&mut self, wait: impl FnOnce()) {
        self.note();
        wait();
        let now = Instant::now();
        add(&self.line.idle, now - self.since);
        self.since = now;
    }
}

impl Drop for Shift<'_> {
    fn drop(&mut self) {
        self.note();
    }
}

fn add(to: &AtomicU64, time: Duration) {
    to.fetch_add(time.as_nanos() as u64, Relaxed);
}
