//! Orders and events as they travel, and back.

use std::time::Duration;

use engine_core::search::deepen::MAX_DEPTH;
use engine_core::value::Score;
use proto::v1::{self, search_event::Kind};
use proto::{WireError, profile, score};

use super::{Answer, Effort, Event, Found, Limits, Order, Progress};
use crate::choice::{FrontierChoice, with_game};
use crate::speed::millis;

/// The request for a search under `session`.
pub fn request(order: &Order, session: u64) -> v1::SearchRequest {
    let frontier = match order.frontier {
        FrontierChoice::Auto => None,
        FrontierChoice::Fixed(plies) => Some(plies.get()),
    };
    let overhead = order.limits.overhead;
    let options = v1::Options {
        profile: profile::encode(order.profile).into(),
        multipv: order.multipv,
        frontier,
        move_overhead_ms: overhead.map(|time| u32::try_from(time.as_millis()).unwrap_or(u32::MAX)),
    };
    v1::SearchRequest {
        session,
        game: with_game!(order.game, G => <G as engine_core::game::Game>::NAME).to_owned(),
        position: order.position.clone(),
        moves: order.moves.clone(),
        limits: Some(limits(&order.limits)),
        options: Some(options),
    }
}

fn limits(limits: &Limits) -> v1::Limits {
    let clock = limits.clock.map(|clock| v1::Clock {
        remaining_ms: i64::try_from(millis(clock.remaining)).unwrap_or(i64::MAX),
        increment_ms: millis(clock.increment),
        moves_to_go: clock.moves_to_go.unwrap_or(0),
    });
    v1::Limits {
        depth: limits.depth.map(|depth| depth.clamp(1, MAX_DEPTH)),
        nodes: limits.nodes,
        movetime_ms: limits.movetime.map(millis),
        infinite: limits.infinite,
        ponder: limits.ponder,
        clock,
        root_moves: limits.root_moves.clone(),
    }
}

/// Reads an event; nothing if it is of a kind this version does not know.
///
/// # Errors
/// A field that makes no sense.
pub fn event(event: v1::SearchEvent) -> Result<Option<Event>, WireError> {
    let Some(kind) = event.kind else { return Ok(None) };
    Ok(Some(match kind {
        Kind::Accepted(v1::Accepted { workers }) => Event::Begun { workers },
        Kind::Info(info) => Event::Line(found(info)?),
        Kind::Progress(progress) => Event::Progress(Progress {
            depth: progress.depth,
            effort: Effort {
                nodes: progress.nodes,
                time: Duration::from_millis(progress.time_ms),
                workers: progress.workers,
                passes: progress.passes,
            },
            leaves: progress.leaves,
            leaves_open: progress.leaves_open,
        }),
        Kind::Result(result) => Event::Done(answer(result)?),
    }))
}

fn found(info: v1::Info) -> Result<Found, WireError> {
    Ok(Found {
        depth: info.depth,
        deepest: info.deepest,
        rank: info.rank,
        score: read_score(info.score)?,
        bound: score::decode_bound(info.bound)?,
        effort: Effort {
            nodes: info.nodes,
            time: Duration::from_millis(info.time_ms),
            workers: info.workers,
            passes: info.passes,
        },
        hashfull: info.hashfull,
        pv: info.pv,
    })
}

fn answer(result: v1::Result) -> Result<Answer, WireError> {
    Ok(Answer {
        best: result.bestmove,
        ponder: result.ponder,
        score: read_score(result.score)?,
        depth: result.depth,
        effort: Effort {
            nodes: result.nodes,
            time: Duration::from_millis(result.time_ms),
            workers: result.workers,
            passes: result.passes,
        },
        pv: result.pv,
        certain: result.certain,
        sharing: result.sharing.filter(|_| result.workers > 0),
    })
}

fn read_score(score: Option<v1::Score>) -> Result<Score, WireError> {
    Score::try_from(score.ok_or(WireError::Missing("score"))?)
}
