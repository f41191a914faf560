//! Writing to stdout when nobody may be listening any more.

use std::io::{self, Write as _};

use serde::Serialize;

use crate::failure::Failure;

/// Prints a line.
///
/// # Errors
/// [`Failure::Unheard`] when the reader has gone away, which ends the command quietly.
pub fn say(line: impl AsRef<str>) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = writeln!(stdout, "{}", line.as_ref()).and_then(|()| stdout.flush());
    written.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Unheard,
        _ => Failure::failed(error),
    })
}

/// Prints a value as one line of JSON.
///
/// # Errors
/// As [`say`].
pub fn say_json(value: &impl Serialize) -> Result<(), Failure> {
    say(serde_json::to_string(value).map_err(Failure::failed)?)
}

/// Prints a line on stderr, if anybody listens.
pub fn remark(line: impl AsRef<str>) {
    // Nothing can be done for a user without stderr, and nothing has to be.
    let _ = writeln!(io::stderr().lock(), "{}", line.as_ref());
}
