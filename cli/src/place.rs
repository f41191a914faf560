//! The position a user names: its text and the moves played from it.

use engine_core::game::Game;
use engine_core::line::Line;

use crate::args::PlaceFlags;
use crate::failure::Failure;

/// Reads the position and plays the moves.
///
/// # Errors
/// A usage error that says what is wrong with the position, or which move cannot be played.
pub fn read<G: Game>(flags: &PlaceFlags) -> Result<Line<G>, Failure> {
    let position = G::parse(&flags.position)
        .map_err(|error| Failure::usage(format!("{} position: {error}", G::NAME)))?;
    Line::from_moves(position, flags.moves.split_whitespace())
        .map_err(|error| Failure::usage(format!("--moves: {error}")))
}
