//! The conversation with engines that misbehave, on a clock of the test's own.

use std::time::Duration;

use engine_core::splitter::Splitter;
use engine_core::value::{Bound, Score};

use super::options::Options;
use super::session::{Output, Session};
use crate::choice::{FrontierChoice, ProfileName};
use crate::think::{Answer, Effort, Event, Found, Machine, Order, Setup, Trouble};

/// A session and what it wants, at a time that passes only when told to.
struct Talk {
    session: Session,
    now: Duration,
}

impl Talk {
    fn new() -> Self {
        let machine = Machine {
            threads: 1,
            leaf_threads: 0,
            splitter: Splitter::default(),
            hash_mb: 1,
            share_budget: 0,
        };
        let options = Options {
            setup: Setup { workers: 1, machine },
            multipv: 1,
            chess960: false,
            overhead: 0,
            profile: ProfileName::Exact,
        };
        let session = Session::new(options, FrontierChoice::Auto);
        Self { session, now: Duration::ZERO }
    }

    fn send(&mut self, line: &str) -> Vec<Output> {
        self.session.line(line, self.now);
        self.outputs()
    }

    fn hear(&mut self, id: u64, event: Event) -> Vec<Output> {
        self.session.event(id, event, self.now);
        self.outputs()
    }

    fn outputs(&mut self) -> Vec<Output> {
        std::iter::from_fn(|| self.session.poll()).collect()
    }

    /// Lets time pass until the session wants to be called, and calls it.
    fn time_out(&mut self) -> Vec<Output> {
        self.now = self.session.poll_timeout().expect("it waits for something");
        self.session.timeout(self.now);
        self.outputs()
    }
}

fn printed(outputs: &[Output]) -> Vec<&str> {
    let mut lines = Vec::new();
    for output in outputs {
        if let Output::Print(line) = output {
            lines.push(line.as_str());
        }
    }
    lines
}

fn answers(outputs: &[Output]) -> Vec<&str> {
    printed(outputs).into_iter().filter(|line| line.starts_with("bestmove")).collect()
}

