//! What a board must satisfy before we think about it, each failure with its own sentence.

use cozy_chess::{Board, BoardBuilder, BoardBuilderError, Color, Piece, Rank, Square};

use crate::game::Malformed;

/// The board that `builder` describes.
///
/// # Errors
/// The first reason why no game can be played from there.
pub(super) fn build(builder: &BoardBuilder) -> Result<Board, Malformed> {
    for color in [Color::White, Color::Black] {
        check_side(builder, color)?;
    }
    let board = builder.build().map_err(|error| Malformed::new(reason(error)))?;
    let (white, black) = (board.king(Color::White), board.king(Color::Black));
    if cozy_chess::get_king_moves(white).has(black) {
        return Err(Malformed::new(format!(
            "board: the kings on {white} and {black} stand next to each other"
        )));
    }
    if board.checkers().len() > 2 {
        return Err(Malformed::new("board: more than two pieces give check at once"));
    }
    Ok(board)
}

/// Counts one side's pieces and looks for pawns where no pawn can be.
fn check_side(builder: &BoardBuilder, color: Color) -> Result<(), Malformed> {
    let name = color_name(color);
    let (mut kings, mut pawns, mut pieces) = (0, 0, 0);
    for square in Square::ALL {
        let Some((piece, owner)) = builder.square(square) else { continue };
        if owner != color {
            continue;
        }
        pieces += 1;
        kings += i32::from(piece == Piece::King);
        pawns += i32::from(piece == Piece::Pawn);
        if piece == Piece::Pawn && matches!(square.rank(), Rank::First | Rank::Eighth) {
            return Err(Malformed::new(format!("board: a {name} pawn stands on {square}")));
        }
    }
    if kings != 1 {
        return Err(Malformed::new(format!("board: {name} has {kings} kings instead of one")));
    }
    if pawns > 8 {
        return Err(Malformed::new(format!("board: {name} has {pawns} pawns, more than 8")));
    }
    if pieces > 16 {
        return Err(Malformed::new(format!("board: {name} has {pieces} pieces, more than 16")));
    }
    Ok(())
}

/// What the board's own check has found beyond [`check_side`].
fn reason(error: BoardBuilderError) -> &'static str {
    match error {
        BoardBuilderError::InvalidBoard => "board: the side that is not to move is in check",
        BoardBuilderError::InvalidCastlingRights => {
            "castling rights: the king or the rook is not where castling needs it"
        }
        BoardBuilderError::InvalidEnPassant => {
            "en passant square: the last move cannot have been that double step of a pawn"
        }
        BoardBuilderError::InvalidHalfMoveClock => "halfmove clock: greater than 100",
        BoardBuilderError::InvalidFullmoveNumber => "fullmove number: 0",
    }
}

/// "white" or "black".
pub(super) fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "white",
        Color::Black => "black",
    }
}
