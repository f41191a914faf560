//! Values of positions, and the one place that knows about distances to a win.
//!
//! A [`Value`] is seen from the side to move: centipawns in chess, hundredths of a disc in
//! Othello. Wins at a known distance live in a band at the very top: `MATE - ply` for a win that
//! is complete `ply` plies from the root of the search that reports it.

use std::fmt;

/// Value of a position for the side to move, in hundredths of the game's unit.
pub type Value = i32;

/// Beyond every value a search can return; opens a window completely.
pub const INFINITY: Value = 32_000;
/// A win on the board now. A win `n` plies away is worth `MATE - n`.
pub const MATE: Value = 31_000;
/// Deepest ply a search may reach, root = ply 0.
pub const MAX_PLY: usize = 128;
/// Values beyond `±MATE_BAND` are wins at a known distance.
pub const MATE_BAND: Value = MATE - MAX_PLY as Value - 1;

/// Turns a value counted from the root into one counted from the node at `ply`.
///
/// Everything that leaves one search for another (table entries, leaf results) is counted from
/// its own node; everything inside a search is counted from its root.
#[inline]
pub const fn from_node(value: Value, ply: usize) -> Value {
    if value >= MATE_BAND {
        value + ply as Value
    } else if value <= -MATE_BAND {
        value - ply as Value
    } else {
        value
    }
}

/// The inverse of [`from_node`]: a value counted from the node at `ply`, counted from the root.
#[inline]
pub const fn from_root(value: Value, ply: usize) -> Value {
    if value >= MATE_BAND {
        value - ply as Value
    } else if value <= -MATE_BAND {
        value + ply as Value
    } else {
        value
    }
}

/// What hundredths of a value mean in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Hundredths of a pawn, with wins counted in moves.
    Centipawns,
    /// Hundredths of a disc of the final margin.
    Discs,
}

/// A value in the words a person or a program expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// Centipawns for the side to move.
    Centipawns(i32),
    /// Moves (not plies) until mate; negative when the side to move is mated. 0: mated already.
    Mate(i32),
    /// Whole discs of the expected final margin.
    Discs(i32),
}

impl Score {
    /// Reads `value` in `unit`.
    pub fn new(value: Value, unit: Unit) -> Self {
        match unit {
            Unit::Discs => Score::Discs((value as f64 / 100.0).round() as i32),
            Unit::Centipawns if value >= MATE_BAND => Score::Mate((MATE - value + 1) / 2),
            Unit::Centipawns if value <= -MATE_BAND => Score::Mate((-MATE - value) / 2),
            Unit::Centipawns => Score::Centipawns(value),
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Centipawns(cp) => write!(f, "{:+.2}", *cp as f64 / 100.0),
            Score::Mate(moves) => write!(f, "mate {moves}"),
            Score::Discs(discs) => write!(f, "{discs:+} discs"),
        }
    }
}

/// How a returned value relates to the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// The true value is at least this.
    Lower = 1,
    /// The true value is at most this.
    Upper = 2,
    /// This is the value.
    Exact = 3,
}

impl Bound {
    /// The bound that a search with window (`alpha`, `beta`) proves when it returns `value`.
    #[inline]
    pub const fn of(value: Value, alpha: Value, beta: Value) -> Self {
        if value <= alpha {
            Bound::Upper
        } else if value >= beta {
            Bound::Lower
        } else {
            Bound::Exact
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mate_distance_survives_the_trip_between_searches() {
        for ply in 0..60 {
            for value in [0, 350, -350, MATE - 60, 60 - MATE, MATE_BAND - 200] {
                assert_eq!(from_root(from_node(value, ply), ply), value);
            }
        }
        assert_eq!(from_node(MATE - 7, 4), MATE - 3);
        assert_eq!(from_node(-(MATE - 7), 4), -(MATE - 3));
    }

    #[test]
    fn scores_count_moves_not_plies() {
        let mate = |v| Score::new(v, Unit::Centipawns);
        assert_eq!(mate(MATE - 1), Score::Mate(1));
        assert_eq!(mate(MATE - 5), Score::Mate(3));
        assert_eq!(mate(-(MATE - 2)), Score::Mate(-1));
        assert_eq!(mate(-MATE), Score::Mate(0));
        assert_eq!(Score::new(-340, Unit::Discs), Score::Discs(-3));
    }
}
