//! The optional configuration file: defaults for flags, in TOML.
//!
//! The file fills in the defaults of the command line's own description, so that a value from it is
//! checked like one that was typed, and `--help` shows it.
//!
//! - [`values`]: is every value one that its flag takes?

mod values;

use std::fs;
use std::path::Path;

use clap::{Arg, Command};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// Every key of the file; the names are those of the flags.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Keys {
    log: Option<String>,
    log_json: Option<bool>,
    moves: Option<String>,
    game: Option<String>,
    depth: Option<u32>,
    nodes: Option<u64>,
    movetime: Option<u64>,
    profile: Option<String>,
    frontier: Option<Scalar>,
    master: Option<String>,
    workers: Option<u32>,
    threads: Option<u32>,
    leaf_threads: Option<u32>,
    splitter: Option<String>,
    share: Option<String>,
    share_budget: Option<u32>,
    peer_port: Option<u16>,
    hash: Option<u32>,
    hash_shared: Option<String>,
    nice: Option<u8>,
    pause_in_use: Option<bool>,
    pause_on_battery: Option<bool>,
    idle_after: Option<Scalar>,
    busy_above: Option<u8>,
    multipv: Option<u32>,
    json: Option<bool>,
    listen: Option<String>,
    announce: Option<String>,
    name: Option<String>,
    health: Option<String>,
    worker: Option<String>,
}

/// A number or a word.
#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
enum Scalar {
    Number(u32),
    Word(String),
}

/// Defaults read from a file: flag name and value as it would be typed.
pub struct Defaults(Vec<(String, String)>);

impl Defaults {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// A usage error for a file that cannot be read, is no TOML, has an unknown key (with line and
    /// column) or a value that the flag of its name would not take (likewise).
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        let text = fs::read_to_string(path)
            .map_err(|error| Failure::usage(format!("configuration file {shown}: {error}")))?;
        Self::parse(&text)
            .map_err(|error| Failure::usage(format!("configuration file {shown}: {error}")))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let keys: Keys = toml::from_str(text).map_err(|error| place(text, &error))?;
        let table = toml::Table::try_from(keys).map_err(|error| error.to_string())?;
        let typed = |value: toml::Value| match value {
            toml::Value::String(word) => word,
            other => other.to_string(),
        };
        let defaults = Self(table.into_iter().map(|(key, value)| (key, typed(value))).collect());
        match values::fault(&defaults) {
            Some((key, why)) => Err(format!("{}{why}", value_at(text, key))),
            None => Ok(defaults),
        }
    }

    /// Flag names and values, in no order of the file's.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// `command` with these defaults, in it and in all its subcommands.
    pub fn apply(&self, command: Command) -> Command {
        command
            .mut_args(|arg| self.fill(arg))
            .mut_subcommands(|sub| sub.mut_args(|arg| self.fill(arg)))
    }

    /// A flag without an environment variable means something of its own under a name that other
    /// commands use otherwise; it has no key either.
    fn fill(&self, arg: Arg) -> Arg {
        let shared = arg.get_env().is_some();
        let value = self.0.iter().find(|(key, _)| shared && arg.get_long() == Some(key));
        match value {
            Some((_, value)) => arg.default_value(value.clone()).hide_default_value(false),
            None => arg,
        }
    }
}

/// Line, column and message of a TOML error, in one line.
fn place(text: &str, error: &toml::de::Error) -> String {
    let message = error.message();
    format!("{}{message}", error.span().map_or_else(String::new, |span| position(text, span.start)))
}

/// Line and column of the value of a key, as [`position`].
fn value_at(text: &str, key: &str) -> String {
    let table = toml::de::DeTable::parse(text).ok();
    let start = table.and_then(|table| Some(table.get_ref().get(key)?.span().start));
    start.map_or_else(String::new, |start| position(text, start))
}

