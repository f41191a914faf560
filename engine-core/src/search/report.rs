//! What a search has to say, as data. Only the outermost layer prints.

use crate::game::Game;
use crate::value::{Bound, Score, Value};

/// One line of play found by a completed iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct Info<G: Game> {
    /// Depth of the iteration in plies.
    pub depth: u32,
    /// Greatest ply looked at.
    pub deepest: u32,
    /// Rank of the line, 1 = best.
    pub rank: u32,
    /// Value for the side to move at the root.
    pub value: Value,
    /// How it relates to the true value.
    pub bound: Bound,
    /// The line, at least one move unless the game is over.
    pub pv: Vec<G::Move>,
    /// Nodes searched so far, by everybody.
    pub nodes: u64,
}

impl<G: Game> Info<G> {
    /// The value in the game's words.
    pub fn score(&self) -> Score {
        Score::new(self.value, G::UNIT)
    }
}

/// What the whole search comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Report<G: Game> {
    /// The deepest completed iteration's lines, best first. Empty only when the game is over.
    pub lines: Vec<Info<G>>,
    /// Value when the game is over at the root.
    pub outcome: Option<Value>,
    /// Deepest completed iteration in plies; 0 when none.
    pub depth: u32,
    /// Nodes searched, by everybody.
    pub nodes: u64,
    /// Master passes; 0 without a cluster.
    pub passes: u64,
    /// Every value the answer rests on is proved.
    pub certain: bool,
}

impl<G: Game> Report<G> {
    /// The move to play.
    pub fn best_move(&self) -> Option<G::Move> {
        self.lines.first().and_then(|line| line.pv.first().copied())
    }

    /// The reply expected.
    pub fn ponder(&self) -> Option<G::Move> {
        self.lines.first().and_then(|line| line.pv.get(1).copied())
    }

    /// Value for the side to move.
    pub fn value(&self) -> Value {
        self.lines.first().map_or_else(|| self.outcome.unwrap_or(0), |line| line.value)
    }

    /// The value in the game's words.
    pub fn score(&self) -> Score {
        Score::new(self.value(), G::UNIT)
    }
}
