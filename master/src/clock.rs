//! Time control: from what a client says about its clock to two numbers, and from these to
//! "stop now".
//!
//! With `safe` = remaining time less the overhead (at least a quarter of the remaining time), and
//! `moves` = moves to the next time control, or [`MOVES_EXPECTED`] where there is none:
//!
//! - `ideal` = `safe` / `moves` + 3/4 of what the overhead leaves of the increment, for every move
//!   loses the overhead anew
//! - `hard`  = min(2 · `ideal`, 7/10 · `safe`): the answer is given at this time
//! - `soft`  = min(1/2 · `ideal`, `hard`): no further iteration is begun after this time, since
//!   an iteration usually takes longer than all those before it together
//!
//! A move time is a hard limit less the overhead (at most half of it). While pondering no time
//! passes; a ponder hit starts the clock. The overhead is the client's wish or [`OVERHEAD`].
//! Everything is measured on the monotonic clock.

use std::time::{Duration, Instant};

/// What is kept back, unless the client says otherwise, for the way of the answer to the player:
/// two network hops and a GUI.
pub(crate) const OVERHEAD: Duration = Duration::from_millis(20);
/// Moves the remaining time is spread over in sudden death; a game of 40 moves leaves about as
/// many on average, and the increment pays for those beyond.
pub(crate) const MOVES_EXPECTED: u32 = 30;
/// Longer times than this are taken as this long; keeps the arithmetic within its range.
const LONGEST: Duration = Duration::from_hours(30 * 24);

/// What a client says about time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeControl {
    /// Exactly this long.
    MoveTime(Duration),
    /// The clock of the side to move.
    Clock {
        /// Time left on it.
        remaining: Duration,
        /// Added after each move.
        increment: Duration,
        /// Moves until time is added; none: never.
        moves_to_go: Option<u32>,
    },
}

/// How long to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Begin no iteration after this.
    pub soft: Duration,
    /// Answer at this time.
    pub hard: Duration,
}

impl TimeControl {
    /// The time to spend, `overhead` kept back.
    pub fn budget(self, overhead: Duration) -> Budget {
        match self {
            TimeControl::MoveTime(time) => {
                let hard = less(time.min(LONGEST), overhead, 2);
                Budget { soft: hard, hard }
            }
            TimeControl::Clock { remaining, increment, moves_to_go } => {
                let safe = less(remaining.min(LONGEST), overhead, 4);
                let moves = moves_to_go.unwrap_or(MOVES_EXPECTED).max(1);
                let gained = increment.min(LONGEST).saturating_sub(overhead);
                let ideal = safe / moves + gained * 3 / 4;
                let hard = (ideal * 2).min(safe * 7 / 10);
                Budget { soft: (ideal / 2).min(hard), hard }
            }
        }
    }
}

impl Budget {
    /// What satisfies both.
    pub fn and(self, other: Self) -> Self {
        Self { soft: self.soft.min(other.soft), hard: self.hard.min(other.hard) }
    }
}

/// `time` less `overhead`, but never less than one `part`-th of it.
fn less(time: Duration, overhead: Duration, part: u32) -> Duration {
    time.saturating_sub(overhead).max(time / part)
}

/// The clock of one search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    budget: Option<Budget>,
    /// When time began to count; nothing while pondering.
    since: Option<Instant>,
}

impl Clock {
    /// A clock that counts from `now`, or from the ponder hit if the client `ponder`s. Without a
    /// budget time is no limit.
    pub fn start(budget: Option<Budget>, ponder: bool, now: Instant) -> Self {
        Self { budget, since: (!ponder).then_some(now) }
    }

    /// The expected move was played: time counts from `now`. Later hits change nothing.
    pub fn ponder_hit(&mut self, now: Instant) {
        self.since.get_or_insert(now);
    }

    /// The client still waits for the opponent.
    pub fn is_pondering(&self) -> bool {
        self.since.is_none()
    }

    /// When the answer is due.
    pub fn deadline(&self) -> Option<Instant> {
        self.since?.checked_add(self.budget?.hard)
    }

    /// Whether another iteration is worth beginning at `now`.
    pub fn allows_iteration(&self, now: Instant) -> bool {
        match (self.since, self.budget) {
            (Some(since), Some(budget)) => now.saturating_duration_since(since) < budget.soft,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Budget {
        let (remaining, increment) = (ms(remaining), ms(increment));
        TimeControl::Clock { remaining, increment, moves_to_go }.budget(OVERHEAD)
    }

    #[test]
    fn a_move_time_is_kept_with_a_margin() {
        let hard = |time| TimeControl::MoveTime(ms(time)).budget(OVERHEAD).hard;
        assert_eq!(hard(3000), ms(2980));
        assert_eq!(hard(10), ms(5));
        assert_eq!(hard(0), ms(0));
        assert_eq!(TimeControl::MoveTime(ms(3000)).budget(ms(100)).hard, ms(2900));
    }

    #[test]
    fn no_clock_is_ever_overdrawn() {
        for remaining in [0, 1, 5, 40, 100, 1_000, 5_000, 60_000, 3_600_000] {
            for increment in [0, 50, 1_000, 60_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let budget = clock(remaining, increment, moves_to_go);
                    assert!(budget.soft <= budget.hard);
                    assert!(budget.hard <= ms(remaining) * 7 / 10, "{remaining} {moves_to_go:?}");
                }
            }
        }
    }

    #[test]
    fn a_blitz_move_takes_less_than_a_tenth_of_the_clock() {
        assert!(clock(5_000, 50, None).hard <= ms(500));
        // The last move before a time control may use most of what is left.
        assert!(clock(10_000, 0, Some(1)).hard > ms(6_000));
    }

    #[test]
    fn an_increment_is_spent_only_as_far_as_it_exceeds_the_overhead() {
        assert_eq!(clock(200, 10, None), clock(200, 0, None), "the way of the answer eats it");
        assert!(clock(1_000, 40, None).hard > clock(1_000, 20, None).hard);
    }

    #[test]
    fn pondering_takes_no_time_until_the_hit() {
        let start = Instant::now();
        let budget = TimeControl::MoveTime(ms(1_020)).budget(OVERHEAD);
        let mut clock = Clock::start(Some(budget), true, start);
        assert!(clock.is_pondering() && clock.deadline().is_none());
        assert!(clock.allows_iteration(start + ms(60_000)));
        clock.ponder_hit(start + ms(3_000));
        clock.ponder_hit(start + ms(9_000));
        assert!(!clock.is_pondering());
        assert_eq!(clock.deadline(), Some(start + ms(4_000)));
        assert!(clock.allows_iteration(start + ms(3_999)));
        assert!(!clock.allows_iteration(start + ms(4_000)));
    }

    #[test]
    fn absurd_times_are_as_good_as_none() {
        let budget = clock(u64::MAX, u64::MAX, Some(1));
        assert!(budget.hard > LONGEST / 2 && budget.hard < LONGEST);
        let budget = TimeControl::MoveTime(ms(u64::MAX)).budget(ms(u64::MAX));
        assert!(Clock::start(Some(budget), false, Instant::now()).deadline().is_some());
    }
}
