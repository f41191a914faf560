//! What an exchange on one square wins: static exchange evaluation.

use cozy_chess::{
    BitBoard, Board, Color, Move, Piece, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_rook_moves,
};

/// Exchange values in centipawns. Knight and bishop are worth the same, so that trading one for
/// the other never looks like a loss.
const VALUES: [i32; Piece::NUM] = [100, 325, 325, 500, 975, 20_000];

/// The exchange value of a piece, in centipawns.
#[inline]
pub(super) fn exchange_value(piece: Piece) -> i32 {
    VALUES[piece as usize]
}

/// The piece that `mv` captures, if it is a capture (castling is not).
#[inline]
pub(super) fn victim(board: &Board, mv: Move) -> Option<Piece> {
    if board.colors(!board.side_to_move()).has(mv.to) {
        return board.piece_on(mv.to);
    }
    let is_pawn = board.pieces(Piece::Pawn).has(mv.from);
    (is_pawn && mv.from.file() != mv.to.file()).then_some(Piece::Pawn)
}

/// Whether the capture `mv` of `victim` by `attacker` wins or keeps material.
#[inline]
pub(super) fn is_good_capture(board: &Board, mv: Move, attacker: Piece, victim: Piece) -> bool {
    exchange_value(victim) >= exchange_value(attacker) || exchange(board, mv) >= 0
}

/// Material in centipawns that the side to move gains by `mv` when both sides then capture on its
/// target square, cheapest piece first, for as long as it pays. Discovered attackers join in;
/// pins are ignored.
pub(super) fn exchange(board: &Board, mv: Move) -> i32 {
    let us = board.side_to_move();
    let Some(moved) = board.piece_on(mv.from).filter(|_| !board.colors(us).has(mv.to)) else {
        return 0;
    };
    let mut occupied = board.occupied() ^ mv.from.bitboard();
    let mut gains = [0; 32];
    gains[0] = victim(board, mv).map_or(0, exchange_value);
    if moved == Piece::Pawn && mv.from.file() != mv.to.file() && !occupied.has(mv.to) {
        occupied ^= Square::new(mv.to.file(), mv.from.rank()).bitboard();
    }
    let mut at_stake = exchange_value(moved);
    if let Some(piece) = mv.promotion {
        gains[0] += exchange_value(piece) - at_stake;
        at_stake = exchange_value(piece);
    }

    let (mut side, mut depth) = (!us, 0);
    let mut attackers = attackers(board, mv.to, occupied);
    while let Some((piece, square)) = cheapest(board, attackers & board.colors(side)) {
        depth += 1;
        gains[depth] = at_stake - gains[depth - 1];
        at_stake = exchange_value(piece);
        occupied ^= square.bitboard();
        attackers = (attackers | sliders(board, mv.to, occupied)) & occupied;
        side = !side;
    }
    // Backwards: nobody has to recapture.
    for depth in (1..=depth).rev() {
        gains[depth - 1] = -gains[depth].max(-gains[depth - 1]);
    }
    gains[0]
}

/// Pieces of both sides that attack `square` when `occupied` squares block lines.
fn attackers(board: &Board, square: Square, occupied: BitBoard) -> BitBoard {
    let pawns =
        |color: Color| get_pawn_attacks(square, !color) & board.colored_pieces(color, Piece::Pawn);
    let steps = pawns(Color::White)
        | pawns(Color::Black)
        | (get_knight_moves(square) & board.pieces(Piece::Knight))
        | (get_king_moves(square) & board.pieces(Piece::King));
    (steps | sliders(board, square, occupied)) & occupied
}

fn sliders(board: &Board, square: Square, occupied: BitBoard) -> BitBoard {
    let queens = board.pieces(Piece::Queen);
    (get_bishop_moves(square, occupied) & (board.pieces(Piece::Bishop) | queens))
        | (get_rook_moves(square, occupied) & (board.pieces(Piece::Rook) | queens))
}

fn cheapest(board: &Board, among: BitBoard) -> Option<(Piece, Square)> {
    if among.is_empty() {
        return None;
    }
    let first = |&piece: &Piece| Some((piece, (among & board.pieces(piece)).next_square()?));
    Piece::ALL.iter().find_map(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::chess::Chess;

    /// Position, move, material won in centipawns.
    const EXCHANGES: [(&str, &str, i32); 15] = [
        // An undefended pawn; the same pawn defended once, and by a pawn.
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -225),
        ("4k3/8/3p4/4p3/8/8/8/4RK2 w - - 0 1", "e1e5", -400),
        // A queen behind a rook joins in; a rook behind a queen comes too late.
        ("4k3/8/8/4r3/8/8/4R3/4QK2 w - - 0 1", "e2e5", 500),
        ("3rk3/3r4/8/3p4/8/8/3R4/3QK3 w - - 0 1", "d2d5", -400),
        ("3rk3/8/8/3p4/8/8/3R4/3QK3 w - - 0 1", "d2d5", 100),
        // Equal trades.
        ("4k3/8/3p4/4n3/8/5N2/8/4K3 w - - 0 1", "f3e5", 0),
        ("4k3/8/3p4/4n3/8/6B1/8/4K3 w - - 0 1", "g3e5", 0),
        ("4k3/3p4/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0),
        // En passant, alone and recaptured.
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100),
        ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0),
        // Promotion, safe and into a guarded square.
        ("8/P6k/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 875),
        ("1r6/P6k/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", -100),
        // The king may take what nobody guards, and may not take back what somebody does.
        ("4k3/4r3/8/8/8/8/8/4R1K1 w - - 0 1", "e1e7", 0),
        ("4k3/4r3/8/8/8/8/4Q3/4R1K1 w - - 0 1", "e2e7", 500),
    ];

    #[test]
    fn known_exchanges() {
        for (fen, text, expected) in EXCHANGES {
            let position = Chess::parse(fen).unwrap();
            let mv = position.parse_move(text).unwrap();
            assert_eq!(exchange(position.board(), mv), expected, "{fen} {text}");
        }
    }

    #[test]
    fn castling_is_no_exchange() {
        let position = Chess::parse("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        let mv = position.parse_move("e1g1").unwrap();
        assert_eq!(exchange(position.board(), mv), 0);
        assert_eq!(victim(position.board(), mv), None);
    }
}
