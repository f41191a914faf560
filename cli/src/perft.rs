//! `aphid perft`: counts move sequences, the proof of a move generator.

use std::time::Instant;

use engine_core::game::{Game, perft};
use serde_json::json;

use crate::args::PerftFlags;
use crate::choice::{GameName, with_game};
use crate::failure::Failure;
use crate::output::{say, say_json};
use crate::place;
use crate::speed::{millis, per_second};

/// Runs the command.
///
/// # Errors
/// A position or move that cannot be read.
pub fn run(flags: &PerftFlags) -> Result<(), Failure> {
    with_game!(flags.place.game, G => count::<G>(flags))
}

/// What one root move leads to.
pub struct Share {
    /// The move as text.
    pub mv: String,
    /// Sequences that begin with it.
    pub nodes: u64,
}

/// Counts the sequences of `depth` plies for each first move; none at depth 0.
pub fn divide<G: Game>(position: &G, depth: u32) -> impl Iterator<Item = Share> {
    let moves = if depth == 0 { Vec::new() } else { position.moves() };
    moves.into_iter().map(move |mv| Share {
        mv: position.move_text(mv),
        nodes: perft(&position.after(mv), depth - 1, counts_ended::<G>()),
    })
}

/// Whether a sequence that ends the game early counts, as the published figures of the game have it.
pub fn counts_ended<G: Game>() -> bool {
    G::NAME != with_game!(GameName::Chess, C => C::NAME)
}

fn count<G: Game>(flags: &PerftFlags) -> Result<(), Failure> {
    let position = place::read::<G>(&flags.place)?.position;
    let begin = Instant::now();
    // One sequence of no move at all; and an ended game has nothing to divide.
    let mut total = if flags.plies == 0 || position.moves().is_empty() {
        perft(&position, flags.plies, counts_ended::<G>())
    } else {
        0
    };
    for Share { mv, nodes } in divide(&position, flags.plies) {
        total += nodes;
        if flags.json {
            say_json(&json!({"type": "divide", "move": mv, "nodes": nodes}))?;
        } else {
            say(format!("{mv}: {nodes}"))?;
        }
    }
    let time = begin.elapsed();
    let (depth, ms, nps) = (flags.plies, millis(time), per_second(total, time));
    if flags.json {
        say_json(&json!({
            "type": "perft", "depth": depth, "nodes": total, "time_ms": ms, "nps": nps,
        }))
    } else {
        say(format!("\ndepth {depth}  nodes {total}  time {ms} ms  nps {nps}"))
    }
}
