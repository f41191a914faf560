//! How much a search may say: GUIs have frozen under a flood of lines.

use std::time::Duration;

/// Lines that may come at once.
const BURST: u32 = 100;
/// Time that earns another line: fifty a second in the long run.
const PER_LINE: Duration = Duration::from_millis(20);

/// Allows lines at a bounded rate.
#[derive(Debug)]
pub struct Throttle {
    credit: u32,
    counted: Duration,
}

impl Throttle {
    /// With all its credit.
    pub fn new() -> Self {
        Self { credit: BURST, counted: Duration::ZERO }
    }

    /// Whether `lines` lines may be printed at time `now`. A block larger than any credit may once
    /// the credit is whole.
    pub fn allow(&mut self, lines: usize, now: Duration) -> bool {
        let earned = now.saturating_sub(self.counted).as_millis() / PER_LINE.as_millis();
        let earned = u32::try_from(earned).unwrap_or(u32::MAX);
        self.counted = self.counted.saturating_add(PER_LINE.saturating_mul(earned));
        self.credit = self.credit.saturating_add(earned).min(BURST);
        let price = u32::try_from(lines).unwrap_or(BURST).min(BURST);
        let allowed = self.credit >= price;
        if allowed {
            self.credit -= price;
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_second_sees_a_flood() {
        let mut throttle = Throttle::new();
        let allowed = |throttle: &mut Throttle, second: u64| {
            let at = |ms| Duration::from_millis(1_000 * second + ms);
            (0..1_000).filter(|&ms| throttle.allow(1, at(ms))).count()
        };
        assert!((100..=150).contains(&allowed(&mut throttle, 0)));
        assert!((49..=51).contains(&allowed(&mut throttle, 1)));
        assert!((100..=150).contains(&allowed(&mut throttle, 60)), "silence earns credit");
        assert!(throttle.allow(256, Duration::from_secs(100)), "a large block passes");
        assert!(!throttle.allow(1, Duration::from_secs(100)));
    }
}
