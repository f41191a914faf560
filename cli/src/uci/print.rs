//! What a search found, in the words of UCI.

use std::fmt::Write as _;

use engine_core::value::{Bound, Score};

use crate::speed::{millis, per_second};
use crate::think::{Effort, Found};

/// A value as UCI gives it.
pub fn score(score: Score) -> String {
    match score {
        Score::Centipawns(cp) => format!("cp {cp}"),
        Score::Mate(moves) => format!("mate {moves}"),
        Score::Discs(discs) => format!("cp {}", 100 * discs),
    }
}

/// A line of play.
pub fn line(found: &Found) -> String {
    let Found { depth, deepest, rank, .. } = found;
    let bound = match found.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    };
    let mut text = format!(
        "info depth {depth} seldepth {} multipv {rank} score {}{bound} {} hashfull {}",
        deepest.max(depth),
        score(found.score),
        effort(&found.effort),
        found.hashfull,
    );
    if !found.pv.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(text, " pv {}", found.pv.join(" "));
    }
    text
}

/// What a search has cost, without the word `info`.
pub fn effort(effort: &Effort) -> String {
    let Effort { nodes, time, .. } = *effort;
    format!("nodes {nodes} nps {} time {}", per_second(nodes, time), millis(time))
}

/// The answer.
pub fn best_move(best: Option<&str>, ponder: Option<&str>) -> String {
    let best = best.unwrap_or("(none)");
    match ponder {
        Some(ponder) => format!("bestmove {best} ponder {ponder}"),
        None => format!("bestmove {best}"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_line_has_its_words_in_the_usual_order() {
        let effort =
            Effort { nodes: 5_000, time: Duration::from_millis(20), workers: 1, passes: 2 };
        let pv = vec!["e2e4".to_owned(), "e7e5".to_owned()];
        let (score, bound) = (Score::Mate(-3), Bound::Lower);
        let found = Found { depth: 7, deepest: 5, rank: 2, score, bound, effort, hashfull: 9, pv };
        assert_eq!(
            line(&found),
            "info depth 7 seldepth 7 multipv 2 score mate -3 lowerbound nodes 5000 nps 250000 \
             time 20 hashfull 9 pv e2e4 e7e5"
        );
        assert_eq!(best_move(Some("e2e4"), None), "bestmove e2e4");
        assert_eq!(best_move(None, None), "bestmove (none)");
    }
}
