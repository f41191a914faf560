//! What the paper measured (Hyatt, table 6): speedups on its 24 positions.

/// Numbers of processors the paper measured.
pub const PROCESSORS: [usize; 4] = [2, 4, 8, 16];

/// Speedups of positions 1 to 24 on those numbers of processors.
const SPEEDUPS: [[f64; 4]; 24] = [
    [2.0, 3.4, 6.5, 9.1],
    [2.0, 3.6, 6.5, 10.4],
    [2.0, 3.7, 7.0, 13.7],
    [2.0, 3.9, 6.6, 11.1],
    [2.0, 3.6, 6.5, 8.9],
    [2.0, 3.7, 6.4, 9.5],
    [1.9, 3.6, 6.9, 10.1],
    [2.0, 3.7, 7.0, 10.7],
    [2.0, 3.6, 6.2, 9.9],
    [2.0, 3.8, 7.3, 13.0],
    [2.0, 3.7, 7.2, 12.4],
    [1.9, 3.8, 6.9, 11.5],
    [1.9, 3.8, 6.8, 11.1],
    [2.0, 3.5, 6.3, 9.8],
    [2.0, 3.7, 7.0, 10.9],
    [1.9, 3.9, 7.3, 12.9],
    [1.7, 2.6, 4.5, 6.0],
    [1.8, 2.9, 5.2, 7.7],
    [2.0, 3.8, 7.0, 13.2],
    [2.0, 3.9, 6.9, 14.1],
    [2.0, 4.0, 7.4, 15.3],
    [1.9, 3.7, 6.2, 9.7],
    [2.0, 3.8, 6.3, 9.9],
    [2.0, 3.9, 7.6, 14.4],
];

/// The paper's averages.
const AVERAGES: [f64; 4] = [2.0, 3.7, 6.6, 11.1];

/// Average speedups in the paper's program. Those of PV splitting are from later literature: the
/// paper's table 1 repeats table 2, that of EPVS.
pub const CURVES: [(&str, [f64; 4]); 3] =
    [("DTS", AVERAGES), ("EPVS", [1.9, 3.4, 5.4, 6.0]), ("PVS", [1.8, 3.0, 4.1, 4.6])];

fn column(processors: usize) -> Option<usize> {
    PROCESSORS.iter().position(|&n| n == processors)
}

/// The paper's speedup on position `number` (from 1), if it measured that.
pub fn speedup(number: usize, processors: usize) -> Option<f64> {
    Some(SPEEDUPS.get(number.checked_sub(1)?)?[column(processors)?])
}

/// The paper's average speedup, if it measured that.
pub fn average(processors: usize) -> Option<f64> {
    Some(AVERAGES[column(processors)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_those_of_the_columns() {
        for n in PROCESSORS {
            let column = (1..=24).filter_map(|number| speedup(number, n));
            let mean = column.sum::<f64>() / 24.0;
            // The paper rounds its speedups before it prints them.
            assert!(average(n).is_some_and(|average| (average - mean).abs() < 0.06), "{n}: {mean}");
        }
        assert_eq!((speedup(0, 2), speedup(25, 2), average(3)), (None, None, None));
    }
}
