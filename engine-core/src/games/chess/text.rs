//! Moves as UCI text, and the board as a picture.

use cozy_chess::{Board, File, Move, Piece, Rank, Square};

use super::{Chess, fen};
use crate::game::{Game, Malformed};

/// Reads a legal move in UCI notation. Castling may be written as the king's step or as king takes
/// rook, whatever the position; a move that is legal as written wins.
///
/// # Errors
/// Text that is no move at all, and moves that are not legal here.
pub(super) fn parse_move(board: &Board, text: &str) -> Result<Move, Malformed> {
    let mv =
        read(text).ok_or_else(|| Malformed::new(format!("{} is not a move", fen::quoted(text))))?;
    if board.is_legal(mv) {
        return Ok(mv);
    }
    if let Some(castling) = castling(board, mv).filter(|&castling| board.is_legal(castling)) {
        return Ok(castling);
    }
    let queen = Move { promotion: Some(Piece::Queen), ..mv };
    let hint = if mv.promotion.is_none() && board.is_legal(queen) {
        " without the piece to promote to"
    } else {
        ""
    };
    Err(Malformed::new(format!("{text} is not legal here{hint}")))
}

/// Two squares and perhaps a promotion letter.
fn read(text: &str) -> Option<Move> {
    let from = text.get(0..2)?.parse().ok()?;
    let to = text.get(2..4)?.parse().ok()?;
    let promotion = match text.get(4..)? {
        "" => None,
        "n" | "N" => Some(Piece::Knight),
        "b" | "B" => Some(Piece::Bishop),
        "r" | "R" => Some(Piece::Rook),
        "q" | "Q" => Some(Piece::Queen),
        _ => return None,
    };
    Some(Move { from, to, promotion })
}

/// A king's step to the c- or g-file as the castling move it may stand for.
fn castling(board: &Board, mv: Move) -> Option<Move> {
    let us = board.side_to_move();
    let back_rank = Rank::First.relative_to(us);
    if mv.from != board.king(us) || mv.to.rank() != back_rank {
        return None;
    }
    let rights = board.castle_rights(us);
    let rook = match mv.to.file() {
        File::G => rights.short,
        File::C => rights.long,
        _ => None,
    };
    Some(Move { to: Square::new(rook?, back_rank), ..mv })
}

/// Writes a legal move: castling as king takes rook in Chess960, else as the king's step.
pub(super) fn move_text(position: &Chess, mv: Move) -> String {
    let us = position.board.side_to_move();
    if position.chess960 || !position.board.colors(us).has(mv.to) {
        return mv.to_string();
    }
    let file = if mv.to.file() > mv.from.file() { File::G } else { File::C };
    Move { to: Square::new(file, mv.to.rank()), ..mv }.to_string()
}

/// The board from White's side, with its FEN below.
pub(super) fn diagram(position: &Chess) -> String {
    let mut picture = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        picture.push_str(&rank.to_string());
        for file in File::ALL {
            picture.push(' ');
            picture
                .push(fen::piece_letter(&position.board, Square::new(file, rank)).unwrap_or('.'));
        }
        picture.push('\n');
    }
    picture + "  a b c d e f g h\n" + &position.text()
}
