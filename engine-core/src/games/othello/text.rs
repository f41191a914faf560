//! Positions and moves as people write them.
//!
//! A position is `startpos`, a board of 64 characters (a1, b1 .. h8; `X` or `*` black, `O` white,
//! `-` or `.` empty) with an optional side to move (`X`/`B` or `O`/`W`, black if left out), or a
//! game from the start such as `f5d6c3d3c4`, where passes may be written or left out.

use std::fmt::Write as _;

use super::{Colour, Move, Othello, board, squares};
use crate::game::{Game, Malformed};

/// Ways to write a pass, lower case, longer ones before their beginnings.
const PASSES: [&str; 4] = ["pass", "pa", "ps", "--"];

/// Reads any of the three forms.
pub fn parse(text: &str) -> Result<Othello, Malformed> {
    let mut words = text.split_whitespace();
    let first = words.next().ok_or_else(|| Malformed::new("no position given"))?;
    if first.eq_ignore_ascii_case("startpos") {
        return match words.next() {
            None => Ok(Othello::start()),
            Some(word) => Err(Malformed::new(format!("\"{word}\" after startpos"))),
        };
    }
    if first.chars().all(|symbol| "XxOo*.-".contains(symbol)) {
        let mover = match words.next() {
            None | Some("X" | "x" | "B" | "b" | "*") => Colour::Black,
            Some("O" | "o" | "W" | "w") => Colour::White,
            Some(word) => {
                return Err(Malformed::new(format!("side to move \"{word}\" is none of X O B W")));
            }
        };
        return match words.next() {
            None => parse_board(first, mover),
            Some(word) => Err(Malformed::new(format!("\"{word}\" after the side to move"))),
        };
    }
    if looks_like_board(first) {
        return Err(board_fault(first));
    }
    parse_game(text)
}

/// Reads 64 characters that are all board symbols.
fn parse_board(symbols: &str, mover: Colour) -> Result<Othello, Malformed> {
    let length = symbols.chars().count();
    if length != 64 {
        return Err(Malformed::new(format!("a board has 64 squares, this one {length}")));
    }
    let (mut black, mut white) = (0, 0);
    for (square, symbol) in symbols.chars().enumerate() {
        match symbol {
            'X' | 'x' | '*' => black |= 1 << square,
            'O' | 'o' => white |= 1 << square,
            _ => {}
        }
    }
    Othello::new(black, white, mover).ok_or_else(|| Malformed::new("two discs on one square"))
}

/// Text that was surely meant as a board: longer than any word of a game, mostly board symbols.
fn looks_like_board(word: &str) -> bool {
    let symbols = word.chars().filter(|&symbol| "XxOo*.-".contains(symbol)).count();
    2 * symbols > word.chars().count()
}

/// Says where a board has a symbol that means nothing.
fn board_fault(word: &str) -> Malformed {
    let fault = word.chars().enumerate().find(|&(_, symbol)| !"XxOo*.-".contains(symbol));
    Malformed::new(match fault {
        Some((square, symbol)) if square < 64 => {
            format!("\"{symbol}\" on {} is none of X O * - .", square_text(square as u8))
        }
        _ => format!("a board has 64 squares, this one {}", word.chars().count()),
    })
}

/// Replays a game from the start.
fn parse_game(text: &str) -> Result<Othello, Malformed> {
    let mut position = Othello::start();
    let mut rest = text.trim_start();
    let mut number = 1;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(move_length(rest));
        if !is_pass(word) && position.must_pass() {
            position.play(Move::PASS);
        }
        let mv = parse_move(&position, word).map_err(|error| {
            let offset = text.len() - rest.len() + 1;
            Malformed::new(format!("move {number}, character {offset}: {error}"))
        })?;
        position.play(mv);
        number += 1;
        rest = after.trim_start();
    }
    Ok(position)
}

/// Bytes of the next move in a game without separators: a pass, or two characters.
fn move_length(text: &str) -> usize {
    let pass = PASSES
        .iter()
        .find(|pass| text.get(..pass.len()).is_some_and(|start| start.eq_ignore_ascii_case(pass)));
    match pass {
        Some(pass) => pass.len(),
        None => text.char_indices().nth(2).map_or(text.len(), |(offset, _)| offset),
    }
}

