//! The APHID paper's experiment (section 3): speedups and overheads over a set of positions.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, ensure};
use engine_core::aphid::Frontier;
use engine_core::game::Game;
use engine_core::line::Line;
use engine_core::search::deepen::{Analysis, Request};
use engine_core::search::{Profile, Searcher, Status};
use engine_core::table::Table;
use engine_core::value::Value;
use serde::Serialize;

use crate::cluster::{self, Setup};
use crate::progress::Progress;
use crate::{positions, spread};

/// What to measure.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Positions.
    pub positions: PathBuf,
    /// How many games of the file.
    pub games: Option<u32>,
    /// First so many positions.
    pub first: Option<usize>,
    /// Depth in plies.
    pub depth: u32,
    /// Stop deepening once the sequential search has taken so many nodes.
    pub nodes: Option<u64>,
    /// Numbers of processors, the master's included.
    pub processors: Vec<usize>,
    /// Positions measured at the same time (threads of this machine; no effect on the results).
    pub jobs: usize,
    /// Everything else; its `processors` is ignored.
    pub setup: Setup,
}

/// The paper's overheads, in percent of the sequential time.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Overhead {
    /// One processor does nothing but the master's work.
    pub master: f64,
    /// Processors without work.
    pub parallelization: f64,
    /// Nodes the sequential search did not need.
    pub search: f64,
    /// Nodes searched ahead of the running iteration.
    pub speculative: f64,
    /// (time × all processors − sequential time) / sequential time.
    pub total: f64,
}

/// One position on one number of processors.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// Number of the position, from 1.
    pub position: usize,
    /// Processors, the master's included.
    pub processors: usize,
    /// Depth searched.
    pub depth: u32,
    /// Virtual time, in nodes.
    pub time: u64,
    /// Nodes searched by everybody.
    pub nodes: u64,
    /// Sequential time / parallel time.
    pub speedup: f64,
    /// Where the difference to the number of processors went.
    pub overhead: Overhead,
    /// Passes of the master.
    pub passes: u64,
    /// Shared table entries sent, copies not counted.
    pub shared: u64,
    /// Bytes sent for them, all copies counted.
    pub shared_bytes: u64,
    /// Times a search found an entry from another worker.
    pub shared_used: u64,
    /// The root value is that of the sequential search.
    pub value_matches_sequential: bool,
}

/// The sequential search everything is compared with.
#[derive(Debug, Clone, Copy)]
struct Sequential {
    depth: u32,
    nodes: u64,
    value: Value,
}

/// Runs the experiment; rows come back by position, then processors.
///
/// # Errors
/// Unreadable positions, or no usable number of processors.
pub fn run<G: Game>(plan: &Plan) -> Result<Vec<Row>> {
    ensure!(plan.processors.iter().all(|&n| n >= 2), "the master needs at least one worker");
    let mut positions = positions::read::<G>(&plan.positions, plan.games)?;
    positions.truncate(plan.first.unwrap_or(usize::MAX));
    let rows_each = plan.processors.len();
    let mut rows = spread::over(&positions, plan.jobs, rows_each, |number, position, progress| {
        measure(plan, number, position, progress)
    })?;
    rows.sort_by_key(|row| (row.position, row.processors));
    Ok(rows)
}

fn measure<G: Game>(plan: &Plan, number: usize, position: &G, progress: &Progress) -> Vec<Row> {
    let line = Line::new(position.clone());
    let sequential = sequential(plan, &line);
    progress.one_more();
    let row = |&processors: &usize| {
        let setup = Setup { processors, ..plan.setup.clone() };
        let request = Request::to_depth(line.clone(), sequential.depth);
        let outcome = cluster::run(&setup, request);
        progress.one_more();
        let percent = |nodes: f64| 100.0 * nodes / sequential.nodes as f64;
        let (time, hands) = (outcome.time as f64, setup.hands().sum::<usize>() as f64);
        let searched = (outcome.spent.due + outcome.spent.speculative) as f64;
        Row {
            position: number,
            processors,
            depth: sequential.depth,
            time: outcome.time,
            nodes: outcome.spent.due + outcome.spent.speculative + outcome.stats.master_nodes,
            speedup: sequential.nodes as f64 / time,
            overhead: Overhead {
                master: percent(time),
                parallelization: percent((time * hands - searched).max(0.0)),
                search: percent(outcome.spent.due as f64 - sequential.nodes as f64),
                speculative: percent(outcome.spent.speculative as f64),
                total: percent(time * (hands + 1.0) - sequential.nodes as f64),
            },
            passes: outcome.report.passes,
            shared: outcome.tally.sent,
            shared_bytes: outcome.tally.sent_bytes,
            shared_used: outcome.tally.used,
            value_matches_sequential: outcome.report.value() == sequential.value,
        }
    };
    plan.processors.iter().map(row).collect()
}

