//! Rules that the board does not know: en passant that counts, dead material, the fifty-move rule.

use cozy_chess::{BitBoard, Board, Color, File, Move, Piece, Rank, Square, get_pawn_attacks};

/// Plies without capture or pawn move after which the game is drawn. The board's clock stops here.
pub(super) const CLOCK_LIMIT: u32 = 100;

/// The file on which a pawn can be captured en passant by a *legal* move.
///
/// The board remembers the file after every double step; only a capture that can be played makes
/// the position another one.
#[inline]
pub(super) fn legal_en_passant(board: &Board) -> Option<File> {
    let file = board.en_passant()?;
    let us = board.side_to_move();
    let to = Square::new(file, Rank::Sixth.relative_to(us));
    let capturers = get_pawn_attacks(to, !us) & board.colored_pieces(us, Piece::Pawn);
    let can_capture = |from| board.is_legal(Move { from, to, promotion: None });
    capturers.into_iter().any(can_capture).then_some(file)
}

/// Hash key that includes en passant only where a capture is legal.
///
/// Built from constants compiled into the board, hence the same on every machine.
#[inline]
pub(super) fn key(board: &Board) -> u64 {
    match legal_en_passant(board) {
        Some(_) => board.hash(),
        None => board.hash_without_ep(),
    }
}

/// Same placement, side to move, castling rights and playable en passant; counters do not matter.
///
/// Not the board's own `same_position`: that one takes any piece beside the passed pawn for a pawn.
pub(super) fn same_position(a: &Board, b: &Board) -> bool {
    let sides = |board: &Board| [Color::White, Color::Black].map(|color| board.colors(color));
    let pieces = |board: &Board| Piece::ALL.map(|piece| board.pieces(piece));
    let rights =
        |board: &Board| [Color::White, Color::Black].map(|color| *board.castle_rights(color));
    key(a) == key(b)
        && a.side_to_move() == b.side_to_move()
        && sides(a) == sides(b)
        && pieces(a) == pieces(b)
        && rights(a) == rights(b)
        && legal_en_passant(a) == legal_en_passant(b)
}

/// Neither side can ever mate: bare kings, a single minor piece, or one bishop each on squares of
/// the same colour.
#[inline]
pub(super) fn is_dead(board: &Board) -> bool {
    let heavy = board.pieces(Piece::Pawn) | board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    if !heavy.is_empty() {
        return false;
    }
    match board.occupied().len() {
        2 | 3 => true,
        4 => {
            let bishops = board.pieces(Piece::Bishop);
            let one_each = [Color::White, Color::Black]
                .iter()
                .all(|&color| (bishops & board.colors(color)).len() == 1);
            one_each && is_on_one_colour(bishops)
        }
        _ => false,
    }
}

fn is_on_one_colour(squares: BitBoard) -> bool {
    squares.is_subset(BitBoard::LIGHT_SQUARES) || squares.is_subset(BitBoard::DARK_SQUARES)
}

/// The fifty-move rule ends the game, unless the last move has mated.
#[inline]
pub(super) fn is_drawn_by_clock(board: &Board) -> bool {
    u32::from(board.halfmove_clock()) >= CLOCK_LIMIT
        && (board.checkers().is_empty() || board.generate_moves(|_| true))
}

/// The side to move has more than king and pawns.
#[inline]
pub(super) fn has_piece(board: &Board) -> bool {
    let plain = board.pieces(Piece::King) | board.pieces(Piece::Pawn);
    !(board.colors(board.side_to_move()) & !plain).is_empty()
}

/// Every castling right belongs to a king on the e-file and a rook in the corner.
pub(super) fn has_standard_castling(board: &Board) -> bool {
    [Color::White, Color::Black].iter().all(|&color| {
        let rights = board.castle_rights(color);
        let corners = rights.short.is_none_or(|file| file == File::H)
            && rights.long.is_none_or(|file| file == File::A);
        let none = rights.short.is_none() && rights.long.is_none();
        none || (corners && board.king(color).file() == File::E)
    })
}
