//! Move generation against published node counts.
//!
//! Every test run checks the counts up to [`SHALLOW`]; the rest, minutes to an hour of work, with
//! `cargo test --release -p engine-core --test perft_chess -- --ignored --nocapture`.

use engine_core::game::{Game, perft};
use engine_core::games::chess::Chess;

const STANDARD: &str = include_str!("data/chess/perft_standard.epd");
const SUITE: &str = include_str!("data/chess/perftsuite.epd");
const SPECIAL: &str = include_str!("data/chess/perft_special.epd");
const TRICKY: &str = include_str!("data/chess/perft_tricky.epd");
const CHESS960: &str = include_str!("data/chess/perft_chess960.epd");

/// Largest count, in nodes, checked in every run.
const SHALLOW: u64 = 200_000;
/// Largest count checked in the deep runs.
const DEEP: u64 = 1_000_000_000;
/// The same for the 960 Chess960 positions, which have 400 billion nodes below [`DEEP`].
const DEEP_960: u64 = 100_000_000;

/// Positions of the reference files whose en passant square no double step can have left behind:
/// the king is in check from elsewhere. We drop the square; the reference keeps it, which changes
/// the counts where the capture would be possible. FEN and our number of moves at depth 1.
const DROPPED_EN_PASSANT: [(&str, u64); 1] = [("8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1", 5)];

/// One line of a reference file: FEN and node counts by depth.
struct Row {
    fen: &'static str,
    counts: Vec<(u32, u64)>,
}

fn rows(file: &'static str) -> Vec<Row> {
    let lines = file.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let mut parts = line.split(';').map(str::trim);
            let fen = parts.next().unwrap();
            let counts = parts
                .filter_map(|part| part.strip_prefix('D')?.split_once(' '))
                .map(|(depth, count)| (depth.parse().unwrap(), count.parse().unwrap()))
                .collect();
            Row { fen, counts }
        })
        .collect()
}

/// Checks every count in `above..=limit` and returns how many there were and their sum.
fn check(file: &'static str, above: u64, limit: u64, progress: bool) -> (usize, u64) {
    let (mut checked, mut nodes) = (0, 0);
    for row in rows(file) {
        if DROPPED_EN_PASSANT.iter().any(|&(fen, _)| fen == row.fen) {
            continue;
        }
        let position = Chess::parse(row.fen).unwrap();
        for (depth, count) in row.counts {
            if count <= above || count > limit {
                continue;
            }
            assert_eq!(perft(&position, depth, false), count, "{} depth {depth}", row.fen);
            checked += 1;
            nodes += count;
            if progress {
                println!("{count:>13} nodes at depth {depth:>2}: {}", row.fen);
            }
        }
    }
    if progress {
        println!("{checked} counts, {nodes} nodes");
    }
    (checked, nodes)
}

#[test]
fn standard_positions() {
    assert_eq!(check(STANDARD, 0, SHALLOW, false), (23, 528_205));
}

#[test]
fn the_classic_suite() {
    assert_eq!(check(SUITE, 0, SHALLOW, false), (634, 8_316_043));
}

#[test]
fn castling_promotion_and_discovered_check() {
    assert_eq!(check(SPECIAL, 0, SHALLOW, false), (8, 266_523));
}

#[test]
fn tricky_positions() {
    let (checked, _) = check(TRICKY, 0, SHALLOW, false);
    assert_eq!(checked, 60);
}

#[test]
fn chess960_positions() {
    assert_eq!(check(CHESS960, 0, SHALLOW, false), (2_897, 22_666_121));
}

#[test]
fn an_en_passant_square_that_cannot_be_is_dropped() {
    for (fen, moves) in DROPPED_EN_PASSANT {
        let position = Chess::parse(fen).unwrap();
        assert_eq!(perft(&position, 1, false), moves, "{fen}");
        assert!(position.text().contains(" b - - "), "{}", position.text());
    }
}

#[test]
#[ignore = "two billion nodes"]
fn standard_positions_deep() {
    check(STANDARD, SHALLOW, DEEP, true);
}

#[test]
#[ignore = "five billion nodes"]
fn the_classic_suite_deep() {
    check(SUITE, SHALLOW, DEEP, true);
}

#[test]
#[ignore = "one billion nodes"]
fn castling_promotion_and_discovered_check_deep() {
    check(SPECIAL, SHALLOW, DEEP, true);
    check(TRICKY, SHALLOW, DEEP, true);
}

#[test]
#[ignore = "eighteen billion nodes"]
fn chess960_positions_deep() {
    check(CHESS960, SHALLOW, DEEP_960, true);
}

#[test]
#[ignore = "400 billion nodes"]
fn chess960_positions_deepest() {
    check(CHESS960, DEEP_960, DEEP, true);
}
