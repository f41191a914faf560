//! The examples at the end of each `--help`.

/// `aphid`.
pub const APHID: &str = "\
Examples:
  aphid analyse --depth 10                 think about the start position, here and now
  aphid master                             on one machine of the network ...
  aphid worker --master 192.168.1.10:7300  ... and on all that shall help
  aphid analyse --master 192.168.1.10:7300 --movetime 60000 \"r1bqkbnr/pp...\"
  aphid COMMAND --help                     flags and examples of one command

Every flag is also an environment variable (APHID_DEPTH=10) and a key of the file given with
--config (depth = 10).";

/// `aphid analyse`.
pub const ANALYSE: &str = "\
Examples:
  aphid analyse --depth 8 \"r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3\"
  aphid analyse --moves \"e2e4 e7e5\" --movetime 10000 --multipv 3
  aphid analyse --game othello f5d6c3d3c4 --depth 12 --profile exact
  aphid analyse --workers 0 --depth 8      sequential search, the reference for all others
  aphid analyse --workers 0 --threads 8    all threads on one tree, without a cluster
  aphid analyse --master 192.168.1.10:7300 --nodes 1000000000 --json

Ctrl-C stops the search and prints the answer so far.";

/// `aphid uci`.
pub const UCI: &str = "\
Examples:
  aphid uci                                a chess engine for any GUI, on all cores
  aphid uci --threads 4 --hash 1024
  aphid uci --master 192.168.1.10:7300     the GUI sees one engine, the cluster thinks

At the end of its input a running search is stopped, answered, and the program ends.";

/// `aphid master`.
pub const MASTER: &str = "\
Examples:
  aphid master
  aphid master --listen 127.0.0.1:7300 --log debug
  aphid master --announce never            workers must be told where it is";

/// `aphid worker`.
pub const WORKER: &str = "\
Examples:
  aphid worker --master 192.168.1.10:7300
  aphid worker --master auto               finds it on the local network
  aphid worker --master desk:7300 --threads 6 --hash 4096 --name kitchen
  aphid worker --master desk:7300 --threads 4 --hash-shared all   twice or more on one machine:
                                                                  all use one hash table
  aphid worker --master desk:7300 --threads 64 --leaf-threads 16
  aphid worker --master desk:7300 --health 127.0.0.1:7301
  aphid worker --master desk:7300 --pause-in-use --idle-after 10m --pause-on-battery

All threads of a worker search one leaf together; on a machine with many cores groups of them may
do more, each with a leaf of its own.

A worker tries to reach its master for ever, so the order in which things start does not matter.";

/// `aphid perft`.
pub const PERFT: &str = "\
Examples:
  aphid perft 5
  aphid perft 4 \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -\"
  aphid perft 9 --game othello

In Othello a pass is a ply and a game that ends early counts once.";

/// `aphid bench`.
pub const BENCH: &str = "\
Examples:
  aphid bench
  aphid bench --json";

/// `aphid status`.
pub const STATUS: &str = "\
Examples:
  aphid status --master 192.168.1.10:7300
  aphid status --pause kitchen --pause 3   the workers named kitchen, and number 3, search nothing
  aphid status --resume all
  aphid status --json

A pause holds until it is ended, until the worker's process ends, or the master's. A worker whose
name is a number, or \"all\", is meant by its number.";

/// `aphid health`.
pub const HEALTH: &str = "\
Examples:
  aphid health --master 192.168.1.10:7300
  aphid health --worker 127.0.0.1:7301     a worker started with --health 127.0.0.1:7301

A master is healthy while it takes searches and workers. A worker is healthy while it can answer,
whether it has a master or is trying to reach one.";

/// `aphid config check`.
pub const CHECK: &str = "\
Examples:
  aphid config check aphid.toml

What is wrong is shown with line and column, and the exit code is 2. Nothing is started.";
