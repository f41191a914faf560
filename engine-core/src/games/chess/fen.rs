//! Positions as text: FEN, generous in what it reads and exact in what it writes.
//!
//! Read: `startpos`; four to six fields (three where the en passant field is missing too); EPD
//! operations and a trailing `;`; castling letters `KQkq` (meaning the outermost rook, as in X-FEN)
//! and rook files (Shredder-FEN). An en passant square on the right rank that cannot be true is
//! dropped. Written: six fields, en passant only where a capture is legal.

use cozy_chess::{Board, BoardBuilder, CastleRights, Color, File, Piece, Rank, Square};

use super::{Chess, rules, validate};
use crate::game::{Game, Malformed};

/// Largest counter we read; far beyond the longest game the rules allow.
const MAX_COUNTER: u32 = u16::MAX as u32;

/// Reads a position.
///
/// # Errors
/// A sentence naming the field and what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Chess, Malformed> {
    if text.trim() == "startpos" {
        return Ok(Chess::start());
    }
    let mut fields =
        text.split(|c: char| c.is_ascii_whitespace() || c == ';').filter(|field| !field.is_empty());
    let mut builder = BoardBuilder::empty();

    let board = fields.next().ok_or_else(|| Malformed::new("empty position"))?;
    read_board(board, &mut builder)?;
    let side = fields.next().ok_or_else(|| Malformed::new("side to move: missing"))?;
    builder.side_to_move = read_side(side)?;
    let castling = fields.next().ok_or_else(|| Malformed::new("castling rights: missing"))?;
    let shredder = read_castling(castling, &mut builder)?;
    let en_passant = read_en_passant(fields.next().unwrap_or("-"), builder.side_to_move)?;
    // An EPD operation begins with a letter; it and everything after it is not ours.
    let mut counters =
        fields.take_while(|field| !field.starts_with(|c: char| c.is_ascii_alphabetic()));
    let clock = read_counter("halfmove clock", counters.next().unwrap_or("0"))?;
    builder.halfmove_clock = clock.min(rules::CLOCK_LIMIT) as u8;
    let number = read_counter("fullmove number", counters.next().unwrap_or("1"))?;
    builder.fullmove_number = number.max(1) as u16;

    let board = validate::build(&builder)?;
    builder.en_passant = en_passant;
    Ok(Chess::new(builder.build().unwrap_or(board), shredder))
}

fn read_board(field: &str, builder: &mut BoardBuilder) -> Result<(), Malformed> {
    let rows: Vec<&str> = field.split('/').collect();
    if rows.len() != Rank::NUM {
        return Err(Malformed::new(format!("board: {} ranks instead of 8", rows.len())));
    }
    for (&rank, row) in Rank::ALL.iter().rev().zip(rows) {
        let mut file = 0;
        for letter in row.chars() {
            if let Some(gap @ 1..=8) = letter.to_digit(10) {
                file += gap as usize;
                continue;
            }
            let (piece, color) = read_piece(letter, rank)?;
            // Too long a rank is reported below, by its length.
            if let Some(file) = File::try_index(file) {
                *builder.square_mut(Square::new(file, rank)) = Some((piece, color));
            }
            file += 1;
        }
        if file != File::NUM {
            return Err(Malformed::new(format!("board: rank {rank} has {file} squares, not 8")));
        }
    }
    Ok(())
}

fn read_piece(letter: char, rank: Rank) -> Result<(Piece, Color), Malformed> {
    let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
    let piece = letter.to_ascii_lowercase().try_into().map_err(|_| {
        Malformed::new(format!("board: {letter:?} on rank {rank} is neither piece nor gap"))
    })?;
    Ok((piece, color))
}

fn read_side(field: &str) -> Result<Color, Malformed> {
    match field {
        "w" => Ok(Color::White),
        "b" => Ok(Color::Black),
        other => Err(Malformed::new(format!("side to move: {} is not w or b", quoted(other)))),
    }
}

/// Reads the castling rights and says whether a rook was named by its file.
fn read_castling(field: &str, builder: &mut BoardBuilder) -> Result<bool, Malformed> {
    let mut shredder = false;
    if field == "-" {
        return Ok(shredder);
    }
    for letter in field.chars() {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let king = king_on_back_rank(builder, color, letter)?;
        let rook = match letter.to_ascii_lowercase() {
            'k' => outermost_rook(builder, color, File::ALL.iter().rev(), |file| file > king),
            'q' => outermost_rook(builder, color, File::ALL.iter(), |file| file < king),
            other => {
                shredder = true;
                let named = File::try_from(other).map_err(|_| {
                    Malformed::new(format!("castling rights: {letter:?} is no right"))
                })?;
                outermost_rook(builder, color, [named].iter(), |file| file != king)
            }
        };
        let rook = rook.ok_or_else(|| {
            let name = validate::color_name(color);
            Malformed::new(format!("castling rights: there is no {name} rook for {letter:?}"))
        })?;
        add_right(builder.castle_rights_mut(color), king, rook)?;
    }
    Ok(shredder)
}

