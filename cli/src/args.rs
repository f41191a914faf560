//! The command line as it is typed: raw flags, nothing checked beyond their form.
//!
//! Every flag can also be given as an environment variable `APHID_<FLAG>` and as a key of the
//! configuration file ([`crate::config`]); the flag wins over the variable, the variable over the
//! file. Each command turns its raw flags into settings of its own.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::choice::{
    AnnounceChoice, FrontierChoice, GameName, ProfileName, SplitterChoice, Switch, WorkerName,
};
use crate::idle::IdleAfter;
use crate::{examples, version};

/// Distributed game-tree search: one master, many workers, one position.
#[derive(Debug, Parser)]
#[command(name = "aphid", version, long_version = version::long(), about, max_term_width = 100, after_help = examples::APHID)]
pub struct Cli {
    #[command(flatten)]
    pub common: CommonFlags,
    #[command(subcommand)]
    pub command: Command,
}

/// Flags every command has.
#[derive(Debug, Args)]
pub struct CommonFlags {
    /// Read defaults for all flags from this TOML file (keys are the flags' names)
    #[arg(long, env = "APHID_CONFIG", value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// What to log to stderr: error, warn, info, debug, trace, or a filter such as
    /// "warn,master=debug" [default: info for master and worker, warn otherwise]
    #[arg(long, env = "APHID_LOG", value_name = "FILTER", global = true)]
    pub log: Option<String>,
    /// Log as JSON, one object a line
    #[arg(long, env = "APHID_LOG_JSON", global = true)]
    pub log_json: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Think about a position and print the answer
    #[command(after_help = examples::ANALYSE)]
    Analyse(AnalyseFlags),
    /// Be a UCI chess engine on stdin and stdout
    #[command(after_help = examples::UCI)]
    Uci(UciFlags),
    /// Run a master: workers and users connect to it
    #[command(after_help = examples::MASTER)]
    Master(MasterFlags),
    /// Run a worker: it finds its master and lends it this machine
    #[command(after_help = examples::WORKER)]
    Worker(WorkerFlags),
    /// Count the move sequences of a given length
    #[command(after_help = examples::PERFT)]
    Perft(PerftFlags),
    /// Search fixed positions to a fixed depth and measure the speed
    #[command(after_help = examples::BENCH)]
    Bench(BenchFlags),
    /// Show the workers of a running master
    #[command(after_help = examples::STATUS)]
    Status(StatusFlags),
    /// Check that a master or a worker is alive: exit code 0 or 1
    #[command(after_help = examples::HEALTH)]
    Health(HealthFlags),
    /// Work with the configuration file
    #[command(subcommand)]
    Config(ConfigCommand),
}

/// `aphid config`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Check a configuration file, and show what it sets
    #[command(after_help = examples::CHECK)]
    Check(CheckFlags),
}

/// `aphid config check`.
#[derive(Debug, Args)]
pub struct CheckFlags {
    /// The file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// `aphid analyse`.
#[derive(Debug, Args)]
pub struct AnalyseFlags {
    #[command(flatten)]
    pub place: PlaceFlags,
    #[command(flatten)]
    pub limit: LimitFlags,
    #[command(flatten)]
    pub search: SearchFlags,
    #[command(flatten)]
    pub cluster: ClusterFlags,
    /// Number of best lines to find
    #[arg(long, env = "APHID_MULTIPV", value_name = "M", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=256))]
    pub multipv: u32,
    /// Print JSON, one object a line
    #[arg(long, env = "APHID_JSON")]
    pub json: bool,
}

/// Which position.
#[derive(Debug, Args)]
pub struct PlaceFlags {
    /// FEN, the game's own position text, or "startpos"
    #[arg(default_value = "startpos", hide_default_value = true)]
    pub position: String,
    /// Moves played from the position, separated by blanks
    #[arg(
        long,
        env = "APHID_MOVES",
        value_name = "MOVES",
        default_value = "",
        hide_default_value = true
    )]
    pub moves: String,
    /// The game
    #[arg(long, env = "APHID_GAME", value_name = "GAME", default_value = "chess")]
    pub game: GameName,
}

/// When to stop. All given limits hold.
#[derive(Debug, Args)]
pub struct LimitFlags {
    /// Stop after this depth in plies
    #[arg(long, env = "APHID_DEPTH", value_name = "PLIES",
          value_parser = clap::value_parser!(u32).range(1..=100))]
    pub depth: Option<u32>,
    /// Stop after this many nodes, counted over all workers
    #[arg(long, env = "APHID_NODES", value_name = "N",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Stop after this many milliseconds [default: 5000 if no other limit is given]
    #[arg(long, env = "APHID_MOVETIME", value_name = "MS",
          value_parser = clap::value_parser!(u64).range(1..=86_400_000_000))]
    pub movetime: Option<u64>,
}

