//! Nothing is lost for good: once the faults are over, the search ends within a bound.

use super::{Verdict, check};
use crate::clock::Time;
use crate::sim::options::Options;

/// How many times the sequential nodes a search may take on the slowest worker alone. A wide
/// margin over what was seen: it tells "never" from "late".
const PATIENCE: u64 = 60;

/// The deadline of the running search.
#[derive(Debug, Default)]
pub struct Progress {
    deadline: Option<Time>,
}

impl Progress {
    /// A search of `nodes` begins; nothing goes wrong any more from `calm` on.
    pub fn begun(&mut self, options: &Options, nodes: u64, calm: Time) {
        let work = PATIENCE * (nodes + 1_000) * options.slowness;
        let silence = 40 * (options.refresh + options.latency.1 + options.keepalive);
        self.deadline = Some(calm + work + silence);
    }

    /// The search is over.
    pub fn finished(&mut self) {
        self.deadline = None;
    }

    /// Time has come to `now`; `None`: nothing will ever happen again.
    pub fn at(&self, now: Option<Time>) -> Verdict {
        let Some(deadline) = self.deadline else { return Ok(()) };
        check("progress", now.is_some(), || "everybody waits for ever".into())?;
        check("progress", now <= Some(deadline), || {
            format!("the search should have ended by {deadline}")
        })
    }
}

/// A search that was stopped has exactly one report at once.
pub fn answered(reports: usize) -> Verdict {
    check("progress", reports == 1, || format!("{reports} reports when stopped"))
}
