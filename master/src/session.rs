//! One search: a thread that owns the APHID master and turns what happens into what is sent.
//!
//! The loop takes in inputs, lets the master work for a slice, delivers its outputs and sleeps
//! when there is nothing to do. It never waits for a worker, a client or a lock held for long, so
//! a deadline or a stop is acted on within a slice.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use engine_core::aphid::master::{Output, Pace, SlaveId};
use engine_core::aphid::messages::ToMaster;
use engine_core::game::Game;
use engine_core::search::report::{Info, Report};
use proto::v1;
use proto::v1::search_event::Kind;

use crate::clock::Clock;
use crate::events::{self, Circumstances, Events};
use crate::hub::{Hub, Opening, Running, Ticket, count};
use crate::inbox::Input;
use crate::late::Late;
use crate::local::{LocalSlave, be_nice};
use crate::mind::Mind;
use crate::outbox::Outbox;
use crate::request::Order;

/// Nodes of the master's own tree between two looks at the inputs: about a millisecond.
const SLICE: u64 = 1_000;
/// Time between two words about progress.
const PROGRESS: Duration = Duration::from_millis(250);
/// The thinker gives way to the thread that moves messages, and search threads (nice 19) to it.
const THINKER_NICE: i32 = 5;

/// Starts the search. It reports to `events`, whose end is the end of the search.
///
/// # Errors
/// The system has no thread left.
pub(crate) fn start<G: Game>(
    hub: Arc<Hub>,
    order: Order<G>,
    opening: Opening<G>,
    events: Outbox<Events>,
) -> io::Result<()> {
    let thread = thread::Builder::new().name("thinker".to_owned());
    thread.spawn(move || {
        be_nice(THINKER_NICE);
        Thinker::new(hub, order, opening, events).run();
    })?;
    Ok(())
}

struct Thinker<G: Game> {
    hub: Arc<Hub>,
    ticket: Ticket,
    running: Running,
    mind: Mind<G>,
    local: Option<LocalSlave<G>>,
    events: Outbox<Events>,
    root: G,
    clock: Clock,
    /// The client wants no answer before a stop.
    infinite: bool,
    /// The client wants the answer now.
    stopped: bool,
    /// The client wants nothing any more.
    hung_up: bool,
    finished: Option<Report<G>>,
    next_progress: Instant,
    /// Passes made before this search.
    passes_before: u64,
    /// What came too late for this search.
    late: Late,
    /// Leaves taken from workers that left.
    reassigned: u64,
}

impl<G: Game> Thinker<G> {
    /// Begins the search and gives everybody who is there a part in it.
    fn new(hub: Arc<Hub>, order: Order<G>, opening: Opening<G>, events: Outbox<Events>) -> Self {
        let Opening { mut mind, recruits, fresh, running, ticket } = opening;
        let stats = mind.master.stats();
        let workers = recruits.len();
        mind.muster(recruits);
        let root = order.request.line.position.clone();
        tracing::info!(
            game = G::NAME,
            position = running.position,
            profile = order.profile.name(),
            workers,
            "search begins"
        );
        events.post(|events| {
            events.put(Kind::Accepted(v1::Accepted { workers: workers as u32 }));
        });
        mind.master.begin(order.request, order.profile, fresh);
        Self {
            clock: Clock::start(order.budget, order.ponder, running.started),
            next_progress: running.started + PROGRESS,
            infinite: order.infinite,
            stopped: false,
            hung_up: false,
            finished: None,
            local: None,
            passes_before: stats.passes,
            late: Late::default(),
            reassigned: 0,
            hub,
            ticket,
            running,
            mind,
            events,
            root,
        }
    }

    fn run(mut self) {
        while !self.is_over() {
            self.man();
            let pace = self.think();
            self.deliver();
            self.tell();
            if pace == Pace::Waiting
                && !self.is_over()
                && let Some(input) = self.running.inbox.wait(self.wake_at())
            {
                self.take(input);
            }
            while let Some(input) = self.running.inbox.try_take() {
                self.take(input);
            }
        }
        self.conclude();
    }