fn king_on_back_rank(
    builder: &BoardBuilder,
    color: Color,
    letter: char,
) -> Result<File, Malformed> {
    let rank = Rank::First.relative_to(color);
    let is_king =
        |&file: &File| builder.square(Square::new(file, rank)) == Some((Piece::King, color));
    File::ALL.into_iter().find(is_king).ok_or_else(|| {
        let name = validate::color_name(color);
        Malformed::new(format!(
            "castling rights: {letter:?} given, but the {name} king is not on its first rank"
        ))
    })
}

/// The first rook of `color` on its back rank, on one of `files` that satisfies `side`.
fn outermost_rook<'a>(
    builder: &BoardBuilder,
    color: Color,
    mut files: impl Iterator<Item = &'a File>,
    side: impl Fn(File) -> bool,
) -> Option<File> {
    let rank = Rank::First.relative_to(color);
    let rook = Some((Piece::Rook, color));
    files.find(|&&file| side(file) && builder.square(Square::new(file, rank)) == rook).copied()
}

fn add_right(rights: &mut CastleRights, king: File, rook: File) -> Result<(), Malformed> {
    let right = if rook > king { &mut rights.short } else { &mut rights.long };
    match right.replace(rook) {
        Some(other) if other != rook => Err(Malformed::new(format!(
            "castling rights: the rooks on files {other} and {rook} castle on the same side"
        ))),
        _ => Ok(()),
    }
}

fn read_en_passant(field: &str, side_to_move: Color) -> Result<Option<Square>, Malformed> {
    if field == "-" {
        return Ok(None);
    }
    let square: Square = field.parse().map_err(|_| {
        Malformed::new(format!("en passant square: {} is no square", quoted(field)))
    })?;
    let rank = Rank::Sixth.relative_to(side_to_move);
    if square.rank() != rank {
        return Err(Malformed::new(format!(
            "en passant square: {square} is not on rank {rank}, where {} captures",
            validate::color_name(side_to_move)
        )));
    }
    Ok(Some(square))
}

fn read_counter(name: &str, field: &str) -> Result<u32, Malformed> {
    field.parse().ok().filter(|&counter| counter <= MAX_COUNTER).ok_or_else(|| {
        let found = quoted(field);
        Malformed::new(format!("{name}: {found} is not a number from 0 to {MAX_COUNTER}"))
    })
}

/// `field` for an error message, cut to a readable length.
pub(super) fn quoted(field: &str) -> String {
    let mut chars = field.chars();
    let shown: String = chars.by_ref().take(20).collect();
    let rest = if chars.next().is_some() { "…" } else { "" };
    format!("{shown:?}{rest}")
}

/// Writes a position as FEN: standard castling letters, or rook files in Chess960.
pub(super) fn write(position: &Chess) -> String {
    let board = &position.board;
    let us = board.side_to_move();
    let en_passant = match rules::legal_en_passant(board) {
        Some(file) => Square::new(file, Rank::Sixth.relative_to(us)).to_string(),
        None => "-".to_owned(),
    };
    format!(
        "{} {us} {} {en_passant} {} {}",
        placement(board),
        castling(board, position.chess960),
        board.halfmove_clock(),
        board.fullmove_number()
    )
}

fn placement(board: &Board) -> String {
    let row = |&rank: &Rank| {
        let (mut row, mut gap) = (String::new(), 0);
        for file in File::ALL {
            match piece_letter(board, Square::new(file, rank)) {
                Some(letter) => {
                    push_gap(&mut row, &mut gap);
                    row.push(letter);
                }
                None => gap += 1,
            }
        }
        push_gap(&mut row, &mut gap);
        row
    };
    Rank::ALL.iter().rev().map(row).collect::<Vec<_>>().join("/")
}

fn push_gap(row: &mut String, gap: &mut u32) {
    if *gap > 0 {
        row.push_str(&gap.to_string());
        *gap = 0;
    }
}

/// The FEN letter of the piece on `square`: upper case for White.
pub(super) fn piece_letter(board: &Board, square: Square) -> Option<char> {
    let letter: char = board.piece_on(square)?.into();
    let white = board.colors(Color::White).has(square);
    Some(if white { letter.to_ascii_uppercase() } else { letter })
}

fn castling(board: &Board, by_file: bool) -> String {
    let mut field = String::new();
    for color in [Color::White, Color::Black] {
        let rights = board.castle_rights(color);
        for (rook, letter) in [(rights.short, 'k'), (rights.long, 'q')] {
            let Some(file) = rook else { continue };
            let letter = if by_file { file.into() } else { letter };
            let white = color == Color::White;
            field.push(if white { letter.to_ascii_uppercase() } else { letter });
        }
    }
    if field.is_empty() { "-".to_owned() } else { field }
}
