//! What a search says: mates and their lines, legal lines that are worth what they claim, several
//! lines, restricted roots, and the same in every slicing of the work.

#[path = "common/positions.rs"]
#[expect(dead_code, reason = "the other tests use more positions")]
mod positions;

use std::sync::Arc;

use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::line::Line;
use engine_core::random::SplitMix64;
use engine_core::search::deepen::{Analysis, Request};
use engine_core::search::report::Report;
use engine_core::search::{Answer, Profile, Searcher, Status, Task};
use engine_core::table::Table;
use engine_core::value::{MATE_BAND, Score, from_node};

fn searcher(profile: Profile) -> Searcher<Chess> {
    Searcher::new(profile, Arc::new(Table::new(4)))
}

fn search(searcher: &mut Searcher<Chess>, task: Task<Chess>) -> Answer<Chess> {
    searcher.start(task);
    assert_eq!(searcher.run(u64::MAX), Status::Done);
    searcher.answer().expect("a finished search has an answer")
}

fn analyse(searcher: Searcher<Chess>, request: Request<Chess>) -> (Report<Chess>, Searcher<Chess>) {
    let mut analysis = Analysis::new(searcher, request);
    while analysis.work(u64::MAX) == Status::Running {}
    (analysis.report(), analysis.into_searcher())
}

/// Replays a line; panics on an illegal move.
fn replay(line: &Line<Chess>, pv: &[<Chess as Game>::Move]) -> Line<Chess> {
    let mut line = line.clone();
    for &mv in pv {
        assert!(line.position.moves().contains(&mv), "{mv} in {}", line.position.text());
        line.play(mv);
    }
    line
}

#[test]
fn a_mate_that_the_clock_forbids_is_none_even_with_a_warm_table() {
    let mut warm = searcher(Profile::Classic);
    for (clock, expected) in
        [(95, Score::Mate(3)), (96, Score::Centipawns(0)), (95, Score::Mate(3))]
    {
        let fen = format!("k7/8/1RK5/8/8/8/8/8 w - - {clock} 90");
        let line = Line::new(positions::chess(&fen));
        let (report, searcher) = analyse(warm, Request::to_depth(line.clone(), 20));
        warm = searcher;
        assert_eq!(report.score(), expected, "clock {clock}");
        if let Score::Mate(_) = expected {
            let pv = &report.lines[0].pv;
            assert_eq!(pv.len(), 5);
            let end = replay(&line, pv).position;
            assert!(end.in_check() && end.moves().is_empty());
        }
    }
}

#[test]
fn mate_lines_are_legal_and_end_in_mate() {
    let mates = [
        ("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", 1),
        ("k7/8/1RK5/8/8/8/8/8 w - - 10 90", 3),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
    ];
    for profile in [Profile::Classic, Profile::Exact] {
        for (fen, moves) in mates {
            let line = Line::new(positions::chess(fen));
            let request = Request::to_depth(line.clone(), 2 * moves as u32);
            let (report, _) = analyse(searcher(profile), request);
            assert_eq!(report.score(), Score::Mate(moves), "{profile:?} {fen}");
            let pv = &report.lines[0].pv;
            assert_eq!(pv.len(), 2 * moves as usize - 1, "{profile:?} {fen}");
            let end = replay(&line, pv).position;
            assert!(end.in_check() && end.moves().is_empty(), "{profile:?} {fen}");
        }
    }
}

/// However a mate is found, above or below the horizon, its line is shown to the end.
#[test]
fn every_mate_claimed_is_shown() {
    let mates = include_str!("data/chess/mates.epd").lines().filter(|line| !line.starts_with('#'));
    let mut shown = 0;
    for (index, epd) in mates.enumerate() {
        let profile = if index % 2 == 0 { Profile::Classic } else { Profile::Exact };
        let line = Line::new(positions::chess(epd));
        let mut analysis = Analysis::new(searcher(profile), Request::to_depth(line.clone(), 3));
        while analysis.work(100_000) == Status::Running {}
        while let Some(info) = analysis.poll_info() {
            let Score::Mate(moves) = info.score() else { continue };
            let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
            assert_eq!(info.pv.len(), plies as usize, "{epd}, depth {}", info.depth);
            let end = replay(&line, &info.pv).position;
            assert!(end.in_check() && end.moves().is_empty(), "{epd}, depth {}", info.depth);
            shown += 1;
        }
    }
    assert!(shown > 300, "only {shown} mates were claimed");
}

