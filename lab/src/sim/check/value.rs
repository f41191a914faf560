//! Equal values: in `exact`, the cluster finds what the sequential search finds.

use engine_core::game::Game;
use engine_core::search::report::Report;

use super::{Verdict, check};
use crate::sim::question::Question;

/// The final report of a search that was not stopped. Values count only if they are `exact`.
pub fn complete<G: Game>(question: &Question<G>, report: &Report<G>, exact: bool) -> Verdict {
    legal(question, report)?;
    let values: Vec<_> = report.lines.iter().map(|line| line.value).collect();
    let over = question.values.is_empty();
    check("value", over || report.depth == question.request.depth, || {
        format!("depth {} instead of {}", report.depth, question.request.depth)
    })?;
    check("value", !exact || values == question.values, || {
        let text = question.request.line.position.text();
        format!("{text} at depth {}: {values:?} instead of {:?}", report.depth, question.values)
    })
}

/// Any final report: its lines can be played.
pub fn legal<G: Game>(question: &Question<G>, report: &Report<G>) -> Verdict {
    let root = &question.request.line.position;
    check("value", report.lines.is_empty() == root.moves().is_empty(), || {
        "a best move is missing, or there is one after the end of the game".into()
    })?;
    for line in &report.lines {
        let mut position = root.clone();
        for &mv in &line.pv {
            check("value", position.moves().contains(&mv), || format!("illegal move {mv:?}"))?;
            position.play(mv);
        }
    }
    Ok(())
}