/// The search that is wanted.
fn wanted(outputs: Vec<Output>) -> (u64, Order, bool) {
    let search = |output| match output {
        Output::Search { id, order, here } => Some((id, order, here)),
        _ => None,
    };
    outputs.into_iter().find_map(search).expect("a search")
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn found(depth: u32, nodes: u64, pv: &str) -> Event {
    let effort = Effort { nodes, ..Effort::default() };
    let (score, bound) = (Score::Centipawns(7), Bound::Exact);
    let pv = words(pv);
    Event::Line(Found { depth, deepest: depth, rank: 1, score, bound, effort, hashfull: 0, pv })
}

fn done(pv: &str) -> Event {
    let pv = words(pv);
    Event::Done(Answer {
        best: pv.first().cloned(),
        ponder: pv.get(1).cloned(),
        score: Score::Centipawns(7),
        depth: 3,
        effort: Effort::default(),
        pv,
        certain: true,
        sharing: None,
    })
}

#[test]
fn an_engine_that_ignores_a_stop_is_answered_for() {
    let mut talk = Talk::new();
    let (id, ..) = wanted(talk.send("go infinite"));
    talk.hear(id, found(3, 10, "e2e4 e7e5"));
    assert!(talk.send("stop").contains(&Output::Stop));
    let outputs = talk.time_out();
    assert!(outputs.contains(&Output::Abandon));
    assert_eq!(answers(&outputs), ["bestmove e2e4 ponder e7e5"]);
    assert!(talk.hear(id, done("d2d4 d7d5")).is_empty(), "too late");
}

#[test]
fn an_engine_that_never_says_anything_costs_no_game() {
    for limits in ["movetime 100", "wtime 1000 btime 1000", "wtime 0 btime 0", "nodes 5"] {
        let mut talk = Talk::new();
        talk.send("position startpos moves e2e4");
        talk.send(&format!("go {limits}"));
        if limits == "nodes 5" {
            talk.send("stop");
        }
        let outputs = talk.time_out();
        assert!(talk.now <= Duration::from_millis(900), "{limits}: {:?}", talk.now);
        assert_eq!(answers(&outputs).len(), 1, "{limits}: {outputs:?}");
        assert_ne!(answers(&outputs), ["bestmove (none)"]);
    }
}

#[test]
fn a_lost_master_leaves_the_rest_of_the_time_to_the_shim() {
    let mut talk = Talk::new();
    let (id, ..) = wanted(talk.send("go movetime 1000"));
    talk.hear(id, found(2, 500, "e2e4"));
    talk.now = Duration::from_millis(300);
    let outputs = talk.hear(id, Event::Failed(Trouble::Lost("gone\naway".into())));
    assert_eq!(printed(&outputs), ["info string gone away"]);
    let (again, order, here) = wanted(outputs);
    assert_eq!((again, here), (id, true));
    assert_eq!(order.limits.movetime, Some(Duration::from_millis(700)));
    let outputs = talk.hear(id, found(1, 20, "d2d4"));
    assert!(printed(&outputs)[0].contains(" nodes 520 "), "counts never shrink: {outputs:?}");
    // When even that fails, what is known is the answer.
    let outputs = talk.hear(id, Event::Failed(Trouble::Lost("no thread".into())));
    assert_eq!(answers(&outputs), ["bestmove d2d4"]);
}

#[test]
fn events_of_an_earlier_search_are_not_heard() {
    let mut talk = Talk::new();
    let (first, ..) = wanted(talk.send("go depth 3"));
    assert_eq!(answers(&talk.hear(first, done("e2e4"))), ["bestmove e2e4"]);
    let (second, ..) = wanted(talk.send("go depth 3"));
    assert!(talk.hear(first, done("a2a3")).is_empty());
    assert_eq!(answers(&talk.hear(second, done("d2d4"))), ["bestmove d2d4"]);
}

#[test]
fn what_an_engine_says_is_not_believed() {
    let mut talk = Talk::new();
    let (id, ..) = wanted(talk.send("go depth 3"));
    assert!(talk.hear(id, found(1, 1, "e2e5")).is_empty(), "an illegal line is no line");
    let outputs = talk.hear(id, found(2, 2, "e2e4 e7e5 e4e5"));
    assert!(printed(&outputs)[0].ends_with(" pv e2e4 e7e5"), "{outputs:?}");
    let outputs = talk.hear(id, done("h2h5"));
    assert_eq!(answers(&outputs), ["bestmove e2e4 ponder e7e5"]);
}

#[test]
fn options_wait_for_the_end_of_the_search_and_make_one_cluster() {
    let mut talk = Talk::new();
    let outputs = talk.send("isready");
    assert!(matches!(outputs[..], [Output::Print(_), Output::Configure(_)]), "{outputs:?}");
    let (id, ..) = wanted(talk.send("go depth 3"));
    assert!(talk.send("setoption name Threads value 3").is_empty());
    assert!(talk.send("setoption name Hash value 7").is_empty());
    talk.hear(id, done("e2e4"));
    let outputs = talk.send("isready");
    let setups = outputs.iter().filter(|output| matches!(output, Output::Configure(_)));
    assert_eq!(setups.count(), 1, "{outputs:?}");
    assert_eq!(printed(&talk.send("isready")), ["readyok"], "nothing has changed since");
}

#[test]
fn a_mate_that_was_looked_for_ends_the_search() {
    let mut talk = Talk::new();
    talk.send("position fen k7/8/1RK5/8/8/8/8/8 w - - 0 1");
    let (id, ..) = wanted(talk.send("go mate 3 infinite"));
    let mut line = found(5, 9, "b6b1 a8a7");
    if let Event::Line(found) = &mut line {
        found.score = Score::Mate(3);
    }
    assert!(talk.hear(id, line).contains(&Output::Stop));
}
