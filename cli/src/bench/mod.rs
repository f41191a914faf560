//! `aphid bench`: how fast one core searches, and whether the search is still the same.
//!
//! The node count depends on the search alone, so it is equal on every machine; a commit that
//! changes it changes the search.

use std::sync::Arc;
use std::time::Instant;

use engine_core::game::{Game, Malformed};
use engine_core::games::chess::Chess;
use engine_core::line::Line;
use engine_core::search::deepen::{Analysis, Request};
use engine_core::search::{Profile, Searcher, Status};
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
/// Nobody reads the output.
pub fn run(flags: &BenchFlags) -> Result<(), Failure> {
    let begin = Instant::now();
    let mut nodes = 0;
    for (index, fen) in positions().enumerate() {
        let spent = search(fen, DEPTH).map_err(Failure::failed)?;
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
fn search(fen: &str, depth: u32) -> Result<u64, Malformed> {
    let line = Line::new(Chess::parse(fen)?);
    let searcher = Searcher::new(Profile::Classic, Arc::new(Table::new(HASH_MB)));
    let mut analysis = Analysis::new(searcher, Request::to_depth(line, depth));
    while analysis.work(u64::MAX) == Status::Running {}
    Ok(analysis.nodes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_legal_and_their_searches_repeatable() {
        let mut total = 0;
        for fen in positions() {
            let nodes = search(fen, 4).unwrap();
            assert_eq!(search(fen, 4).unwrap(), nodes, "{fen}");
            total += nodes;
        }
        assert_eq!(positions().count(), 16);
        assert!(total > 10_000, "{total}");
    }
}