/// `line L, column C: ` of a byte, counted from 1; columns are characters.
fn position(text: &str, byte: usize) -> String {
    let Some(before) = text.get(..byte) else { return String::new() };
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&letter| letter != '\n').count() + 1;
    format!("line {line}, column {column}: ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;
    use crate::args::Cli;

    /// Flags that do something once; as a setting they would do it again and again.
    const ORDERS: [&str; 2] = ["pause", "resume"];

    #[test]
    fn every_flag_is_a_key_and_has_an_environment_variable() {
        let command = Cli::command();
        let mut flags = BTreeSet::new();
        for place in std::iter::once(&command).chain(command.get_subcommands()) {
            for arg in place.get_arguments() {
                if let Some(flag) = arg.get_long().filter(|flag| !ORDERS.contains(flag)) {
                    flags.insert(flag.to_owned());
                    let variable = format!("APHID_{}", flag.replace('-', "_").to_uppercase());
                    // What is to be the same everywhere must not depend on surroundings.
                    let own =
                        ["threads", "splitter"].contains(&flag) && place.get_name() == "bench";
                    assert!(own || arg.get_env() == Some(variable.as_ref()), "{flag}");
                }
            }
        }
        flags.remove("config");
        assert!(flags.len() > 10);
        for flag in flags {
            let is_key = |value| toml::from_str::<Keys>(&format!("{flag} = {value}")).is_ok();
            assert!(is_key("\"x\"") || is_key("1") || is_key("true"), "{flag}");
        }
    }

    #[test]
    fn the_example_file_shows_every_key_with_a_value_that_works() {
        let example = include_str!("../../deploy/aphid.example.toml");
        assert!(Defaults::parse(example).is_ok_and(|defaults| defaults.0.is_empty()));
        // Whatever looks like a key is one.
        let is_key =
            |line: &&str| line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
        let lines = example.lines().filter_map(|line| line.strip_prefix("# "));
        let keys: Vec<&str> = lines.filter(is_key).collect();
        let defaults = Defaults::parse(&keys.join("\n")).unwrap();
        let command = Cli::command();
        let places = std::iter::once(&command).chain(command.get_subcommands());
        let flags: BTreeSet<&str> =
            places.flat_map(Command::get_arguments).filter_map(Arg::get_long).collect();
        let shown: BTreeSet<&str> = defaults.0.iter().map(|(key, _)| key.as_str()).collect();
        let own = |flag: &str| flag == "config" || ORDERS.contains(&flag);
        let missing: Vec<_> = flags.difference(&shown).filter(|flag| !own(flag)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        // Some of these mean nothing to a command, none harms it.
        for sub in ["analyse", "uci", "master", "worker", "perft 1", "bench", "status", "health"] {
            let words = std::iter::once("aphid").chain(sub.split(' '));
            let read = defaults.apply(Cli::command()).try_get_matches_from(words);
            assert!(read.is_ok(), "{sub}: {}", read.unwrap_err());
        }
    }

    #[test]
    fn errors_name_line_and_column() {
        let fault = |text| Defaults::parse(text).err().unwrap_or_default();
        let unknown = fault("depth = 3\n  dpeth = 4\n");
        assert!(unknown.starts_with("line 2, column 3: unknown field `dpeth`"), "{unknown}");
        let kind = fault("depth = \"deep\"\n");
        assert!(kind.starts_with("line 1, column 9: invalid type"), "{kind}");
        assert!(fault("depth = ").starts_with("line 1, column"));
    }

    #[test]
    fn every_value_is_checked_whichever_command_reads_the_file() {
        let fault = |text| Defaults::parse(text).err().unwrap_or_default();
        for (text, place, part) in [
            ("json = true\nprofile = \"fast\"\n", "line 2, column 11: ", "'fast' for '--profile"),
            ("depth = 101", "line 1, column 9: ", "1..=100"),
            ("threads = 0", "line 1, column 11: ", "'--threads"),
            ("frontier = \"deep\"", "line 1, column 12: ", "auto"),
            ("\n\n  master = \"mill\"", "line 3, column 12: ", "no port"),
            ("worker = \"mill:0\"", "line 1, column 10: ", "65535"),
            ("listen = \"mill:7300\"", "line 1, column 10: ", "ADDR:PORT"),
            ("health = \"7301\"", "line 1, column 10: ", "ADDR:PORT"),
            ("log = \"x=y=z\"", "line 1, column 7: ", "x=y=z"),
            ("idle-after = \"5 m\"", "line 1, column 14: ", "1s to 24h"),
            ("busy-above = 101", "line 1, column 14: ", "1..=100"),
            ("name = \"\"", "line 1, column 8: ", "1 to 64 bytes"),
        ] {
            let fault = fault(text);
            assert!(fault.starts_with(place) && fault.contains(part), "{text}: {fault}");
        }
    }
}
