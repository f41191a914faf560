//! The same measurement on every position, on several threads of this machine.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, ensure};
use engine_core::game::Game;

use crate::progress::Progress;

/// Measures every position, `jobs` at a time; `measure` is given its number, from 1, and counts
/// searches: one for each of its rows, and one to compare them with. The rows come back in no order:
/// sort them.
///
/// # Errors
/// A measurement did not give `rows_each` rows.
pub fn over<G: Game, R: Send>(
    positions: &[G],
    jobs: usize,
    rows_each: usize,
    measure: impl Fn(usize, &G, &Progress) -> Vec<R> + Sync,
) -> Result<Vec<R>> {
    let progress = Progress::new(positions.len() * (1 + rows_each));
    let next = AtomicUsize::new(0);
    let rows: Vec<R> = std::thread::scope(|scope| {
        let measure_all = || {
            let mut rows = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(position) = positions.get(index) else { return rows };
                rows.extend(measure(index + 1, position, &progress));
            }
        };
        let threads: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(measure_all)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    });
    ensure!(rows.len() == positions.len() * rows_each, "a measurement failed");
    Ok(rows)
}