/// How to search.
#[derive(Debug, Args)]
pub struct SearchFlags {
    /// exact: the same value however the work is spread; classic: the search of the papers' time;
    /// modern: everything that wins games (means classic until it exists)
    #[arg(
        long,
        env = "APHID_PROFILE",
        value_name = "PROFILE",
        default_value = "modern",
        hide_possible_values = true
    )]
    pub profile: ProfileName,
    /// Plies the master searches itself (d′), or auto to decide node by node
    #[arg(long, env = "APHID_FRONTIER", value_name = "PLIES|auto", default_value_t)]
    pub frontier: FrontierChoice,
}

/// Who searches.
#[derive(Debug, Args)]
pub struct ClusterFlags {
    /// Use the running master at this address instead of a cluster of our own, or with auto the one
    /// that announces itself on the local network
    #[arg(long, env = "APHID_MASTER", value_name = "HOST:PORT|auto")]
    pub master: Option<String>,
    /// Workers of the embedded cluster; 0 searches without any cluster, sequentially unless
    /// --threads asks for more
    #[arg(long, env = "APHID_WORKERS", value_name = "K", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(0..=64))]
    pub workers: u32,
    #[command(flatten)]
    pub machine: MachineFlags,
}

/// What a worker may use.
#[derive(Debug, Args)]
pub struct MachineFlags {
    /// Search threads of each worker [default: all cores]
    #[arg(long, env = "APHID_THREADS", value_name = "T",
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Threads that search one leaf together, 0 for all of the worker's
    #[arg(long, env = "APHID_LEAF_THREADS", value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(0..=1024))]
    pub leaf_threads: u32,
    /// How threads share the tree of a leaf
    #[arg(long, env = "APHID_SPLITTER", value_name = "NAME", default_value_t)]
    pub splitter: SplitterChoice,
    /// Hash table of each worker in MB (2^20 bytes)
    #[arg(long, env = "APHID_HASH", value_name = "MB", default_value_t = 256,
          value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub hash: u32,
    /// Whether workers tell each other what they find, so that none finds it again
    #[arg(
        long,
        env = "APHID_SHARE",
        value_name = "on|off",
        default_value = "on",
        hide_possible_values = true
    )]
    pub share: Switch,
    /// What each worker may send for that, in KB (1000 bytes) a second, all copies counted
    #[arg(long, env = "APHID_SHARE_BUDGET", value_name = "KB/S", default_value_t = 24_000,
          value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub share_budget: u32,
}

/// `aphid uci`.
#[derive(Debug, Args)]
pub struct UciFlags {
    #[command(flatten)]
    pub search: SearchFlags,
    #[command(flatten)]
    pub cluster: ClusterFlags,
    /// Number of best lines to find
    #[arg(long, env = "APHID_MULTIPV", value_name = "M", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=256))]
    pub multipv: u32,
}

/// `aphid master`.
#[derive(Debug, Args)]
pub struct MasterFlags {
    /// Address and port to listen on for workers and users
    #[arg(long, env = "APHID_LISTEN", value_name = "ADDR:PORT", default_value = "0.0.0.0:7300")]
    pub listen: String,
    /// Announce it on the local network by multicast DNS, for --master auto. auto: unless it listens
    /// on this machine only or runs in a container
    #[arg(long, env = "APHID_ANNOUNCE", value_name = "WHEN", default_value = "auto",
          num_args = 0..=1, require_equals = false, default_missing_value = "always")]
    pub announce: AnnounceChoice,
}

