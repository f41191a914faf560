//! How much may be said: so many bytes a second, and from which depth on that suffices.

/// Intervals a second after which the threshold is thought over.
const CHECKS_PER_SECOND: u64 = 50;
/// An entry less deep by a ply comes about this many times as often.
const GROWTH: u64 = 4;
/// Least threshold in plies: what is shallower costs less to find again than to send.
pub(super) const LEAST_THRESHOLD: u8 = 2;
/// Greatest threshold in plies.
const GREATEST_THRESHOLD: u8 = 24;

/// A bucket of bytes that fills at a constant rate, and the threshold that suits the rate.
#[derive(Debug)]
pub(super) struct Budget {
    bytes_per_second: u64,
    /// Units of the driver's time in a second.
    second: u64,
    threshold: u8,
    /// Bytes that may be sent, times `second`.
    credit: u64,
    /// When that was so.
    credited: u64,
    /// Bytes there were to send since the threshold was last thought over, and when that was.
    wanted: u64,
    checked: u64,
}

impl Budget {
    pub fn new(bytes_per_second: u64, second: u64, threshold: u8) -> Self {
        let mut budget = Self {
            bytes_per_second,
            second: second.max(1),
            threshold,
            credit: 0,
            credited: 0,
            wanted: 0,
            checked: 0,
        };
        budget.credit = budget.most();
        budget
    }

    /// Depth in plies from which entries are worth their bytes.
    pub fn threshold(&self) -> u8 {
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
        if self.wanted > allowed {
            self.threshold = (self.threshold + 1).min(GREATEST_THRESHOLD);
        } else if self.wanted * 2 * GROWTH < allowed {
            self.threshold = self.threshold.saturating_sub(1).max(LEAST_THRESHOLD);
        }
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

    #[test]
    fn a_second_of_any_pattern_sends_no_more_than_the_budget() {
        for step in [1, 7, 100, 1_000] {
            let mut budget = Budget::new(5_000, 1_000, 4);
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

    #[test]
    fn the_threshold_follows_what_there_is_to_say() {
        let mut budget = Budget::new(1_000_000, 1_000, 4);
        // Five times too much at 4 plies: it takes two plies more, each of which sheds 3 of 4.
        let demand = |threshold: u8| 100_000 * 4_u64.pow(4) / 4_u64.pow(threshold.into());
        for now in (0..1_000).step_by(20) {
            budget.want(demand(budget.threshold()));
            budget.pass(now);
        }
        assert_eq!(budget.threshold(), 6);
        for now in (1_000..2_000).step_by(20) {
            budget.want(1);
            budget.pass(now);
        }
        assert_eq!(budget.threshold(), LEAST_THRESHOLD);
    }
}
