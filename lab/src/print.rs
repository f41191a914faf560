//! The only place that prints: tables for people, JSON for programs.

use std::collections::BTreeMap;

use anyhow::Result;
use comfy_table::{Table, presets};
use serde::Serialize;

use crate::experiment::{Average, Plan, Row, average};
use crate::sim::Outcome;
use crate::sim::options::Options;

#[derive(Serialize)]
struct Json<'a> {
    experiment: &'static str,
    rows: &'a [Row],
    average: BTreeMap<String, f64>,
    averages: BTreeMap<String, Average>,
}

/// One JSON object with every row and the averages.
///
/// # Errors
/// Standard output cannot be written.
pub fn json(rows: &[Row], processors: &[usize]) -> Result<()> {
    let averages = processors.iter().map(|&n| (n.to_string(), average(rows, n)));
    let averages: BTreeMap<String, Average> = averages.collect();
    let average = averages.iter().map(|(n, average)| (n.clone(), average.speedup)).collect();
    println!("{}", serde_json::to_string(&Json { experiment: "aphid", rows, average, averages })?);
    Ok(())
}

/// A table of speedups per position, then the averages and overheads.
pub fn table(rows: &[Row], plan: &Plan) {
    let mut speedups = Table::new();
    speedups.load_preset(presets::ASCII_MARKDOWN);
    let mut header = vec!["position".to_string(), "depth".into(), "sequential nodes".into()];
    header.extend(plan.processors.iter().map(|n| format!("speedup {n}")));
    speedups.set_header(header);
    for of_position in rows.chunk_by(|a, b| a.position == b.position) {
        let Some(first) = of_position.first() else { continue };
        let sequential = (first.time as f64 * first.speedup).round();
        let mut cells =
            vec![first.position.to_string(), first.depth.to_string(), sequential.to_string()];
        let mark = |row: &Row| if row.value_matches_sequential { "" } else { " (other value)" };
        cells.extend(of_position.iter().map(|row| format!("{:.2}{}", row.speedup, mark(row))));
        speedups.add_row(cells);
    }
    println!("{speedups}\n");
    let mut averages = Table::new();
    averages.load_preset(presets::ASCII_MARKDOWN);
    averages.set_header([
        "processors",
        "speedup",
        "master %",
        "parallelization %",
        "search %",
        "speculative %",
        "total %",
        "B sent / 1000 nodes",
        "used / 1000 nodes",
        "equal values",
    ]);
    for &processors in &plan.processors {
        let Average { speedup, overhead, shared_bytes, shared_used, matching, rows } =
            average(rows, processors);
        let percent = |value: f64| format!("{value:.0}");
        averages.add_row([
            processors.to_string(),
            format!("{speedup:.2}"),
            percent(overhead.master),
            percent(overhead.parallelization),
            percent(overhead.search),
            percent(overhead.speculative),
            percent(overhead.total),
            percent(shared_bytes),
            percent(shared_used),
            format!("{matching}/{rows}"),
        ]);
    }
    println!("{averages}");
}

/// A seed and everything drawn from it.
///
/// # Errors
/// Standard output cannot be written.
pub fn options(options: &Options, json: bool) -> Result<()> {
    let drawn = serde_json::to_string(options)?;
    if json {
        println!("{drawn}");
    } else {
        println!("seed {}: {drawn}", options.seed);
    }
    Ok(())
}

/// How a simulated run went; a broken promise with the events that led to it.
///
/// # Errors
/// Standard output cannot be written.
pub fn outcome(outcome: &Outcome, json: bool) -> Result<()> {
    if json {
        println!("{}", serde_json::to_string(outcome)?);
        return Ok(());
    }
    let Outcome { seed, steps, searches, stopped, faults, .. } = outcome;
    println!(
        "seed {seed}: {steps} steps, time {}, {searches} searches ({stopped} stopped), {} results, \
         {} late, {} leaves reassigned, {} entries heard; {} crashes, {} freezes, {} partitions, {} arrivals, \
         {} foreign messages",
        outcome.time,
        outcome.results,
        outcome.late_results,
        outcome.reassigned,
        outcome.heard,
        faults.crashes,
        faults.freezes,
        faults.partitions,
        faults.arrivals,
        faults.foreign,
    );
    if let Some(broken) = &outcome.violation {
        println!(
            "{}\nseed {seed}, step {steps}, checker {}: {}",
            broken.events, broken.checker, broken.what
        );
    }
    Ok(())
}
