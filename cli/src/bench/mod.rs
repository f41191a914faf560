//! `aphid bench`: how fast this machine searches, and whether the search is still the same.
//!
//! On one thread the node count depends on the search alone, so it is equal on every machine; a
//! commit that changes it changes the search.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine_core::drive::analysis::Thinkers;
use engine_core::drive::gang::Hiring;
use engine_core::dts::Tuning;
use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::line::Line;
use engine_core::search::deepen::Request;
use engine_core::search::{Profile, Status};
use engine_core::splitter::Splitter;
use engine_core::table::Table;
use serde_json::json;

use crate::args::BenchFlags;
use crate::failure::Failure;
use crate::output::{say, say_json};
use crate::speed::{millis, per_second};

/// One FEN a line.
const POSITIONS: &str = include_str!("positions.fen");
/// Depth of each search in plies.
const DEPTH: u32 = 9;
/// Size of the table, which is emptied before each position.
const HASH_MB: usize = 16;

/// Runs the command.
///
/// # Errors
/// Nobody reads the output, or the system has too few threads.
pub fn run(flags: &BenchFlags) -> Result<(), Failure> {
    let (threads, splitter) = (flags.threads as usize, flags.splitter.0);
    let begin = Instant::now();
    let mut nodes = 0;
    for (index, fen) in positions().enumerate() {
        let spent = search(fen, DEPTH, threads, splitter).map_err(Failure::failed)?;
        nodes += spent;
        if !flags.json {
            say(format!("{:2}  {spent:>10}  {fen}", index + 1))?;
        }
    }
    let time = begin.elapsed();
    let (ms, nps) = (millis(time), per_second(nodes, time));
    if flags.json {
        say_json(&json!({"type": "bench", "nodes": nodes, "time_ms": ms, "nps": nps}))
    } else {
        say(format!("\nnodes {nodes}  time {ms} ms  nps {nps}"))
    }
}

fn positions() -> impl Iterator<Item = &'static str> {
    POSITIONS.lines().filter(|line| !line.starts_with('#'))
}

/// Searches one position from nothing; returns the nodes it took.
fn search(fen: &str, depth: u32, threads: usize, splitter: Splitter) -> anyhow::Result<u64> {
    let line = Line::new(Chess::parse(fen)?);
    let mut thinkers = Thinkers::new(Hiring {
        threads,
        splitter,
        tuning: Tuning::threads(),
        table: Arc::new(Table::new(HASH_MB)),
        prepare: || {},
    })?;
    thinkers.begin(Request::to_depth(line, depth), Profile::Classic, true);
    while thinkers.wait(Duration::MAX)? == Status::Running {
        while thinkers.poll_info().is_some() {}
    }
    Ok(thinkers.nodes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_legal_and_their_searches_repeatable() {
        let mut total = 0;
        for fen in positions() {
            let search = || search(fen, 4, 1, Splitter::default()).unwrap();
            let nodes = search();
            assert_eq!(search(), nodes, "{fen}");
            total += nodes;
        }
        assert_eq!(positions().count(), 16);
        assert!(total > 10_000, "{total}");
    }
}
