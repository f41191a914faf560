//! How much may be said: so many bytes a second, and how dear an entry must be for that to suffice.

use super::threshold::Threshold;

/// Intervals a second after which the threshold is thought over.
const CHECKS_PER_SECOND: u64 = 100;
/// Doublings by which the threshold moves at most when it is thought over.
const STEP: f64 = 2.0;
/// Least threshold with one listener, and with many: what took half the nodes is worth as much when
/// twice as many are told. With one listener 8 nodes instead of 32 treble what is said, and gain
/// no speed-up that the lab could tell from chance.
const LEAST: (Threshold, Threshold) = (Threshold::nodes(32), Threshold::nodes(1));
/// Greatest threshold: what took as many nodes is worth telling under any budget.
const GREATEST: Threshold = Threshold::nodes(1 << 48);

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
        let doublings = -(copies.max(1) as f64).log2();
        self.least = LEAST.0.moved(doublings, LEAST.1, LEAST.0);
        self.threshold = self.threshold.max(self.least);
    }

    /// Nodes that an entry worth its bytes took.
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
        // Of entries that took twice as many nodes there are about half as many: by so many
        // doublings the threshold is too low for the budget.
        let excess = (self.wanted.max(1) as f64 / allowed.max(1) as f64).log2();
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

    /// Entries of a search that stores 30,000 in a unit of time, half as many of twice the nodes.
    fn noted(threshold: Threshold, random: &mut SplitMix64) -> u64 {
        let told = |_: &u32| threshold.admits(u64::MAX / random.next_u64().max(1));
        (0..30_000).filter(told).count() as u64
    }

    #[test]
    fn the_threshold_comes_to_use_the_whole_budget_and_little_more() {
        let mut random = SplitMix64::new(1);
        for bytes_per_second in [4_000, 20_000, 100_000] {
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
