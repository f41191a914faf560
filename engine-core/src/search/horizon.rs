//! The hook where a node may become a frontier leaf.
//!
//! The APHID master runs the same search machine as the workers; all that differs is the answer to
//! "expand this node, or take its value from the APHID table?" (Brockington & Schaeffer 1996,
//! section 2.1: "an artificial search horizon").

use crate::game::Game;
use crate::line::Line;
use crate::value::Value;

/// A node that is about to be expanded.
#[derive(Debug)]
pub struct Node<'a, G: Game> {
    /// The position.
    pub position: &'a G,
    /// Identity: whether a null move is allowed, and what the profile's table tells apart: position
    /// and clock, in `exact` also the history that could repeat.
    pub identity: u64,
    /// Plies from the root.
    pub ply: usize,
    /// Remaining depth in plies, at least 1.
    pub depth: i32,
    /// Window, counted from the root.
    pub alpha: Value,
    /// Window, counted from the root.
    pub beta: Value,
    /// The side to move may pass.
    pub null_allowed: bool,
    /// Keys of the earlier positions that could still repeat, oldest first.
    pub history: &'a [u64],
}

impl<G: Game> Node<'_, G> {
    /// The node as something another machine can search.
    pub fn line(&self) -> Line<G> {
        Line { position: self.position.clone(), history: self.history.to_vec() }
    }
}

/// What to do with a node.
#[derive(Debug, Clone, PartialEq)]
pub enum Meeting<G: Game> {
    /// Search it here.
    Expand,
    /// Take this proved value or bound, counted from the root.
    Certain {
        /// The value or bound.
        value: Value,
        /// How play goes on, as far as it is known.
        pv: Vec<G::Move>,
    },
    /// Go on with this value, counted from the root, for the time being.
    Guess(Value),
    /// Nothing is known yet: go on with the value of the quiescence search.
    Unknown,
}

/// Decides, node by node, where this search ends and somebody else's begins.
pub trait Horizon<G: Game> {
    /// False removes the hook at compile time.
    const ACTIVE: bool;

    /// Called before a node is expanded.
    fn meet(&mut self, node: &Node<'_, G>) -> Meeting<G>;

    /// The move to try first at a node; the only order an active horizon gives, so that order
    /// stays frozen while an iteration lasts.
    fn remembered(&mut self, identity: u64) -> u16;

    /// The quiescence search of a node of which nothing was known gave `value`, counted from the
    /// root.
    fn sounded(&mut self, node: &Node<'_, G>, value: Value);

    /// What the move, packed, 0 for the null move, would come to at the node expanded last in the
    /// zero window above `alpha`, and whether that is certain; if there is no need to search it, now
    /// or, because it is better than alpha and the window ends at `beta`, again.
    fn recalled(&mut self, mv: u16, alpha: Value, beta: Value) -> Option<(Value, bool)>;

    /// What the move has come to there in a window.
    fn returned(&mut self, mv: u16, alpha: Value, beta: Value, value: Value, certain: bool);

    /// The node expanded last of those not left is left with this best move.
    fn left(&mut self, identity: u64, best: u16, certain: bool);
}

/// No horizon but depth: every node is searched here.
#[derive(Debug, Clone, Copy, Default)]
pub struct Everything;

impl<G: Game> Horizon<G> for Everything {
    const ACTIVE: bool = false;
    fn meet(&mut self, _: &Node<'_, G>) -> Meeting<G> {
        Meeting::Expand
    }
    fn remembered(&mut self, _: u64) -> u16 {
        0
    }
    fn sounded(&mut self, _: &Node<'_, G>, _: Value) {}
    fn recalled(&mut self, _: u16, _: Value, _: Value) -> Option<(Value, bool)> {
        None
    }
    fn returned(&mut self, _: u16, _: Value, _: Value, _: Value, _: bool) {}
    fn left(&mut self, _: u64, _: u16, _: bool) {}
}
