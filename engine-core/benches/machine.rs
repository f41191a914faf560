//! What being resumable costs: the search machine beside its recursive twin.
//!
//! `cargo bench -p engine-core --bench machine` measures all four combinations of searcher and game
//! and prints nodes a second and, where valgrind is installed, instructions a node; it fails if
//! the machine needs more than [`ALLOWED`] times the twin's instructions. With arguments
//! `machine|twin chess|othello` it only searches, for use under a profiler.

#[path = "../tests/common/positions.rs"]
mod positions;
#[path = "../tests/common/twin.rs"]
#[expect(dead_code, reason = "the tests ask the twin for more")]
mod twin;

use std::env;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Instant;

use engine_core::game::Game;
use engine_core::line::Line;
use engine_core::search::{Profile, Searcher, Task};
use engine_core::table::Table;
use twin::Twin;

/// Instructions a node that the machine may need, as a multiple of the twin's.
const ALLOWED: f64 = 1.05;
const GAMES: [&str; 2] = ["chess", "othello"];
const SEARCHERS: [&str; 2] = ["machine", "twin"];
/// Searches nothing; what it costs is taken off the others.
const NOTHING: &str = "nothing";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    match words.as_slice() {
        [searcher, game] => {
            println!("{}", search_game(searcher, game));
            ExitCode::SUCCESS
        }
        _ => compare(),
    }
}

/// Searches the positions of `game` and returns the nodes.
fn search_game(searcher: &str, game: &str) -> u64 {
    match game {
        "chess" => {
            search(searcher, positions::CHESS[..12].iter().map(|fen| positions::chess(fen)), 5)
        }
        _ => search(searcher, positions::othello(), 8),
    }
}

fn search<G: Game>(searcher: &str, positions: impl IntoIterator<Item = G>, last_depth: i32) -> u64 {
    let table = Arc::new(Table::new(16));
    let mut machine = Searcher::new(Profile::Classic, Arc::clone(&table));
    let mut twin = Twin::new(Profile::Classic, Arc::clone(&table));
    for position in positions {
        table.new_search();
        for depth in 1..=last_depth {
            let task = Task::full(Line::new(position.clone()), depth);
            match searcher {
                "machine" => {
                    machine.start(task);
                    machine.run(u64::MAX);
                }
                "twin" => {
                    twin.run(task);
                }
                _ => {}
            }
        }
    }
    machine.nodes() + twin.nodes()
}

fn compare() -> ExitCode {
    let mut verdict = ExitCode::SUCCESS;
    for game in GAMES {
        let mut costs = Vec::new();
        for searcher in SEARCHERS {
            let (nodes, speed) = speed(searcher, game);
            let cost = instructions(searcher, game).zip(instructions(NOTHING, game));
            let cost = cost.map(|(all, idle)| (all - idle) as f64 / nodes as f64);
            let shown = cost.map_or("?".to_owned(), |cost| format!("{cost:.0}"));
            println!(
                "{game:8}{searcher:8}{nodes:9} nodes {speed:11.0} nodes/s {shown:>6} instructions/node"
            );
            costs.extend(cost);
        }
        if let [machine, twin] = costs[..] {
            let ratio = machine / twin;
            println!("{game:8}machine / twin = {ratio:.4} (at most {ALLOWED})");
            if ratio > ALLOWED {
                verdict = ExitCode::FAILURE;
            }
        }
    }
    verdict
}

/// Nodes, and the best nodes a second of five runs.
#[expect(clippy::disallowed_methods, reason = "a bench is where time is measured")]
fn speed(searcher: &str, game: &str) -> (u64, f64) {
    let (mut nodes, mut best) = (0, f64::INFINITY);
    for _ in 0..5 {
        let start = Instant::now();
        nodes = search_game(searcher, game);
        best = best.min(start.elapsed().as_secs_f64());
    }
    (nodes, nodes as f64 / best)
}

/// Instructions of a whole run of this program under valgrind, if there is one.
fn instructions(searcher: &str, game: &str) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(env::current_exe().ok()?)
        .args([searcher, game])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let count = text.lines().find_map(|line| line.split_once("refs:"))?.1;
    count.trim().replace(',', "").parse().ok()
}
