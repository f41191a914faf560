//! Logs go to stderr, so that stdout stays the answer's.

use std::io;

use tracing_subscriber::EnvFilter;

use crate::args::{Cli, Command};
use crate::failure::Failure;

/// Starts logging as the flags say.
///
/// # Errors
/// A usage error for a filter that makes no sense.
pub fn start(cli: &Cli) -> Result<(), Failure> {
    let usual = match cli.command {
        Command::Master(_) | Command::Worker(_) => "info",
        _ => "warn",
    };
    let text = cli.common.log.as_deref().unwrap_or(usual);
    let filter = EnvFilter::builder()
        .parse(text)
        .map_err(|error| Failure::usage(format!("--log {text:?}: {error}")))?;
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        // It would complain of a closed stderr on stderr, and that panics.
        .log_internal_errors(false);
    if cli.common.log_json {
        logs.json().init();
    } else {
        logs.with_ansi(io::IsTerminal::is_terminal(&io::stderr())).init();
    }
    Ok(())
}
