//! What the cluster is asked, and the sequential search's answer.

use std::sync::Arc;

use engine_core::game::Game;
use engine_core::line::Line;
use engine_core::random::SplitMix64;
use engine_core::search::deepen::{Analysis, Request};
use engine_core::search::{Searcher, Status};
use engine_core::table::Table;
use engine_core::value::Value;

use super::options::Options;

/// Deepest search asked for, in plies.
const MAX_DEPTH: u32 = 12;
/// Random moves before the position, at most.
const MAX_PLIES: u64 = 56;

/// A small search whose result is known.
#[derive(Debug)]
pub struct Question<G: Game> {
    /// What is asked.
    pub request: Request<G>,
    /// Values of the lines, best first; empty when the game is over.
    pub values: Vec<Value>,
    /// Nodes the sequential search took.
    pub nodes: u64,
}

impl<G: Game> Question<G> {
    /// A position after random moves, to the first depth that takes enough nodes.
    pub fn draw(random: &mut SplitMix64, options: &Options) -> Self {
        let mut line = Line::new(G::start());
        for _ in 0..random.below(MAX_PLIES) {
            let moves = line.position.moves();
            if moves.is_empty() {
                break;
            }
            line.play(moves[random.below(moves.len() as u64) as usize]);
        }
        let multipv = if random.below(6) == 0 { 2 } else { 1 };
        let request = Request { multipv, ..Request::to_depth(line, MAX_DEPTH) };
        Self::answer(request, options)
    }

    fn answer(mut request: Request<G>, options: &Options) -> Self {
        let searcher: Searcher<G> = Searcher::new(options.profile(), Arc::new(Table::new(1)));
        let mut analysis = Analysis::new(searcher, request.clone());
        loop {
            let status = analysis.work(200);
            let report = analysis.report();
            let enough = report.depth > 0 && analysis.nodes() >= options.enough_nodes;
            if enough || status == Status::Done {
                break;
            }
        }
        let mut lines = Vec::new();
        while let Some(info) = analysis.poll_info() {
            if info.rank == 1 {
                lines.clear();
            }
            request.depth = info.depth;
            lines.push(info);
        }
        let values = lines.iter().map(|info| info.value).collect();
        Self { request, values, nodes: analysis.nodes() }
    }
}
