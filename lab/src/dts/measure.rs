//! The DTS paper's experiment (section 4): time to a fixed depth on 1, 2, 4, … processors that
//! share one table of fixed size.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, ensure};
use engine_core::dts::Tuning;
use engine_core::game::Game;
use engine_core::line::Line;
use engine_core::search::Profile;
use engine_core::search::deepen::{Deepening, Request};
use engine_core::splitter::lockstep::{Costs, Lockstep};
use engine_core::splitter::{Counts, Splitter};
use engine_core::table::Table;
use engine_core::value::Value;
use serde::Serialize;

use crate::progress::Progress;
use crate::{positions, spread};

/// What to measure.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Positions.
    pub positions: PathBuf,
    /// First so many positions.
    pub first: Option<usize>,
    /// Depth in plies.
    pub depth: u32,
    /// Stop deepening once one processor has searched so many nodes.
    pub nodes: Option<u64>,
    /// Numbers of processors.
    pub processors: Vec<usize>,
    /// How positions are searched.
    pub profile: Profile,
    /// How the tree is split.
    pub splitter: Splitter,
    /// Table, in MB, whatever the number of processors.
    pub table_mb: usize,
    /// What splitting costs.
    pub costs: Costs,
    /// Where to split.
    pub tuning: Tuning,
    /// Positions measured at the same time; no effect on the results.
    pub jobs: usize,
}

/// One position on one number of processors.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// Number of the position, from 1.
    pub position: usize,
    /// Processors.
    pub processors: usize,
    /// Depth searched.
    pub depth: u32,
    /// Virtual time, in nodes.
    pub time: u64,
    /// Nodes searched by everybody.
    pub nodes: u64,
    /// Time of one processor / time.
    pub speedup: f64,
    /// The paper's speedup, if it has one.
    pub paper: Option<f64>,
    /// Nodes beyond those of one processor, in percent of these.
    pub search_overhead: f64,
    /// Idle time in percent of time × processors.
    pub idle: f64,
    /// Time for copies and messages in percent of time × processors.
    pub communication: f64,
    /// Split points.
    pub splits: u64,
    /// Processors that joined one.
    pub joins: u64,
    /// HELP broadcasts.
    pub helps: u64,
    /// Processors stopped in mid-search.
    pub stops: u64,
    /// Nodes they had searched in vain, in percent of all nodes.
    pub stopped_work: f64,
    /// Value found.
    pub value: Value,
    /// One processor found the same.
    pub value_matches_sequential: bool,
}

/// A search to the end of its plan.
struct Run {
    depth: u32,
    time: u64,
    nodes: u64,
    idle: u64,
    overhead: u64,
    value: Value,
    counts: Counts,
}

/// Runs the experiment; rows come back by position, then processors.
///
/// # Errors
/// Unreadable positions, or no processors.
pub fn run<G: Game>(plan: &Plan) -> Result<Vec<Row>> {
    ensure!(plan.processors.iter().all(|&n| n >= 1), "at least one processor is needed");
    let mut positions = positions::read::<G>(&plan.positions, None)?;
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
    let alone = search(plan, &line, 1, plan.depth, plan.nodes);
    progress.one_more();
    let row = |&processors: &usize| {
        let run = search(plan, &line, processors, alone.depth, None);
        progress.one_more();
        let total = (run.time * processors as u64).max(1) as f64;
        let percent = |part: u64, whole: f64| 100.0 * part as f64 / whole;
        Row {
            position: number,
            processors,
            depth: run.depth,
            time: run.time,
            nodes: run.nodes,
            speedup: alone.time as f64 / run.time as f64,
            paper: super::paper::speedup(number, processors),
            search_overhead: percent(run.nodes, alone.nodes as f64) - 100.0,
            idle: percent(run.idle, total),
            communication: percent(run.overhead, total),
            splits: run.counts.splits,
            joins: run.counts.joins,
            helps: run.counts.helps,
            stops: run.counts.stops,
            stopped_work: percent(run.counts.stopped_nodes, run.nodes as f64),
            value: run.value,
            value_matches_sequential: run.value == alone.value,
        }
    };
    plan.processors.iter().map(row).collect()
}

/// Deepens to `depth`, or until `enough` nodes are searched.
fn search<G: Game>(
    plan: &Plan,
    line: &Line<G>,
    processors: usize,
    depth: u32,
    enough: Option<u64>,
) -> Run {
    let table = Arc::new(Table::new(plan.table_mb));
    let Plan { splitter, profile, costs, tuning, .. } = *plan;
    let mut team = Lockstep::new(splitter, processors, profile, &table, costs, tuning);
    let mut deepening = Deepening::new(Request::to_depth(line.clone(), depth));
    let (mut reached, mut value) = (0, 0);
    while let Some(task) = deepening.task()
        && enough.is_none_or(|enough| team.nodes() < enough)
    {
        team.start(task);
        let answer = loop {
            if let Some(answer) = team.run(u64::MAX) {
                break answer;
            }
        };
        (reached, value) = (deepening.depth(), answer.value);
        deepening.absorb(answer, team.nodes(), 0);
    }
    Run {
        depth: reached,
        time: team.ended_at().max(1),
        nodes: team.nodes(),
        idle: team.idle(),
        overhead: team.overhead(),
        value,
        counts: team.group().counts(),
    }
}

/// Means over the rows of one number of processors.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Average {
    /// Mean speedup.
    pub speedup: f64,
    /// The paper's mean speedup, if it has one.
    pub paper: Option<f64>,
    /// Mean search overhead, in percent.
    pub search_overhead: f64,
    /// Mean idle share, in percent.
    pub idle: f64,
    /// Mean share of copies and messages, in percent.
    pub communication: f64,
    /// Mean number of split points.
    pub splits: f64,
    /// Mean share of stopped work, in percent.
    pub stopped_work: f64,
    /// Rows whose value is that of one processor.
    pub matching: usize,
    /// Rows.
    pub rows: usize,
}

/// The means over all rows with so many `processors`.
pub fn average(rows: &[Row], processors: usize) -> Average {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.processors == processors).collect();
    let count = rows.len().max(1) as f64;
    let mean = |field: fn(&Row) -> f64| rows.iter().map(|row| field(row)).sum::<f64>() / count;
    Average {
        speedup: mean(|row| row.speedup),
        paper: super::paper::average(processors),
        search_overhead: mean(|row| row.search_overhead),
        idle: mean(|row| row.idle),
        communication: mean(|row| row.communication),
        splits: mean(|row| row.splits as f64),
        stopped_work: mean(|row| row.stopped_work),
        matching: rows.iter().filter(|row| row.value_matches_sequential).count(),
        rows: rows.len(),
    }
}
