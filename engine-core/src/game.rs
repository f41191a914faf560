//! What a game must tell us to be searched: the whole library face.
//!
//! A type that implements [`Game`] *is* a position of that game. It brings the rules, an
//! evaluation and a byte form; it gets sequential, tree-splitting and distributed search.
//! `examples/own_game.rs` brings a third game in an afternoon.

use std::fmt::Debug;

use crate::value::{Unit, Value};

/// How a finished game ended, for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The side to move has lost; a nearer win is worth more to the winner.
    Loss,
    /// Nobody has won.
    Draw,
    /// A final margin in hundredths of the game's unit, whatever the distance.
    Margin(Value),
}

/// Text or bytes that are no position, move or history of the game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

impl Malformed {
    /// An error that says `what` is wrong.
    pub fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

/// Static move-ordering score from which a move counts as a good tactical move.
pub const GOOD_TACTICAL: i32 = 1 << 20;
/// Static move-ordering score down to which a move is better left for last (a losing capture).
pub const BAD_TACTICAL: i32 = -(1 << 20);

/// A position of a two-player zero-sum game with complete information.
///
/// # Contract
/// - [`for_each_move`](Game::for_each_move) yields the same moves in the same order on every machine.
/// - A forced pass is a move. No move at all means the game is over.
/// - [`key`](Game::key) is equal for equal positions on every machine and differs with the side to
///   move and with every right that changes the legal moves.
/// - [`evaluate`](Game::evaluate) depends on the position alone and stays within ±[`crate::value::MATE_BAND`].
pub trait Game: Clone + PartialEq + Debug + Send + Sync + 'static {
    /// A move; `Copy` and a few bytes.
    type Move: Copy + Eq + Debug + Send + Sync + 'static;

    /// Name on command lines and on the wire.
    const NAME: &'static str;
    /// What a [`Value`] counts.
    const UNIT: Unit;
    /// Size of the history table: one more than the largest [`history_slot`](Game::history_slot).
    const HISTORY_SLOTS: usize;

    // --- rules ---------------------------------------------------------------------------------

    /// The position games begin with.
    fn start() -> Self;
    /// Calls `visit` with every legal move.
    fn for_each_move(&self, visit: impl FnMut(Self::Move));
    /// Plays a legal move.
    fn play(&mut self, mv: Self::Move);
    /// Hash key of the position, without any history.
    fn key(&self) -> u64;
    /// The result when there is no legal move. Called on such positions only.
    fn outcome(&self) -> Outcome;
    /// Drawn by rule although there may be moves (50-move rule, dead position). Repetition is the
    /// search's business. Must be false where the side to move is already lost.
    fn is_rule_draw(&self) -> bool {
        false
    }
    /// Plies since the last move that can never be undone: how far back a repetition can lie.
    /// 0 in games where positions cannot repeat.
    fn reversible_plies(&self) -> u32 {
        0
    }
    /// Plies that may still be played before the reversible-move rule makes the game a draw.
    fn plies_to_rule_draw(&self) -> u32 {
        u32::MAX
    }

    // --- judgement -----------------------------------------------------------------------------

    /// Static value for the side to move.
    fn evaluate(&self) -> Value;
    /// Calls `visit` with the moves worth trying below the horizon (winning or equal captures,
    /// promotions; every move when in check). None by default: no quiescence search.
    fn for_each_tactical(&self, _visit: impl FnMut(Self::Move)) {}
    /// The side to move is in check: no standing pat, no null move, one ply more in `classic`.
    fn in_check(&self) -> bool {
        false
    }
    /// The position after passing, where a pass can serve as a null move (not in check, some
    /// piece left that keeps zugzwang unlikely).
    fn null_move(&self) -> Option<Self> {
        None
    }
    /// Static ordering score of a legal move; greater is tried first. At least [`GOOD_TACTICAL`]:
    /// before killers and history; at most [`BAD_TACTICAL`]: after everything else; otherwise
    /// within ±10,000 and added to the history score. `depth` is the remaining depth in plies, so
    /// that costly ordering can be kept for nodes where it pays.
    fn order(&self, mv: Self::Move, depth: i32) -> i32;
    /// The move may become a killer and earn history.
    fn is_quiet(&self, mv: Self::Move) -> bool;
    /// Where the move keeps its history score, below [`HISTORY_SLOTS`](Game::HISTORY_SLOTS).
    fn history_slot(&self, mv: Self::Move) -> usize;

    // --- bytes and text ------------------------------------------------------------------------

    /// Packs a move into 16 bits, never 0 (which means "no move" in tables).
    fn pack_move(&self, mv: Self::Move) -> u16;
    /// The legal move of this position that packs to `bits`, if there is one.
    fn unpack_move(&self, bits: u16) -> Option<Self::Move>;
    /// Appends the compact, versioned byte form (first byte: format version).
    fn encode(&self, out: &mut Vec<u8>);
    /// Reads what [`encode`](Game::encode) wrote, from the whole of `bytes`.
    ///
    /// # Errors
    /// Anything that is not a legal position in a known format version.
    fn decode(bytes: &[u8]) -> Result<Self, Malformed>;
    /// Reads the game's own position text (FEN in chess).
    ///
    /// # Errors
    /// A sentence naming what is wrong and where.
    fn parse(text: &str) -> Result<Self, Malformed>;
    /// The inverse of [`parse`](Game::parse).
    fn text(&self) -> String;
    /// Reads a legal move.
    ///
    /// # Errors
    /// A sentence that says whether it is no move at all or not legal here.
    fn parse_move(&self, text: &str) -> Result<Self::Move, Malformed>;
    /// The move as [`parse_move`](Game::parse_move) reads it.
    fn move_text(&self, mv: Self::Move) -> String;
    /// The board as a person wants to see it, several lines.
    fn diagram(&self) -> String {
        self.text()
    }

    /// Every legal move, collected. For cold code; the search uses its own buffers.
    fn moves(&self) -> Vec<Self::Move> {
        let mut moves = Vec::new();
        self.for_each_move(|mv| moves.push(mv));
        moves
    }
    /// The position after `mv`.
    #[must_use]
    fn after(&self, mv: Self::Move) -> Self {
        let mut next = self.clone();
        next.play(mv);
        next
    }
}

/// Number of move sequences of exactly `depth` plies, counting a game that ends earlier once where
/// it ends only if `count_ended`.
pub fn perft<G: Game>(position: &G, depth: u32, count_ended: bool) -> u64 {
    if depth == 0 {
        return 1;
    }
    let (mut nodes, mut any) = (0, false);
    position.for_each_move(|mv| {
        any = true;
        nodes += if depth == 1 { 1 } else { perft(&position.after(mv), depth - 1, count_ended) };
    });
    if any { nodes } else { u64::from(count_ended) }
}
