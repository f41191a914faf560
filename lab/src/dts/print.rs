//! Prints the experiment: tables for people, JSON for programs.

use std::collections::BTreeMap;

use anyhow::Result;
use comfy_table::{Table, presets};
use engine_core::splitter::Splitter;
use serde::Serialize;

use super::measure::{Average, Row, average};
use super::paper;

#[derive(Serialize)]
struct Json<'a> {
    experiment: &'static str,
    splitter: &'a str,
    rows: &'a [Row],
    averages: BTreeMap<usize, Average>,
}

/// One JSON object with every row and the averages.
///
/// # Errors
/// Standard output cannot be written.
pub fn json(splitter: &str, rows: &[Row], processors: &[usize]) -> Result<()> {
    let averages = processors.iter().map(|&n| (n, average(rows, n))).collect();
    println!("{}", serde_json::to_string(&Json { experiment: "dts", splitter, rows, averages })?);
    Ok(())
}

/// Speedups per position, then the averages, each with the paper's in brackets.
pub fn table(rows: &[Row], processors: &[usize]) {
    let mut speedups = Table::new();
    speedups.load_preset(presets::ASCII_MARKDOWN);
    let mut header = vec!["position".to_string(), "depth".into(), "nodes of one".into()];
    header.extend(processors.iter().map(|n| format!("speedup {n} (paper)")));
    speedups.set_header(header);
    for of_position in rows.chunk_by(|a, b| a.position == b.position) {
        let Some(first) = of_position.first() else { continue };
        let alone = (first.time as f64 * first.speedup).round();
        let mut cells =
            vec![first.position.to_string(), first.depth.to_string(), alone.to_string()];
        cells.extend(of_position.iter().map(|row| {
            let mark = if row.value_matches_sequential { "" } else { ", other value" };
            beside(row.speedup, row.paper) + mark
        }));
        speedups.add_row(cells);
    }
    println!("{speedups}\n");
    let mut averages = Table::new();
    averages.load_preset(presets::ASCII_MARKDOWN);
    averages.set_header([
        "processors",
        "speedup (paper)",
        "search overhead %",
        "idle %",
        "communication %",
        "splits",
        "stopped work %",
        "equal values",
    ]);
    for &processors in processors {
        let average = average(rows, processors);
        averages.add_row([
            processors.to_string(),
            beside(average.speedup, average.paper),
            format!("{:.1}", average.search_overhead),
            format!("{:.2}", average.idle),
            format!("{:.2}", average.communication),
            format!("{:.0}", average.splits),
            format!("{:.1}", average.stopped_work),
            format!("{}/{}", average.matching, average.rows),
        ]);
    }
    println!("{averages}");
}

/// The average speedups of several splitters, and the paper's.
pub fn comparison(found: &[(Splitter, Vec<Row>)], processors: &[usize]) {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    let header = ["splitter".to_string()].into_iter();
    table.set_header(header.chain(processors.iter().map(ToString::to_string)));
    for (splitter, rows) in found {
        let speedups = processors.iter().map(|&n| format!("{:.2}", average(rows, n).speedup));
        table.add_row([splitter.name().to_string()].into_iter().chain(speedups));
    }
    for (name, speedups) in paper::CURVES {
        let speedup = |&n: &usize| {
            let column = paper::PROCESSORS.iter().position(|&of| of == n);
            column.map_or(String::new(), |column| format!("{:.1}", speedups[column]))
        };
        let name = format!("{name} (paper)");
        table.add_row([name].into_iter().chain(processors.iter().map(speedup)));
    }
    println!("{table}");
}

/// A speedup, and the paper's in brackets.
fn beside(speedup: f64, paper: Option<f64>) -> String {
    match paper {
        Some(paper) => format!("{speedup:.2} ({paper:.1})"),
        None => format!("{speedup:.2}"),
    }
}
