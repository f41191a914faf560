//! An analysis for programs: one JSON object a line.

use engine_core::value::{Bound, Score};
use serde_json::{Value, json};

use super::View;
use crate::failure::Failure;
use crate::output::say_json;
use crate::sharing;
use crate::speed::{millis, per_second};
use crate::think::{Answer, Effort, Found, Progress};

/// Prints `info`, `progress` and, last, `result` objects.
pub struct Json;

fn score(score: Score) -> Value {
    match score {
        Score::Centipawns(cp) => json!({ "cp": cp }),
        Score::Mate(moves) => json!({ "mate": moves }),
        Score::Discs(discs) => json!({ "discs": discs }),
    }
}

impl View for Json {
    fn begun(&mut self, _workers: u32) -> Result<(), Failure> {
        Ok(())
    }

    fn line(&mut self, found: &Found) -> Result<(), Failure> {
        let bound = match found.bound {
            Bound::Exact => "exact",
            Bound::Lower => "lower",
            Bound::Upper => "upper",
        };
        let Effort { nodes, time, workers, passes } = found.effort;
        say_json(&json!({
            "type": "info",
            "depth": found.depth,
            "seldepth": found.deepest,
            "multipv": found.rank,
            "score": score(found.score),
            "bound": bound,
            "nodes": nodes,
            "time_ms": millis(time),
            "nps": per_second(nodes, time),
            "hashfull": found.hashfull,
            "workers": workers,
            "passes": passes,
            "pv": found.pv,
        }))
    }

    fn progress(&mut self, progress: &Progress) -> Result<(), Failure> {
        let Effort { nodes, time, workers, passes } = progress.effort;
        say_json(&json!({
            "type": "progress",
            "depth": progress.depth,
            "nodes": nodes,
            "time_ms": millis(time),
            "nps": per_second(nodes, time),
            "workers": workers,
            "passes": passes,
            "leaves": progress.leaves,
            "leaves_open": progress.leaves_open,
        }))
    }

    fn answer(&mut self, answer: &Answer) -> Result<(), Failure> {
        let Effort { nodes, time, workers, passes } = answer.effort;
        let mut result = json!({
            "type": "result",
            "bestmove": answer.best,
            "ponder": answer.ponder,
            "score": score(answer.score),
            "depth": answer.depth,
            "nodes": nodes,
            "time_ms": millis(time),
            "pv": answer.pv,
            "workers": workers,
            "passes": passes,
            "certain": answer.certain,
        });
        if let Some(sharing) = &answer.sharing {
            result["sharing"] = sharing::as_json(sharing);
        }
        say_json(&result)
    }
}
