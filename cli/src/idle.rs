//! A quiet time as people write it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use ::worker::Politeness;

/// How long a machine must have been quiet: `300`, `300s`, `5m`, `2h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleAfter(pub Duration);

impl Default for IdleAfter {
    fn default() -> Self {
        Self(Politeness::default().idle_after)
    }
}

impl FromStr for IdleAfter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let seconds = match &text[digits.len()..] {
            "" | "s" => 1,
            "m" => 60,
            "h" => 3600,
            _ => 0,
        };
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse::<u64>().ok().filter(|_| plain);
        let time = number.and_then(|number| number.checked_mul(seconds)).map(Duration::from_secs);
        let (shortest, longest) = Politeness::IDLE_AFTER;
        time.filter(|time| (shortest..=longest).contains(time)).map(Self).ok_or_else(|| {
            "not a time from 1s to 24h, such as 90 (seconds), 90s, 5m or 2h".to_owned()
        })
    }
}

impl fmt::Display for IdleAfter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_secs() {
            seconds if seconds % 3600 == 0 => write!(f, "{}h", seconds / 3600),
            seconds if seconds % 60 == 0 => write!(f, "{}m", seconds / 60),
            seconds => write!(f, "{seconds}s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_time_is_a_number_with_or_without_a_unit() {
        let read = |text: &str| text.parse::<IdleAfter>().map(|time| time.0.as_secs());
        for (text, seconds) in
            [("1", 1), ("90", 90), ("90s", 90), ("5m", 300), ("24h", 86_400), ("1440m", 86_400)]
        {
            assert_eq!(read(text), Ok(seconds), "{text}");
        }
        let long = format!("{}h", u64::MAX);
        for text in ["", "0", "0m", "25h", "5 m", "-5", "+5", "5min", "m", "5µ", "1.5h", &long] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn it_is_shown_as_it_could_be_typed() {
        assert_eq!(IdleAfter::default().to_string(), "5m");
        for text in ["90s", "1m", "2h", "24h"] {
            assert_eq!(text.parse::<IdleAfter>().map(|time| time.to_string()), Ok(text.to_owned()));
        }
    }
}
