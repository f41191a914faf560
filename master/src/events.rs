//! What a client hears of its search.

use std::collections::VecDeque;

use engine_core::game::Game;
use engine_core::search::report::{Info, Report};
use engine_core::value::Score;
use proto::v1;
use proto::v1::search_event::Kind;

use crate::outbox::Slots;

/// Unread lines of play; a client that does not read them loses the oldest. Lines come once an
/// iteration, of which there are at most 100 in a search, so this is far from every real client.
const MOST_LINES: usize = 4096;

/// Unread events, at most one of each kind but lines of play.
#[derive(Debug, Default)]
pub(crate) struct Events {
    accepted: Option<v1::Accepted>,
    lines: VecDeque<v1::Info>,
    progress: Option<v1::Progress>,
    result: Option<v1::Result>,
}

impl Events {
    /// Puts an event in its place.
    pub fn put(&mut self, event: Kind) {
        match event {
            Kind::Accepted(accepted) => self.accepted = Some(accepted),
            Kind::Info(info) => {
                if self.lines.len() >= MOST_LINES {
                    self.lines.pop_front();
                }
                self.lines.push_back(info);
            }
            Kind::Progress(progress) => self.progress = Some(progress),
            // After the result nothing else is of interest but the lines that led to it.
            Kind::Result(result) => {
                self.progress = None;
                self.result = Some(result);
            }
        }
    }
}

impl Slots for Events {
    type Item = v1::SearchEvent;

    fn next(&mut self) -> Option<v1::SearchEvent> {
        let kind = self
            .accepted
            .take()
            .map(Kind::Accepted)
            .or_else(|| self.lines.pop_front().map(Kind::Info))
            .or_else(|| self.progress.take().map(Kind::Progress))
            .or_else(|| self.result.take().map(Kind::Result))?;
        Some(v1::SearchEvent { kind: Some(kind) })
    }
}

/// What is true of a search besides its lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Circumstances {
    /// Since it began, ms.
    pub time_ms: u64,
    /// Workers, as the event to be written counts them.
    pub workers: u32,
    /// Passes of the master.
    pub passes: u64,
    /// Leaves in the APHID table.
    pub leaves: u64,
    /// Part of the master's table in use, permille.
    pub hashfull: u32,
}

/// A line of play on the wire.
pub(crate) fn info<G: Game>(root: &G, info: &Info<G>, around: Circumstances) -> v1::Info {
    v1::Info {
        depth: info.depth,
        deepest: info.deepest,
        rank: info.rank,
        score: Some(info.score().into()),
        bound: v1::Bound::from(info.bound).into(),
        pv: texts(root, &info.pv),
        nodes: info.nodes,
        time_ms: around.time_ms,
        nps: nodes_per_second(info.nodes, around.time_ms),
        workers: around.workers,
        hashfull: around.hashfull,
        passes: around.passes,
        leaves: around.leaves,
    }
}

/// The result on the wire.
pub(crate) fn result<G: Game>(
    root: &G,
    report: &Report<G>,
    around: Circumstances,
    sharing: v1::Sharing,
) -> v1::Result {
    let pv = report.lines.first().map(|line| texts(root, &line.pv)).unwrap_or_default();
    v1::Result {
        bestmove: pv.first().cloned(),
        ponder: pv.get(1).cloned(),
        score: Some(Score::new(report.value(), G::UNIT).into()),
        depth: report.depth,
        nodes: report.nodes,
        time_ms: around.time_ms,
        pv,
        workers: around.workers,
        passes: report.passes,
        certain: report.certain,
        sharing: Some(sharing),
    }
}

/// The moves of a line that begins at `root`, as text.
fn texts<G: Game>(root: &G, line: &[G::Move]) -> Vec<String> {
    let mut position = root.clone();
    let text = |&mv: &G::Move| {
        let text = position.move_text(mv);
        position.play(mv);
        text
    };
    line.iter().map(text).collect()
}

/// Speed over a time in ms, of which there is always some.
fn nodes_per_second(nodes: u64, time_ms: u64) -> u64 {
    nodes.saturating_mul(1000) / time_ms.max(1)
}

#[cfg(test)]
mod tests {
    use engine_core::games::othello::Othello;

    use super::*;

    fn read(events: &mut Events) -> Vec<Kind> {
        std::iter::from_fn(|| events.next()?.kind).collect()
    }

    #[test]
    fn only_the_newest_progress_and_every_line_is_kept() {
        let mut events = Events::default();
        let line = |depth| Kind::Info(v1::Info { depth, ..v1::Info::default() });
        let progress = |depth| Kind::Progress(v1::Progress { depth, ..v1::Progress::default() });
        for event in [line(1), progress(1), line(2), progress(2)] {
            events.put(event);
        }
        events.put(Kind::Accepted(v1::Accepted { workers: 3 }));
        let read = read(&mut events);
        let accepted = Kind::Accepted(v1::Accepted { workers: 3 });
        assert_eq!(read, [accepted, line(1), line(2), progress(2)]);
    }

    #[test]
    fn a_result_comes_last_and_a_deaf_client_costs_bounded_memory() {
        let mut events = Events::default();
        for depth in 0..=MOST_LINES as u32 {
            events.put(Kind::Info(v1::Info { depth, ..v1::Info::default() }));
        }
        events.put(Kind::Result(v1::Result::default()));
        let read = read(&mut events);
        assert_eq!(read.len(), MOST_LINES + 1);
        assert!(matches!(read[0], Kind::Info(v1::Info { depth: 1, .. })));
        assert!(matches!(read[MOST_LINES], Kind::Result(_)));
    }

    #[test]
    fn lines_are_written_from_the_root_on() {
        let root = Othello::start();
        let first = root.moves()[0];
        let second = root.after(first).moves()[0];
        let texts = texts(&root, &[first, second]);
        assert_eq!(texts, [root.move_text(first), root.after(first).move_text(second)]);
    }
}