/// Whether `word` is one of the ways to write a pass.
fn is_pass(word: &str) -> bool {
    PASSES.iter().any(|pass| word.eq_ignore_ascii_case(pass))
}

/// Reads a legal move: a square such as `f5`, or a pass.
pub fn parse_move(position: &Othello, text: &str) -> Result<Move, Malformed> {
    let word = text.trim();
    if is_pass(word) {
        return if position.must_pass() {
            Ok(Move::PASS)
        } else if position.placements() != 0 {
            Err(Malformed::new(format!(
                "\"{word}\" is not legal: the side to move can place a disc"
            )))
        } else {
            Err(Malformed::new(format!("\"{word}\" is not legal: the game is over")))
        };
    }
    let (file, rank) = match *word.as_bytes() {
        [file, rank] => (file.to_ascii_lowercase().wrapping_sub(b'a'), rank.wrapping_sub(b'1')),
        _ => (u8::MAX, u8::MAX),
    };
    if file > 7 || rank > 7 {
        return Err(Malformed::new(format!("\"{word}\" is no move: expected a1 to h8 or pass")));
    }
    let mv = Move(8 * rank + file);
    if position.is_legal(mv) {
        Ok(mv)
    } else if (position.black() | position.white()) >> mv.0 & 1 != 0 {
        Err(Malformed::new(format!("\"{word}\" is not legal: the square is taken")))
    } else if position.must_pass() {
        Err(Malformed::new(format!("\"{word}\" is not legal: the side to move must pass")))
    } else {
        Err(Malformed::new(format!("\"{word}\" is not legal: it turns over no disc")))
    }
}

/// The move as [`parse_move`] reads it.
pub fn move_text(mv: Move) -> String {
    mv.square().map_or_else(|| "pass".to_owned(), square_text)
}

/// A square's name, `a1` to `h8`.
fn square_text(square: u8) -> String {
    let (file, rank) = (char::from(b'a' + square % 8), char::from(b'1' + square / 8));
    format!("{file}{rank}")
}

/// What stands on `square`: `X`, `O` or `-`.
fn symbol(position: &Othello, square: u8) -> char {
    if position.black() >> square & 1 != 0 {
        'X'
    } else if position.white() >> square & 1 != 0 {
        'O'
    } else {
        '-'
    }
}

/// The player's letter in text.
const fn letter(colour: Colour) -> char {
    match colour {
        Colour::Black => 'X',
        Colour::White => 'O',
    }
}

/// The board form with the side to move.
pub fn text(position: &Othello) -> String {
    let mut text: String = (0..64).map(|square| symbol(position, square)).collect();
    text.push(' ');
    text.push(letter(position.mover()));
    text
}

