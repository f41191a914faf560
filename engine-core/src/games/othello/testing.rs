//! Seeded positions for the tests of this folder.

use super::Othello;
use crate::game::Game;

/// `SplitMix64`: small, seeded, the same on every machine.
pub struct Random(u64);

impl Random {
    /// A generator that always gives the same numbers for `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}

/// Every position of a game of random moves, from the start to the end.
pub fn random_game(seed: u64) -> Vec<Othello> {
    let mut random = Random::new(seed);
    let mut positions = vec![Othello::start()];
    let mut position = Othello::start();
    loop {
        let moves = position.moves();
        if moves.is_empty() {
            return positions;
        }
        position.play(moves[(random.next() % moves.len() as u64) as usize]);
        positions.push(position);
    }
}
