//! How dear an entry must have been to find to be worth telling.

/// The nodes below which finding an entry again costs less than telling it.
///
/// What others are spared is the work that an entry took. Remaining depth says little about that:
/// of two nodes equally deep one may have cost a thousand times as much as the other, which the
/// table or its first move cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Threshold(u64);

impl Threshold {
    /// No entry takes as many nodes.
    pub const NEVER: Self = Self(u64::MAX);

    /// All entries that took so many nodes and more; 0 and 1: all.
    pub const fn nodes(least: u64) -> Self {
        Self(least)
    }

    /// Higher by so many doublings, or lower where there are fewer than none, to the next whole
    /// node, but within these limits.
    #[must_use]
    pub fn moved(self, doublings: f64, least: Self, greatest: Self) -> Self {
        let nodes = (self.0 as f64 * doublings.exp2()).round();
        Self(nodes as u64).clamp(least, greatest)
    }

    /// Whether an entry that took so many nodes is told.
    #[inline]
    pub fn admits(self, nodes: u64) -> bool {
        nodes >= self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dear_entries_are_told() {
        let hundred = Threshold::nodes(100);
        assert!(hundred.admits(100) && !hundred.admits(99));
        assert!(Threshold::nodes(1).admits(1));
        assert!(!Threshold::NEVER.admits(1 << 60));
    }

    #[test]
    fn it_moves_by_doublings_within_limits() {
        let (hundred, least, greatest) =
            (Threshold::nodes(100), Threshold::nodes(32), Threshold::nodes(1 << 40));
        assert_eq!(hundred.moved(1.0, least, greatest), Threshold::nodes(200));
        assert_eq!(hundred.moved(-0.5, least, greatest), Threshold::nodes(71));
        assert_eq!(hundred.moved(-9.0, least, greatest), least);
        assert_eq!(hundred.moved(99.0, least, greatest), greatest);
    }
}
