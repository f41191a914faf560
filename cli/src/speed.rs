//! Times and rates as numbers for people and programs.

use std::time::Duration;

/// Whole milliseconds.
pub fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Nodes per second; times below a microsecond count as one.
pub fn per_second(nodes: u64, time: Duration) -> u64 {
    let rate = u128::from(nodes) * 1_000_000 / time.as_micros().max(1);
    u64::try_from(rate).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_neither_overflow_nor_divide_by_zero() {
        assert_eq!(per_second(1_000, Duration::from_millis(500)), 2_000);
        assert_eq!(per_second(3, Duration::ZERO), 3_000_000);
        assert_eq!(per_second(u64::MAX, Duration::ZERO), u64::MAX);
        assert_eq!(millis(Duration::from_micros(1_999)), 1);
    }
}
