//! How much may be said: so many bytes a second, and from which depth on that suffices.

use super::threshold::Threshold;

/// Intervals a second after which the threshold is thought over.
const CHECKS_PER_SECOND: u64 = 100;
/// An entry less deep by a ply comes about this many times as often.
const GROWTH: f64 = 4.0;
/// Plies by which the threshold moves at most when it is thought over.
const STEP: f64 = 1.0;
/// Least threshold with one listener, and with many. What is less deep by a ply saves a quarter of
/// the work; told to four times as many it is worth as much. The half of a ply spares two workers a
/// third of what they say, and costs no speed-up that the lab could tell from chance.
const LEAST: (Threshold, Threshold) = (Threshold::plies(2).and_sixteenths(8), Threshold::plies(1));
/// Greatest threshold.
const GREATEST: Threshold = Threshold::plies(24);

/// A bucket of bytes that fills at a constant rate, and the threshold that suits the rate.
#[derive(Debug)]
pub(super) struct Budget {
    bytes_per_second: u64,
    /// Units of the driver's time in a second.
    second: u64,
    threshold: Threshold,
    least: Threshold,
    /// Bytes that may be sent, times `second`.
    credit: u64,
    /// When that was so.
    credited: u64,
    /// Bytes there were to send since the threshold was last thought over, and when that was.
    wanted: u64,
    checked: u64,
}

impl Budget {
    pub fn new(bytes_per_second: u64, second: u64) -> Self {
        let mut budget = Self {
            bytes_per_second,
            second: second.max(1),
            threshold: LEAST.1,
            least: LEAST.1,
            credit: 0,
            credited: 0,
            wanted: 0,
            checked: 0,
        };
        budget.credit = budget.most();
        budget
    }

    /// So many listen.
    pub fn listen(&mut self, copies: usize) {
        let plies = -(copies.max(1) as f64).log(GROWTH);
        self.least = LEAST.0.moved(plies, LEAST.1, LEAST.0);
        self.threshold = self.threshold.max(self.least);
    }

    /// Depth from which entries are worth their bytes.
    pub fn threshold(&self) -> Threshold {
        self.threshold
    }

    /// There are so many bytes to send, whether or not they may be.
    pub fn want(&mut self, bytes: u64) {
        self.wanted += bytes;
    }

    /// Time has come to `now`: there is more credit, and perhaps another threshold.
    pub fn pass(&mut self, now: u64) {
        let passed = now.saturating_sub(self.credited);
        self.credited = now;
        let earned = self.bytes_per_second.saturating_mul(passed);
        self.credit = self.credit.saturating_add(earned).min(self.most());
        let since = now.saturating_sub(self.checked);
        if since < self.second / CHECKS_PER_SECOND {
            return;
        }
        let allowed = self.bytes_per_second.saturating_mul(since) / self.second;
        // Plies by which the threshold is too low for the budget.
        let excess = (self.wanted.max(1) as f64 / allowed.max(1) as f64).log(GROWTH);
        self.threshold = self.threshold.moved(excess.clamp(-STEP, STEP), self.least, GREATEST);
        (self.wanted, self.checked) = (0, now);
    }

    /// Bytes that may be sent now.
    pub fn allowance(&self) -> u64 {
        self.credit / self.second
    }

    /// So many were.
    pub fn spend(&mut self, bytes: u64) {
        self.credit = self.credit.saturating_sub(bytes.saturating_mul(self.second));
    }

    /// What is not sent in a tenth of a second is not saved up: a burst after a silence must not
    /// fill the network.
    fn most(&self) -> u64 {
        self.bytes_per_second.saturating_mul(self.second) / 10
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn a_second_of_any_pattern_sends_no_more_than_the_budget() {
        for step in [1, 7, 100, 1_000] {
            let mut budget = Budget::new(5_000, 1_000);
            budget.spend(budget.allowance());
            let mut sent = 0;
            for now in (0..=1_000).step_by(step) {
                budget.pass(now);
                let bytes = budget.allowance();
                budget.spend(bytes);
                sent += bytes;
            }
            assert!(sent <= 5_000, "{sent} bytes");
            assert!(step > 100 || sent >= 4_900, "{sent} bytes");
        }
    }

    /// Entries of a search that stores 30,000 of depth 1 in a unit of time, and a quarter of that
    /// with each ply more.
    fn noted(threshold: Threshold, random: &mut SplitMix64) -> u64 {
        let told = |_: &u32| {
            let depth = 1 + (random.next_u64() | 1 << 40).trailing_zeros() as i32 / 2;
            threshold.admits(depth, random.next_u64())
        };
        (0..30_000).filter(told).count() as u64
    }

    #[test]
    fn the_threshold_comes_to_use_the_whole_budget_and_little_more() {
        let mut random = SplitMix64::new(1);
        for bytes_per_second in [20_000, 100_000, 400_000] {
            let mut budget = Budget::new(bytes_per_second, 1_000);
            let mut wanted = 0;
            for now in (10..2_000).step_by(10) {
                let bytes = 16 * noted(budget.threshold(), &mut random) / 100;
                wanted += if now > 1_000 { bytes } else { 0 };
                budget.want(bytes);
                budget.pass(now);
            }
            let used = wanted as f64 / bytes_per_second as f64;
            assert!((0.9..1.1).contains(&used), "{used} of {bytes_per_second}");
            // A search that falls silent may tell everything when it begins again.
            for now in (2_000..3_000).step_by(10) {
                budget.pass(now);
            }
            assert_eq!(budget.threshold(), LEAST.1);
        }
    }
}
