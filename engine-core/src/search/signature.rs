//! What a build of the search makes of a few positions.

use std::sync::Arc;

use crate::game::Game;
use crate::line::Line;
use crate::random::SplitMix64;
use crate::table::Table;

use super::{Profile, Searcher, Status, Task};

/// Random moves from the start to each position.
const PLIES: [u32; 4] = [0, 9, 20, 33];
/// Depth of each search, plies.
const DEPTH: i32 = 4;

/// A number that changes with anything that changes what searches of this game store: keys, the
/// packing of moves and entries, evaluation, pruning, order of moves. Equal for builds whose
/// tables mean the same, so far as a few searches can tell; takes some milliseconds.
///
/// ```
/// use engine_core::games::{chess::Chess, othello::Othello};
/// use engine_core::search::signature;
///
/// assert_eq!(signature::<Chess>(), signature::<Chess>());
/// assert_ne!(signature::<Chess>(), signature::<Othello>());
/// ```
pub fn signature<G: Game>() -> u64 {
    let table = Arc::new(Table::new(1));
    for profile in [Profile::Exact, Profile::Classic] {
        for plies in PLIES {
            let mut searcher: Searcher<G> = Searcher::new(profile, Arc::clone(&table));
            searcher.start(Task::full(random_line(plies), DEPTH));
            while searcher.run(u64::MAX) == Status::Running {}
        }
    }
    table.digest()
}

/// The game after so many random moves, fewer if it ends.
fn random_line<G: Game>(plies: u32) -> Line<G> {
    let mut line = Line::new(G::start());
    let mut random = SplitMix64::new(u64::from(plies));
    for _ in 0..plies {
        let moves = line.position.moves();
        let Some(&mv) = moves.get(random.below(moves.len() as u64) as usize) else { break };
        line.play(mv);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::othello::Othello;
    use crate::value::Bound;

    #[test]
    fn one_entry_more_or_elsewhere_is_another_digest() {
        let entry = crate::table::Entry { mv: 1, value: 2, depth: 3, bound: Bound::Exact };
        let digest = |key| {
            let table = Table::new(1);
            table.store(key, entry);
            table.digest()
        };
        let found = [Table::new(1).digest(), digest(1), digest(2), digest(1 << 60)];
        let distinct: std::collections::BTreeSet<u64> = found.into();
        assert_eq!(distinct.len(), found.len());
    }

    #[test]
    fn lines_end_with_the_game() {
        assert!(random_line::<Othello>(200).position.moves().is_empty());
    }
}
