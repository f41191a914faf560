//! `aphid-lab`: the papers' experiments and the fault simulator, in virtual time.

mod clock;
mod cluster;
mod dts;
mod experiment;
mod hearsay;
mod plot;
mod positions;
mod print;
mod processes;
mod progress;
mod sharing;
mod sim;
mod spread;
mod team;
mod threads;
mod timing;
mod virtual_worker;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Parser, Subcommand};
use engine_core::aphid::Frontier;
use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use engine_core::search::Profile;

use cluster::Setup;
use experiment::Plan;
use sim::options::{GameName, Options, Sabotage};
use sim::tally::Tally;

/// Experiments in virtual time: one searched node is one unit of time.
#[derive(Debug, Parser)]
#[command(version, name = "aphid-lab")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The APHID paper's experiment: speedup and overheads against the sequential search.
    #[command(after_help = "Example:\n  aphid-lab aphid --game othello \
        --positions lab/data/othello/woc1993_shaman_caspard_positions.tsv --games 2 \
        --depth 12 --frontier 4 --processors 4,8,16")]
    Aphid(AphidArgs),
    /// The same, by how much workers may tell each other of what they find, and how soon.
    #[command(after_help = "Example:\n  aphid-lab sharing --positions lab/data/chess/dts24.epd \
        --depth 20 --nodes 500000 --processors 5,9,17 --svg docs/sharing.svg")]
    Sharing(sharing::SharingArgs),
    /// A cluster under faults drawn from a seed, with checkers after every event.
    #[command(after_help = "Example:\n  aphid-lab sim --seed 1 --seeds 200 --steps 20000\n\n\
        The same seed is the same run, event for event. Build with `--profile lab` for release\n\
        speed with debug assertions. Exit code 1: a promise was broken; the seed and the last\n\
        events are printed.")]
    Sim(SimArgs),
    /// The DTS paper's experiment: speedup of processors that share one memory.
    #[command(after_help = "Example:\n  aphid-lab dts --positions lab/data/chess/dts24.epd \
        --nodes 300000")]
    Dts(dts::DtsArgs),
    /// Tree splitting on real threads, by the clock: time to depth against one thread.
    #[command(after_help = "Example:\n  aphid-lab threads --positions lab/data/chess/dts24.epd \
        --nodes 3000000 --threads 1,2 --runs 5\n\n\
        Runs alternate between the numbers of threads, so that a busy moment of the machine hits\n\
        all of them. Nothing here is repeatable to the node.")]
    Threads(threads::ThreadsArgs),
    /// Clusters of real processes on this machine, by the clock: time to depth.
    #[command(after_help = "Example:\n  aphid-lab processes --aphid target/release/aphid \
        --positions lab/data/chess/dts24.epd --clusters 1x1,2x1,1x2\n\n\
        A cluster is a master, workers x threads, and `aphid uci --master`; all are started at\n\
        once on loopback and searched with in turn, so that a busy moment hits all of them.")]
    Processes(processes::ProcessesArgs),
}

#[derive(Debug, Args)]
struct SimArgs {
    /// First seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Events per seed; the search that is on then is completed.
    #[arg(long, default_value_t = 20_000)]
    steps: u64,
    /// Seeds, one after the other.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Game; drawn from the seed if not given.
    #[arg(long)]
    game: Option<GameName>,
    /// Do damage on purpose, to see the checkers catch it (`value`: where the seed drew `exact`).
    #[arg(long)]
    sabotage: Option<Sabotage>,
    /// Print two JSON objects per seed: its options, then the outcome.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct AphidArgs {
    /// Game: chess or othello.
    #[arg(long, default_value = "chess")]
    game: String,
    /// Positions: EPD or FEN lines, or a table with columns `board` and `to_move`.
    #[arg(long)]
    positions: PathBuf,
    /// Use only the first N games of a table.
    #[arg(long)]
    games: Option<u32>,
    /// Use only the first N positions.
    #[arg(long)]
    first: Option<usize>,
    /// Depth in plies.
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: u32,
    /// Per position, end at the first depth at which the sequential search has taken N nodes.
    #[arg(long)]
    nodes: Option<u64>,
    /// The master's tree: d′ in plies, or auto.
    #[arg(long, default_value = "auto", value_parser = experiment::frontier)]
    frontier: Frontier,
    /// Numbers of processors, the master's included.
    #[arg(long, value_delimiter = ',', default_value = "4,8,16")]
    processors: Vec<usize>,
    /// Processors of each worker, which share the tree of a leaf by DTS. Several numbers: of the
    /// first worker, the second and so on, and again from the first.
    #[arg(long, value_delimiter = ',', default_value = "1")]
    threads: Vec<usize>,
    /// Time a message takes, in nodes.
    #[arg(long, default_value_t = 20)]
    latency: u64,
    /// exact or classic; default: exact for othello, classic for chess.
    #[arg(long, value_parser = experiment::profile)]
    profile: Option<Profile>,
    /// Table of each worker and of the sequential search, in MB.
    #[arg(long, default_value_t = 8)]
    hash: usize,
    /// Let workers idle rather than search ahead.
    #[arg(long)]
    no_speculation: bool,
    /// Positions measured at the same time; no effect on the results.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    #[command(flatten)]
    sharing: hearsay::ShareArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Aphid(args) => aphid(&args),
        Command::Sharing(args) => share(&args),
        Command::Sim(args) => simulate(&args),
        Command::Dts(args) => dts::run(args),
        Command::Threads(args) => threads::run(&args),
        Command::Processes(args) => processes::run(&args),
    }
}

fn aphid(args: &AphidArgs) -> Result<()> {
    let plan = args.plan();
    let rows = match args.game.as_str() {
        "othello" => experiment::run::<Othello>(&plan)?,
        "chess" => experiment::run::<Chess>(&plan)?,
        other => bail!("unknown game {other:?}: expected chess or othello"),
    };
    if args.json {
        return print::json(&rows, &plan.processors);
    }
    print::table(&rows, &plan);
    Ok(())
}

fn share(args: &sharing::SharingArgs) -> Result<()> {
    let plan = args.aphid.plan();
    match args.aphid.game.as_str() {
        "othello" => sharing::run::<Othello>(args, &plan),
        "chess" => sharing::run::<Chess>(args, &plan),
        other => bail!("unknown game {other:?}: expected chess or othello"),
    }
}

impl AphidArgs {
    fn plan(&self) -> Plan {
        let usual = if self.game == "othello" { Profile::Exact } else { Profile::Classic };
        Plan {
            positions: self.positions.clone(),
            games: self.games,
            first: self.first,
            depth: self.depth,
            nodes: self.nodes,
            processors: self.processors.clone(),
            jobs: self.jobs,
            setup: Setup {
                processors: 0,
                threads: self.threads.clone(),
                frontier: self.frontier,
                profile: self.profile.unwrap_or(usual),
                latency: self.latency,
                table_mb: self.hash,
                speculate: !self.no_speculation,
                sharing: self.sharing.plan(),
            },
        }
    }
}

fn simulate(args: &SimArgs) -> Result<()> {
    let mut tally = Tally::default();
    for seed in args.seed..args.seed.saturating_add(args.seeds) {
        let options = Options { sabotage: args.sabotage, ..Options::draw(seed, args.game) };
        print::options(&options, args.json)?;
        let outcome = sim::run(options, args.steps);
        print::outcome(&outcome, args.json)?;
        if outcome.violation.is_some() {
            bail!("seed {seed} broke a promise");
        }
        tally += &outcome;
    }
    if args.seeds > 1 && !args.json {
        println!("{tally}");
    }
    Ok(())
}
