//! Pawn structure, found for all pawns of a side at once.

use cozy_chess::{BitBoard, Board, Color, File, Piece, Rank, Square, get_king_moves};

use super::taper::{Taper, taper};

const ISOLATED: Taper = taper(-12, -14);
const DOUBLED: Taper = taper(-8, -18);
const PROTECTED: Taper = taper(7, 6);
/// By rank seen from the pawn's side.
const PASSED: [Taper; Rank::NUM] = [
    taper(0, 0),
    taper(2, 8),
    taper(4, 14),
    taper(10, 30),
    taper(26, 58),
    taper(52, 100),
    taper(90, 160),
    taper(0, 0),
];
/// A passed pawn whose next square is occupied, by rank.
const BLOCKED: i32 = -6;
/// Endgame worth of each step that the defending king is farther from a passed pawn's next square
/// than the attacking king, by rank beyond the third.
const KING_RACE: i32 = 4;

/// Squares attacked by `pawns` of `color`.
#[inline]
pub(super) fn attacks(pawns: BitBoard, color: Color) -> BitBoard {
    sideways(forward(pawns, color))
}

/// The structure of `color`'s pawns, for their owner.
pub(super) fn structure(board: &Board, color: Color) -> Taper {
    let ours = board.colored_pieces(color, Piece::Pawn);
    let theirs = board.colored_pieces(!color, Piece::Pawn);

    let ahead = fill(forward(ours, color), color);
    let behind = fill(forward(ours, !color), !color);
    let files = ahead | behind | ours;
    let isolated = ours - sideways(files);
    let doubled = ours & behind;
    let mut value = ISOLATED * few(isolated) + DOUBLED * few(doubled);
    value += PROTECTED * few(ours & attacks(ours, color));

    let guarded = fill(forward(theirs, !color), !color);
    let passed = ours - (guarded | sideways(guarded)) - behind;
    for square in passed {
        value += passed_pawn(board, color, square);
    }
    value
}

fn passed_pawn(board: &Board, color: Color, square: Square) -> Taper {
    let rank = square.relative_to(color).rank() as usize;
    let mut value = PASSED[rank];
    let Some(next) = forward(square.bitboard(), color).next_square() else { return value };
    let beyond_third = (rank as i32 - 2).max(0);
    let race = distance(board.king(!color), next) - distance(board.king(color), next);
    value += taper(0, KING_RACE * beyond_third * race);
    if board.occupied().has(next) {
        value += taper(BLOCKED, 2 * BLOCKED) * beyond_third;
    }
    value
}

/// How well pawns stand before `color`'s king, for the middlegame.
pub(super) fn shelter(board: &Board, color: Color) -> Taper {
    const NEAR: i32 = 13;
    const FAR: i32 = 7;
    const OPEN_FILE: i32 = -12;
    let king = board.king(color);
    let ours = board.colored_pieces(color, Piece::Pawn);
    let near = forward(king.bitboard() | (get_king_moves(king) & king.rank().bitboard()), color);
    let far = forward(near, color);
    let around = king.file().bitboard() | king.file().adjacent();
    let open = on_first_rank(around) - on_first_rank(around & ours);
    taper(NEAR * few(ours & near) + FAR * few(ours & far) + OPEN_FILE * few(open), 0)
}

/// The files that `squares` touch, as squares of the first rank.
#[inline]
fn on_first_rank(squares: BitBoard) -> BitBoard {
    fill(squares, Color::Black) & Rank::First.bitboard()
}

/// King's steps between two squares.
pub(super) fn distance(a: Square, b: Square) -> i32 {
    let files = (a.file() as i32 - b.file() as i32).abs();
    let ranks = (a.rank() as i32 - b.rank() as i32).abs();
    files.max(ranks)
}

/// `squares` one rank on, as `color` looks.
#[inline]
fn forward(squares: BitBoard, color: Color) -> BitBoard {
    BitBoard(match color {
        Color::White => squares.0 << 8,
        Color::Black => squares.0 >> 8,
    })
}

/// `squares` and everything ahead of them.
#[inline]
fn fill(squares: BitBoard, color: Color) -> BitBoard {
    let mut filled = squares.0;
    for step in [8, 16, 32] {
        filled |= match color {
            Color::White => filled << step,
            Color::Black => filled >> step,
        };
    }
    BitBoard(filled)
}

/// The neighbours of `squares` to the left and right, without them.
#[inline]
fn sideways(squares: BitBoard) -> BitBoard {
    let left = (squares.0 & !File::A.bitboard().0) >> 1;
    let right = (squares.0 & !File::H.bitboard().0) << 1;
    BitBoard(left | right)
}

#[inline]
pub(super) fn count(squares: BitBoard) -> i32 {
    squares.len() as i32
}

/// [`count`] where there is usually nothing to count: a plain build has no instruction for it.
#[inline]
pub(super) fn few(squares: BitBoard) -> i32 {
    if squares.is_empty() { 0 } else { count(squares) }
}
