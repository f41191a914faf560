//! `aphid-lab sharing`: what it is worth that workers tell each other what they find, by how much
//! they may send and how long it takes to arrive.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use comfy_table::{Table, presets};
use engine_core::game::Game;

use crate::experiment::{self, Average, Plan, average};
use crate::hearsay::ShareArgs;
use crate::plot::{self, Curve};

/// What to vary.
#[derive(Debug, Args)]
pub struct SharingArgs {
    #[command(flatten)]
    pub aphid: crate::AphidArgs,
    /// Budgets to measure at --latency, KB a second; 0: nothing is shared.
    #[arg(long, value_delimiter = ',', default_value = "0,1000,4000,24000,64000")]
    budgets: Vec<u64>,
    /// Times a message takes, in nodes, to measure at --share-budget.
    #[arg(long, value_delimiter = ',', default_value = "100,1000,10000")]
    latencies: Vec<u64>,
    /// Draw average speedups against processors into this file.
    #[arg(long)]
    svg: Option<PathBuf>,
}

/// One way to share, and what came of it.
struct Variant {
    name: String,
    averages: Vec<(usize, Average)>,
}

/// Runs the experiment once for each way and prints them side by side.
///
/// # Errors
/// Unreadable positions, or a picture that cannot be written.
pub fn run<G: Game>(args: &SharingArgs, plan: &Plan) -> Result<()> {
    let share = &args.aphid.sharing;
    let mut variants = Vec::new();
    for &budget in &args.budgets {
        let name = if budget == 0 { "nothing shared".into() } else { format!("{budget} KB/s") };
        let share = share.with_budget(budget);
        variants.push(measure::<G>(plan, &share, plan.setup.latency, name)?);
    }
    for &latency in &args.latencies {
        let milliseconds = latency as f64 * 1_000.0 / share.nps as f64;
        variants.push(measure::<G>(plan, share, latency, format!("{milliseconds} ms"))?);
        let nothing = share.with_budget(0);
        let name = format!("{milliseconds} ms, nothing shared");
        variants.push(measure::<G>(plan, &nothing, latency, name)?);
    }
    println!("{}", table(&variants));
    if let Some(path) = &args.svg {
        let curves: Vec<Curve> = variants.iter().enumerate().map(curve).collect();
        let picture = plot::speedups(&curves);
        std::fs::write(path, picture).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}

fn measure<G: Game>(plan: &Plan, share: &ShareArgs, latency: u64, name: String) -> Result<Variant> {
    let mut plan = plan.clone();
    plan.setup.sharing = share.plan();
    plan.setup.latency = latency;
    let rows = experiment::run::<G>(&plan)?;
    let averages = plan.processors.iter().map(|&n| (n, average(&rows, n))).collect();
    Ok(Variant { name, averages })
}

fn table(variants: &[Variant]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    let mut header = vec![String::new()];
    for (processors, _) in variants.iter().take(1).flat_map(|variant| &variant.averages) {
        header.push(format!("speedup {processors}"));
        header.push("B / 1000 nodes".to_owned());
        header.push("equal".to_owned());
    }
    table.set_header(header);
    for Variant { name, averages } in variants {
        let mut cells = vec![name.clone()];
        for (_, average) in averages {
            cells.push(format!("{:.2}", average.speedup));
            cells.push(format!("{:.0}", average.shared_bytes));
            cells.push(format!("{}/{}", average.matching, average.rows));
        }
        table.add_row(cells);
    }
    table
}

fn curve((index, variant): (usize, &Variant)) -> Curve {
    let point = |(processors, average): &(usize, Average)| (*processors as f64, average.speedup);
    Curve::measured(index, variant.name.clone(), variant.averages.iter().map(point).collect())
}
