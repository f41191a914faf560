//! From a `go` to an order.

use std::time::Duration;

use engine_core::game::Game;
use engine_core::games::chess::{Chess, Color};
use engine_core::search::deepen::MAX_DEPTH;

use super::board::Board;
use super::options::Options;
use super::parse::Go;
use crate::choice::{FrontierChoice, GameName};
use crate::think::{Clock, Limits, Order};

/// What a `go` gets whose only limits could not be read.
const FALLBACK_TIME: Duration = Duration::from_secs(1);

/// What a `go` asks for, every limit taken from it alone.
pub fn order(go: &Go, board: &Board, options: &Options, frontier: FrontierChoice) -> Order {
    let overhead = Duration::from_millis(options.overhead.into());
    Order {
        game: GameName::Chess,
        position: board.base.text(),
        moves: board.moves.clone(),
        limits: Limits { overhead: Some(overhead), ..limits(go, &board.line.position) },
        profile: options.profile.profile(),
        multipv: options.multipv,
        frontier,
    }
}

fn limits(go: &Go, position: &Chess) -> Limits {
    let (remaining, increment) = match position.board().side_to_move() {
        Color::White => (go.white_time, go.white_increment),
        Color::Black => (go.black_time, go.black_increment),
    };
    let moves_to_go = go.moves_left;
    // A mate in N moves is found by a search of 2N plies.
    let mate_depth = go.mate.map(|moves| moves.saturating_mul(2));
    let depth = go.depth.into_iter().chain(mate_depth).min();
    let mut limits = Limits {
        depth: depth.map(|depth| depth.min(MAX_DEPTH)),
        nodes: go.nodes,
        movetime: go.move_time,
        clock: remaining.map(|remaining| Clock { remaining, increment, moves_to_go }),
        infinite: go.infinite,
        ponder: go.ponder,
        overhead: None,
        root_moves: root_moves(go, position),
    };
    let limited = depth.is_some() || go.nodes.is_some() || go.move_time.is_some();
    if !limited && limits.clock.is_none() && !go.infinite {
        // A bare `go` means infinite; one whose limits were garbage must still be answered.
        if go.misread.is_empty() {
            limits.infinite = true;
        } else {
            limits.movetime = Some(FALLBACK_TIME);
        }
    }
    limits
}

/// The legal ones among the moves to search, each once; illegal ones restrict nothing.
fn root_moves(go: &Go, position: &Chess) -> Vec<String> {
    let mut moves = Vec::new();
    for mv in go.search_moves.iter().filter_map(|text| position.parse_move(text).ok()) {
        let text = position.move_text(mv);
        if !moves.contains(&text) {
            moves.push(text);
        }
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uci::parse::{Command, parse};

    fn limits_of(line: &str, position: &Chess) -> Limits {
        match parse(line) {
            Command::Go(go) => limits(&go, position),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_clock_is_that_of_the_side_to_move() {
        let line = "go wtime 1000 btime 2000 winc 10 binc 20 movestogo 5";
        let start = Chess::start();
        let clock = |position: &Chess| limits_of(line, position).clock.unwrap();
        let white = clock(&start);
        assert_eq!((white.remaining.as_millis(), white.increment.as_millis()), (1000, 10));
        let black = clock(&start.after(start.parse_move("e2e4").unwrap()));
        assert_eq!((black.remaining.as_millis(), black.increment.as_millis()), (2000, 20));
        assert_eq!(black.moves_to_go, Some(5));
    }

    #[test]
    fn a_go_without_limits_is_infinite_but_garbage_is_answered() {
        let limits = |line| limits_of(line, &Chess::start());
        assert!(limits("go").infinite);
        assert!(limits("go searchmoves e2e4").infinite);
        let garbage = limits("go depth abc");
        assert_eq!((garbage.infinite, garbage.movetime), (false, Some(FALLBACK_TIME)));
        assert_eq!(limits("go mate 3").depth, Some(6));
        assert_eq!(limits("go depth 5000").depth, Some(MAX_DEPTH));
        assert_eq!(limits("go depth 1 searchmoves e2e4 e2e5 e2e4").root_moves, ["e2e4"]);
    }
}
