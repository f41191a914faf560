//! `aphid-lab dts`: tree splitting in one shared memory, in virtual time.

mod measure;
mod paper;
mod print;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use engine_core::dts::{Tuning, Typing};
use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use engine_core::search::Profile;
use engine_core::splitter::Splitter;
use engine_core::splitter::lockstep::Costs;

use crate::experiment;
use crate::plot::{self, Curve};
use measure::{Plan, Row, average};

/// What `aphid-lab dts` can be told.
#[derive(Debug, Args)]
pub struct DtsArgs {
    /// Game: chess or othello.
    #[arg(long, default_value = "chess")]
    game: String,
    /// Positions: EPD or FEN lines, or a table with columns `board` and `to_move`.
    #[arg(long)]
    positions: PathBuf,
    /// Only the first so many positions.
    #[arg(long)]
    first: Option<usize>,
    /// Numbers of processors.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8,16")]
    processors: Vec<usize>,
    /// Depth in plies.
    #[arg(long, default_value_t = 40)]
    depth: u32,
    /// Deepen until one processor has searched so many nodes.
    #[arg(long)]
    nodes: Option<u64>,
    /// Search profile: exact or classic.
    #[arg(long, value_parser = experiment::profile, default_value = "classic")]
    profile: Profile,
    /// How the tree is split: names separated by commas, or all.
    #[arg(long, value_parser = splitters, default_value = "dts")]
    splitter: Splitters,
    /// Draw average speedups against processors into this file.
    #[arg(long)]
    svg: Option<PathBuf>,
    /// Cost of a copy of the tree, in nodes.
    #[arg(long, default_value_t = 0)]
    split_cost: u64,
    /// Cost of reading a message, in nodes.
    #[arg(long, default_value_t = 0)]
    message_cost: u64,
    /// The shared table, in MB, whatever the number of processors.
    #[arg(long, default_value_t = 64)]
    hash: usize,
    /// Another choice of split points: `name=value,…` of calm, depth, confidence, weight, open, root,
    /// and typing=evidence or typing=paper.
    #[arg(long, value_parser = tuning, default_value = "")]
    tuning: Tuning,
    /// Positions measured at the same time; no effect on the results.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the experiment and prints it.
///
/// # Errors
/// An unknown game, unreadable positions, or standard output that cannot be written.
pub fn run(args: DtsArgs) -> Result<()> {
    let Splitters(splitters) = args.splitter;
    let mut plan = Plan {
        positions: args.positions,
        first: args.first,
        depth: args.depth,
        nodes: args.nodes,
        processors: args.processors,
        profile: args.profile,
        splitter: Splitter::default(),
        table_mb: args.hash,
        costs: Costs { copy: args.split_cost, message: args.message_cost },
        tuning: args.tuning,
        jobs: args.jobs,
    };
    let mut found = Vec::new();
    for splitter in splitters {
        plan.splitter = splitter;
        let rows = match args.game.as_str() {
            "othello" => measure::run::<Othello>(&plan)?,
            "chess" => measure::run::<Chess>(&plan)?,
            other => bail!("unknown game {other:?}: expected chess or othello"),
        };
        if args.json {
            print::json(splitter.name(), &rows, &plan.processors)?;
        } else {
            println!("{}\n", splitter.name());
            print::table(&rows, &plan.processors);
            println!();
        }
        found.push((splitter, rows));
    }
    if found.len() > 1 && !args.json {
        print::comparison(&found, &plan.processors);
    }
    if let Some(path) = args.svg {
        let picture = plot::speedups(&curves(&found, &plan.processors));
        std::fs::write(&path, picture).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}

/// Average speedups of all `found` against processors, and those of the paper.
fn curves(found: &[(Splitter, Vec<Row>)], processors: &[usize]) -> Vec<Curve> {
    let mut processors = processors.to_vec();
    processors.sort_unstable();
    let most = processors.last().copied().unwrap_or(1);
    let found = found.iter().enumerate().map(|(index, (splitter, rows))| {
        let point = |&n: &usize| (n as f64, average(rows, n).speedup);
        let points = processors.iter().map(point).collect();
        Curve::measured(index, splitter.name().into(), points)
    });
    let quoted = paper::CURVES.into_iter().map(|(name, speedups)| {
        let points = paper::PROCESSORS.into_iter().zip(speedups);
        let points = points.filter(|(n, _)| *n <= most).map(|(n, speedup)| (n as f64, speedup));
        Curve::quoted(format!("{name}, paper"), points.collect())
    });
    found.chain(quoted).collect()
}

/// Several splitters, named on one command line.
#[derive(Debug, Clone)]
struct Splitters(Vec<Splitter>);

/// The splitters of those names.
fn splitters(names: &str) -> Result<Splitters, String> {
    if names == "all" {
        return Ok(Splitters(Splitter::ALL.to_vec()));
    }
    names.split(',').map(splitter).collect::<Result<_, _>>().map(Splitters)
}

/// The splitter of that name.
pub fn splitter(name: &str) -> Result<Splitter, String> {
    let names: Vec<_> = Splitter::ALL.iter().map(|splitter| splitter.name()).collect();
    Splitter::from_name(name).ok_or_else(|| format!("expected one of {}", names.join(", ")))
}

/// Tuning of a command line: the usual one, but for what is named.
pub fn tuning(text: &str) -> Result<Tuning, String> {
    let mut tuning = Tuning::default();
    for pair in text.split(',').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or("expected name=value")?;
        if name == "typing" {
            tuning.typing = match value {
                "evidence" => Typing::Evidence,
                "paper" => Typing::Paper,
                _ => return Err(format!("{value:?} is neither evidence nor paper")),
            };
            continue;
        }
        let value: u16 = value.parse().map_err(|_| format!("{value:?} is no number"))?;
        match name {
            "calm" => tuning.calm = value.into(),
            "depth" => tuning.min_depth = value.into(),
            "confidence" => tuning.min_confidence = value.into(),
            "weight" => tuning.confidence_weight = value.into(),
            "open" => tuning.open_moves = value.into(),
            "root" => tuning.root_moves = value.into(),
            _ => return Err(format!("unknown name {name:?}")),
        }
    }
    Ok(tuning)
}
