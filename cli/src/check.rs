//! `aphid config check`: is a configuration file one that every command would take?

use crate::args::CheckFlags;
use crate::config::Defaults;
use crate::failure::Failure;
use crate::output::say;

/// Runs the command. Starts and connects to nothing.
///
/// # Errors
/// A usage error with line and column, as every command has it that is given such a file.
pub fn run(flags: &CheckFlags) -> Result<(), Failure> {
    let defaults = Defaults::read(&flags.file)?;
    for (key, value) in defaults.iter() {
        say(format!("{key} = {value}"))?;
    }
    say(format!("{}: good", flags.file.display()))
}
