//! What to make of the readings of a machine. Time comes in as an argument.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime};

use proto::pause::OwnPause;

use super::Politeness;
use super::machine::{Processors, Readings};

/// Time over which the use of the processors is averaged: long enough for a web page or a look
/// at the mail to pass unnoticed.
const WINDOW: Duration = Duration::from_secs(10);

/// Remembers what is needed of earlier readings.
#[derive(Debug)]
pub struct Judge {
    rules: Politeness,
    /// Readings of the processors, oldest first: as many as it takes to look [`WINDOW`] back.
    samples: VecDeque<(Duration, Processors)>,
    /// The newest key known.
    typed: Option<SystemTime>,
    /// The machine counts as in use until then.
    until: Duration,
}

impl Judge {
    /// Nothing is known yet.
    pub fn new(rules: Politeness) -> Self {
        Self { rules, samples: VecDeque::new(), typed: None, until: Duration::ZERO }
    }

    /// What speaks against searching. `now` is the time since a fixed moment, never less than in
    /// the last call; `clock` is the time of day, which may jump.
    pub fn judge(&mut self, now: Duration, clock: SystemTime, readings: &Readings) -> OwnPause {
        let typed = readings.typed.and_then(|typed| self.typed_ago(clock, typed));
        let busy = readings.processors.is_some_and(|sample| self.is_busy(now, sample));
        for ago in typed.into_iter().chain(busy.then_some(Duration::ZERO)) {
            self.until = self.until.max(now + self.rules.idle_after.saturating_sub(ago));
        }
        OwnPause {
            in_use: self.rules.in_use && now < self.until,
            on_battery: self.rules.on_battery && readings.on_battery,
        }
    }

    /// How long ago a key was typed that we did not know of. Only the first is compared with the
    /// time of day, the others with each other: a clock that was set back must not keep us waiting
    /// until it is where it was.
    fn typed_ago(&mut self, clock: SystemTime, typed: SystemTime) -> Option<Duration> {
        // Less than before: a terminal was closed, and took its keys along.
        match self.typed.replace(typed) {
            None => Some(clock.duration_since(typed).unwrap_or_default()),
            Some(before) => (typed > before).then_some(Duration::ZERO),
        }
    }

    /// Whether other programs have used more of the processors than they may unnoticed. Nobody
    /// knows before a whole window has passed.
    fn is_busy(&mut self, now: Duration, sample: Processors) -> bool {
        self.samples.push_back((now, sample));
        let old = |at: &Duration| now.saturating_sub(*at) >= WINDOW;
        while self.samples.get(1).is_some_and(|(at, _)| old(at)) {
            self.samples.pop_front();
        }
        let Some((_, before)) = self.samples.front().filter(|(at, _)| old(at)) else {
            return false;
        };
        // The system's counts may run backwards by a hair.
        let used = sample.others.saturating_sub(before.others);
        let all = sample.all.saturating_sub(before.all);
        u128::from(used) * 100 > u128::from(all) * u128::from(self.rules.busy_above)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Politeness = Politeness {
        in_use: true,
        on_battery: true,
        idle_after: Duration::from_mins(1),
        busy_above: 25,
    };
    const IN_USE: OwnPause = OwnPause { in_use: true, on_battery: false };
    const FREE: OwnPause = OwnPause { in_use: false, on_battery: false };

    fn clock(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + seconds)
    }

    /// Judges with a time of day that goes with the time.
    fn at(judge: &mut Judge, seconds: u64, readings: &Readings) -> OwnPause {
        judge.judge(Duration::from_secs(seconds), clock(seconds), readings)
    }

    fn typed(seconds: u64) -> Readings {
        Readings { typed: Some(clock(seconds)), ..Readings::default() }
    }

    /// Others have used this many of the ticks so far, of which there are a hundred a second.
    fn used(seconds: u64, others: u64) -> Readings {
        let processors = Some(Processors { others, all: seconds * 100 });
        Readings { processors, ..Readings::default() }
    }

    #[test]
    fn a_key_pauses_until_the_quiet_time_has_passed() {
        let mut judge = Judge::new(RULES);
        assert_eq!(at(&mut judge, 0, &Readings::default()), FREE);
        assert_eq!(at(&mut judge, 100, &typed(99)), IN_USE);
        assert_eq!(at(&mut judge, 158, &typed(99)), IN_USE);
        assert_eq!(at(&mut judge, 159, &typed(99)), FREE);
        assert_eq!(at(&mut judge, 160, &typed(160)), IN_USE);
        assert_eq!(at(&mut judge, 200, &typed(199)), IN_USE);
        assert_eq!(at(&mut judge, 259, &typed(199)), IN_USE);
        assert_eq!(at(&mut judge, 260, &typed(199)), FREE);
    }