/// Deepens to the plan's depth, or until its node count is reached.
fn sequential<G: Game>(plan: &Plan, line: &Line<G>) -> Sequential {
    let table = Arc::new(Table::new(plan.setup.table_mb));
    let searcher: Searcher<G> = Searcher::new(plan.setup.profile, table);
    let mut analysis = Analysis::new(searcher, Request::to_depth(line.clone(), plan.depth));
    let mut result = Sequential { depth: 0, nodes: 0, value: 0 };
    loop {
        let status = analysis.work(1_000);
        while let Some(info) = analysis.poll_info() {
            result = Sequential { depth: info.depth, nodes: info.nodes, value: info.value };
            if plan.nodes.is_some_and(|enough| info.nodes >= enough) {
                return result;
            }
        }
        if status == Status::Done {
            return result;
        }
    }
}

/// Averages over the rows of one number of processors.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Average {
    /// Mean speedup.
    pub speedup: f64,
    /// Overheads of the sums, as the paper has them: weighted by sequential time.
    pub overhead: Overhead,
    /// Bytes of shared table entries that a worker sends in a thousand units of time.
    pub shared_bytes: f64,
    /// Times a search found an entry from another worker, of a thousand nodes.
    pub shared_used: f64,
    /// Rows whose value matches.
    pub matching: usize,
    /// Rows.
    pub rows: usize,
}

/// The average over all rows with so many `processors`.
pub fn average(rows: &[Row], processors: usize) -> Average {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.processors == processors).collect();
    let weight = |row: &Row| row.time as f64 * row.speedup;
    let total: f64 = rows.iter().map(|row| weight(row)).sum();
    let mean = |part: fn(&Overhead) -> f64| {
        rows.iter().map(|row| part(&row.overhead) * weight(row)).sum::<f64>() / total
    };
    let sum = |of: fn(&Row) -> u64| rows.iter().map(|row| of(row)).sum::<u64>() as f64;
    Average {
        speedup: rows.iter().map(|row| row.speedup).sum::<f64>() / rows.len() as f64,
        overhead: Overhead {
            master: mean(|o| o.master),
            parallelization: mean(|o| o.parallelization),
            search: mean(|o| o.search),
            speculative: mean(|o| o.speculative),
            total: mean(|o| o.total),
        },
        shared_bytes: 1_000.0 * sum(|row| row.shared_bytes)
            / ((processors - 1) as f64 * sum(|row| row.time)),
        shared_used: 1_000.0 * sum(|row| row.shared_used) / sum(|row| row.nodes),
        matching: rows.iter().filter(|row| row.value_matches_sequential).count(),
        rows: rows.len(),
    }
}

/// Frontier of a command line.
///
/// # Errors
/// Anything but `auto` or a ply of at least 1.
pub fn frontier(text: &str) -> Result<Frontier, String> {
    match text.parse() {
        Ok(ply) if ply >= 1 => Ok(Frontier::Fixed(ply)),
        _ if text == "auto" => Ok(Frontier::Auto),
        _ => Err("expected `auto` or a number of plies from 1".into()),
    }
}

/// Profile of a command line.
///
/// # Errors
/// An unknown name.
pub fn profile(text: &str) -> Result<Profile, String> {
    Profile::from_name(text).ok_or_else(|| "expected `exact` or `classic`".into())
}