/// The board with coordinates, legal moves as `+`, the disc count and the side to move.
pub fn diagram(position: &Othello) -> String {
    let legal: Vec<u8> = squares(board::mobility(position.own, position.opponent)).collect();
    let files = "  a b c d e f g h\n";
    let mut text = String::from(files);
    for rank in 0..8 {
        let _ = write!(text, "{}", rank + 1);
        for square in 8 * rank..8 * rank + 8 {
            let shown = if legal.contains(&square) { '+' } else { symbol(position, square) };
            let _ = write!(text, " {shown}");
        }
        let _ = writeln!(text, " {}", rank + 1);
    }
    text.push_str(files);
    let (black, white) = (position.black().count_ones(), position.white().count_ones());
    let _ = write!(text, "X {black} - O {white}, {} to move", letter(position.mover()));
    if position.must_pass() {
        text.push_str(" (must pass)");
    } else if legal.is_empty() {
        text.push_str(" (game over)");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::othello::testing;

    const BEFORE_MOVE_2: &str = "---------------------------OX------XXX--------------------------";

    fn reason(text: &str) -> String {
        parse(text).unwrap_err().0
    }

    #[test]
    fn the_three_forms_give_the_same_position() {
        let start = "---------------------------OX------XO---------------------------";
        for text in ["startpos", "  StartPos ", start, &format!("{start} X"), &format!("{start} B")]
        {
            assert_eq!(parse(text).unwrap(), Othello::start(), "{text}");
        }
        let expected = parse(&format!("{BEFORE_MOVE_2} O")).unwrap();
        let dotted = BEFORE_MOVE_2.replace('-', ".").replace('X', "*").replace('O', "o");
        for text in ["f5", " F5 ", &format!("{BEFORE_MOVE_2} W"), &format!("{dotted} w")] {
            assert_eq!(parse(text).unwrap(), expected, "{text}");
        }
        assert_eq!(parse("f5d6 C3\nd3c4").unwrap(), parse("f5d6c3d3c4").unwrap());
    }

    #[test]
    fn every_position_and_move_of_random_games_survives_the_text() {
        for seed in 0..100 {
            for position in testing::random_game(seed) {
                assert_eq!(Othello::parse(&position.text()).unwrap(), position);
                for mv in position.moves() {
                    let text = position.move_text(mv);
                    assert_eq!(position.parse_move(&text).unwrap(), mv);
                    assert_eq!(position.parse_move(&text.to_uppercase()).unwrap(), mv);
                }
            }
        }
    }

    #[test]
    fn passes_in_games_may_be_written_or_left_out() {
        let mut with_passes = 0;
        for seed in 0..40 {
            let game = testing::random_game(seed);
            let played: Vec<Move> = game
                .windows(2)
                .map(|pair| {
                    let is_next = |&mv: &Move| pair[0].after(mv) == pair[1];
                    pair[0].moves().into_iter().find(is_next).unwrap()
                })
                .collect();
            let written = |pass: &str| -> String {
                let word = |mv: &Move| mv.square().map_or(pass.to_owned(), square_text);
                played.iter().map(word).collect()
            };
            for pass in ["", "pass", "PA", "ps", "--", " -- "] {
                assert_eq!(parse(&written(pass)).unwrap(), game[game.len() - 1], "{pass}");
            }
            with_passes += usize::from(played.contains(&Move::PASS));
        }
        assert!(with_passes > 5, "only {with_passes} games with a pass");
    }

    #[test]
    fn faults_are_named_with_their_place() {
        assert_eq!(reason(" "), "no position given");
        assert!(reason(&BEFORE_MOVE_2[1..]).contains("64 squares, this one 63"));
        assert!(reason(&BEFORE_MOVE_2.replace("XXX", "XQX")).contains("\"Q\" on e5"));
        assert!(reason(&format!("{BEFORE_MOVE_2} Y")).contains("side to move \"Y\""));
        assert!(reason(&format!("{BEFORE_MOVE_2} X 1")).contains("\"1\" after"));
        assert!(reason("startpos f5").contains("after startpos"));
        let expected = "move 2, character 3: \"d7\" is not legal: it turns over no disc";
        assert_eq!(reason("f5d7"), expected);
        assert!(reason("f5f5").contains("the square is taken"));
        assert!(reason("f5d6c").contains("move 3, character 5: \"c\" is no move"));
        assert!(reason("f5d9").contains("\"d9\" is no move"));
        assert!(reason("f5pass").contains("can place a disc"));
        assert!(reason("f5→é").contains("is no move"));
    }

    #[test]
    fn a_pass_is_taken_where_it_is_forced_and_refused_elsewhere() {
        let start = Othello::start();
        assert!(start.parse_move("pass").unwrap_err().0.contains("can place a disc"));
        let blocked = Othello::new(0b10, 0b1111_1100, Colour::Black).unwrap();
        for text in ["pass", "PASS", "pa", "PA", "ps", "--"] {
            assert_eq!(blocked.parse_move(text).unwrap(), Move::PASS);
        }
        assert!(blocked.parse_move("a1").unwrap_err().0.contains("must pass"));
        let over = Othello::new(0b111, 0, Colour::White).unwrap();
        assert!(over.parse_move("pass").unwrap_err().0.contains("the game is over"));
    }

    #[test]
    fn the_diagram_shows_discs_moves_and_count() {
        let expected = "  a b c d e f g h\n\
                        1 - - - - - - - - 1\n\
                        2 - - - - - - - - 2\n\
                        3 - - - + - - - - 3\n\
                        4 - - + O X - - - 4\n\
                        5 - - - X O + - - 5\n\
                        6 - - - - + - - - 6\n\
                        7 - - - - - - - - 7\n\
                        8 - - - - - - - - 8\n\
                        \u{20} a b c d e f g h\n\
                        X 2 - O 2, X to move";
        assert_eq!(Othello::start().diagram(), expected);
    }
}
