//! A search in this process, without any cluster: on one thread the plain sequential one, the
//! reference everything is compared with; on several they share the tree. Also the last resort of
//! the UCI shim when its master is gone.

use std::any::Any;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use engine_core::drive::analysis::{Stopper, Thinkers};
use engine_core::drive::gang::{Hiring, unprepared};
use engine_core::dts::Tuning;
use engine_core::game::{Game, Malformed};
use engine_core::line::Line;
use engine_core::search::Status;
use engine_core::search::deepen::{MAX_DEPTH, Request};
use engine_core::search::report::{Info, Report};
use engine_core::table::Table;

use super::{
    Answer, Effort, Event, Found, Limits, Machine, Order, Progress, Sink, Trouble, lint, texts,
};
use crate::choice::with_game;

/// Time between two words about progress.
const PROGRESS: Duration = Duration::from_millis(250);
/// Time between two looks at whether the move pondered on was played.
const PONDER: Duration = Duration::from_millis(5);

/// Search threads in this process, with their table and at most one search at a time.
pub struct Alone {
    machine: Machine,
    table: Arc<Table>,
    /// Threads that sleep, [`Thinkers`] of some game.
    resting: Option<Box<dyn Any + Send>>,
    running: Option<Running>,
}

struct Running {
    stopper: Stopper,
    /// Time does not count yet.
    ponder: Arc<AtomicBool>,
    /// Gives the search threads back.
    thread: JoinHandle<Box<dyn Any + Send>>,
}

impl Alone {
    /// With the threads and the table of `machine`.
    pub fn new(machine: Machine) -> Self {
        let table = Arc::new(Table::new(machine.hash_mb as usize));
        Self { machine, table, resting: None, running: None }
    }

    /// Begins a search, after the end of the one before, which is stopped.
    ///
    /// # Errors
    /// The system has no thread left.
    pub fn search(&mut self, order: Order, sink: Sink) -> io::Result<()> {
        self.finish();
        with_game!(order.game, G => self.begin::<G>(order, sink))
    }

    fn begin<G: Game>(&mut self, order: Order, sink: Sink) -> io::Result<()> {
        let request = match request::<G>(&order) {
            Ok(request) => request,
            Err(error) => {
                sink(Event::Failed(Trouble::Refused(error.to_string())));
                return Ok(());
            }
        };
        let mut thinkers = self.thinkers::<G>()?;
        let (stopper, root) = (thinkers.stopper(), request.line.clone());
        let ponder = Arc::new(AtomicBool::new(order.limits.ponder));
        let table = Arc::clone(&self.table);
        // Begun here and now: a stop from now on finds something to stop.
        thinkers.begin(request, order.profile, true);
        let search = Search { thinkers, root, limits: order.limits, table };
        let pondering = Arc::clone(&ponder);
        let work = move || -> Box<dyn Any + Send> { Box::new(search.follow(&pondering, &sink)) };
        let thread = thread::Builder::new().name("follow".into()).spawn(work)?;
        self.running = Some(Running { stopper, ponder, thread });
        Ok(())
    }

    /// The threads of the last search, if it was of the same game, else others.
    fn thinkers<G: Game>(&mut self) -> io::Result<Thinkers<G>> {
        if let Some(resting) = self.resting.take()
            && let Ok(thinkers) = resting.downcast::<Thinkers<G>>()
        {
            return Ok(*thinkers);
        }
        let Machine { threads, splitter, .. } = self.machine;
        Thinkers::new(Hiring {
            threads: threads as usize,
            splitter,
            tuning: Tuning::threads(),
            table: Arc::clone(&self.table),
            prepare: unprepared(),
        })
    }

    /// Stops the running search, which then answers.
    pub fn stop(&self) {
        if let Some(running) = &self.running {
            running.stopper.stop();
        }
    }

    /// The move pondered on was played.
    pub fn ponder_hit(&self) {
        if let Some(running) = &self.running {
            running.ponder.store(false, Ordering::Relaxed);
        }
    }

    /// Forgets everything, as before a new game, and takes the threads and the table of `machine`:
    /// a new table is empty at once, an old one takes time to clear.
    pub fn forget(&mut self, machine: Machine) {
        self.finish();
        *self = Self::new(machine);
    }

    /// Ends the running search and waits for it: about a millisecond.
    fn finish(&mut self) {
        self.stop();
        if let Some(running) = self.running.take() {
            // A search that panicked has said all it had to say.
            self.resting = running.thread.join().ok();
        }
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        self.finish();
    }
}

/// A search under way.
struct Search<G: Game> {
    thinkers: Thinkers<G>,
    root: Line<G>,
    limits: Limits,
    table: Arc<Table>,
}

impl<G: Game> Search<G> {
    /// Tells everything about it until its end; gives the threads back.
    fn follow(self, ponder: &AtomicBool, sink: &Sink) -> Thinkers<G> {
        sink(Event::Begun { workers: 0 });
        let (begin, allowed) = (Instant::now(), time_allowed(&self.limits));
        let (mut clock_began, mut told) = (begin, begin);
        let mut depth = 1;
        loop {
            let pondering = ponder.load(Ordering::Relaxed);
            if pondering {
                clock_began = Instant::now();
            }
            let left = allowed.saturating_sub(clock_began.elapsed());
            let patience = if pondering { PONDER } else { PROGRESS.min(left) };
            let status = match self.thinkers.wait(patience) {
                Ok(status) => status,
                Err(error) => {
                    sink(Event::Failed(Trouble::Lost(error.to_string())));
                    return self.thinkers;
                }
            };
            let effort = effort(self.thinkers.nodes(), begin.elapsed());
            while let Some(info) = self.thinkers.poll_info() {
                depth = info.depth + 1;
                let hashfull = self.table.fullness();
                sink(Event::Line(found(&self.root, &info, effort.time, hashfull)));
            }
            if status == Status::Done {
                break;
            }
            if !pondering && clock_began.elapsed() >= allowed {
                self.thinkers.stopper().stop();
            }
            if told.elapsed() >= PROGRESS {
                told = Instant::now();
                sink(Event::Progress(Progress { depth, effort, leaves: 0, leaves_open: 0 }));
            }
        }
        if let Some(report) = self.thinkers.report() {
            sink(Event::Done(answer(&self.root, &report, begin.elapsed())));
        }
        self.thinkers
    }
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
        sharing: None,
    }
}

fn line_text<G: Game>(root: &Line<G>, pv: &[G::Move]) -> Vec<String> {
    let all = texts(&root.position, pv);
    texts(&root.position, &lint(root, &all))
}
