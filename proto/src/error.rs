//! What can be wrong with a message.

use engine_core::game::Malformed;

/// Why a message from the wire is malformed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// A field that every such message has is not there.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A number is not in its range.
    #[error("{field} is {value}, not {min} to {max}")]
    OutOfRange {
        /// The field.
        field: &'static str,
        /// What it says.
        value: i128,
        /// Least value allowed.
        min: i128,
        /// Greatest value allowed.
        max: i128,
    },
    /// A list, text or byte string is too long.
    #[error("{field} has length {length}, more than {max}")]
    TooLong {
        /// The field.
        field: &'static str,
        /// Its length: entries, or bytes.
        length: usize,
        /// Greatest length allowed.
        max: usize,
    },
    /// A text contains control characters.
    #[error("{0} contains control characters")]
    Unprintable(&'static str),
    /// No value lies strictly between the ends of a window.
    #[error("window from {alpha} to {beta} is empty")]
    EmptyWindow {
        /// Lower end.
        alpha: i32,
        /// Upper end.
        beta: i32,
    },
    /// Bounds that no value satisfies.
    #[error("no value is at least {lower} and at most {upper}")]
    Contradiction {
        /// Lower bound.
        lower: i32,
        /// Upper bound.
        upper: i32,
    },
    /// A search of another game than the one expected.
    #[error("the game is {found:?}, not {expected:?}")]
    OtherGame {
        /// The game expected.
        expected: &'static str,
        /// The game named, made printable.
        found: String,
    },
    /// The bytes of a leaf are no position of the game.
    #[error("leaf {leaf}: {error}")]
    Leaf {
        /// The leaf.
        leaf: u32,
        /// What the game says about it.
        error: Malformed,
    },
    /// A message that has no place here.
    #[error("{0} is out of place here")]
    OutOfPlace(&'static str),
}
