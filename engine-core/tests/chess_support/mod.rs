//! Seeded random chess positions, shared by the chess tests.

use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::random::SplitMix64;

/// Starting points rich in castling, en passant, promotions and Chess960 set-ups.
const ROOTS: [&str; 9] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1",
];

/// Calls `visit` with the positions of `games` random games from varied roots, each at most 120
/// plies long.
pub fn for_each_random_position(games: usize, mut visit: impl FnMut(&Chess, &mut SplitMix64)) {
    let mut random = SplitMix64::new(1);
    for game in 0..games {
        let mut position = Chess::parse(ROOTS[game % ROOTS.len()]).unwrap();
        for _ in 0..120 {
            visit(&position, &mut random);
            let moves = position.moves();
            if moves.is_empty() {
                break;
            }
            position.play(moves[random.below(moves.len() as u64) as usize]);
        }
    }
}
