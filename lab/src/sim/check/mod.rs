//! What must hold after every event. One file, one promise.
//!
//! The checkers know nothing of how master and slave work: they watch messages, members and
//! counters from outside.

pub mod bounds;
pub mod merge;
pub mod ownership;
pub mod progress;
pub mod value;

/// A promise was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Which promise.
    pub checker: &'static str,
    /// How.
    pub what: String,
}

/// Whether a promise holds.
pub type Verdict = Result<(), Violation>;

/// `holds`, or a violation in the words of `what`.
fn check(checker: &'static str, holds: bool, what: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(Violation { checker, what: what() }) }
}
