//! Material and piece-square values, computed from a few rules at compile time.

use cozy_chess::{Color, Piece, Square};

use super::taper::{Taper, taper};

/// What a piece is worth wherever it stands, in centipawns.
const MATERIAL: [Taper; Piece::NUM] = [
    taper(88, 112),  // pawn
    taper(325, 308), // knight
    taper(336, 318), // bishop
    taper(482, 528), // rook
    taper(975, 970), // queen
    taper(0, 0),     // king
];

/// Material plus place, from White's side of the board.
const PIECE_SQUARE: [[Taper; Square::NUM]; Piece::NUM] = piece_square_table();

/// Worth of a piece of `color` on `square`, material included, for its owner.
#[inline]
pub(in crate::games::chess) fn piece_square(piece: Piece, color: Color, square: Square) -> Taper {
    PIECE_SQUARE[piece as usize][square.relative_to(color) as usize]
}

const fn piece_square_table() -> [[Taper; Square::NUM]; Piece::NUM] {
    let mut table = [[taper(0, 0); Square::NUM]; Piece::NUM];
    let mut index = 0;
    while index < Square::NUM {
        let (file, rank) = (index % 8, index / 8);
        table[Piece::Pawn as usize][index] = pawn(file, rank);
        table[Piece::Knight as usize][index] = knight(file, rank);
        table[Piece::Bishop as usize][index] = bishop(file, rank);
        table[Piece::Rook as usize][index] = rook(file, rank);
        table[Piece::Queen as usize][index] = queen(file, rank);
        table[Piece::King as usize][index] = king(file, rank);
        let mut piece = 0;
        while piece < Piece::NUM {
            table[piece][index] = table[piece][index].plus(MATERIAL[piece]);
            piece += 1;
        }
        index += 1;
    }
    table
}

/// Distance from the edge file or rank: 0 at the edge, 3 in the middle.
const fn inward(file_or_rank: usize) -> i32 {
    let from_edge = if file_or_rank < 4 { file_or_rank } else { 7 - file_or_rank };
    from_edge as i32
}

/// Nearness to the middle of the board: 0 in the corner, 6 on d4.
const fn center(file: usize, rank: usize) -> i32 {
    inward(file) + inward(rank)
}

/// Go forward, with the centre pawns first.
const fn pawn(file: usize, rank: usize) -> Taper {
    const ADVANCE: [Taper; 8] = [
        taper(0, 0),
        taper(0, 0),
        taper(2, 3),
        taper(6, 9),
        taper(14, 20),
        taper(26, 38),
        taper(40, 60),
        taper(0, 0),
    ];
    let in_center = match (inward(file), rank) {
        (3, 1) => -14,
        (3, 2) => 4,
        (3, 3) => 18,
        (3, 4) => 20,
        (2, 3 | 4) => 8,
        (0, 2..=4) => -4,
        _ => 0,
    };
    ADVANCE[rank].plus(taper(in_center, 0))
}

/// Strong in the centre, a little beyond it, bad at home and on the rim.
const fn knight(file: usize, rank: usize) -> Taper {
    let home = if rank == 0 { -8 } else { 0 };
    let outpost = if rank >= 3 && rank <= 5 { 6 } else { 0 };
    taper(6 * center(file, rank) - 22 + home + outpost, 5 * center(file, rank) - 18)
}

/// Off the back rank, and long diagonals rather than the edge.
const fn bishop(file: usize, rank: usize) -> Taper {
    let home = if rank == 0 { -8 } else { 0 };
    let long_diagonal = if file == rank || file + rank == 7 { 5 } else { 0 };
    taper(3 * center(file, rank) - 8 + home + long_diagonal, 2 * center(file, rank) - 6)
}

/// Middle files, and the seventh rank.
const fn rook(file: usize, rank: usize) -> Taper {
    let seventh = if rank == 6 { taper(14, 12) } else { taper(0, 0) };
    taper(2 * inward(file) - 3, 0).plus(seventh)
}

/// Not out too early; in the centre later.
const fn queen(file: usize, rank: usize) -> Taper {
    taper(center(file, rank) - 3, 4 * center(file, rank) - 12)
}

/// In a corner behind pawns first, in the centre at the end.
const fn king(file: usize, rank: usize) -> Taper {
    let by_file = match file {
        0 | 7 => 18,
        1 | 6 => 24,
        2 => 8,
        5 => -4,
        _ => -10,
    };
    let out = if rank > 3 { 3 } else { rank as i32 };
    taper(by_file - 20 * out, 8 * center(file, rank) - 24)
}
