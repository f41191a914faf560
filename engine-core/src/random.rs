//! Random numbers that are the same on every machine.

/// The `SplitMix64` generator (Steele, Lea and Flood, *Fast splittable pseudorandom number
/// generators*, OOPSLA 2014): one word of state, every 64-bit number exactly once a period.
///
/// Good enough to draw faults, test data and tie-breaks; not for secrets.
///
/// ```
/// use engine_core::random::SplitMix64;
///
/// let mut random = SplitMix64::new(1234567);
/// assert_eq!(random.next_u64(), 6457827717110365317);
/// assert!(random.below(6) < 6);
/// // The seed decides everything that follows.
/// assert_eq!(SplitMix64::new(7).next_u64(), SplitMix64::new(7).next_u64());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// A generator whose whole sequence follows from `seed`; every seed is a good one.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number, uniform over all of `u64`.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`, or 0 if `n` is 0. Some numbers are likelier than others by a share of
    /// at most `n / 2^64`.
    #[inline]
    pub const fn below(&mut self, n: u64) -> u64 {
        ((self.next_u64() as u128 * n as u128) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_reaches_every_number_and_no_other() {
        let mut random = SplitMix64::new(1);
        let mut seen = [0_u32; 10];
        for _ in 0..10_000 {
            seen[random.below(10) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| (800..1200).contains(&count)), "{seen:?}");
        assert_eq!(random.below(1), 0);
        assert_eq!(random.below(0), 0);
    }
}
