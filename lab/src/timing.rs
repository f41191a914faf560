//! By the clock: searches that take turns, and the figures that come of them.

use std::time::Duration;

use anyhow::Result;
use serde::Serialize;

/// The runs of each contender, which take turns: a busy moment of the machine hits all of them.
///
/// # Errors
/// The first search that fails.
pub fn in_turn<C, R>(
    contenders: &mut [C],
    runs: usize,
    mut search: impl FnMut(&mut C) -> Result<R>,
) -> Result<Vec<Vec<R>>> {
    let mut all: Vec<Vec<R>> = contenders.iter().map(|_| Vec::new()).collect();
    for _ in 0..runs {
        for (contender, runs) in contenders.iter_mut().zip(&mut all) {
            runs.push(search(contender)?);
        }
    }
    Ok(all)
}

/// Measurements of one thing, at least one, in ascending order.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Sample(Vec<f64>);

impl Sample {
    /// These, in any order.
    pub fn new(values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        Self(values)
    }

    /// Times, in milliseconds.
    pub fn milliseconds(times: impl Iterator<Item = Duration>) -> Self {
        Self::new(times.map(|time| time.as_secs_f64() * 1e3))
    }

    /// The one in the middle.
    pub fn median(&self) -> f64 {
        self.0[self.0.len() / 2]
    }

    /// The least and the greatest, with so many decimals.
    pub fn range(&self, decimals: usize) -> String {
        format!("{:.decimals$}..{:.decimals$}", self.0[0], self.0[self.0.len() - 1])
    }

    /// Mean, median and range of speed-ups, in words.
    pub fn speedups(&self) -> String {
        let mean = self.0.iter().sum::<f64>() / self.0.len() as f64;
        format!("mean speedup {mean:.2}, median {:.2}, {}", self.median(), self.range(2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contenders_take_turns_and_the_middle_counts() {
        let mut clock = 0.0;
        let runs = in_turn(&mut [10.0, 20.0], 3, |slowness| {
            clock += 1.0;
            Ok(*slowness + clock)
        });
        assert_eq!(runs.unwrap(), [[11.0, 13.0, 15.0], [22.0, 24.0, 26.0]]);
        let sample = Sample::new([3.0, 1.0, 2.0].into_iter());
        assert_eq!((sample.median(), sample.range(1)), (2.0, "1.0..3.0".to_owned()));
        assert_eq!(sample.speedups(), "mean speedup 2.00, median 2.00, 1.00..3.00");
    }
}
