//! The options a GUI can set.

use clap::ValueEnum;

use super::parse::{number, shown};
use crate::choice::ProfileName;
use crate::think::Setup;

/// Values of all options.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The embedded cluster.
    pub setup: Setup,
    pub multipv: u32,
    pub chess960: bool,
    /// Milliseconds kept back in each move.
    pub overhead: u32,
    pub profile: ProfileName,
}

/// What setting an option calls for.
#[derive(Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing beyond the next search.
    None,
    /// Workers of another kind or number.
    Setup,
    /// Castling is written another way.
    Notation,
    /// Forget what was learnt.
    Forget,
}

/// Greatest values, shown to the GUI and kept to.
const MAX_HASH_MB: u32 = 1_048_576;
const MAX_THREADS: u32 = 1_024;
const MAX_WORKERS: u32 = 64;
const MAX_MULTIPV: u32 = 256;
const MAX_OVERHEAD_MS: u32 = 10_000;

impl Options {
    /// The declarations a GUI reads after `uci`.
    pub fn declare(&self) -> Vec<String> {
        let spin = |name: &str, value: u32, min: u32, max: u32| {
            format!("option name {name} type spin default {value} min {min} max {max}")
        };
        let profile = self.profile.to_possible_value();
        let profile = profile.as_ref().map_or("modern", |value| value.get_name());
        let choices = ProfileName::NAMES.map(|name| format!(" var {name}")).concat();
        vec![
            spin("Hash", self.setup.machine.hash_mb, 1, MAX_HASH_MB),
            spin("Threads", self.setup.machine.threads, 1, MAX_THREADS),
            spin("Workers", self.setup.workers, 0, MAX_WORKERS),
            spin("MultiPV", self.multipv, 1, MAX_MULTIPV),
            spin("Move Overhead", self.overhead, 0, MAX_OVERHEAD_MS),
            "option name Ponder type check default false".into(),
            "option name UCI_AnalyseMode type check default false".into(),
            format!("option name UCI_Chess960 type check default {}", self.chess960),
            format!("option name Profile type combo default {profile}{choices}"),
            "option name Clear Hash type button".into(),
        ]
    }

    /// Sets an option.
    ///
    /// # Errors
    /// A sentence, and nothing has changed.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Effect, String> {
        let value = value.unwrap_or("");
        let spin = |min, max| spin(name, value, min, max);
        match name.to_ascii_lowercase().as_str() {
            "hash" => self.setup.machine.hash_mb = spin(1, MAX_HASH_MB)?,
            "threads" => self.setup.machine.threads = spin(1, MAX_THREADS)?,
            "workers" => self.setup.workers = spin(0, MAX_WORKERS)?,
            "multipv" => {
                self.multipv = spin(1, MAX_MULTIPV)?;
                return Ok(Effect::None);
            }
            "move overhead" => {
                self.overhead = spin(0, MAX_OVERHEAD_MS)?;
                return Ok(Effect::None);
            }
            // The GUI says what it is going to do; we do nothing different for it.
            "ponder" | "uci_analysemode" => {
                check(name, value)?;
                return Ok(Effect::None);
            }
            "uci_chess960" => {
                self.chess960 = check(name, value)?;
                return Ok(Effect::Notation);
            }
            "profile" => {
                self.profile = ProfileName::from_str(value, true)
                    .map_err(|_| format!("{name}: {} is no choice", shown(value)))?;
                return Ok(Effect::None);
            }
            "clear hash" => return Ok(Effect::Forget),
            _ => return Err(format!("no such option: {}", shown(name))),
        }
        Ok(Effect::Setup)
    }
}

fn spin(name: &str, value: &str, min: u32, max: u32) -> Result<u32, String> {
    number(value)
        .and_then(|number| u32::try_from(number).ok())
        .filter(|number| (min..=max).contains(number))
        .ok_or_else(|| format!("{name}: {} is no number from {min} to {max}", shown(value)))
}

fn check(name: &str, value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("{name}: {} is neither true nor false", shown(value))),
    }
}

#[cfg(test)]
mod tests {
    use engine_core::splitter::Splitter;

    use super::*;
    use crate::think::Machine;

    fn options() -> Options {
        let machine = Machine {
            threads: 2,
            leaf_threads: 0,
            splitter: Splitter::default(),
            hash_mb: 64,
            share_budget: 0,
        };
        Options {
            setup: Setup { workers: 1, machine },
            multipv: 1,
            chess960: false,
            overhead: 20,
            profile: ProfileName::Modern,
        }
    }

    #[test]
    fn garbage_changes_nothing() {
        let garbage = [
            ("Threads", "abc"),
            ("Threads", "999999999999999999999999999999"),
            ("Threads", "4abc"),
            ("Threads", "-1"),
            ("Threads", "0"),
            ("Threads", ""),
            ("Hash", "notanumber"),
            ("Hash", "33554433"),
            ("MultiPV", "0"),
            ("UCI_Chess960", "maybe"),
            ("Profile", "fast"),
            ("Nonsense", "1"),
        ];
        for (name, value) in garbage {
            let mut set = options();
            assert!(set.set(name, Some(value)).is_err(), "{name} {value}");
            assert_eq!(set, options());
        }
        assert!(options().set("Hash", None).is_err());
    }

    #[test]
    fn names_and_words_are_read_in_any_case() {
        let mut set = options();
        assert_eq!(set.set("hASH", Some("128")), Ok(Effect::Setup));
        assert_eq!(set.set("uci_chess960", Some("TRUE")), Ok(Effect::Notation));
        assert_eq!(set.set("profile", Some("Exact")), Ok(Effect::None));
        assert_eq!(set.set("Clear Hash", None), Ok(Effect::Forget));
        assert_eq!(
            (set.setup.machine.hash_mb, set.chess960, set.profile),
            (128, true, ProfileName::Exact)
        );
    }

    #[test]
    fn every_declared_option_can_be_set_to_its_default() {
        let mut set = options();
        for line in set.declare() {
            let name = line.strip_prefix("option name ").unwrap();
            let (name, kind) = name.split_once(" type ").unwrap();
            let default = kind.split_once("default ").map(|(_, value)| value);
            let default = default.map(|value| value.split(' ').next().unwrap());
            assert!(set.set(name, default).is_ok(), "{line}");
        }
        assert_eq!(set, options());
    }
}
