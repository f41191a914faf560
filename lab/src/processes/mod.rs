//! `aphid-lab processes`: real clusters on this machine, by the clock.

mod cluster;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Args;
use comfy_table::{Table as Grid, presets};
use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::line::Line;
use engine_core::search::Profile;
use serde::Serialize;

use crate::threads::depth_alone;
use crate::timing::{Sample, in_turn};
use crate::{experiment, positions};
use cluster::{Cluster, Search, Shape};

/// What `aphid-lab processes` can be told.
#[derive(Debug, Args)]
pub struct ProcessesArgs {
    /// The program to start, `aphid`.
    #[arg(long, default_value = "target/release/aphid")]
    aphid: PathBuf,
    /// Chess positions: EPD or FEN lines.
    #[arg(long)]
    positions: PathBuf,
    /// Only the first so many positions.
    #[arg(long)]
    first: Option<usize>,
    /// Clusters, each as workers x threads; with `:off` workers tell each other nothing. The first
    /// is what the others are compared with.
    #[arg(long, value_delimiter = ',', default_value = "1x1,2x1,2x1:off,1x2")]
    clusters: Vec<Shape>,
    /// Search to the depth at which one thread has searched so many nodes.
    #[arg(long, default_value_t = 1_000_000)]
    nodes: u64,
    /// Times that each search is timed; the median counts.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Search profile: exact or classic.
    #[arg(long, value_parser = experiment::profile, default_value = "classic")]
    profile: Profile,
    /// Table of each worker, in MB.
    #[arg(long, default_value_t = 64)]
    hash: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// One position on one cluster.
#[derive(Debug, Serialize)]
struct Row {
    position: usize,
    cluster: String,
    depth: u32,
    /// Times to depth of all runs, in milliseconds, ascending.
    times_ms: Sample,
    /// Median of the first cluster / median.
    speedup: f64,
    /// Mean nodes / mean nodes of the first cluster − 1, in percent.
    search_overhead: f64,
    /// Nodes that the cluster searches in a millisecond of its workers' processor time.
    nodes_per_ms: f64,
}

/// Runs the experiment and prints it.
///
/// # Errors
/// Unreadable positions, processes that do not start, or ones that say what they must not.
pub fn run(args: &ProcessesArgs) -> Result<()> {
    ensure!(args.runs >= 1, "at least one run is needed");
    let mut positions = positions::read::<Chess>(&args.positions, None)?;
    positions.truncate(args.first.unwrap_or(usize::MAX));
    let start = |&shape: &Shape| Cluster::start(&args.aphid, shape, args.profile.name(), args.hash);
    let mut clusters = args.clusters.iter().map(start).collect::<Result<Vec<_>>>()?;
    let mut rows = Vec::new();
    for (number, position) in (1..).zip(&positions) {
        let line = Line::new(position.clone());
        let depth = depth_alone(&line, args.profile, args.hash, args.nodes)?;
        let fen = position.text();
        let search = |cluster: &mut Cluster| cluster.search(&fen, depth);
        let searches = in_turn(&mut clusters, args.runs, search)?;
        let row =
            |(shape, runs): (&Shape, &Vec<Search>)| row(number, *shape, depth, runs, &searches[0]);
        rows.extend(args.clusters.iter().zip(&searches).map(row));
        eprintln!("position {number} of {}: depth {depth}", positions.len());
    }
    if args.json {
        println!("{}", serde_json::json!({ "experiment": "processes", "rows": rows }));
    } else {
        print(&rows, &args.clusters);
    }
    Ok(())
}

fn row(position: usize, shape: Shape, depth: u32, runs: &[Search], first: &[Search]) -> Row {
    let times_ms = Sample::milliseconds(runs.iter().map(|run| run.time));
    let nodes = |runs: &[Search]| runs.iter().map(|run| run.nodes).sum::<u64>() as f64;
    let processor: Duration = runs.iter().map(|run| run.processor).sum();
    Row {
        position,
        cluster: shape.to_string(),
        depth,
        speedup: Sample::milliseconds(first.iter().map(|run| run.time)).median()
            / times_ms.median(),
        times_ms,
        search_overhead: 100.0 * (nodes(runs) / nodes(first) - 1.0),
        nodes_per_ms: nodes(runs) / (1e3 * processor.as_secs_f64()),
    }
}

/// A line a position and cluster, then the averages.
fn print(rows: &[Row], clusters: &[Shape]) {
    let mut grid = Grid::new();
    grid.load_preset(presets::ASCII_MARKDOWN).set_header([
        "position",
        "cluster",
        "depth",
        "median ms",
        "least..most ms",
        "speedup",
        "search overhead %",
        "nodes per ms of processor",
    ]);
    for row in rows {
        grid.add_row([
            row.position.to_string(),
            row.cluster.clone(),
            row.depth.to_string(),
            format!("{:.0}", row.times_ms.median()),
            row.times_ms.range(0),
            format!("{:.2}", row.speedup),
            format!("{:.1}", row.search_overhead),
            format!("{:.0}", row.nodes_per_ms),
        ]);
    }
    println!("{grid}\n");
    for cluster in clusters.iter().map(Shape::to_string) {
        let of = |what: fn(&Row) -> f64| {
            Sample::new(rows.iter().filter(|row| row.cluster == cluster).map(what))
        };
        let (speedups, rates) = (of(|row| row.speedup), of(|row| row.nodes_per_ms));
        let (speedups, rate) = (speedups.speedups(), rates.median());
        println!("{cluster}: {speedups}; {rate:.0} nodes per ms of processor");
    }
}
