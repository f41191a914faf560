//! Which move first, as far as the position alone can tell.

use cozy_chess::{BitBoard, Board, Color, Move, Piece, Rank, Square, get_pawn_attacks};

use super::evaluate::piece_square;
use super::see::{exchange_value, is_good_capture, victim};
use crate::game::{BAD_TACTICAL, GOOD_TACTICAL};

/// History scores are kept by side, moved piece and target square.
pub(super) const HISTORY_SLOTS: usize = Color::NUM * Piece::NUM * Square::NUM;

/// Steps into a pawn's attack lose at least this much order.
const PAWN_THREAT: i32 = 200;
/// Quiet moves stay within this, so that history soon outweighs it.
const QUIET_LIMIT: i32 = 500;
/// More than any victim is worth: keeps every bad move below [`BAD_TACTICAL`].
const BELOW_ALL_VICTIMS: i32 = 30_000;

/// Neither capture nor promotion.
#[inline]
pub(super) fn is_quiet(board: &Board, mv: Move) -> bool {
    mv.promotion.is_none() && victim(board, mv).is_none()
}

/// Where the move keeps its history score.
#[inline]
pub(super) fn history_slot(board: &Board, mv: Move) -> usize {
    let side_and_piece = board.side_to_move() as usize * Piece::NUM + moved(board, mv) as usize;
    side_and_piece * Square::NUM + mv.to as usize
}

/// Static ordering score of a legal move: good captures and promotions by what they gain, quiet
/// moves by the better square, losing captures and small promotions last.
pub(super) fn score(board: &Board, mv: Move) -> i32 {
    let moved = moved(board, mv);
    let victim = victim(board, mv);
    let gain = victim.map_or(0, exchange_value);
    match mv.promotion {
        Some(Piece::Queen) => return GOOD_TACTICAL + 8 * (gain + exchange_value(Piece::Queen)),
        Some(piece) => return BAD_TACTICAL - BELOW_ALL_VICTIMS + exchange_value(piece),
        None => {}
    }
    match victim {
        None => quiet_score(board, mv, moved),
        // Most valuable victim first, then the least valuable attacker.
        Some(victim) if is_good_capture(board, mv, moved, victim) => {
            GOOD_TACTICAL + 8 * gain - moved as i32
        }
        Some(_) => BAD_TACTICAL - BELOW_ALL_VICTIMS + 8 * gain - exchange_value(moved),
    }
}

fn quiet_score(board: &Board, mv: Move, moved: Piece) -> i32 {
    let us = board.side_to_move();
    if board.colors(us).has(mv.to) {
        return QUIET_LIMIT / 4; // castling
    }
    let square_gain =
        (piece_square(moved, us, mv.to) - piece_square(moved, us, mv.from)).middlegame();
    let their_pawns = board.colored_pieces(!us, Piece::Pawn);
    let attacked = moved != Piece::Pawn && !(get_pawn_attacks(mv.to, us) & their_pawns).is_empty();
    let threat = if attacked { PAWN_THREAT } else { 0 };
    (square_gain - threat).clamp(-QUIET_LIMIT, QUIET_LIMIT)
}

/// Calls `visit` with the captures that win or keep material and the promotions to a queen. The
/// side to move is not in check.
pub(super) fn for_each_winning(board: &Board, mut visit: impl FnMut(Move)) {
    let us = board.side_to_move();
    let victims = board.colors(!us);
    let mut pawn_targets = victims | Rank::Eighth.relative_to(us).bitboard();
    if let Some(file) = board.en_passant() {
        pawn_targets |= Square::new(file, Rank::Sixth.relative_to(us)).bitboard();
    }
    board.generate_moves(|mut moves| {
        let piece = moves.piece;
        moves.to &= if piece == Piece::Pawn { pawn_targets } else { victims };
        for mv in moves {
            if is_winning(board, mv, piece) {
                visit(mv);
            }
        }
        false
    });
}

#[inline]
fn is_winning(board: &Board, mv: Move, moved: Piece) -> bool {
    match mv.promotion {
        Some(piece) => piece == Piece::Queen,
        None => victim(board, mv).is_some_and(|victim| is_good_capture(board, mv, moved, victim)),
    }
}

#[inline]
fn moved(board: &Board, mv: Move) -> Piece {
    let is_on = |&piece: &Piece| board.pieces(piece) & mv.from.bitboard() != BitBoard::EMPTY;
    Piece::ALL.into_iter().find(is_on).unwrap_or(Piece::Pawn)
}
