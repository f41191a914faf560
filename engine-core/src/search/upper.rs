//! What Dynamic Tree Splitting needs of the machine: the upper part of a search in progress, as
//! something that can be handed on.
//!
//! Nothing here is called by a search that nobody shares.

use std::sync::Arc;

use crate::game::Game;
use crate::value::{Bound, MAX_PLY, Value};

use super::frame::{Frame, Phase};
use super::history::History;
use super::pick::{Ranked, bring_best_forward};
use super::{Answer, Everything, Searcher};

/// The plies 0..=`ply` of a search: whoever has a copy can go on with that search.
#[derive(Debug, Clone)]
pub(crate) struct Upper<G: Game> {
    frames: Vec<Frame<G>>,
    moves: Vec<Ranked<G>>,
    keys: Vec<u64>,
    roots: usize,
    root_moves: Vec<G::Move>,
    lines: Vec<Vec<G::Move>>,
    killers: Vec<[Option<G::Move>; 2]>,
}

impl<G: Game> Upper<G> {
    /// No plies at all.
    pub fn empty() -> Self {
        Self {
            frames: Vec::new(),
            moves: Vec::new(),
            keys: Vec::new(),
            roots: 0,
            root_moves: Vec::new(),
            lines: Vec::new(),
            killers: Vec::new(),
        }
    }

    /// The last frame copied.
    pub fn last(&self) -> &Frame<G> {
        &self.frames[self.frames.len() - 1]
    }

    /// The last frame copied.
    pub fn last_mut(&mut self) -> &mut Frame<G> {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Best line of the last frame.
    pub fn line(&self) -> &[G::Move] {
        &self.lines[self.frames.len() - 1]
    }

    /// The best line of the last frame becomes `mv` followed by `reply`.
    pub fn set_line(&mut self, mv: G::Move, reply: &[G::Move]) {
        let line = &mut self.lines[self.frames.len() - 1];
        line.clear();
        line.push(mv);
        line.extend_from_slice(reply);
    }

    /// What is known about the root, which must be the last frame; nothing until some move there
    /// has a value.
    pub fn answer(&self) -> Option<Answer<G>> {
        let root = self.last();
        root.best_move?;
        Some(Answer {
            value: root.best,
            bound: Bound::of(root.best, root.entry_alpha, root.beta),
            certain: !root.uncertain,
            pv: self.line().to_vec(),
        })
    }

    /// Takes the best untried move of the last frame.
    pub fn take_move(&mut self) -> Option<G::Move> {
        let last = self.frames.len() - 1;
        let frame = &mut self.frames[last];
        if frame.next == frame.end {
            return None;
        }
        let untried = frame.next as usize..frame.end as usize;
        frame.next += 1;
        Some(bring_best_forward(&mut self.moves[untried]))
    }
}

impl<G: Game> Upper<G> {
    /// A move taken at the last frame has not been searched after all; it is the next to be taken
    /// again.
    pub fn return_move(&mut self, mv: G::Move) {
        let last = self.frames.len() - 1;
        let frame = &mut self.frames[last];
        let taken = frame.first as usize..frame.next as usize;
        if let Some(at) = self.moves[taken.clone()].iter().rposition(|ranked| ranked.mv == mv) {
            frame.next -= 1;
            self.moves.swap(taken.start + at, taken.end - 1);
        }
    }
}

impl<G: Game> Searcher<G, Everything> {
    /// From now on learns about move order together with all others who share `history`.
    pub(crate) fn share_history(&mut self, history: &Arc<History>) {
        self.memory.share(history);
    }

    /// Ply of the top frame.
    #[inline]
    pub(crate) fn ply(&self) -> usize {
        self.ply
    }

    /// The frames from the root to the top.
    pub(crate) fn path(&self) -> &[Frame<G>] {
        &self.frames[..=self.ply]
    }

    /// The frame at `ply`.
    pub(crate) fn frame_mut(&mut self, ply: usize) -> &mut Frame<G> {
        &mut self.frames[ply]
    }

    /// Value of the node just left, as the top frame sees it, and whether it is a guess.
    pub(crate) fn returned(&self) -> (Value, bool) {
        (self.returned, self.returned_uncertain)
    }

    /// Best line at `ply`.
    pub(crate) fn line(&self, ply: usize) -> &[G::Move] {
        self.variations.line(ply)
    }

    /// Somebody else found the best line at `ply`.
    pub(crate) fn set_line(&mut self, ply: usize, line: &[G::Move]) {
        self.variations.set(ply, line);
    }

    /// Copies everything about the plies 0..=`ply`, whose moves must have been generated.
    pub(crate) fn copy_upper(&self, ply: usize, into: &mut Upper<G>) {
        debug_assert!(ply <= self.ply && self.frames[ply].generated);
        into.frames.clear();
        into.frames.extend_from_slice(&self.frames[..=ply]);
        into.moves.clear();
        into.moves.extend_from_slice(&self.moves[..self.frames[ply].end as usize]);
        into.keys.clear();
        into.keys.extend_from_slice(&self.keys[..=self.roots + ply]);
        into.roots = self.roots;
        into.root_moves.clone_from(&self.root_moves);
        into.killers.clone_from(&self.memory.killers);
        into.lines.resize(into.lines.len().max(ply + 1), Vec::new());
        for (ply, line) in into.lines[..=ply].iter_mut().enumerate() {
            line.clear();
            line.extend_from_slice(self.variations.line(ply));
        }
    }

    /// Becomes the search whose upper plies these are, about to take a move at the last of them.
    pub(crate) fn adopt(&mut self, upper: &Upper<G>) {
        let ply = upper.frames.len() - 1;
        self.frames[..=ply].clone_from_slice(&upper.frames);
        // What took several searchers is dear, whoever of them finishes it.
        self.frames[..=ply].iter_mut().for_each(|frame| frame.entered = 0);
        self.moves.clone_from(&upper.moves);
        self.keys.clone_from(&upper.keys);
        self.roots = upper.roots;
        self.keys.resize(self.roots + MAX_PLY + 1, 0);
        self.root_moves.clone_from(&upper.root_moves);
        self.memory.killers.clone_from(&upper.killers);
        for (ply, line) in upper.lines[..=ply].iter().enumerate() {
            self.variations.set(ply, line);
        }
        self.ply = ply;
        self.frames[ply].phase = Phase::Pick;
        self.done = false;
        self.proved = None;
    }

    /// Searches the current move of the top frame again, in the window up to `child_beta`.
    pub(crate) fn search_again(&mut self, child_beta: Value) {
        let ply = self.ply;
        let frame = &mut self.frames[ply];
        frame.child_beta = child_beta;
        let alpha = frame.alpha;
        let child = &mut self.frames[ply + 1];
        child.open(child.depth, -child_beta, -alpha);
        self.descend();
    }

    /// Drops everything below `ply`, which is left at once with the best value it has.
    pub(crate) fn cut_off_at(&mut self, ply: usize) {
        let above = self.frames[..=ply].iter().rev().find(|frame| frame.generated);
        self.moves.truncate(above.map_or(0, |frame| frame.end as usize));
        self.ply = ply;
        self.frames[ply].phase = Phase::Leave;
    }
}