    /// The client has had or is to get what it wanted.
    fn is_over(&self) -> bool {
        let withheld = !self.stopped && (self.infinite || self.clock.is_pondering());
        self.hung_up || (self.finished.is_some() && !withheld)
    }

    /// Sees to it that there is somebody to search: the local slave while there is no worker.
    fn man(&mut self) {
        let needed = self.mind.crew.len() == 0 && self.finished.is_none();
        if needed && self.local.is_none() {
            let id = self.hub.draw_slave();
            let inbox = Arc::clone(&self.running.inbox);
            match LocalSlave::start(id, self.mind.table(), inbox) {
                Ok(local) => {
                    self.local = Some(local);
                    self.mind.master.join(SlaveId(id), 1);
                }
                // The next worker goes on; until then the answer is what is known.
                Err(error) => tracing::error!(%error, "cannot start the local slave"),
            }
        } else if !needed && let Some(local) = self.local.take() {
            self.mind.master.leave(SlaveId(local.id()));
            local.dismiss();
        }
    }

    // --- thinking ------------------------------------------------------------------------------

    /// Lets the master work for a slice, or stops it when its time is up.
    fn think(&mut self) -> Pace {
        if self.finished.is_some() {
            return Pace::Waiting;
        }
        let now = self.now();
        if self.mind.master.poll_timeout().is_some_and(|at| at <= now) {
            self.mind.master.handle_timeout(now);
        }
        let due = self.clock.deadline().is_some_and(|deadline| Instant::now() >= deadline);
        if due || self.stopped || self.hung_up {
            self.mind.master.stop();
            return Pace::Waiting;
        }
        self.mind.master.work(SLICE, now)
    }

    /// Microseconds on the master's monotonic clock.
    fn now(&self) -> u64 {
        self.hub.born.elapsed().as_micros() as u64
    }

    /// When to wake up if nothing happens; nothing: there is nothing to wait for but inputs.
    fn wake_at(&self) -> Option<Instant> {
        if self.finished.is_some() {
            return None;
        }
        let timeout = self.mind.master.poll_timeout().map(Duration::from_micros);
        let timeout = timeout.and_then(|at| self.hub.born.checked_add(at));
        let times = [self.clock.deadline(), timeout, Some(self.next_progress)];
        times.into_iter().flatten().min()
    }

    // --- inputs --------------------------------------------------------------------------------

    fn take(&mut self, input: Input) {
        match input {
            Input::Join(recruit) => {
                tracing::info!(worker = recruit.label, "worker takes part in the running search");
                self.mind.enlist(recruit);
            }
            Input::Leave { worker, reason } => {
                if let Some((label, leaves)) = self.do_without(worker) {
                    tracing::warn!(
                        worker = label,
                        leaves,
                        "worker left the running search ({reason}); its {leaves} leaves go to others"
                    );
                }
            }
            Input::Pause { worker, reason } => {
                if let Some((label, leaves)) = self.do_without(worker) {
                    tracing::info!(
                        worker = label,
                        leaves,
                        "worker pauses in the running search ({reason}); its {leaves} leaves go to others"
                    );
                }
            }
            Input::Report { worker, message, permit } => {
                self.merge(worker, message);
                drop(permit);
            }
            Input::LocalNews => self.merge_local(),
            Input::Stop => self.stopped = true,
            Input::PonderHit => self.clock.ponder_hit(Instant::now()),
            Input::HungUp => self.hung_up = true,
        }
    }

    fn merge(&mut self, slave: u64, message: ToMaster) {
        let before = Late::dropped(&self.mind.master.stats());
        let now = self.now();
        self.mind.master.handle(SlaveId(slave), message, now);
        let late = Late::dropped(&self.mind.master.stats()) - before;
        if late != Late::default() {
            self.late += late;
            self.mind.crew.note_late(slave, late);
            self.hub.counters.late.add(late);
        }
    }

