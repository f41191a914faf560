//! The best lines found, one a ply (a triangular array that never shrinks its storage).

use crate::game::Game;
use crate::value::MAX_PLY;

#[derive(Debug, Clone)]
pub(crate) struct Variations<G: Game> {
    lines: Vec<Vec<G::Move>>,
}

impl<G: Game> Variations<G> {
    pub fn new() -> Self {
        Self { lines: vec![Vec::new(); MAX_PLY + 2] }
    }

    #[inline]
    pub fn clear(&mut self, ply: usize) {
        self.lines[ply].clear();
    }

    /// The line at `ply` becomes `mv` followed by the line below.
    pub fn prepend(&mut self, ply: usize, mv: G::Move) {
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        let line = &mut upper[ply];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&lower[0]);
    }

    /// The line at `ply` becomes one that somebody else found.
    pub fn set(&mut self, ply: usize, moves: &[G::Move]) {
        self.clear(ply);
        self.lines[ply].extend_from_slice(moves);
    }

    pub fn line(&self, ply: usize) -> &[G::Move] {
        &self.lines[ply]
    }
}
