//! A middlegame and an endgame value in one integer.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use crate::value::Value;

/// Two values in centipawns, for the middlegame and the endgame, added and subtracted together.
///
/// The endgame value sits in the upper half of one integer, the middlegame value in the lower;
/// each stays within ±32,000.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::games::chess) struct Taper(i32);

/// Shorthand for tables: `taper(middlegame, endgame)`.
pub(super) const fn taper(middlegame: i32, endgame: i32) -> Taper {
    Taper((endgame << 16) + middlegame)
}

impl Taper {
    /// The value while all pieces are on the board.
    #[inline]
    pub(in crate::games::chess) const fn middlegame(self) -> Value {
        self.0 as i16 as Value
    }

    /// The value when only kings and pawns are left.
    #[inline]
    pub(super) const fn endgame(self) -> Value {
        // A negative lower half has borrowed one from the upper.
        ((self.0 + 0x8000) >> 16) as Value
    }

    /// The value at `phase` of `full` (0: endgame).
    #[inline]
    pub(super) const fn blend(self, phase: i32, full: i32) -> Value {
        (self.middlegame() * phase + self.endgame() * (full - phase)) / full
    }

    /// Component-wise sum, usable in constants.
    pub(super) const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Add for Taper {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        self.plus(other)
    }
}

impl AddAssign for Taper {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Taper {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for Taper {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Mul<i32> for Taper {
    type Output = Self;
    #[inline]
    fn mul(self, factor: i32) -> Self {
        Self(self.0 * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_survive_arithmetic() {
        for (a, b) in [(7, -9), (-300, 250), (-1, -1), (8_000, -8_000), (0, -5)] {
            let sum = taper(a, b) * 2 - taper(b, a) + -taper(1, 2);
            assert_eq!(sum.middlegame(), 2 * a - b - 1);
            assert_eq!(sum.endgame(), 2 * b - a - 2);
        }
        assert_eq!(taper(100, 20).blend(24, 24), 100);
        assert_eq!(taper(100, 20).blend(0, 24), 20);
        assert_eq!(taper(100, 20).blend(12, 24), 60);
    }
}
