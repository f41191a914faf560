//! What the search asks of a chess position at every node, over six positions of different kinds.
//! `cargo bench -p engine-core --bench chess`; times are per pass over [`POSITIONS`].

use divan::{Bencher, black_box, counter::ItemsCount};
use engine_core::game::{Game, perft};
use engine_core::games::chess::Chess;

const POSITIONS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bqr1k1/5pb1/p6p/Pp1P2p1/2N1n3/8/1P2B1PP/R2QBR1K w - b6 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "2k4r/pp3pp1/4p3/1P1rP3/1nPpNP2/6Pp/1P5P/2KR3R b - c3 0 1",
];

fn main() {
    divan::main();
}

fn per_position<T>(bencher: Bencher, mut work: impl FnMut(&Chess) -> T) {
    let positions = POSITIONS.map(|fen| Chess::parse(fen).unwrap());
    bencher.counter(ItemsCount::new(POSITIONS.len())).bench_local(|| {
        for position in black_box(&positions) {
            black_box(work(position));
        }
    });
}

#[divan::bench]
fn evaluate(bencher: Bencher) {
    per_position(bencher, Chess::evaluate);
}

#[divan::bench]
fn key(bencher: Bencher) {
    per_position(bencher, Chess::key);
}

#[divan::bench]
fn tactical_moves(bencher: Bencher) {
    per_position(bencher, |position| {
        position.for_each_tactical(|mv| {
            black_box(mv);
        });
    });
}

#[divan::bench]
fn order_all_moves(bencher: Bencher) {
    per_position(bencher, |position| {
        let mut sum = 0;
        position.for_each_move(|mv| sum += position.order(mv, 4));
        sum
    });
}

#[divan::bench]
fn moves_and_play(bencher: Bencher) {
    per_position(bencher, |position| perft(position, 2, false));
}

#[divan::bench]
fn bytes_there_and_back(bencher: Bencher) {
    per_position(bencher, |position| {
        let mut bytes = Vec::with_capacity(32);
        position.encode(&mut bytes);
        Chess::decode(&bytes)
    });
}
