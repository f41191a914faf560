//! What a pass need not walk through again.
//!
//! Two passes of one iteration differ only above leaves of which something new has come in between.
//! Every inner node keeps what its moves came to. A move that is proved to be good or bad stays so;
//! one whose value is a guess would give the same guess and the same wishes once more, unless there
//! is news of one of the leaves below. So a pass costs what has changed rather than the whole tree.

use std::collections::{BTreeMap, HashMap}; // lookup only

use crate::game::Game;
use crate::search::horizon::Node;
use crate::value::Value;

use super::visits::{Mark, Visit, Visits};

/// An inner node of the master's tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    identity: u64,
    ply: usize,
    depth: i32,
}

/// What a move came to in the zero window above `alpha`, and what that rests on.
#[derive(Debug)]
pub(crate) struct Kept {
    alpha: Value,
    /// Seen from the node, counted from the root.
    pub value: Value,
    pub certain: bool,
    /// News counted before.
    news: u64,
    /// Visits below.
    pub visits: Visits,
}

impl Kept {
    /// The move would come to the same above `alpha`; `changed` tells whether there has been news of
    /// a visited leaf since.
    fn holds(&self, alpha: Value, changed: impl Fn(&Visit, u64) -> bool) -> bool {
        if !self.certain {
            let visits = &self.visits.uncertain;
            return alpha == self.alpha && !visits.iter().any(|visit| changed(visit, self.news));
        }
        if self.value > self.alpha { self.value > alpha } else { self.value <= alpha }
    }
}

/// An inner node on the path to where the pass is.
#[derive(Debug)]
struct Entered {
    place: Place,
    moves: BTreeMap<u16, Kept>,
    /// Visits before it.
    first: Mark,
    /// Visits before the move that is next or under way.
    mark: Mark,
    /// News counted by then.
    news: u64,
    /// That move was not searched.
    recalled: bool,
}

/// What the moves of inner nodes came to in the running iteration.
#[derive(Debug, Default)]
pub(crate) struct Recall {
    moves: HashMap<Place, BTreeMap<u16, Kept>>, // lookup only
    path: Vec<Entered>,
}

impl Recall {
    /// A new traversal begins.
    pub fn begin(&mut self) {
        while self.leave().is_some() {}
    }

    /// Nothing found so far holds any more.
    pub fn forget(&mut self) {
        self.moves.clear();
        self.path.iter_mut().for_each(|node| node.moves.clear());
    }

    /// The pass goes on below `node`, after so many visits and pieces of news.
    pub fn enter<G: Game>(&mut self, node: &Node<'_, G>, mark: Mark, news: u64) {
        let &Node { identity, ply, depth, .. } = node;
        let place = Place { identity, ply, depth };
        let moves = self.moves.remove(&place).unwrap_or_default();
        self.path.push(Entered { place, moves, first: mark, mark, news, recalled: false });
    }

    /// What the next move at the node entered last came to, if it would come to the same again.
    pub fn find(
        &mut self,
        mv: u16,
        (alpha, beta): (Value, Value),
        changed: impl Fn(&Visit, u64) -> bool,
    ) -> Option<&Kept> {
        let node = self.path.last_mut()?;
        let kept = node.moves.get(&mv).filter(|kept| kept.holds(alpha, changed))?;
        let searched_again = kept.value > alpha && beta > alpha + 1;
        if searched_again {
            return None;
        }
        node.recalled = true;
        Some(kept)
    }

    /// The move has come to `value`, with the last of `visits`. Only what a zero window gave is kept.
    pub fn keep(
        &mut self,
        mv: u16,
        (alpha, beta): (Value, Value),
        (value, certain): (Value, bool),
        visits: &Visits,
        news: u64,
    ) {
        let Some(node) = self.path.last_mut() else { return };
        if !std::mem::take(&mut node.recalled) && beta == alpha + 1 {
            let (news, visits) = (node.news, visits.since(node.mark));
            node.moves.insert(mv, Kept { alpha, value, certain, news, visits });
        }
        (node.mark, node.news) = (visits.mark(), news);
    }

    /// The pass leaves the node entered last. Returns where its visits began.
    pub fn leave(&mut self) -> Option<Mark> {
        let Entered { place, moves, first, .. } = self.path.pop()?;
        self.moves.insert(place, moves);
        Some(first)
    }
}
