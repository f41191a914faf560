//! The twin's own copies of the search's numbers, formulas and small structures.

use engine_core::game::{Game, Outcome};
use engine_core::search::tunables::TUNABLES;
use engine_core::value::{MATE, Value};

pub const HISTORY_LIMIT: i32 = tunable("HISTORY_LIMIT");
pub const KILLER_ORDER: i32 = tunable("KILLER_ORDER");
pub const NULL_REDUCTION: i32 = tunable("NULL_REDUCTION");
pub const NULL_MIN_DEPTH: i32 = tunable("NULL_MIN_DEPTH");
pub const QUIET_EVASION_PLIES: i32 = tunable("QUIET_EVASION_PLIES");
pub const CHECK_EXTENSION_MAX_PLY: usize = tunable("CHECK_EXTENSION_MAX_PLY") as usize;
pub const CLOCK_MATTERS: u32 = tunable("CLOCK_MATTERS") as u32;
pub const CLOCK_MATTERS_EXACT: u32 = tunable("CLOCK_MATTERS_EXACT") as u32;

/// A tunable's value, found when this is compiled: the twin too has constants.
const fn tunable(name: &str) -> i32 {
    let mut index = 0;
    while !is_equal(TUNABLES[index].name, name) {
        index += 1;
    }
    TUNABLES[index].value
}

const fn is_equal(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

/// A node to be searched: a position and how it was reached.
pub struct Node<G: Game> {
    pub position: G,
    pub key: u64,
    pub in_check: bool,
    pub null_allowed: bool,
    /// Earlier positions that could repeat: how many, and their digest.
    pub reversible: u32,
    pub trail: u64,
}

impl<G: Game> Node<G> {
    pub fn new(position: G, null_allowed: bool, reversible: u32, trail: u64) -> Self {
        let (key, in_check) = (position.key(), position.in_check());
        Self { position, key, in_check, null_allowed, reversible, trail }
    }

    pub fn child(&self, mv: G::Move) -> Self {
        let position = self.position.after(mv);
        let reversible = position.reversible_plies().min(self.reversible + 1);
        let trail = if reversible == 0 { 0 } else { self.trail.wrapping_add(mix(self.key)) };
        Self::new(position, true, reversible, trail)
    }
}

#[derive(Clone, Copy)]
pub struct Ranked<G: Game> {
    pub mv: G::Move,
    pub order: i32,
}

/// Brings the move of greatest order to the front.
pub fn pick<G: Game>(moves: &mut [Ranked<G>]) -> G::Move {
    let mut best = 0;
    for index in 1..moves.len() {
        if moves[index].order > moves[best].order {
            best = index;
        }
    }
    moves.swap(0, best);
    moves[0].mv
}

pub fn nudge(score: &mut i32, bonus: i32) {
    *score += bonus - *score * bonus.abs() / HISTORY_LIMIT;
}

pub fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

pub fn outcome_value(outcome: Outcome, ply: usize) -> Value {
    match outcome {
        Outcome::Loss => ply as Value - MATE,
        Outcome::Draw => 0,
        Outcome::Margin(value) => value,
    }
}
