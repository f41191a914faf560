//! How long to wait before calling a master again.

use std::time::Duration;

use engine_core::random::SplitMix64;

/// First wait after a healthy session.
const SHORTEST: Duration = Duration::from_millis(250);
/// Waits double up to this.
const LONGEST: Duration = Duration::from_secs(15);
/// Least wait after a refusal: what is wrong then does not mend itself in seconds.
const REFUSED: Duration = Duration::from_secs(30);

/// Waits that grow while nothing works. Each is drawn from the upper half of its range, so that
/// the workers of a master that restarts do not all call in the same instant.
#[derive(Debug)]
pub struct Backoff {
    random: SplitMix64,
    next: Duration,
}

impl Backoff {
    /// Waits drawn from `seed`.
    pub fn new(seed: u64) -> Self {
        Self { random: SplitMix64::new(seed), next: SHORTEST }
    }

    /// The wait after a failed call or a session that ended; a `healthy` one starts the growth
    /// over.
    pub fn after_loss(&mut self, healthy: bool) -> Duration {
        if healthy {
            self.next = SHORTEST;
        }
        let range = self.next;
        self.next = (range * 2).min(LONGEST);
        range / 2 + self.up_to(range / 2)
    }

    /// The wait after a master said no.
    pub fn after_refusal(&mut self) -> Duration {
        REFUSED + self.up_to(REFUSED / 2)
    }

    fn up_to(&mut self, limit: Duration) -> Duration {
        Duration::from_micros(self.random.below(limit.as_micros() as u64 + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_the_cap_and_start_over_after_a_healthy_session() {
        for seed in 0..100 {
            let mut backoff = Backoff::new(seed);
            let mut range = SHORTEST;
            for _ in 0..12 {
                let wait = backoff.after_loss(false);
                assert!(range / 2 <= wait && wait <= range, "{wait:?} of {range:?}");
                range = (range * 2).min(LONGEST);
            }
            assert_eq!(range, LONGEST);
            assert!(backoff.after_loss(true) <= SHORTEST);
            assert!(backoff.after_loss(false) <= SHORTEST * 2);
        }
    }

    #[test]
    fn a_refusal_is_taken_seriously_and_leaves_the_growth_alone() {
        let mut backoff = Backoff::new(3);
        for _ in 0..100 {
            let wait = backoff.after_refusal();
            assert!(REFUSED <= wait && wait <= REFUSED * 3 / 2);
        }
        assert!(backoff.after_loss(false) <= SHORTEST);
    }

    #[test]
    fn two_workers_do_not_call_in_the_same_instant() {
        let waits = |seed| -> Vec<Duration> {
            let mut backoff = Backoff::new(seed);
            (0..8).map(|_| backoff.after_loss(false)).collect()
        };
        let (one, other) = (waits(1), waits(2));
        assert!(one.iter().zip(&other).all(|(a, b)| a != b), "{one:?} {other:?}");
        assert_eq!(one, waits(1));
    }
}
