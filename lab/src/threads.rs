//! `aphid-lab threads`: tree splitting by the clock, on threads of this machine.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use comfy_table::{Table as Grid, presets};
use engine_core::drive::analysis::Thinkers;
use engine_core::drive::gang::{Hiring, unprepared};
use engine_core::drive::timesheet::Usage;
use engine_core::dts::Tuning;
use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use engine_core::line::Line;
use engine_core::search::Profile;
use engine_core::search::deepen::{MAX_DEPTH, Request};
use engine_core::splitter::{Counts, Splitter};
use engine_core::table::Table;
use serde::Serialize;

use crate::timing::{Sample, in_turn};
use crate::{dts, experiment, positions};

/// What `aphid-lab threads` can be told.
#[derive(Debug, Args)]
pub struct ThreadsArgs {
    /// Game: chess or othello.
    #[arg(long, default_value = "chess")]
    game: String,
    /// Positions: EPD or FEN lines, or a table with columns `board` and `to_move`.
    #[arg(long)]
    positions: PathBuf,
    /// Only the first so many positions.
    #[arg(long)]
    first: Option<usize>,
    /// Numbers of threads.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// Search to the depth at which one thread has searched so many nodes.
    #[arg(long, default_value_t = 1_000_000)]
    nodes: u64,
    /// Times that each search is timed; the median counts.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Search profile: exact or classic.
    #[arg(long, value_parser = experiment::profile, default_value = "classic")]
    profile: Profile,
    /// How the tree is split.
    #[arg(long, value_parser = dts::splitter, default_value = "dts")]
    splitter: Splitter,
    /// The shared table, in MB.
    #[arg(long, default_value_t = 64)]
    hash: usize,
    /// Least remaining depth, in plies, at which a node is split.
    #[arg(long)]
    min_depth: Option<i32>,
    /// Nodes that a processor searches after it has answered a HELP before it answers another.
    #[arg(long)]
    calm: Option<u64>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// One position on one number of threads.
#[derive(Debug, Serialize)]
struct Row {
    position: usize,
    threads: usize,
    depth: u32,
    /// Times to depth of all runs, in milliseconds, ascending.
    times_ms: Sample,
    /// Median of one thread / median.
    speedup: f64,
    /// Mean nodes / mean nodes of one thread − 1, in percent.
    search_overhead: f64,
    /// Idle time in permille of all threads' time.
    idle_permille: u32,
    /// Mean number of split points.
    splits: f64,
}

/// One timed search.
struct Timed {
    time: Duration,
    nodes: u64,
    usage: Usage,
    counts: Counts,
}

/// Runs the experiment and prints it.
///
/// # Errors
/// An unknown game, unreadable positions, no threads, or output that cannot be written.
pub fn run(args: &ThreadsArgs) -> Result<()> {
    ensure!(args.runs >= 1, "at least one run is needed");
    ensure!(args.threads.iter().all(|&n| n >= 1), "at least one thread is needed");
    let rows = match args.game.as_str() {
        "chess" => measure::<Chess>(args)?,
        "othello" => measure::<Othello>(args)?,
        other => bail!("unknown game {other:?}: expected chess or othello"),
    };
    if args.json {
        println!("{}", serde_json::json!({ "experiment": "threads", "rows": rows }));
        return Ok(());
    }
    print(&rows, &args.threads);
    Ok(())
}

fn measure<G: Game>(args: &ThreadsArgs) -> Result<Vec<Row>> {
    let mut positions = positions::read::<G>(&args.positions, None)?;
    positions.truncate(args.first.unwrap_or(usize::MAX));
    let mut rows = Vec::new();
    for (number, position) in (1..).zip(&positions) {
        let line = Line::new(position.clone());
        let depth = depth_alone(&line, args.profile, args.hash, args.nodes)?;
        let search = |threads: &mut usize| time(args, *threads, &line, depth);
        let runs = in_turn(&mut args.threads.clone(), args.runs, search)?;
        let alone = &runs[args.threads.iter().position(|&n| n == 1).unwrap_or(0)];
        let rows_here = args.threads.iter().zip(&runs);
        rows.extend(rows_here.map(|(&threads, runs)| row(number, threads, depth, runs, alone)));
        eprintln!("position {number} of {}: depth {depth}", positions.len());
    }
    Ok(rows)
}

fn thinkers<G: Game>(
    threads: usize,
    splitter: Splitter,
    tuning: Tuning,
    hash: usize,
) -> Result<Thinkers<G>> {
    let table = Arc::new(Table::new(hash));
    let hiring = Hiring { threads, splitter, tuning, table, prepare: unprepared() };
    Thinkers::new(hiring).context("cannot start threads")
}

/// The depth at which one thread with so many MB of table has searched `nodes`.
///
/// # Errors
/// A thread that cannot be started.
pub fn depth_alone<G: Game>(
    line: &Line<G>,
    profile: Profile,
    hash: usize,
    nodes: u64,
) -> Result<u32> {
    let mut request = Request::to_depth(line.clone(), MAX_DEPTH);
    request.nodes = nodes;
    let mut thinkers = thinkers(1, Splitter::Dts, Tuning::threads(), hash)?;
    thinkers.begin(request, profile, true);
    // The iteration in which the nodes run out is the one to complete.
    Ok((thinkers.finish()?.depth + 1).min(MAX_DEPTH))
}

fn time<G: Game>(args: &ThreadsArgs, threads: usize, line: &Line<G>, depth: u32) -> Result<Timed> {
    let mut tuning = Tuning::threads();
    tuning.min_depth = args.min_depth.unwrap_or(tuning.min_depth);
    tuning.calm = args.calm.unwrap_or(tuning.calm);
    let mut thinkers = thinkers(threads, args.splitter, tuning, args.hash)?;
    let began = Instant::now();
    thinkers.begin(Request::to_depth(line.clone(), depth), args.profile, true);
    thinkers.finish()?;
    let time = began.elapsed();
    let sum = |a: Usage, b: Usage| Usage { busy: a.busy + b.busy, idle: a.idle + b.idle };
    let usage = thinkers.usage().into_iter().fold(Usage::default(), sum);
    Ok(Timed { time, nodes: thinkers.nodes(), usage, counts: thinkers.counts() })
}

fn row(position: usize, threads: usize, depth: u32, runs: &[Timed], alone: &[Timed]) -> Row {
    let mean = |runs: &[Timed], what: fn(&Timed) -> f64| {
        runs.iter().map(what).sum::<f64>() / runs.len() as f64
    };
    let nodes = |run: &Timed| run.nodes as f64;
    let sum =
        |a: Usage, b: &Timed| Usage { busy: a.busy + b.usage.busy, idle: a.idle + b.usage.idle };
    let times_ms = Sample::milliseconds(runs.iter().map(|run| run.time));
    Row {
        position,
        threads,
        depth,
        speedup: Sample::milliseconds(alone.iter().map(|run| run.time)).median()
            / times_ms.median(),
        times_ms,
        search_overhead: 100.0 * (mean(runs, nodes) / mean(alone, nodes) - 1.0),
        idle_permille: runs.iter().fold(Usage::default(), sum).idle_permille(),
        splits: mean(runs, |run| run.counts.splits as f64),
    }
}

/// A line a position and number of threads, then the averages.
fn print(rows: &[Row], threads: &[usize]) {
    let mut grid = Grid::new();
    grid.load_preset(presets::ASCII_MARKDOWN).set_header([
        "position",
        "threads",
        "depth",
        "median ms",
        "least..most ms",
        "speedup",
        "search overhead %",
        "idle %",
        "splits",
    ]);
    for row in rows {
        grid.add_row([
            row.position.to_string(),
            row.threads.to_string(),
            row.depth.to_string(),
            format!("{:.0}", row.times_ms.median()),
            row.times_ms.range(0),
            format!("{:.2}", row.speedup),
            format!("{:.1}", row.search_overhead),
            format!("{:.1}", f64::from(row.idle_permille) / 10.0),
            format!("{:.0}", row.splits),
        ]);
    }
    println!("{grid}\n");
    for &threads in threads {
        let rows = rows.iter().filter(|row| row.threads == threads);
        println!("{threads} threads: {}", Sample::new(rows.map(|row| row.speedup)).speedups());
    }
}
