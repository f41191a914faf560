//! The static value: material and place, mobility, pawns, king safety, blended from middlegame to
//! endgame as pieces leave the board. The weights are our own estimates.

mod endgame;
mod pawns;
mod tables;
mod taper;

use cozy_chess::{
    BitBoard, Board, Color, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_rook_moves,
};

use self::pawns::{count, few};
pub(super) use self::tables::piece_square;
use self::taper::{Taper, taper};
use super::rules;
use crate::value::Value;

/// Weight of each piece in the game phase, by piece.
const PHASE: [i32; Piece::NUM] = [0, 1, 1, 2, 4, 0];
/// Phase of the full board; more (after promotions) counts as this.
const FULL_PHASE: i32 = 24;

const TEMPO: Taper = taper(14, 6);
const BISHOP_PAIR: Taper = taper(26, 44);
const OPEN_FILE: Taper = taper(22, 9);
const HALF_OPEN_FILE: Taper = taper(10, 6);
/// A piece other than a pawn or king that an enemy pawn attacks.
const PAWN_THREAT: Taper = taper(-34, -24);
/// Worth of a safe square to go to, by piece.
const MOBILITY: [Taper; Piece::NUM] =
    [taper(0, 0), taper(4, 4), taper(4, 4), taper(2, 4), taper(1, 2), taper(0, 0)];
/// Squares that earn nothing: about what the piece has on an average board.
const USUAL_MOBILITY: [i32; Piece::NUM] = [0, 4, 6, 7, 13, 0];
/// Danger to the king from each square around it that the piece attacks.
const DANGER: [i32; Piece::NUM] = [0, 2, 2, 3, 5, 0];
/// Danger is squared and divided by this, up to [`MAX_DANGER`] centipawns.
const DANGER_DIVISOR: i32 = 5;
const MAX_DANGER: i32 = 400;

/// Value of the position for the side to move, in centipawns; 0 where nobody can ever mate.
pub(super) fn evaluate(board: &Board) -> Value {
    if rules::is_dead(board) {
        return 0;
    }
    let us = board.side_to_move();
    let mut phase = 0;
    let balance = side(board, us, &mut phase) - side(board, !us, &mut phase) + TEMPO;
    let value = balance.blend(phase.min(FULL_PHASE), FULL_PHASE);
    endgame::adjust(board, value)
}

/// Everything that speaks for `color`, and what its pieces add to the game phase.
#[inline]
fn side(board: &Board, color: Color, phase: &mut i32) -> Taper {
    let ours = board.colors(color);
    let own_pawns = board.colored_pieces(color, Piece::Pawn);
    let pawn_attacks = pawns::attacks(board.colored_pieces(!color, Piece::Pawn), !color);
    let their_king = board.king(!color);
    let terrain = Terrain {
        occupied: board.occupied(),
        safe: !(ours | pawn_attacks),
        king_zone: get_king_moves(their_king) | their_king.bitboard(),
    };

    let mut value = pawns::structure(board, color) + pawns::shelter(board, color);
    for square in own_pawns {
        value += piece_square(Piece::Pawn, color, square);
    }
    value += piece_square(Piece::King, color, board.king(color));
    let mut danger = Danger::default();
    for piece in [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen] {
        for square in ours & board.pieces(piece) {
            *phase += PHASE[piece as usize];
            value += piece_square(piece, color, square);
            value += terrain.mobility(piece, square, &mut danger);
        }
    }
    value += danger.value();
    for square in ours & board.pieces(Piece::Rook) {
        value += rook_file(board, own_pawns, square);
    }
    if (ours & board.pieces(Piece::Bishop)).len() >= 2 {
        value += BISHOP_PAIR;
    }
    let pieces = ours - own_pawns - board.pieces(Piece::King);
    value + PAWN_THREAT * few(pieces & pawn_attacks)
}

/// What the pieces of one side move through and aim at.
struct Terrain {
    occupied: BitBoard,
    /// Squares neither held by an own piece nor attacked by an enemy pawn.
    safe: BitBoard,
    /// The enemy king and the squares around it.
    king_zone: BitBoard,
}

impl Terrain {
    /// The worth of the squares that a piece reaches; adds up what it means for the enemy king.
    #[inline]
    fn mobility(&self, piece: Piece, square: Square, danger: &mut Danger) -> Taper {
        let reach = match piece {
            Piece::Knight => get_knight_moves(square),
            Piece::Bishop => get_bishop_moves(square, self.occupied),
            Piece::Rook => get_rook_moves(square, self.occupied),
            _ => get_bishop_moves(square, self.occupied) | get_rook_moves(square, self.occupied),
        };
        danger.add(piece, reach & self.king_zone);
        MOBILITY[piece as usize] * (count(reach & self.safe) - USUAL_MOBILITY[piece as usize])
    }
}

/// An attack on a king in the making.
#[derive(Default)]
struct Danger {
    attackers: i32,
    units: i32,
}

impl Danger {
    #[inline]
    fn add(&mut self, piece: Piece, attacked: BitBoard) {
        if !attacked.is_empty() {
            self.attackers += 1;
            self.units += DANGER[piece as usize] * count(attacked);
        }
    }

    /// One piece alone mates nobody.
    #[inline]
    fn value(&self) -> Taper {
        if self.attackers < 2 {
            return Taper::default();
        }
        taper((self.units * self.units / DANGER_DIVISOR).min(MAX_DANGER), 0)
    }
}

#[inline]
fn rook_file(board: &Board, own_pawns: BitBoard, square: Square) -> Taper {
    let file = square.file().bitboard();
    if !(file & own_pawns).is_empty() {
        Taper::default()
    } else if (file & board.pieces(Piece::Pawn)).is_empty() {
        OPEN_FILE
    } else {
        HALF_OPEN_FILE
    }
}
