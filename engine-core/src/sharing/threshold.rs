//! From which depth on an entry is worth telling.

/// Steps of a ply.
const STEPS: i32 = 16;

/// A depth in sixteenths of a ply. Of the entries between two whole plies their keys decide which
/// are told: an entry less deep by a ply comes about four times as often, and a budget has to be met
/// more closely than that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Threshold(i32);

impl Threshold {
    /// No entry is as deep.
    pub const NEVER: Self = Self(i32::MAX);

    /// All entries of so many plies and more.
    pub const fn plies(depth: u8) -> Self {
        Self(depth as i32 * STEPS)
    }

    /// Higher by so many sixteenths of a ply, at most 16: so many fewer of sixteen entries that are
    /// just deep enough.
    #[must_use]
    pub const fn and_sixteenths(self, more: u8) -> Self {
        Self(self.0 + more as i32)
    }

    /// Deeper by so many plies, or less deep, to the next sixteenth, but within these limits.
    #[must_use]
    pub fn moved(self, plies: f64, least: Self, greatest: Self) -> Self {
        let steps = (plies * f64::from(STEPS)).round() as i32;
        Self(self.0.saturating_add(steps)).clamp(least, greatest)
    }

    /// Whether an entry of this depth, in plies, is told.
    #[inline]
    pub fn admits(self, depth: i32, key: u64) -> bool {
        depth * STEPS + (key >> 60) as i32 >= self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of sixteen entries of this depth, one for each kind of key, are told.
    fn told(threshold: Threshold, depth: i32) -> usize {
        (0..16).filter(|kind| threshold.admits(depth, kind << 60)).count()
    }

    #[test]
    fn between_plies_a_part_is_told() {
        let three = Threshold::plies(3);
        assert_eq!([2, 3, 4].map(|depth| told(three, depth)), [0, 16, 16]);
        let (least, greatest) = (Threshold::plies(2), Threshold::plies(5));
        let quarter = three.moved(0.75, least, greatest);
        assert_eq!([3, 4].map(|depth| told(quarter, depth)), [4, 16]);
        assert_eq!(three.moved(-9.0, least, greatest), least);
        assert_eq!(three.moved(9.0, least, greatest), greatest);
        assert_eq!(told(Threshold::NEVER, 127), 0);
    }
}
