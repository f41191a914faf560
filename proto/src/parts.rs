//! The parts that several messages are made of.

use engine_core::aphid::messages::{Bounds, LeafTag, SearchTag, Want, Window};
use engine_core::value::{INFINITY, Value};

use crate::error::WireError;
use crate::{limits, v1};

/// Passes on a number in `min..=max`.
pub fn in_range<T: Copy + Into<i128>>(
    value: T,
    field: &'static str,
    min: i128,
    max: i128,
) -> Result<T, WireError> {
    let number = value.into();
    if (min..=max).contains(&number) {
        Ok(value)
    } else {
        Err(WireError::OutOfRange { field, value: number, min, max })
    }
}

/// Converts each entry of a list that has at most `max` of them.
pub fn list<T, U>(
    items: Vec<T>,
    field: &'static str,
    max: usize,
    convert: impl FnMut(T) -> Result<U, WireError>,
) -> Result<Vec<U>, WireError> {
    if items.len() > max {
        return Err(WireError::TooLong { field, length: items.len(), max });
    }
    items.into_iter().map(convert).collect()
}

/// Reads the name of a search.
pub fn search_tag(tag: Option<v1::SearchTag>) -> Result<SearchTag, WireError> {
    let v1::SearchTag { epoch, search } = tag.ok_or(WireError::Missing("search"))?;
    if epoch == 0 {
        return Err(WireError::Missing("epoch"));
    }
    Ok(SearchTag { epoch, search })
}

/// Writes the name of a search.
#[expect(clippy::unnecessary_wraps, reason = "protobuf makes every message field optional")]
pub fn wire_search_tag(SearchTag { epoch, search }: SearchTag) -> Option<v1::SearchTag> {
    Some(v1::SearchTag { epoch, search })
}

/// Reads the name of a leaf.
pub fn leaf_tag(tag: Option<v1::LeafTag>) -> Result<LeafTag, WireError> {
    let v1::LeafTag { leaf, generation } = tag.ok_or(WireError::Missing("leaf tag"))?;
    Ok(LeafTag { leaf, generation })
}

/// Writes the name of a leaf.
pub fn wire_leaf_tag(LeafTag { leaf, generation }: LeafTag) -> v1::LeafTag {
    v1::LeafTag { leaf, generation }
}

/// Reads a depth in plies.
pub fn depth(plies: u32) -> Result<i32, WireError> {
    in_range(plies, "depth", 1, limits::DEPTH.into()).map(|plies| plies as i32)
}

/// Writes a depth in plies. None of ours is negative; one that were would be refused as 0.
pub fn wire_depth(plies: i32) -> u32 {
    plies.try_into().unwrap_or(0)
}

/// Reads a value of a position.
pub fn value(value: i32, field: &'static str) -> Result<Value, WireError> {
    in_range(value, field, (-INFINITY).into(), INFINITY.into())
}

/// Writes a value of a position. The ends of a window counted from a leaf can lie beyond every
/// value; cut to ±[`INFINITY`] they mean the same.
pub fn wire_value(value: Value) -> i32 {
    value.clamp(-INFINITY, INFINITY)
}

/// Reads bounds.
pub fn bounds(lower: i32, upper: i32) -> Result<Bounds, WireError> {
    let (lower, upper) = (value(lower, "lower")?, value(upper, "upper")?);
    if lower > upper {
        return Err(WireError::Contradiction { lower, upper });
    }
    Ok(Bounds { lower, upper })
}

/// Reads a want.
pub fn want(want: v1::Want) -> Result<Want, WireError> {
    let v1::Want { tag, depth: plies, alpha, beta } = want;
    let (alpha, beta) = (value(alpha, "alpha")?, value(beta, "beta")?);
    if alpha >= beta {
        return Err(WireError::EmptyWindow { alpha, beta });
    }
    Ok(Want { tag: leaf_tag(tag)?, depth: depth(plies)?, window: Window { alpha, beta } })
}

/// Writes a want.
pub fn wire_want(want: &Want) -> v1::Want {
    v1::Want {
        tag: Some(wire_leaf_tag(want.tag)),
        depth: wire_depth(want.depth),
        alpha: wire_value(want.window.alpha),
        beta: wire_value(want.window.beta),
    }
}