#[test]
fn the_best_line_is_worth_its_value_at_every_step() {
    for fen in positions::CHESS {
        let depth = 4;
        let start = Line::new(positions::chess(fen));
        let answer = search(&mut searcher(Profile::Exact), Task::full(start.clone(), depth));
        replay(&start, &answer.pv);
        let mut line = start;
        for (ply, &mv) in answer.pv.iter().enumerate().take(depth as usize - 1) {
            line.play(mv);
            if line.position.is_rule_draw() || line.earlier_occurrences() > 0 {
                assert_eq!(answer.value, 0, "{fen}");
                break;
            }
            let task = Task::full(line.clone(), depth - 1 - ply as i32);
            let below = search(&mut searcher(Profile::Exact), task).value;
            let seen = if ply % 2 == 0 { -answer.value } else { answer.value };
            assert_eq!(from_node(seen, ply + 1), below, "{fen} after {} plies", ply + 1);
        }
    }
}

#[test]
fn slicing_the_work_changes_nothing() {
    let mut random = SplitMix64::new(5);
    for profile in [Profile::Classic, Profile::Exact] {
        for fen in &positions::CHESS[..10] {
            let task = Task::full(Line::new(positions::chess(fen)), 4);
            let mut whole = searcher(profile);
            let expected = search(&mut whole, task.clone());
            for slice in [1, 7, 1000, 0] {
                let mut sliced = searcher(profile);
                sliced.start(task.clone());
                let mut budget = || if slice == 0 { 1 + random.below(500) } else { slice };
                while sliced.run(budget()) == Status::Running {}
                assert_eq!(sliced.answer(), Some(expected.clone()), "{fen} in slices of {slice}");
                assert_eq!(sliced.nodes(), whole.nodes(), "{fen} in slices of {slice}");
            }
        }
    }
}

#[test]
fn only_the_root_moves_asked_for_are_searched() {
    for fen in &positions::CHESS[..10] {
        let position = positions::chess(fen);
        let mut values = Vec::new();
        for mv in position.moves() {
            let mut task = Task::full(Line::new(position.clone()), 2);
            task.root_moves = vec![mv];
            let answer = search(&mut searcher(Profile::Exact), task);
            assert_eq!(answer.pv.first(), Some(&mv), "{fen}");
            values.push(answer.value);
        }
        let all = Task::full(Line::new(position), 2);
        let best = search(&mut searcher(Profile::Exact), all).value;
        assert_eq!(values.into_iter().max(), Some(best), "{fen}");
    }
}

#[test]
fn several_lines_are_distinct_sorted_and_what_excluding_the_better_ones_finds() {
    for fen in positions::CHESS {
        let line = Line::new(positions::chess(fen));
        let wanted = line.position.moves().len().min(4);
        let mut request = Request::to_depth(line.clone(), 3);
        request.multipv = 4;
        let (report, _) = analyse(searcher(Profile::Exact), request);
        assert_eq!(report.lines.len(), wanted, "{fen}");
        let mut left = line.position.moves();
        for info in &report.lines {
            let mut task = Task::full(line.clone(), 3);
            task.root_moves.clone_from(&left);
            let alone = search(&mut searcher(Profile::Exact), task);
            assert_eq!(info.value, alone.value, "{fen} line {}", info.rank);
            let first = info.pv[0];
            assert!(left.contains(&first), "{fen}: {first} twice");
            left.retain(|&mv| mv != first);
        }
        assert!(report.lines.is_sorted_by(|one, next| one.value >= next.value), "{fen}");
    }
}

#[test]
fn classic_lines_are_sorted_too() {
    // In these `classic` once found a third line better than the second.
    let mates = [
        "5b2/q4r1p/p3k1p1/2pNppP1/1P6/3Q1P1P/P7/1K1R4 w - - 0 1",
        "2r5/2R5/3npkpp/3bN3/p4PP1/4K3/P1B4P/8 w - - 0 1",
        "8/p4pk1/6p1/3R4/3nqN1P/2Q3P1/5P2/3r1BK1 b - - 0 1",
        "4r3/5p1k/2p1nBpp/q2p4/P1bP4/2P1R2Q/2B2PPP/6K1 w - - 0 1",
    ];
    for fen in mates.iter().chain(&positions::CHESS[..8]) {
        let mut request = Request::to_depth(Line::new(positions::chess(fen)), 4);
        request.multipv = 3;
        let (report, _) = analyse(searcher(Profile::Classic), request);
        assert!(report.lines.is_sorted_by(|one, next| one.value >= next.value), "{fen}");
        assert!(report.lines.iter().map(|info| info.rank).eq(1..=report.lines.len() as u32));
        assert!(
            report.lines.iter().all(|info| info.value.abs() < MATE_BAND || !info.pv.is_empty())
        );
    }
}