    #[test]
    fn keys_from_before_the_start_count_for_the_rest_of_the_quiet_time() {
        let mut judge = Judge::new(RULES);
        let readings = Readings { typed: Some(clock(0) - Duration::from_secs(50)), ..typed(0) };
        assert_eq!(at(&mut judge, 0, &readings), IN_USE);
        assert_eq!(at(&mut judge, 9, &readings), IN_USE);
        assert_eq!(at(&mut judge, 10, &readings), FREE);
        let long_ago = Readings { typed: Some(SystemTime::UNIX_EPOCH), ..typed(0) };
        assert_eq!(at(&mut Judge::new(RULES), 0, &long_ago), FREE);
    }

    #[test]
    fn a_closed_terminal_is_no_use_and_a_clock_that_jumps_is_harmless() {
        let mut judge = Judge::new(RULES);
        assert_eq!(at(&mut judge, 0, &typed(5000)), IN_USE, "a key from the future is one");
        assert_eq!(at(&mut judge, 60, &typed(5000)), FREE, "but it is not for ever");
        assert_eq!(at(&mut judge, 61, &typed(10)), FREE, "the terminal was closed");
        assert_eq!(at(&mut judge, 62, &typed(11)), IN_USE, "a key in another");
        assert_eq!(at(&mut judge, 200, &Readings::default()), FREE);
    }

    #[test]
    fn other_programs_pause_it_when_they_use_more_than_their_share_over_the_window() {
        let mut judge = Judge::new(RULES);
        let mut ticks = 0;
        // All processors for two seconds, as a browser does that opens a page: 20 % of the window.
        for second in 0..30 {
            ticks += if second == 15 || second == 16 { 100 } else { 0 };
            assert_eq!(at(&mut judge, second, &used(second, ticks)), FREE, "{second}");
        }
        // A quarter is not more than a quarter.
        for second in 30..60 {
            ticks += 25;
            assert_eq!(at(&mut judge, second, &used(second, ticks)), FREE, "{second}");
        }
        let first = (60..1000).find(|&second| {
            ticks += 50;
            at(&mut judge, second, &used(second, ticks)) == IN_USE
        });
        assert_eq!(first, Some(60));
        // Quiet from 61 on; the window is below its share from 66, and a minute later we are free.
        let free = (61..1000).find(|&second| at(&mut judge, second, &used(second, ticks)) == FREE);
        assert_eq!(free, Some(120));
    }

    #[test]
    fn nothing_is_concluded_from_half_a_window_or_from_counts_that_run_backwards() {
        let mut judge = Judge::new(RULES);
        for second in 0..10 {
            assert_eq!(at(&mut judge, second, &used(second, second * 100)), FREE);
        }
        assert_eq!(at(&mut judge, 10, &used(10, 1000)), IN_USE);
        let mut judge = Judge::new(RULES);
        assert_eq!(at(&mut judge, 0, &used(50, 1000)), FREE);
        assert_eq!(at(&mut judge, 10, &used(50, 999)), FREE);
        assert!(judge.samples.len() <= 2);
    }

    #[test]
    fn a_battery_pauses_for_as_long_as_it_is_used() {
        let mut judge = Judge::new(RULES);
        let battery = Readings { on_battery: true, ..Readings::default() };
        let both = OwnPause { in_use: true, on_battery: true };
        assert_eq!(at(&mut judge, 0, &battery), OwnPause { on_battery: true, ..FREE });
        assert_eq!(at(&mut judge, 1, &Readings { typed: Some(clock(1)), ..battery }), both);
        assert_eq!(at(&mut judge, 2, &typed(1)), IN_USE);
        assert_eq!(at(&mut judge, 61, &typed(1)), FREE);
    }

    #[test]
    fn only_what_was_asked_for_pauses() {
        let all = Readings { typed: Some(clock(0)), on_battery: true, ..Readings::default() };
        let mut judge = Judge::new(Politeness { in_use: false, ..RULES });
        assert_eq!(at(&mut judge, 0, &all), OwnPause { in_use: false, on_battery: true });
        let mut judge = Judge::new(Politeness { on_battery: false, ..RULES });
        assert_eq!(at(&mut judge, 0, &all), IN_USE);
    }
}
