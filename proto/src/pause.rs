//! Why a worker does not search.

use crate::error::WireError;
use crate::v1::PauseReason;
use crate::{parts, v1};

/// The reasons of a worker to pause itself; with none, it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OwnPause {
    /// Somebody, or another program, uses its machine.
    pub in_use: bool,
    /// Its machine runs on battery.
    pub on_battery: bool,
}

impl OwnPause {
    /// There is a reason.
    pub fn is_paused(self) -> bool {
        self.in_use || self.on_battery
    }

    /// Writes the reasons.
    pub fn encode(self) -> Vec<i32> {
        let reasons =
            [(self.in_use, PauseReason::InUse), (self.on_battery, PauseReason::OnBattery)];
        let given = reasons.into_iter().filter(|(holds, _)| *holds);
        given.map(|(_, reason)| reason.into()).collect()
    }

    /// Reads the reasons.
    ///
    /// # Errors
    /// A number that stands for no reason, or more of them than there are.
    pub fn decode(reasons: Vec<i32>) -> Result<Self, WireError> {
        let mut pause = Self::default();
        parts::list(reasons, "reasons", 2, |number| {
            match PauseReason::try_from(number) {
                Ok(PauseReason::InUse) => pause.in_use = true,
                Ok(PauseReason::OnBattery) => pause.on_battery = true,
                Ok(PauseReason::Unspecified) | Err(_) => {
                    let value = number.into();
                    return Err(WireError::OutOfRange { field: "reasons", value, min: 1, max: 2 });
                }
            }
            Ok(())
        })?;
        Ok(pause)
    }

    /// The reasons for people, such as `in use`.
    pub fn words(self) -> Vec<&'static str> {
        let words = [(self.in_use, "in use"), (self.on_battery, "on battery")];
        words.into_iter().filter(|(holds, _)| *holds).map(|(_, words)| words).collect()
    }
}

impl From<OwnPause> for v1::Availability {
    fn from(pause: OwnPause) -> Self {
        Self { reasons: pause.encode() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_read_as_they_are_written() {
        for (in_use, on_battery) in [(false, false), (true, false), (false, true), (true, true)] {
            let pause = OwnPause { in_use, on_battery };
            assert_eq!(OwnPause::decode(pause.encode()), Ok(pause));
            assert_eq!(pause.is_paused(), !pause.words().is_empty());
        }
    }

    #[test]
    fn what_is_no_reason_is_malformed() {
        for reasons in [vec![0], vec![3], vec![1, -1], vec![1, 2, 1]] {
            assert!(OwnPause::decode(reasons.clone()).is_err(), "{reasons:?}");
        }
    }
}
