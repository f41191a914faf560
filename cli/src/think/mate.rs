//! Mating lines, whole.
//!
//! A search knows that there is a mate in N, but its line may be shorter: the table cut it off, or
//! the mate lies below the horizon. Whoever is told of a mate wants to see it.

use std::sync::Arc;

use engine_core::game::Game;
use engine_core::line::Line;
use engine_core::search::{Profile, Searcher, Status, Task};
use engine_core::table::Table;
use engine_core::value::{MATE, Score};

/// Nodes spent at most on one missing end: tens of milliseconds.
const MOST: u64 = 50_000;

/// Plies of the line that ends in the mate a score speaks of; none for other scores.
pub fn plies(score: Score) -> Option<usize> {
    match score {
        Score::Mate(moves) if moves > 0 => Some(2 * moves as usize - 1),
        Score::Mate(moves) => Some(2 * moves.unsigned_abs() as usize),
        Score::Centipawns(_) | Score::Discs(_) => None,
    }
}

/// Adds to `moves`, played from `root`, what is missing of a line of `plies` plies that ends in
/// mate, at the expense of `nodes`. Says whether the line is whole.
pub fn complete<G: Game>(
    root: &Line<G>,
    moves: &mut Vec<G::Move>,
    plies: usize,
    nodes: &mut u64,
) -> bool {
    let mut line = root.clone();
    for &mv in moves.iter() {
        line.play(mv);
    }
    while moves.len() < plies {
        let Some(more) = mating_line(&line, plies - moves.len(), nodes) else { return false };
        for mv in more {
            line.play(mv);
            moves.push(mv);
        }
    }
    moves.len() == plies && line.position.moves().is_empty()
}

/// The beginning, at least one move, of a line that mates in exactly `plies` plies.
fn mating_line<G: Game>(line: &Line<G>, plies: usize, nodes: &mut u64) -> Option<Vec<G::Move>> {
    if *nodes == 0 || line.position.moves().is_empty() {
        return None;
    }
    let mut searcher = Searcher::new(Profile::Classic, Arc::new(Table::new(1)));
    searcher.start(Task::full(line.clone(), i32::try_from(plies).ok()?));
    let status = searcher.run(MOST.min(*nodes));
    *nodes = nodes.saturating_sub(searcher.nodes());
    if status == Status::Running {
        return None;
    }
    let answer = searcher.answer()?;
    let mut pv = answer.pv;
    pv.truncate(plies);
    (answer.value.abs() == MATE - plies as i32 && !pv.is_empty()).then_some(pv)
}

#[cfg(test)]
mod tests {
    use engine_core::games::chess::Chess;

    use super::*;

    #[test]
    fn the_missing_end_of_a_mate_is_found() {
        let root = Line::new(Chess::parse("k7/8/1RK5/8/8/8/8/8 w - - 0 1").unwrap());
        let complete = |moves: &mut Vec<_>, plies| {
            let mut nodes = u64::MAX;
            complete(&root, moves, plies, &mut nodes)
        };
        let mut moves = Vec::new();
        assert!(complete(&mut moves, 5));
        assert_eq!(moves.len(), 5);
        moves.truncate(2);
        assert!(complete(&mut moves, 5));
        assert!(complete(&mut moves.clone(), 5), "a whole line is left alone");
        assert!(!complete(&mut Vec::new(), 3), "there is no mate in two");
        assert!(!complete(&mut moves, 3), "a line too long is not whole");
    }

    #[test]
    fn no_more_nodes_are_spent_than_there_are() {
        let root = Line::new(Chess::parse("k7/8/1RK5/8/8/8/8/8 w - - 0 1").unwrap());
        let mut nodes = 1_000_000;
        assert!(complete(&root, &mut Vec::new(), 5, &mut nodes));
        assert!((1..1_000_000).contains(&nodes), "{nodes}");
        let mut few = 10;
        assert!(!complete(&root, &mut Vec::new(), 5, &mut few));
        assert_eq!(few, 0);
        assert!(!complete(&root, &mut Vec::new(), 5, &mut few));
    }

    #[test]
    fn scores_tell_the_length_of_a_mate() {
        assert_eq!(plies(Score::Mate(3)), Some(5));
        assert_eq!(plies(Score::Mate(-3)), Some(6));
        assert_eq!(plies(Score::Mate(0)), Some(0));
        assert_eq!(plies(Score::Centipawns(3)), None);
    }
}