    fn merge_local(&mut self) {
        let Some(local) = &self.local else { return };
        let (id, crashed) = (local.id(), local.crashed());
        for message in local.collect() {
            self.merge(id, message);
        }
        if crashed {
            tracing::error!("the local slave has died of a bug in the search");
            self.mind.master.stop();
        }
    }

    /// A worker takes part no more. Its label, and how many leaves go to others.
    fn do_without(&mut self, worker: u64) -> Option<(String, u64)> {
        let seat = self.mind.crew.unseat(worker)?;
        let leaves = self.mind.master.leave(SlaveId(worker));
        self.reassigned += leaves;
        count(&self.hub.counters.reassigned_leaves, leaves);
        Some((seat.label, leaves))
    }

    // --- outputs -------------------------------------------------------------------------------

    /// Sends what the master has to say.
    fn deliver(&mut self) {
        while let Some(output) = self.mind.master.poll_output() {
            match output {
                Output::ToSlave { slave, message } => match &self.local {
                    Some(local) if local.id() == slave.0 => local.post(message),
                    _ => self.mind.crew.post(slave.0, &message),
                },
                Output::Info(lines) => self.tell_lines(&lines),
                Output::Finished(report) => self.finished = Some(report),
            }
        }
    }

    fn tell_lines(&mut self, lines: &[Info<G>]) {
        let around = self.circumstances(self.mind.crew.len());
        self.events.post(|events| {
            for line in lines {
                events.put(Kind::Info(events::info(&self.root, line, around)));
            }
        });
        if !self.clock.allows_iteration(Instant::now()) {
            self.mind.master.stop();
        }
    }

    /// A word about progress now and then, to the client and to onlookers.
    fn tell(&mut self) {
        let now = Instant::now();
        if now < self.next_progress || self.finished.is_some() {
            return;
        }
        self.next_progress = now + PROGRESS;
        let around = self.circumstances(self.mind.crew.len());
        let (depth, nodes) = (self.mind.master.depth(), self.mind.master.nodes());
        let standing = &self.running.standing;
        standing.depth.store(depth.into(), Relaxed);
        standing.nodes.store(nodes, Relaxed);
        standing.leaves.store(around.leaves, Relaxed);
        standing.passes.store(around.passes, Relaxed);
        let progress = v1::Progress {
            depth,
            nodes,
            time_ms: around.time_ms,
            workers: around.workers,
            leaves: around.leaves,
            leaves_open: self.mind.master.stats().uncertain,
            passes: around.passes,
        };
        self.events.post(|events| events.put(Kind::Progress(progress)));
    }

    fn circumstances(&self, workers: usize) -> Circumstances {
        let stats = self.mind.master.stats();
        Circumstances {
            time_ms: self.running.started.elapsed().as_millis() as u64,
            workers: workers as u32,
            passes: stats.passes - self.passes_before,
            leaves: stats.leaves,
            hashfull: self.mind.master.hashfull(),
        }
    }

    /// Gives the answer, if anybody still wants it, and the place back.
    fn conclude(mut self) {
        self.mind.master.stop();
        self.deliver();
        if let Some(local) = self.local.take() {
            self.mind.master.leave(SlaveId(local.id()));
            local.dismiss();
        }
        let Some(report) = self.finished.take() else { return };
        let around = self.circumstances(self.mind.crew.most());
        let result = events::result(&self.root, &report, around, self.hub.shared());
        tracing::info!(
            bestmove = result.bestmove.as_deref().unwrap_or("none"),
            score = %report.score(),
            depth = result.depth,
            nodes = result.nodes,
            time_ms = result.time_ms,
            workers = result.workers,
            passes = result.passes,
            late_results = self.late.results,
            late_reports = self.late.reports,
            reassigned_leaves = self.reassigned,
            "{}",
            if self.hung_up { "search given up: the client hung up" } else { "search ends" }
        );
        self.ticket.finish(self.mind, result);
    }
}
