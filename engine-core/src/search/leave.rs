//! Step 7: store what was learnt and return the value to the parent.

use crate::game::Game;
use crate::sharing::Note;
use crate::table::Entry;
use crate::value::{Bound, from_node};

use super::horizon::Horizon;
use super::tunables::{CLOCK_MATTERS, DRAW};
use super::{Profile, Searcher};

impl<G: Game, H: Horizon<G>> Searcher<G, H> {
    #[inline]
    pub(super) fn leave(&mut self) {
        let ply = self.ply;
        let frame = &self.frames[ply];
        if frame.generated {
            self.moves.truncate(frame.first as usize);
        }
        let mv = frame.best_move.map_or(0, |mv| frame.position.pack_move(mv));
        let (best, uncertain) = (frame.best, frame.uncertain);
        if H::ACTIVE {
            let identity = self.identity(ply);
            self.horizon.left(identity, mv, !uncertain);
        }
        // A restricted root says nothing about the position, a guess nothing about anything.
        if !uncertain && (ply > 0 || self.root_moves.is_empty()) {
            let entry = Entry {
                mv,
                value: from_node(best, ply),
                depth: frame.depth as u8,
                bound: Bound::of(best, frame.entry_alpha, frame.beta),
            };
            let key = self.table_key(ply);
            self.table.store(key, entry);
            let nodes = self.quiescence.nodes - frame.entered;
            if self.notes.wants(nodes) && self.may_travel(ply, entry) {
                self.notes.note(Note { key, entry });
            }
        }
        self.give(best, uncertain);
    }

    /// Whether an entry about the node at `ply` holds for others who come to its position.
    ///
    /// In `exact` its key names whatever it depends on. In `classic` a draw may be one by
    /// repetition, unless no earlier position can come back, and what a counter of moves may make
    /// false stays at home.
    #[cold]
    fn may_travel(&self, ply: usize, entry: Entry) -> bool {
        let frame = &self.frames[ply];
        let path_dependent = entry.value == DRAW && frame.reversible > 0;
        let clock_matters = frame.position.plies_to_rule_draw() < CLOCK_MATTERS;
        self.profile == Profile::Exact || !(path_dependent || clock_matters)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::games::chess::Chess;
    use crate::line::Line;
    use crate::search::Task;
    use crate::table::Table;
    use crate::value::Value;

    /// Whether `value` may travel from the position after `moves`.
    fn travels(profile: Profile, value: Value, clock: u32, moves: &[&str]) -> bool {
        let fen = format!("k7/8/8/p7/P7/8/8/K7 w - - {clock} 90");
        let mut line = Line::new(Chess::parse(&fen).unwrap());
        for mv in moves {
            let mv = line.position.parse_move(mv).unwrap();
            line.play(mv);
        }
        let mut searcher: Searcher<Chess> = Searcher::new(profile, Arc::new(Table::new(1)));
        searcher.start(Task::full(line, 4));
        searcher.may_travel(0, Entry { mv: 0, value, depth: 4, bound: Bound::Exact })
    }

    #[test]
    fn classic_keeps_draws_of_the_path_and_the_clock_to_itself() {
        let moved = ["a1b1", "a8b8"];
        assert!(travels(Profile::Classic, 0, 0, &[]), "no earlier position can come back");
        assert!(!travels(Profile::Classic, 0, 0, &moved));
        assert!(travels(Profile::Classic, 1, 0, &moved), "not a draw");
        assert!(!travels(Profile::Classic, 1, 80, &moved), "20 plies before the rule");
        assert!(travels(Profile::Exact, 0, 0, &moved), "the key says which path");
        assert!(travels(Profile::Exact, 1, 80, &moved), "the key says what the clock shows");
    }
}
