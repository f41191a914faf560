//! Scores and bounds on the wire.

use engine_core::value::{Bound, INFINITY, MAX_PLY, Score};

use crate::error::WireError;
use crate::parts::in_range;
use crate::v1::{self, score::Kind};

impl From<Score> for v1::Score {
    fn from(score: Score) -> Self {
        let kind = match score {
            Score::Centipawns(value) => Kind::Centipawns(value),
            Score::Mate(moves) => Kind::Mate(moves),
            Score::Discs(discs) => Kind::Discs(discs),
        };
        Self { kind: Some(kind) }
    }
}

impl TryFrom<v1::Score> for Score {
    type Error = WireError;

    fn try_from(score: v1::Score) -> Result<Self, WireError> {
        let symmetric =
            |value: i32, field, limit: i32| in_range(value, field, (-limit).into(), limit.into());
        match score.kind.ok_or(WireError::Missing("score"))? {
            Kind::Centipawns(value) => {
                symmetric(value, "centipawns", INFINITY).map(Score::Centipawns)
            }
            Kind::Mate(moves) => symmetric(moves, "mate", MAX_PLY as i32).map(Score::Mate),
            Kind::Discs(discs) => symmetric(discs, "discs", 64).map(Score::Discs),
        }
    }
}

impl From<Bound> for v1::Bound {
    fn from(bound: Bound) -> Self {
        match bound {
            Bound::Lower => v1::Bound::Lower,
            Bound::Upper => v1::Bound::Upper,
            Bound::Exact => v1::Bound::Value,
        }
    }
}

/// Reads a bound.
///
/// # Errors
/// Unspecified, or a number that stands for no bound.
pub fn decode_bound(number: i32) -> Result<Bound, WireError> {
    match v1::Bound::try_from(number) {
        Ok(v1::Bound::Lower) => Ok(Bound::Lower),
        Ok(v1::Bound::Upper) => Ok(Bound::Upper),
        Ok(v1::Bound::Value) => Ok(Bound::Exact),
        Ok(v1::Bound::Unspecified) => Err(WireError::Missing("bound")),
        Err(_) => {
            let value = number.into();
            Err(WireError::OutOfRange { field: "bound", value, min: 1, max: 3 })
        }
    }
}
