//! Words that flags, environment variables and the configuration file choose from.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use clap::ValueEnum;
use engine_core::search::Profile;
use engine_core::splitter::Splitter;
use proto::v1::worker_choice::Who;
use proto::{limits, v1};

/// A game we bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum GameName {
    /// Chess and Chess960.
    #[default]
    Chess,
    /// Othello (Reversi).
    Othello,
}

/// Evaluates an expression with `$G` standing for the type of the game named.
macro_rules! with_game {
    ($name:expr, $G:ident => $body:expr) => {
        match $name {
            $crate::choice::GameName::Chess => {
                type $G = engine_core::games::chess::Chess;
                $body
            }
            $crate::choice::GameName::Othello => {
                type $G = engine_core::games::othello::Othello;
                $body
            }
        }
    };
}
pub(crate) use with_game;

/// Which search to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ProfileName {
    /// Fixed-depth alpha-beta: the same value however the work is spread.
    Exact,
    /// The search of the papers' time: null move, check extension, table cut-offs.
    Classic,
    /// Everything that wins games; means classic until it exists.
    #[default]
    Modern,
}

impl ProfileName {
    /// Every name, in the order of help texts.
    pub const NAMES: [&str; 3] = ["exact", "classic", "modern"];

    /// The search behind the name.
    pub fn profile(self) -> Profile {
        match self {
            Self::Exact => Profile::Exact,
            Self::Classic | Self::Modern => Profile::Classic,
        }
    }
}

/// Whether.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Switch {
    /// Yes.
    #[default]
    On,
    /// No.
    Off,
}

/// How many plies the master searches itself (d′).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FrontierChoice {
    /// Decided node by node, by the expected size of the subtree.
    #[default]
    Auto,
    /// The same number of plies everywhere, as in the paper.
    Fixed(NonZeroU32),
}

/// Deepest fixed frontier; the master's own search would dwarf the workers' far above it.
const MAX_FRONTIER: u32 = 20;

impl FromStr for FrontierChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let plies = text.parse().ok().filter(|plies: &NonZeroU32| plies.get() <= MAX_FRONTIER);
        plies.map(Self::Fixed).ok_or_else(|| {
            format!("neither \"auto\" nor a number of plies from 1 to {MAX_FRONTIER}")
        })
    }
}

impl fmt::Display for FrontierChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Fixed(plies) => plies.fmt(f),
        }
    }
}

/// How threads share a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SplitterChoice(pub Splitter);

impl FromStr for SplitterChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names: Vec<_> = Splitter::ALL.iter().map(|splitter| splitter.name()).collect();
        let found = Splitter::from_name(text);
        found.map(Self).ok_or_else(|| format!("expected one of {}", names.join(", ")))
    }
}

impl fmt::Display for SplitterChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

/// When a master announces itself on the local network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum AnnounceChoice {
    /// Unless it listens on this machine only or runs in a container.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A worker, or several, as a person names them. One whose name is a number, or `all`, can be meant
/// only by its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerName {
    /// Every worker.
    All,
    /// The worker with this number.
    Number(u64),
    /// Every worker of this name.
    Name(String),
}

impl FromStr for WorkerName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.parse().map(Self::Number).map_err(|_| "number too large".to_owned());
        }
        if text.is_empty() || text.len() > limits::NAME_BYTES || text.contains(char::is_control) {
            return Err(format!(
                "a worker's name has 1 to {} bytes and no control characters",
                limits::NAME_BYTES
            ));
        }
        Ok(Self::Name(text.to_owned()))
    }
}

impl From<&WorkerName> for v1::WorkerChoice {
    fn from(name: &WorkerName) -> Self {
        let who = match name {
            WorkerName::All => Who::All(v1::AllWorkers {}),
            WorkerName::Number(number) => Who::Id(*number),
            WorkerName::Name(name) => Who::Name(name.clone()),
        };
        Self { who: Some(who) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profile_names_are_those_of_the_value_enum() {
        let names: Vec<String> = ProfileName::value_variants()
            .iter()
            .filter_map(|value| Some(value.to_possible_value()?.get_name().to_owned()))
            .collect();
        assert_eq!(names, ProfileName::NAMES);
    }

    #[test]
    fn a_frontier_is_auto_or_a_small_number() {
        for good in ["auto", "1", "4", "20"] {
            assert_eq!(good.parse::<FrontierChoice>().map(|f| f.to_string()), Ok(good.to_owned()));
        }
        for bad in ["", "0", "21", "-1", "Auto", "4.0", "99999999999"] {
            assert!(bad.parse::<FrontierChoice>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_worker_is_meant_by_name_or_number() {
        let read = |text: &str| text.parse::<WorkerName>();
        assert_eq!(read("all"), Ok(WorkerName::All));
        assert_eq!(read("12"), Ok(WorkerName::Number(12)));
        assert_eq!(read("mill-12"), Ok(WorkerName::Name("mill-12".into())));
        for bad in ["", "a\nb", "99999999999999999999", &"x".repeat(65)] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }
}
