//! Chess, standard and Chess960, on the board and move generator of `cozy-chess`.
//!
//! - `fen`: positions as text; `codec`: positions as bytes; `text`: moves as text
//! - `validate`: what a board must satisfy before we think about it
//! - `rules`: en passant that counts, dead material, the fifty-move rule
//! - `evaluate`: the static value; `see`: what an exchange wins; `order`: which move first

mod codec;
mod evaluate;
mod fen;
mod order;
mod rules;
mod see;
mod text;
mod validate;

use std::fmt;

pub use cozy_chess::{Board, Color, Move, Piece, Square};

use crate::game::{Game, Malformed, Outcome};
use crate::value::{Unit, Value};

/// A chess position: board, castling and en passant rights, and both move counters.
///
/// A castling move is the king taking its own rook; [`Game::move_text`] writes it so in Chess960
/// and as a king's step of two files otherwise.
#[derive(Clone)]
pub struct Chess {
    board: Board,
    chess960: bool,
}

impl Chess {
    /// A position on `board`, which the caller has validated. Castling rights that standard chess
    /// does not know make it Chess960 in any case.
    fn new(board: Board, chess960: bool) -> Self {
        let chess960 = chess960 || !rules::has_standard_castling(&board);
        Self { board, chess960 }
    }

    /// The board behind the position.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Whether castling is written as king takes rook, and FEN castling rights as rook files.
    pub fn is_chess960(&self) -> bool {
        self.chess960
    }

    /// The same position, written the Chess960 way or not. Positions whose castling rights standard
    /// notation cannot express stay Chess960.
    #[must_use]
    pub fn with_chess960(self, chess960: bool) -> Self {
        Self::new(self.board, chess960)
    }
}

/// Equal positions and equal counters; how moves are written does not matter, nor does an en
/// passant square that nobody can capture on.
impl PartialEq for Chess {
    fn eq(&self, other: &Self) -> bool {
        rules::same_position(&self.board, &other.board)
            && self.board.halfmove_clock() == other.board.halfmove_clock()
            && self.board.fullmove_number() == other.board.fullmove_number()
    }
}

impl fmt::Debug for Chess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chess({:?})", self.text())
    }
}

impl Game for Chess {
    type Move = Move;

    const NAME: &'static str = "chess";
    const UNIT: Unit = Unit::Centipawns;
    const HISTORY_SLOTS: usize = order::HISTORY_SLOTS;

    fn start() -> Self {
        Self { board: Board::startpos(), chess960: false }
    }

    #[inline]
    fn for_each_move(&self, mut visit: impl FnMut(Move)) {
        self.board.generate_moves(|moves| {
            moves.into_iter().for_each(&mut visit);
            false
        });
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        debug_assert!(self.board.is_legal(mv), "{mv} is illegal in {self:?}");
        self.board.play_unchecked(mv);
    }

    #[inline]
    fn key(&self) -> u64 {
        rules::key(&self.board)
    }

    fn outcome(&self) -> Outcome {
        if self.in_check() { Outcome::Loss } else { Outcome::Draw }
    }

    #[inline]
    fn is_rule_draw(&self) -> bool {
        rules::is_dead(&self.board) || rules::is_drawn_by_clock(&self.board)
    }

    #[inline]
    fn reversible_plies(&self) -> u32 {
        u32::from(self.board.halfmove_clock())
    }

    #[inline]
    fn plies_to_rule_draw(&self) -> u32 {
        rules::CLOCK_LIMIT - u32::from(self.board.halfmove_clock())
    }

    #[inline]
    fn evaluate(&self) -> Value {
        evaluate::evaluate(&self.board)
    }

    #[inline]
    fn for_each_tactical(&self, visit: impl FnMut(Move)) {
        if self.in_check() {
            self.for_each_move(visit);
        } else {
            order::for_each_winning(&self.board, visit);
        }
    }

    #[inline]
    fn in_check(&self) -> bool {
        !self.board.checkers().is_empty()
    }

    fn null_move(&self) -> Option<Self> {
        if !rules::has_piece(&self.board) {
            return None;
        }
        let board = self.board.null_move()?;
        Some(Self { board, chess960: self.chess960 })
    }

    #[inline]
    fn order(&self, mv: Move, _depth: i32) -> i32 {
        order::score(&self.board, mv)
    }

    #[inline]
    fn is_quiet(&self, mv: Move) -> bool {
        order::is_quiet(&self.board, mv)
    }

    #[inline]
    fn history_slot(&self, mv: Move) -> usize {
        order::history_slot(&self.board, mv)
    }

    #[inline]
    fn pack_move(&self, mv: Move) -> u16 {
        codec::pack_move(mv)
    }

    #[inline]
    fn unpack_move(&self, bits: u16) -> Option<Move> {
        codec::unpack_move(bits).filter(|&mv| self.board.is_legal(mv))
    }

    fn encode(&self, out: &mut Vec<u8>) {
        codec::encode(self, out);
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        codec::decode(bytes)
    }

    fn parse(text: &str) -> Result<Self, Malformed> {
        fen::parse(text)
    }

    fn text(&self) -> String {
        fen::write(self)
    }

    fn parse_move(&self, text: &str) -> Result<Move, Malformed> {
        text::parse_move(&self.board, text)
    }

    fn move_text(&self, mv: Move) -> String {
        text::move_text(self, mv)
    }

    fn diagram(&self) -> String {
        text::diagram(self)
    }
}
