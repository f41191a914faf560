//! `aphid`: the one binary. Reads the command line, runs the command, reports what went wrong.
//!
//! - [`args`], [`choice`], [`idle`], [`config`], [`examples`]: what the user typed
//! - [`analyse`], [`uci`], [`master`], [`worker`], [`perft`], [`mod@bench`], [`status`],
//!   [`health`], [`check`]: one command each
//! - [`think`]: having a position searched, by a cluster or here

mod analyse;
mod args;
mod bench;
mod check;
mod choice;
mod config;
mod examples;
mod failure;
mod health;
mod idle;
mod logging;
mod master;
mod names;
mod output;
mod perft;
mod place;
mod service;
mod settings;
mod sharing;
mod signals;
mod speed;
mod status;
mod think;
mod uci;
mod version;
mod worker;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};

use args::{Cli, Command, ConfigCommand};
use config::Defaults;
use failure::Failure;

fn main() -> ExitCode {
    names::settle();
    let cli = match command_line() {
        Ok(cli) => cli,
        Err(Refusal::Shown(error)) => error.exit(),
        Err(Refusal::Failure(failure)) => return failure.report(),
    };
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Why there is no command to run.
enum Refusal {
    /// A help or version text, to be printed as clap does.
    Shown(clap::Error),
    /// A mistake, to be printed in one line.
    Failure(Failure),
}

/// Reads the command line and the configuration file it may name.
fn command_line() -> Result<Cli, Refusal> {
    let read = |command: clap::Command| {
        Cli::from_arg_matches(&command.try_get_matches().map_err(refusal)?).map_err(refusal)
    };
    let cli = read(Cli::command())?;
    let Some(path) = &cli.common.config else { return Ok(cli) };
    read(Defaults::read(path).map_err(Refusal::Failure)?.apply(Cli::command()))
}

/// What the standard library says of a text that is no number, and what it means to a user.
const NUMBER_WORDS: [(&str, &str); 3] = [
    ("invalid digit found in string", "not a plain whole number"),
    ("cannot parse integer from empty string", "not a plain whole number"),
    ("number too large to fit in target type", "too large"),
];

/// Shortens clap's report to the line that says what is wrong.
fn refusal(error: clap::Error) -> Refusal {
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Refusal::Shown(error),
        _ => {
            let text = error.to_string();
            let useful = text.split("\n\nUsage:").next().unwrap_or(&text);
            let useful = useful.split("\n\nFor more").next().unwrap_or(useful);
            let useful = useful.trim_start_matches("error: ");
            let useful = NUMBER_WORDS
                .iter()
                .fold(useful.to_owned(), |text, (theirs, ours)| text.replace(theirs, ours));
            Refusal::Failure(Failure::usage(useful.replace("\n\n", "; ")))
        }
    }
}

fn run(cli: Cli) -> Result<(), Failure> {
    logging::start(&cli)?;
    match cli.command {
        Command::Perft(flags) => perft::run(&flags),
        Command::Bench(flags) => bench::run(&flags),
        Command::Analyse(flags) => analyse::run(&flags),
        Command::Uci(flags) => uci::run(&flags),
        Command::Master(flags) => master::run(&flags),
        Command::Status(flags) => status::run(&flags),
        Command::Worker(flags) => worker::run(&flags),
        Command::Health(flags) => health::run(&flags),
        Command::Config(ConfigCommand::Check(flags)) => check::run(&flags),
    }
}
