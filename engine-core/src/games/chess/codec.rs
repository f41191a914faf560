//! Positions as bytes and moves as 16 bits.
//!
//! A position takes 15 bytes and half a byte a piece, 31 at most:
//!
//! | bytes | what |
//! |---|---|
//! | 1 | format version |
//! | 8 | occupied squares, little endian, a1 = bit 0 |
//! | ½ each | pieces in the order of those squares, low nibble first: kind 0..=5, +8 for Black |
//! | 1 | bit 0 Black to move, bit 1 Chess960, bit 2 en passant, bits 3..=5 its file |
//! | 2 | castling rook files, a nibble each, 8 = no right: white short, white long, black short, black long |
//! | 1 | halfmove clock, 0..=100 |
//! | 2 | fullmove number, little endian, 1.. |

use cozy_chess::{BitBoard, BoardBuilder, CastleRights, Color, File, Move, Piece, Rank, Square};

use super::{Chess, rules, validate};
use crate::game::Malformed;

const FORMAT: u8 = 1;
/// Bytes after the pieces.
const TAIL: usize = 6;
const NO_RIGHT: u8 = 8;
const BLACK: u8 = 8;

/// Appends the byte form of `position`.
pub(super) fn encode(position: &Chess, out: &mut Vec<u8>) {
    let board = &position.board;
    out.push(FORMAT);
    out.extend_from_slice(&board.occupied().0.to_le_bytes());
    let mut low = None;
    for square in board.occupied() {
        let kind = board.piece_on(square).map_or(0, |piece| piece as u8);
        let color = if board.colors(Color::Black).has(square) { BLACK } else { 0 };
        match low.take() {
            None => low = Some(kind | color),
            Some(first) => out.push(first | (kind | color) << 4),
        }
    }
    out.extend(low);

    let en_passant = rules::legal_en_passant(board).map_or(0, |file| 1 << 2 | (file as u8) << 3);
    let black_to_move = u8::from(board.side_to_move() == Color::Black);
    out.push(black_to_move | u8::from(position.chess960) << 1 | en_passant);
    for color in [Color::White, Color::Black] {
        let rights = board.castle_rights(color);
        let nibble = |rook: Option<File>| rook.map_or(NO_RIGHT, |file| file as u8);
        out.push(nibble(rights.short) | nibble(rights.long) << 4);
    }
    out.push(board.halfmove_clock());
    out.extend_from_slice(&board.fullmove_number().to_le_bytes());
}

/// Reads what [`encode`] wrote.
///
/// # Errors
/// Anything else: an unknown version, a wrong length, or a position that cannot be.
pub(super) fn decode(bytes: &[u8]) -> Result<Chess, Malformed> {
    let (&version, rest) =
        bytes.split_first().ok_or_else(|| Malformed::new("empty chess position"))?;
    if version != FORMAT {
        return Err(Malformed::new(format!("chess position in unknown format {version}")));
    }
    let truncated = || Malformed::new("truncated chess position");
    let (occupied, rest) = rest.split_first_chunk::<8>().ok_or_else(truncated)?;
    let (pieces, tail) = rest.split_last_chunk::<TAIL>().ok_or_else(truncated)?;

    let mut builder = BoardBuilder::empty();
    decode_pieces(BitBoard(u64::from_le_bytes(*occupied)), pieces, &mut builder)?;
    let [flags, white, black, clock, number_low, number_high] = *tail;
    if flags >> 6 != 0 || (flags & 1 << 2 == 0 && flags >> 3 != 0) {
        return Err(Malformed::new("unknown flags in a chess position"));
    }
    if flags & 1 != 0 {
        builder.side_to_move = Color::Black;
    }
    if flags & 1 << 2 != 0 {
        let rank = Rank::Sixth.relative_to(builder.side_to_move);
        builder.en_passant =
            File::try_index(usize::from(flags >> 3)).map(|file| Square::new(file, rank));
    }
    *builder.castle_rights_mut(Color::White) = decode_rights(white)?;
    *builder.castle_rights_mut(Color::Black) = decode_rights(black)?;
    builder.halfmove_clock = clock;
    builder.fullmove_number = u16::from_le_bytes([number_low, number_high]);
    Ok(Chess::new(validate::build(&builder)?, flags & 1 << 1 != 0))
}

fn decode_pieces(
    occupied: BitBoard,
    bytes: &[u8],
    builder: &mut BoardBuilder,
) -> Result<(), Malformed> {
    if bytes.len() != (occupied.len() as usize).div_ceil(2) {
        return Err(Malformed::new("chess position with a wrong number of pieces"));
    }
    let mut nibbles = bytes.iter().flat_map(|byte| [byte & 15, byte >> 4]);
    for (square, nibble) in occupied.into_iter().zip(&mut nibbles) {
        let piece = Piece::try_index(usize::from(nibble % BLACK))
            .ok_or_else(|| Malformed::new("unknown piece in a chess position"))?;
        let color = if nibble >= BLACK { Color::Black } else { Color::White };
        *builder.square_mut(square) = Some((piece, color));
    }
    if nibbles.any(|unused| unused != 0) {
        return Err(Malformed::new("chess position with a wrong number of pieces"));
    }
    Ok(())
}

fn decode_rights(byte: u8) -> Result<CastleRights, Malformed> {
    let right = |nibble| match nibble {
        NO_RIGHT => Ok(None),
        file => File::try_index(usize::from(file))
            .map(Some)
            .ok_or_else(|| Malformed::new("unknown castling right in a chess position")),
    };
    Ok(CastleRights { short: right(byte & 15)?, long: right(byte >> 4)? })
}

/// Packs a move: six bits from, six bits to, three bits promotion (0 = none). Never 0, because no
/// move ends where it begins.
#[inline]
pub(super) fn pack_move(mv: Move) -> u16 {
    // The pawn is piece 0, and nothing promotes to a pawn.
    let promotion = mv.promotion.map_or(0, |piece| piece as u16);
    mv.from as u16 | (mv.to as u16) << 6 | promotion << 12
}

/// The inverse of [`pack_move`], for bits that name squares and a piece; not checked against any
/// position.
#[inline]
pub(super) fn unpack_move(bits: u16) -> Option<Move> {
    let promotion = match bits >> 12 {
        0 => None,
        kind => Some(Piece::try_index(usize::from(kind))?),
    };
    let square = |shift: u16| Square::index(usize::from(bits >> shift & 63));
    Some(Move { from: square(0), to: square(6), promotion })
}
