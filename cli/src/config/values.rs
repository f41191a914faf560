//! Is every value one that the flag of its name would take?

use clap::builder::Resettable;
use clap::{Arg, Command, CommandFactory};
use proto::limits;
use tracing_subscriber::EnvFilter;

use super::Defaults;
use crate::args::Cli;
use crate::failure::Failure;
use crate::{Refusal, refusal, settings};

/// The first of the defaults, in their order, that its flag would not take, and why. Whether the
/// command at hand has that flag does not matter: the same file serves them all.
pub fn fault(defaults: &Defaults) -> Option<(&str, String)> {
    let command = Cli::command();
    let places: Vec<&Command> =
        std::iter::once(&command).chain(command.get_subcommands()).collect();
    defaults.0.iter().find_map(|(key, value)| {
        let single = Defaults(vec![(key.clone(), value.clone())]);
        let flags = places.iter().flat_map(|place| place.get_arguments());
        let mut flags = flags.filter(|flag| flag.get_long() == Some(key));
        let why = flags.find_map(|flag| refused(&single, flag)).or_else(|| meaning(key, value))?;
        Some((key.as_str(), why))
    })
}

/// Why the flag does not take the default.
fn refused(single: &Defaults, flag: &Arg) -> Option<String> {
    // By itself, and with nothing to overrule the default.
    let alone = single.fill(flag.clone()).env(Resettable::Reset);
    let command = Command::new("aphid").disable_help_flag(true).arg(alone);
    match refusal(command.try_get_matches_from(["aphid"]).err()?) {
        Refusal::Failure(failure) => Some(failure.to_string()),
        Refusal::Shown(error) => Some(error.to_string()),
    }
}

/// What is wrong with a value whose flag takes any text at first.
fn meaning(key: &str, value: &str) -> Option<String> {
    let why = |failure: Failure| failure.to_string();
    match key {
        "master" => settings::whereabouts(value).map_err(why).err(),
        "worker" => settings::address(value).map_err(why).err(),
        "listen" | "health" => settings::listen_address(value).map_err(why).err(),
        "log" => {
            let error = EnvFilter::builder().parse(value).err()?;
            Some(format!("--log {value:?}: {error}"))
        }
        "name" if value.is_empty() || value.len() > limits::NAME_BYTES => {
            Some(format!("a name has 1 to {} bytes", limits::NAME_BYTES))
        }
        _ => None,
    }
}
