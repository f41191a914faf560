//! What the general terms do not see when few pieces are left: wins that cannot be won, and how
//! to drive a bare king into a corner.

use cozy_chess::{BitBoard, Board, Color, Piece, Square};

use super::pawns::{count, distance};
use crate::games::chess::see::exchange_value;
use crate::value::Value;

/// Without pawns, a lead of less than this rarely wins.
const WINNING_LEAD: i32 = 400;
/// What is left of such a lead.
const DRAWISH_DIVISOR: Value = 8;
/// Worth of each step of the bare king towards the edge, and of the kings towards each other.
const TO_EDGE: Value = 12;
const KINGS_CLOSER: Value = 6;
/// Worth of each step towards the corner in which bishop and knight can mate.
const TO_RIGHT_CORNER: Value = 20;

/// `value` for the side to move, corrected for thin material.
#[inline]
pub(super) fn adjust(board: &Board, value: Value) -> Value {
    let us = board.side_to_move();
    let strong = if value >= 0 { us } else { !us };
    if !board.colored_pieces(strong, Piece::Pawn).is_empty() {
        return value;
    }
    let lead = officers(board, strong) - officers(board, !strong);
    let army = board.colors(strong);
    let two_knights = army.len() == 3 && (army & board.pieces(Piece::Knight)).len() == 2;
    if lead < WINNING_LEAD || two_knights {
        return value / DRAWISH_DIVISOR;
    }
    if board.colors(!strong).len() > 1 {
        return value;
    }
    let bonus = drive(board, strong);
    if strong == us { value + bonus } else { value - bonus }
}

/// Exchange value of the pieces of `color` without pawns and king.
fn officers(board: &Board, color: Color) -> i32 {
    [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen]
        .into_iter()
        .map(|piece| exchange_value(piece) * count(board.colored_pieces(color, piece)))
        .sum()
}

/// How far `strong` has driven the bare king towards mate.
fn drive(board: &Board, strong: Color) -> Value {
    let (hunter, hunted) = (board.king(strong), board.king(!strong));
    let from_middle = |coordinate: i32| (2 * coordinate - 7).abs() / 2;
    let to_edge = from_middle(hunted.file() as i32) + from_middle(hunted.rank() as i32);
    let mut value = TO_EDGE * to_edge + KINGS_CLOSER * (7 - distance(hunter, hunted));

    let army = board.colors(strong);
    let bishops = army & board.pieces(Piece::Bishop);
    if army.len() == 3 && bishops.len() == 1 && !(army & board.pieces(Piece::Knight)).is_empty() {
        let dark = bishops.is_subset(BitBoard::DARK_SQUARES);
        let corners = if dark { [Square::A1, Square::H8] } else { [Square::A8, Square::H1] };
        let nearest = corners.into_iter().map(|corner| distance(corner, hunted)).min();
        value += TO_RIGHT_CORNER * (7 - nearest.unwrap_or(0));
    }
    value
}
