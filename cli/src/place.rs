//! The position a user names: its text and the moves played from it.

use engine_core::game::Game;
use engine_core::line::Line;

use crate::args::PlaceFlags;
use crate::failure::Failure;

/// Reads the position.
///
/// # Errors
/// A usage error that says what is wrong with it.
pub fn position<G: Game>(flags: &PlaceFlags) -> Result<G, Failure> {
    G::parse(&flags.position)
        .map_err(|error| Failure::usage(format!("{} position: {error}", G::NAME)))
}

/// Reads the position and plays the moves.
///
/// # Errors
/// As [`position`], or which move cannot be played.
pub fn read<G: Game>(flags: &PlaceFlags) -> Result<Line<G>, Failure> {
    Line::from_moves(position(flags)?, flags.moves.split_whitespace())
        .map_err(|error| Failure::usage(format!("--moves: {error}")))
}
