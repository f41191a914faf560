//! Othello against reference data: move counts, championship games, endgames solved elsewhere.

use engine_core::game::{Game, Outcome, perft};
use engine_core::games::othello::{Colour, Othello};
use engine_core::line::Line;
use engine_core::value::Value;

const PERFT: &str = include_str!("data/othello/perft.tsv");
const GAMES: &str = include_str!("data/othello/woc_games.tsv");
const ENDGAMES: &str = include_str!("data/othello/ffo_endgame.tsv");

/// The cells of every data row, without comments and the heading.
fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
        .map(|line| line.split('\t').collect())
}

fn number<T: std::str::FromStr<Err: std::fmt::Debug>>(cell: &str) -> T {
    cell.parse().unwrap()
}

/// The final margin in discs for the side to move at the end of a game.
fn margin(position: &Othello) -> Value {
    match position.outcome() {
        Outcome::Margin(hundredths) => hundredths / 100,
        other => panic!("{other:?} is no Othello result"),
    }
}

/// Checks both columns of the table at `depths`.
///
/// Who made the table lets a finished game end with one pass that finds the other side blocked
/// too; for us it is over before that pass. So a game counts as ended early one ply sooner here:
/// the number to take off is in the next row. Leaves are the same either way.
fn check_perft(depths: std::ops::RangeInclusive<u32>) {
    let table: Vec<Vec<&str>> = rows(PERFT).collect();
    let mut checked = 0;
    for pair in table.windows(2) {
        let depth = number(pair[0][0]);
        if depths.contains(&depth) {
            let (leaves, ended): (u64, u64) = (number(pair[0][1]), number(pair[1][2]));
            assert_eq!(perft(&Othello::start(), depth, true), leaves, "depth {depth}");
            assert_eq!(perft(&Othello::start(), depth, false), leaves - ended, "depth {depth}");
            checked += 1;
        }
    }
    assert_eq!(checked, depths.count());
}

#[test]
fn perft_counts_the_first_nine_plies() {
    check_perft(1..=9);
}

/// The shortest games end after nine plies, so from depth ten the two columns differ.
#[test]
#[ignore = "half a billion moves: some seconds in release"]
fn perft_counts_ten_and_eleven_plies() {
    check_perft(10..=11);
}

#[test]
fn championship_games_are_legal_and_end_as_recorded() {
    let mut games = 0;
    for row in rows(GAMES) {
        let (black_discs, moves): (Value, &str) = (number(row[4]), row[7]);
        let mut end = Othello::parse(moves).unwrap_or_else(|error| panic!("{moves}: {error}"));
        assert_eq!(end.moves(), [], "{moves}: not over");
        if end.mover() == Colour::White {
            end = Othello::new(end.black(), end.white(), Colour::Black).unwrap();
        }
        // 64 squares are shared out, so black - white = 2 * black - 64.
        assert_eq!(margin(&end), 2 * black_discs - 64, "{moves}");
        games += 1;
    }
    assert!(games > 90, "only {games} games");
}

/// Exact final margin in discs by plain alpha-beta to the end of the game.
fn solve(position: &Othello, mut alpha: Value, beta: Value) -> Value {
    let mut moves = position.moves();
    if moves.is_empty() {
        return margin(position);
    }
    let depth = position.empties() as i32 - 3;
    moves.sort_by_cached_key(|&mv| -position.order(mv, depth));
    let mut best = -64;
    for mv in moves {
        best = best.max(-solve(&position.after(mv), -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

#[test]
fn endgames_have_their_known_value() {
    let mut solved = 0;
    for row in rows(ENDGAMES) {
        let [id, board, to_move, empties, score] = row[..5] else { panic!("{row:?}") };
        let position = Othello::parse(&format!("{board} {to_move}")).unwrap();
        assert_eq!(position.empties(), number(empties), "{id}");
        assert_eq!(solve(&position, -64, 64), number(score), "{id}");
        solved += 1;
    }
    assert_eq!(solved, 8);
}

#[test]
fn every_move_of_a_short_endgame_has_its_known_value() {
    let row = rows(ENDGAMES).find(|row| row[0] == "FFO20").unwrap();
    let position = Othello::parse(&format!("{} {}", row[1], row[2])).unwrap();
    let scored: Vec<(&str, Value)> = row[6]
        .split_whitespace()
        .map(|cell| cell.split_once(':').unwrap())
        .map(|(mv, score)| (mv, number(score)))
        .collect();
    assert_eq!(scored.len(), position.moves().len());
    for (text, score) in scored {
        let mv = position.parse_move(text).unwrap();
        assert_eq!(-solve(&position.after(mv), -64, 64), score, "{text}");
    }
}

/// A program that ignored a pass at the end of a game record kept the wrong side to move and then
/// answered with a pass itself. Here the pass is played, changes the key and the side, and the
/// position after it is searched like any other; where a disc can be placed it is refused.
#[test]
fn a_pass_at_the_end_of_the_record_is_played() {
    let mut passes = 0;
    for row in rows(GAMES) {
        let mut line = Line::new(Othello::start());
        let mut record = String::new();
        for text in row[7].as_bytes().chunks(2).map(|two| std::str::from_utf8(two).unwrap()) {
            let before = line.position;
            if before.parse_move("pass").is_ok() {
                let pass = before.parse_move("PA").unwrap();
                assert_eq!(before.moves(), [pass]);
                assert_eq!(before.move_text(pass), "pass");
                assert!(!before.is_quiet(pass));
                line.play(pass);
                record.push_str("PASS");
                assert_eq!(Othello::parse(&record).unwrap(), line.position);
                assert_eq!(line.position.mover(), before.mover().other());
                assert_ne!(line.position.key(), before.key());
                assert!(line.position.parse_move("pass").is_err(), "the other side can move");
                passes += 1;
            }
            let mv = line.position.parse_move(text).unwrap();
            line.play(mv);
            record.push_str(text);
        }
        assert_eq!(Line::decode(&line.encode()).unwrap(), line);
    }
    assert!(passes > 20, "only {passes} passes");
}
