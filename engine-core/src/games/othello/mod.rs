//! Othello (Reversi) with tournament scoring: squares left empty count for the winner.

mod board;
mod codec;
mod evaluate;
mod order;
#[cfg(test)]
mod testing;
mod text;

use crate::game::{Game, Malformed, Outcome};
use crate::value::{Unit, Value};

/// A placed disc or a forced pass: 0..=63 a square (a1, b1 .. h8), 64 a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u8);

impl Move {
    /// The forced pass of a player who cannot turn over any disc.
    pub const PASS: Self = Self(64);

    /// Placing a disc on `square`, 0..=63; none beyond the board.
    pub const fn place(square: u8) -> Option<Self> {
        if square < 64 { Some(Self(square)) } else { None }
    }

    /// The square a disc is placed on; none for a pass.
    pub const fn square(self) -> Option<u8> {
        if self.0 < 64 { Some(self.0) } else { None }
    }
}

/// The two players.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Begins; `X` in text.
    Black,
    /// `O` in text.
    White,
}

impl Colour {
    /// The other player.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Colour::Black => Colour::White,
            Colour::White => Colour::Black,
        }
    }
}

/// A position: the discs of the side to move, those of its opponent, and who moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Othello {
    own: u64,
    opponent: u64,
    mover: Colour,
}

impl Othello {
    /// The position with these discs (bit 0 = a1, bit 63 = h8) and `mover` to move; none if a
    /// square holds two discs.
    pub const fn new(black: u64, white: u64, mover: Colour) -> Option<Self> {
        if black & white != 0 {
            return None;
        }
        Some(match mover {
            Colour::Black => Self { own: black, opponent: white, mover },
            Colour::White => Self { own: white, opponent: black, mover },
        })
    }

    /// Black's discs.
    pub const fn black(&self) -> u64 {
        match self.mover {
            Colour::Black => self.own,
            Colour::White => self.opponent,
        }
    }

    /// White's discs.
    pub const fn white(&self) -> u64 {
        match self.mover {
            Colour::Black => self.opponent,
            Colour::White => self.own,
        }
    }

    /// Whose turn it is.
    pub const fn mover(&self) -> Colour {
        self.mover
    }

    /// Number of empty squares.
    pub const fn empties(&self) -> u32 {
        (self.own | self.opponent).count_zeros()
    }

    /// Squares where the side to move may place a disc.
    fn placements(&self) -> u64 {
        board::mobility(self.own, self.opponent)
    }

    /// The side to move must pass: it cannot place a disc, but its opponent can.
    fn must_pass(&self) -> bool {
        self.placements() == 0 && board::mobility(self.opponent, self.own) != 0
    }

    /// Whether `mv` may be played here.
    fn is_legal(&self, mv: Move) -> bool {
        match mv.square() {
            Some(square) => self.placements() >> square & 1 != 0,
            None => self.must_pass(),
        }
    }
}

/// The squares of a set, in ascending order.
fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros() as u8;
        set &= set.wrapping_sub(1);
        (square < 64).then_some(square)
    })
}

impl Game for Othello {
    type Move = Move;

    const NAME: &'static str = "othello";
    const UNIT: Unit = Unit::Discs;
    /// 64 squares and the pass, for each colour.
    const HISTORY_SLOTS: usize = 2 * 65;

    fn start() -> Self {
        Self { own: 1 << 28 | 1 << 35, opponent: 1 << 27 | 1 << 36, mover: Colour::Black }
    }

    fn for_each_move(&self, mut visit: impl FnMut(Move)) {
        let placements = self.placements();
        if placements != 0 {
            squares(placements).for_each(|square| visit(Move(square)));
        } else if self.must_pass() {
            visit(Move::PASS);
        }
    }

    fn play(&mut self, mv: Move) {
        debug_assert!(self.is_legal(mv), "{mv:?} in {}", self.text());
        let (placed, flipped) = match mv.square() {
            Some(square) => (1 << square, board::flips(self.own, self.opponent, square)),
            None => (0, 0),
        };
        *self = Self {
            own: self.opponent ^ flipped,
            opponent: self.own | flipped | placed,
            mover: self.mover.other(),
        };
    }

    fn key(&self) -> u64 {
        codec::key(self)
    }

    /// The disc difference in hundredths, with every empty square given to the winner.
    fn outcome(&self) -> Outcome {
        let (own, opponent) = (self.own.count_ones() as Value, self.opponent.count_ones() as Value);
        let margin = own - opponent;
        Outcome::Margin(100 * (margin + margin.signum() * self.empties() as Value))
    }

    fn evaluate(&self) -> Value {
        evaluate::evaluate(self.own, self.opponent)
    }

    fn order(&self, mv: Move, depth: i32) -> i32 {
        order::order(self.own, self.opponent, mv, depth)
    }

    fn is_quiet(&self, mv: Move) -> bool {
        mv != Move::PASS
    }

    fn history_slot(&self, mv: Move) -> usize {
        65 * self.mover as usize + mv.0 as usize
    }

    fn pack_move(&self, mv: Move) -> u16 {
        u16::from(mv.0) + 1
    }

    fn unpack_move(&self, bits: u16) -> Option<Move> {
        let mv = Move(u8::try_from(bits.checked_sub(1)?).ok()?);
        (mv <= Move::PASS && self.is_legal(mv)).then_some(mv)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        codec::encode(self, out);
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        codec::decode(bytes)
    }

    fn parse(text: &str) -> Result<Self, Malformed> {
        text::parse(text)
    }

    fn text(&self) -> String {
        text::text(self)
    }

    fn parse_move(&self, text: &str) -> Result<Move, Malformed> {
        text::parse_move(self, text)
    }

    fn move_text(&self, mv: Move) -> String {
        text::move_text(mv)
    }

    fn diagram(&self) -> String {
        text::diagram(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forced_pass_is_a_move_and_two_blocked_sides_end_the_game() {
        // Black b1, White c1 to h1: only White can move, to a1.
        let blocked = Othello::new(0b10, 0b1111_1100, Colour::Black).unwrap();
        assert_eq!(blocked.moves(), [Move::PASS]);
        let passed = blocked.after(Move::PASS);
        assert_eq!((passed.black(), passed.white()), (blocked.black(), blocked.white()));
        assert_eq!(passed.mover(), Colour::White);
        assert_ne!(passed.key(), blocked.key());
        assert_eq!(passed.moves(), [Move(0)]);
        let over = passed.after(Move(0));
        assert_eq!(over.moves(), []);
        assert_eq!(over.outcome(), Outcome::Margin(-6400), "empties go to the winner");
    }

    #[test]
    fn a_drawn_board_leaves_the_empties_to_nobody() {
        let drawn = Othello::new(1, 1 << 63, Colour::White).unwrap();
        assert_eq!(drawn.moves(), []);
        assert_eq!(drawn.outcome(), Outcome::Margin(0));
    }

    #[test]
    fn packed_moves_come_back_where_they_are_legal_and_only_there() {
        for seed in 0..50 {
            for position in testing::random_game(seed) {
                let legal = position.moves();
                let unpacked: Vec<Move> =
                    (0..=u16::MAX).filter_map(|bits| position.unpack_move(bits)).collect();
                assert_eq!(unpacked, legal);
                for mv in legal {
                    assert_ne!(position.pack_move(mv), 0);
                    assert_eq!(position.unpack_move(position.pack_move(mv)), Some(mv));
                    assert!(position.history_slot(mv) < Othello::HISTORY_SLOTS);
                }
            }
        }
    }
}
