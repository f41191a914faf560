//! What ends a command early, in one line, and the exit code that goes with it.

use std::process::ExitCode;

use crate::output::remark;

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The command was given something it cannot accept: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// The command was right, the world was not: exit code 1.
    #[error("{0:#}")]
    Failed(anyhow::Error),
    /// Whoever read our output has gone away: an end without a word, exit code 1.
    #[error("nobody reads the output")]
    Unheard,
}

impl Failure {
    /// A usage error that says `what` is wrong.
    pub fn usage(what: impl Into<String>) -> Self {
        Self::Usage(what.into())
    }

    /// A failure of the outside world.
    pub fn failed(error: impl Into<anyhow::Error>) -> Self {
        Self::Failed(error.into())
    }

    /// Prints the failure as one line on stderr and names the exit code.
    pub fn report(&self) -> ExitCode {
        let code = match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::Failed(_) => ExitCode::FAILURE,
            Self::Unheard => return ExitCode::FAILURE,
        };
        let words: Vec<String> =
            self.to_string().lines().map(|line| line.trim().to_owned()).collect();
        remark(format!("error: {}", words.join(" ")));
        code
    }
}
