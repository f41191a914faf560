//! The plain sequential search on one thread: the reference everything is compared with, and the
//! last resort of the UCI shim when its master is gone.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use engine_core::game::{Game, Malformed};
use engine_core::line::Line;
use engine_core::search::deepen::{Analysis, MAX_DEPTH, Request};
use engine_core::search::report::{Info, Report};
use engine_core::search::{Searcher, Status};
use engine_core::table::Table;

use super::{Answer, Effort, Event, Found, Limits, Order, Progress, Sink, Trouble, lint, texts};
use crate::choice::with_game;

/// Nodes between two looks at the clock and the stop flag: a few milliseconds.
const SLICE: u64 = 4_096;
/// Time between two words about progress.
const PROGRESS: Duration = Duration::from_millis(250);

/// A searcher in this process, with its table and at most one search at a time.
pub struct Sequential {
    table: Arc<Table>,
    running: Option<Running>,
}

struct Running {
    switches: Arc<Switches>,
    thread: JoinHandle<()>,
}

/// What others tell a running search.
#[derive(Default)]
struct Switches {
    stop: AtomicBool,
    /// Time does not count yet.
    ponder: AtomicBool,
}

impl Sequential {
    /// With a table of `hash_mb` MB.
    pub fn new(hash_mb: usize) -> Self {
        Self { table: Arc::new(Table::new(hash_mb)), running: None }
    }

    /// Begins a search, after the end of the one before, which is stopped.
    ///
    /// # Errors
    /// The system has no thread left.
    pub fn search(&mut self, order: Order, sink: Sink) -> io::Result<()> {
        self.finish();
        let switches = Arc::new(Switches::default());
        switches.ponder.store(order.limits.ponder, Ordering::Relaxed);
        let (table, seen) = (Arc::clone(&self.table), Arc::clone(&switches));
        let work = move || with_game!(order.game, G => think::<G>(&order, &table, &seen, &sink));
        let thread = thread::Builder::new().name("search".into()).spawn(work)?;
        self.running = Some(Running { switches, thread });
        Ok(())
    }

    /// Stops the running search, which then answers.
    pub fn stop(&self) {
        if let Some(running) = &self.running {
            running.switches.stop.store(true, Ordering::Relaxed);
        }
    }

    /// The move pondered on was played.
    pub fn ponder_hit(&self) {
        if let Some(running) = &self.running {
            running.switches.ponder.store(false, Ordering::Relaxed);
        }
    }

    /// Forgets everything, as before a new game, and takes a table of `hash_mb` MB: a new one is
    /// empty at once, an old one takes time to clear.
    pub fn forget(&mut self, hash_mb: usize) {
        self.finish();
        self.table = Arc::new(Table::new(hash_mb));
    }

    /// Ends the running search and waits for it: a slice of work at most.
    fn finish(&mut self) {
        self.stop();
        if let Some(running) = self.running.take() {
            // A search that panicked has said all it had to say.
            let _ = running.thread.join();
        }
    }
}

impl Drop for Sequential {
    fn drop(&mut self) {
        self.finish();
    }
}

/// The whole life of one search.
fn think<G: Game>(order: &Order, table: &Arc<Table>, switches: &Switches, sink: &Sink) {
    let request = match request::<G>(order) {
        Ok(request) => request,
        Err(error) => return sink(Event::Failed(Trouble::Refused(error.to_string()))),
    };
    sink(Event::Begun { workers: 0 });
    let root = request.line.clone();
    let searcher = Searcher::new(order.profile, Arc::clone(table));
    let mut analysis = Analysis::new(searcher, request);
    let begin = Instant::now();
    let (mut clock_began, mut told) = ((!order.limits.ponder).then_some(begin), begin);
    let mut depth = 1;
    loop {
        let status = analysis.work(SLICE);
        let now = Instant::now();
        let effort = effort(analysis.nodes(), now - begin);
        while let Some(info) = analysis.poll_info() {
            depth = info.depth + 1;
            sink(Event::Line(found(&root, &info, effort.time, table.fullness())));
        }
        if clock_began.is_none() && !switches.ponder.load(Ordering::Relaxed) {
            clock_began = Some(now);
        }
        let spent = clock_began.map_or(Duration::ZERO, |began| now - began);
        let late = spent >= time_allowed(&order.limits);
        if status == Status::Done || late || switches.stop.load(Ordering::Relaxed) {
            break;
        }
        if now - told >= PROGRESS {
            told = now;
            sink(Event::Progress(Progress { depth, effort, leaves: 0, leaves_open: 0 }));
        }
    }
    sink(Event::Done(answer(&root, &analysis.report(), begin.elapsed())));
}

fn request<G: Game>(order: &Order) -> Result<Request<G>, Malformed> {
    let line: Line<G> = order.line()?;
    let limits = &order.limits;
    let root_moves = limits
        .root_moves
        .iter()
        .map(|text| line.position.parse_move(text))
        .collect::<Result<_, _>>()?;
    Ok(Request {
        line,
        depth: limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH),
        nodes: limits.nodes.unwrap_or(u64::MAX),
        multipv: order.multipv.max(1) as usize,
        root_moves,
    })
}

/// How long a search may take. By the clock: a thirtieth of what is left and most of what the
/// overhead leaves of the increment, never more than half of what is left.
fn time_allowed(limits: &Limits) -> Duration {
    let by_clock = limits.clock.map(|clock| {
        let overhead = limits.overhead.unwrap_or_default();
        let safe = clock.remaining.saturating_sub(overhead);
        let moves = clock.moves_to_go.unwrap_or(30).max(1);
        (safe / moves + clock.increment.saturating_sub(overhead) * 3 / 4).min(safe / 2)
    });
    let given = limits.movetime.into_iter().chain(by_clock);
    given.min().unwrap_or(Duration::MAX)
}

fn effort(nodes: u64, time: Duration) -> Effort {
    Effort { nodes, time, workers: 0, passes: 0 }
}

fn found<G: Game>(root: &Line<G>, info: &Info<G>, time: Duration, hashfull: u32) -> Found {
    Found {
        depth: info.depth,
        deepest: info.deepest,
        rank: info.rank,
        score: info.score(),
        bound: info.bound,
        effort: effort(info.nodes, time),
        hashfull,
        pv: line_text(root, &info.pv),
    }
}

fn answer<G: Game>(root: &Line<G>, report: &Report<G>, time: Duration) -> Answer {
    let pv = report.lines.first().map_or_else(Vec::new, |best| line_text(root, &best.pv));
    Answer {
        best: pv.first().cloned(),
        ponder: pv.get(1).cloned(),
        score: report.score(),
        depth: report.depth,
        effort: effort(report.nodes, time),
        pv,
        certain: report.certain,
    }
}

fn line_text<G: Game>(root: &Line<G>, pv: &[G::Move]) -> Vec<String> {
    let all = texts(&root.position, pv);
    texts(&root.position, &lint(root, &all))
}
