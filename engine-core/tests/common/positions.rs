//! Positions that tests and benches share.

use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use engine_core::random::SplitMix64;

/// Openings, middlegames with much to capture, pins, checks and promotions, quiet and bare endings.
pub const CHESS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "r2qkbnr/ppp2p1p/2n5/3P4/2BP1pb1/2N2p2/PPPQ2PP/R1B2RK1 b kq - 2 9",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P1B2/2NBPN2/PP3PPP/R2Q1RK1 w - - 4 10",
    "r3r1k1/pp3pbp/1qp1b1p1/2B5/2BP4/Q1n2N2/P4PPP/3R1K1R w - - 4 18",
    "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1",
    "2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1",
    "8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 1",
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 1",
    "8/5Bk1/4p1p1/4P1P1/3K4/8/8/1r6 b - - 7 60",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "8/8/8/8/8/6k1/6p1/6K1 w - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "8/P1k5/K7/8/8/8/8/8 w - - 0 1",
    "k7/8/1RK5/8/8/8/8/8 w - - 10 90",
    "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1",
    "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1",
    "8/1p3p1p/p4P1k/P4P1p/6pP/6Pq/5P2/6K1 b - - 0 1",
    "3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1",
    "8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
    "4k2r/6r1/8/8/8/8/3R4/R3K3 w Qk - 0 1",
    "q3k3/8/8/3Q4/8/8/8/4K2R w K - 0 1",
    "rr4k1/8/8/3q4/3Q4/8/8/RR4K1 w - - 20 30",
    "3rr1k1/pp3ppp/2p5/8/1b1n4/2N2P2/PPP3PP/R1B1KB1R w KQ - 2 15",
];

/// A position of [`CHESS`] or of a test's own.
pub fn chess(fen: &str) -> Chess {
    Chess::parse(fen).expect("positions of the tests are right")
}

/// The position after `plies` random moves (fewer if the game ends), the same for every `seed`.
pub fn random<G: Game>(seed: u64, plies: u32) -> G {
    let mut random = SplitMix64::new(seed);
    let mut position = G::start();
    for _ in 0..plies {
        let moves = position.moves();
        if moves.is_empty() {
            break;
        }
        position.play(moves[random.below(moves.len() as u64) as usize]);
    }
    position
}

/// Othello at every stage of the game.
pub fn othello() -> Vec<Othello> {
    (0..60).step_by(3).map(|plies| random(u64::from(plies) + 1, plies)).collect()
}
