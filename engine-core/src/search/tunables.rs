//! Every number of the search that could be another number, with its evidence.

use crate::value::Value;

/// One tunable: what it is called, where it may lie, and why it is what it is.
#[derive(Debug, Clone, Copy)]
pub struct Tunable {
    /// Name of the constant.
    pub name: &'static str,
    /// Value in use.
    pub value: i32,
    /// Least sensible value.
    pub min: i32,
    /// Greatest sensible value.
    pub max: i32,
    /// Sensible step when tuning.
    pub step: i32,
    /// Why.
    pub evidence: &'static str,
}

/// Declares constants together with the table of them, so that neither can forget the other.
macro_rules! tunables {
    ($($(#[$doc:meta])* $name:ident: $kind:ty = $value:expr, $min:expr, $max:expr, $step:expr, $evidence:expr;)*) => {
        $($(#[$doc])* pub(crate) const $name: $kind = $value;)*
        /// All of them, in order.
        pub const TUNABLES: &[$crate::search::tunables::Tunable] =
            &[$($crate::search::tunables::Tunable {
                name: stringify!($name),
                value: $value as i32,
                min: $min,
                max: $max,
                step: $step,
                evidence: $evidence,
            }),*];
    };
}
pub(crate) use tunables;

tunables! {
    /// Scale of history scores; comparable with the games' static quiet order (±10,000).
    HISTORY_LIMIT: i32 = 8_000, 1_000, 30_000, 1_000, "same size as the static order of quiet moves";
    /// Order of the second killer: before every quiet move, after good tactical moves.
    KILLER_ORDER: i32 = 50_000, 20_000, 1_000_000, 1, "must lie between static order plus history and GOOD_TACTICAL";
    /// Plies by which a null-move search is shallower, beyond the move itself.
    NULL_REDUCTION: i32 = 2, 1, 4, 1, "R = 2, the usual value of the papers' time";
    /// Least remaining depth at which a null move is tried.
    NULL_MIN_DEPTH: i32 = 2, 1, 5, 1, "below it the quiescence search is as cheap";
    /// Plies below the horizon down to which every check evasion is searched.
    QUIET_EVASION_PLIES: i32 = 6, 0, 16, 1, "bounds check sequences below the horizon";
    /// Ply from which a check no longer extends the search.
    CHECK_EXTENSION_MAX_PLY: usize = 60, 10, 100, 5, "checks can follow each other without end";
    /// With fewer plies than this before a rule draw, `classic` keeps entries of different clocks apart.
    CLOCK_MATTERS: u32 = 24, 10, 60, 2, "longer than the depths searched in drawn-out endings";
    /// The same in `exact`: no search there is deeper than this.
    CLOCK_MATTERS_EXACT: u32 = 64, 64, 100, 1, "exact searches stay shallower, so no clock can run out unseen";
}

/// Value of a draw.
pub(crate) const DRAW: Value = 0;

#[cfg(test)]
mod tests {
    use super::TUNABLES;
    use crate::aphid;

    #[test]
    fn every_tunable_lies_in_its_range_and_says_why() {
        for t in TUNABLES.iter().chain(aphid::tunables::TUNABLES) {
            assert!(t.min <= t.value && t.value <= t.max, "{}", t.name);
            assert!(t.step > 0 && t.evidence.len() > 10, "{}", t.name);
        }
    }
}
