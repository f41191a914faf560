//! Writes to a worker's half of the APHID table, on their way to the master.

use engine_core::aphid::messages::{Event, LeafResult, Running, ToMaster};

use crate::error::WireError;
use crate::v1::report;
use crate::{limits, parts, v1};

/// Writes a message. Lists longer than the wire takes are cut.
pub fn encode(message: &ToMaster) -> v1::Report {
    let event = match &message.event {
        Event::Result(result) => report::Event::Result(encode_result(result)),
        Event::Running(running) => report::Event::Running(v1::RunningLeaves {
            leaves: running.iter().take(limits::THREADS).map(encode_running).collect(),
        }),
        Event::Missing(tags) => report::Event::Missing(v1::MissingLeaves {
            tags: tags.iter().take(limits::MISSING).map(|&tag| parts::wire_leaf_tag(tag)).collect(),
        }),
    };
    v1::Report {
        search: parts::wire_search_tag(message.search),
        nodes: message.nodes,
        event: Some(event),
        sharing: None,
    }
}

fn encode_result(result: &LeafResult) -> v1::LeafResult {
    v1::LeafResult {
        tag: Some(parts::wire_leaf_tag(result.tag)),
        depth: parts::wire_depth(result.depth),
        lower: parts::wire_value(result.bounds.lower),
        upper: parts::wire_value(result.bounds.upper),
        pv: result.pv.iter().take(limits::PV_MOVES).map(|&mv| mv.into()).collect(),
        nodes: result.nodes,
    }
}

fn encode_running(running: &Running) -> v1::RunningLeaf {
    v1::RunningLeaf {
        tag: Some(parts::wire_leaf_tag(running.tag)),
        depth: parts::wire_depth(running.depth),
        nodes: running.nodes,
    }
}

/// Reads a message. Moves of a best line are checked for range only: whether they are legal, only
/// the master can tell, who knows the leaf.
///
/// # Errors
/// Whatever is wrong with it; see [`WireError`].
pub fn decode(report: v1::Report) -> Result<ToMaster, WireError> {
    let v1::Report { search, nodes, event, .. } = report;
    let search = parts::search_tag(search)?;
    let event = match event.ok_or(WireError::Missing("event"))? {
        report::Event::Result(result) => Event::Result(decode_result(result)?),
        report::Event::Running(v1::RunningLeaves { leaves }) => {
            let running = parts::list(leaves, "running", limits::THREADS, decode_running)?;
            Event::Running(running)
        }
        report::Event::Missing(v1::MissingLeaves { tags }) => {
            let read = |tag| parts::leaf_tag(Some(tag));
            Event::Missing(parts::list(tags, "missing", limits::MISSING, read)?)
        }
    };
    Ok(ToMaster { search, nodes, event })
}

fn decode_result(result: v1::LeafResult) -> Result<LeafResult, WireError> {
    let v1::LeafResult { tag, depth, lower, upper, pv, nodes } = result;
    let packed = |mv| parts::in_range(mv, "pv", 1, u16::MAX.into()).map(|mv| mv as u16);
    Ok(LeafResult {
        tag: parts::leaf_tag(tag)?,
        depth: parts::depth(depth)?,
        bounds: parts::bounds(lower, upper)?,
        pv: parts::list(pv, "pv", limits::PV_MOVES, packed)?,
        nodes,
    })
}

fn decode_running(running: v1::RunningLeaf) -> Result<Running, WireError> {
    let v1::RunningLeaf { tag, depth, nodes } = running;
    Ok(Running { tag: parts::leaf_tag(tag)?, depth: parts::depth(depth)?, nodes })
}