/// `aphid worker`.
#[derive(Debug, Args)]
pub struct WorkerFlags {
    /// The master to work for, or auto: the one that announces itself on the local network, looked for
    /// anew at every connection; of several, the first by name
    #[arg(
        long,
        env = "APHID_MASTER",
        value_name = "HOST:PORT|auto",
        default_value = "127.0.0.1:7300"
    )]
    pub master: String,
    #[command(flatten)]
    pub machine: MachineFlags,
    /// Share the hash table with all workers of this user on this machine that give the same NAME
    /// (letters, digits and -_.); the first decides its size. It lies in /dev/shm/aphid-NAME,
    /// outlives the workers, and goes with that file
    #[arg(long, env = "APHID_HASH_SHARED", value_name = "NAME")]
    pub hash_shared: Option<String>,
    /// Niceness of the search threads, 0 (as everybody) to 19 (after everybody)
    #[arg(long, env = "APHID_NICE", value_name = "N", default_value_t = 19,
          value_parser = clap::value_parser!(u8).range(0..=19))]
    pub nice: u8,
    /// Port at which other workers tell this one what they find, 0 for any free one
    #[arg(long, env = "APHID_PEER_PORT", value_name = "PORT", default_value_t = 0)]
    pub peer_port: u16,
    #[command(flatten)]
    pub polite: PoliteFlags,
    /// Name shown to people [default: the host's name]
    #[arg(long, env = "APHID_NAME", value_name = "NAME")]
    pub name: Option<String>,
    /// Answer health checks here, such as 127.0.0.1:7301 [default: nowhere]
    #[arg(long, env = "APHID_HEALTH", value_name = "ADDR:PORT")]
    pub health: Option<String>,
}

/// When a worker leaves its machine to others.
#[derive(Debug, Args)]
pub struct PoliteFlags {
    /// Pause while the machine is in use: somebody types on a terminal, or other programs take more
    /// than --busy-above of it. Niced programs do not count, search threads among them (with
    /// --nice 0 this worker's time is subtracted). Linux only
    #[arg(long, env = "APHID_PAUSE_IN_USE")]
    pub pause_in_use: bool,
    /// Pause while the machine runs on battery. Linux only
    #[arg(long, env = "APHID_PAUSE_ON_BATTERY")]
    pub pause_on_battery: bool,
    /// With --pause-in-use: go on when the machine has been quiet for this long, in seconds or as
    /// 90s, 5m, 2h; 1s to 24h
    #[arg(long, env = "APHID_IDLE_AFTER", value_name = "TIME", default_value_t)]
    pub idle_after: IdleAfter,
    /// With --pause-in-use: share of all processors that other programs may use, in percent,
    /// averaged over 10 seconds
    #[arg(long, env = "APHID_BUSY_ABOVE", value_name = "PERCENT", default_value_t = 25,
          value_parser = clap::value_parser!(u8).range(1..=100))]
    pub busy_above: u8,
}

/// `aphid perft`.
#[derive(Debug, Args)]
pub struct PerftFlags {
    /// Length of the sequences in plies
    #[arg(value_name = "DEPTH", value_parser = clap::value_parser!(u32).range(0..=40))]
    pub plies: u32,
    #[command(flatten)]
    pub place: PlaceFlags,
    /// Print JSON, one object a line
    #[arg(long, env = "APHID_JSON")]
    pub json: bool,
}

/// `aphid bench`.
#[derive(Debug, Args)]
pub struct BenchFlags {
    /// Search threads; with 1, the node count is the same on every machine
    #[arg(long, value_name = "T", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,
    /// How threads share a tree
    #[arg(long, value_name = "NAME", default_value_t)]
    pub splitter: SplitterChoice,
    /// Print JSON, one object a line
    #[arg(long, env = "APHID_JSON")]
    pub json: bool,
}

/// `aphid status`.
#[derive(Debug, Args)]
pub struct StatusFlags {
    /// The master to ask, or auto: the only one that announces itself on the local network
    #[arg(
        long,
        env = "APHID_MASTER",
        value_name = "HOST:PORT|auto",
        default_value = "127.0.0.1:7300"
    )]
    pub master: String,
    /// First pause the workers with this name or number, or all: they stay connected and search
    /// nothing, and what they had goes to others. May be given several times
    #[arg(long, value_name = "NAME|NUMBER|all")]
    pub pause: Vec<WorkerName>,
    /// First end such a pause; a worker that pauses itself goes on doing so. May be given several
    /// times, and with --pause, which is carried out before
    #[arg(long, value_name = "NAME|NUMBER|all")]
    pub resume: Vec<WorkerName>,
    /// Print JSON, one object a line
    #[arg(long, env = "APHID_JSON")]
    pub json: bool,
}

/// `aphid health`.
#[derive(Debug, Args)]
pub struct HealthFlags {
    /// The master to check, or auto: the only one that announces itself on the local network
    #[arg(
        long,
        env = "APHID_MASTER",
        value_name = "HOST:PORT|auto",
        default_value = "127.0.0.1:7300"
    )]
    pub master: String,
    /// Check the worker that answers here (its --health) instead
    #[arg(long, env = "APHID_WORKER", value_name = "HOST:PORT")]
    pub worker: Option<String>,
}
