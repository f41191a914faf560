//! The library face: a game that is not ours gets sequential and APHID search, and both find the
//! value of plain negamax.

#[path = "../examples/own_game.rs"]
#[expect(dead_code, reason = "the example's main is not called here")]
mod own_game;

use engine_core::aphid::Frontier;
use engine_core::drive::team::{Team, analyse};
use engine_core::game::{Game, Outcome};
use engine_core::line::Line;
use engine_core::search::Profile;
use engine_core::search::deepen::Request;
use engine_core::value::{MATE, Value};
use own_game::ConnectFour;

fn negamax(position: &ConnectFour, ply: Value, depth: u32) -> Value {
    let moves = position.moves();
    if moves.is_empty() && depth > 0 {
        return match position.outcome() {
            Outcome::Loss => ply - MATE,
            Outcome::Draw => 0,
            Outcome::Margin(value) => value,
        };
    }
    if depth == 0 {
        return position.evaluate();
    }
    let value = |&mv: &u8| -negamax(&position.after(mv), ply + 1, depth - 1);
    moves.iter().map(value).max().expect("there is a move")
}

#[test]
fn sequential_dts_and_aphid_agree_with_negamax() {
    for opening in ["", "33", "3333", "332211", "012345", "3331102", "33333322222"] {
        let position = ConnectFour::parse(opening).expect("a legal opening");
        let expected = negamax(&position, 0, 7);
        for (slaves, threads, frontier) in [
            (0, 1, Frontier::Auto),
            (0, 4, Frontier::Auto),
            (1, 1, Frontier::Fixed(2)),
            (2, 2, Frontier::Fixed(3)),
            (3, 1, Frontier::Auto),
        ] {
            let profile = Profile::Exact;
            let team = Team { slaves, threads, table_mb: 2, profile, frontier };
            let request = Request::to_depth(Line::new(position), 7);
            let report = analyse(team, request).expect("threads can be started");
            assert_eq!(report.value(), expected, "{opening:?}, {slaves} slaves of {threads}");
            assert!(report.certain && report.depth == 7);
        }
    }
}

#[test]
fn the_examples_game_keeps_the_contract() {
    let position = ConnectFour::parse("3342").expect("a legal opening");
    let mut bytes = Vec::new();
    position.encode(&mut bytes);
    assert_eq!(ConnectFour::decode(&bytes), Ok(position));
    assert!(ConnectFour::decode(&bytes[1..]).is_err());
    assert!(position.parse_move("7").is_err());
}
