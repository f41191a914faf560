//! The simulated cluster: one event after the other, and after each of them the checkers.

use std::collections::BTreeSet;

use engine_core::aphid::master::{Config, Master, Output, Pace, SlaveId};
use engine_core::aphid::messages::{Bounds, Event, SearchTag, ToMaster, ToSlave};
use engine_core::game::Game;
use engine_core::random::SplitMix64;
use engine_core::search::report::Report;

use super::check::merge::Merging;
use super::check::ownership::Ownership;
use super::check::progress::Progress;
use super::check::{Verdict, bounds, progress, value};
use super::faults::{Fault, Faults};
use super::network::{Direction, Network};
use super::options::{Options, Sabotage};
use super::question::Question;
use super::rumours::Rumours;
use super::trace::{self, Trace};
use super::worker::Worker;
use crate::clock::{Agenda, Time};

/// The master's incarnation.
const EPOCH: u64 = 0xa9;

/// Something that will happen.
#[derive(Debug)]
pub enum Happening<G: Game> {
    /// The master works.
    MasterTurn,
    /// The master asked to be woken.
    MasterTimeout,
    /// A thread of a worker searches.
    Turn { worker: usize, life: u32, lane: usize },
    /// A message reaches the master's end of a connection.
    ToMaster { from: SlaveId, message: ToMaster },
    /// A message reaches the worker's end of a connection.
    ToSlave { to: SlaveId, message: ToSlave<G> },
    /// Something goes wrong, or gets well.
    Fault(Fault),
    /// The user stops the search of that number.
    Stop { search: u32 },
}

/// Everything there is.
#[derive(Debug)]
pub struct World<G: Game> {
    pub(super) options: Options,
    pub(super) now: Time,
    pub(super) agenda: Agenda<Happening<G>>,
    pub(super) master: Master<G>,
    master_free: Time,
    master_scheduled: bool,
    timeout: Option<Time>,
    pub(super) workers: Vec<Worker<G>>,
    pub(super) connections: u64,
    pub(super) members: BTreeSet<SlaveId>,
    pub(super) under_way: usize,
    pub(super) network: Network,
    pub(super) faults: Faults,
    pub(super) rumours: Rumours,
    pub(super) random: SplitMix64,
    pub(super) question: Option<Question<G>>,
    /// Searches begun.
    pub searches: u32,
    /// Searches that were stopped half-way.
    pub stopped: u32,
    pub(super) current: SearchTag,
    pub(super) ownership: Ownership,
    merging: Merging,
    progress: Progress,
    /// What happened last.
    pub trace: Trace,
    /// Events so far.
    pub steps: u64,
}

impl<G: Game> World<G> {
    /// The cluster of `options`, before its first search.
    pub fn new(options: Options) -> Self {
        let mut config = Config::new(EPOCH, options.frontier());
        config.refresh = options.refresh;
        config.table_mb = 1;
        config.speculate = options.speculate;
        let mut seeds = SplitMix64::new(options.seed ^ 0x5eed);
        Self {
            now: 0,
            agenda: Agenda::default(),
            master: Master::new(config),
            master_free: 0,
            master_scheduled: false,
            timeout: None,
            workers: Vec::new(),
            connections: 0,
            members: BTreeSet::new(),
            under_way: 0,
            network: Network::new(seeds.next_u64()),
            faults: Faults::new(seeds.next_u64()),
            random: SplitMix64::new(seeds.next_u64()),
            rumours: Rumours::new(seeds.next_u64()),
            question: None,
            searches: 0,
            stopped: 0,
            current: SearchTag { epoch: EPOCH, search: 0 },
            ownership: Ownership::default(),
            merging: Merging::default(),
            progress: Progress::default(),
            trace: Trace::default(),
            steps: 0,
            options,
        }
    }

    /// The master's counters.
    pub fn stats(&self) -> engine_core::aphid::master::Stats {
        self.master.stats()
    }

    /// Whole searches, one after the other, until `steps` events have happened and the last
    /// search is over.
    ///
    /// # Errors
    /// The first broken promise.
    pub fn run(&mut self, steps: u64) -> Verdict {
        for _ in 0..self.options.workers {
            self.arrive()?;
        }
        while self.steps < steps || self.question.is_some() {
            if self.question.is_none() {
                self.ask()?;
            }
            self.step()?;
        }
        Ok(())
    }

    /// `happening` comes about after `delay`.
    pub(super) fn later(&mut self, delay: Time, happening: Happening<G>) {
        self.agenda.add(self.now + delay, happening);
    }

    fn step(&mut self) -> Verdict {
        self.progress.at(self.agenda.next_time())?;
        let Some((now, happening)) = self.agenda.take_until(Time::MAX) else { return Ok(()) };
        self.now = now;
        self.steps += 1;
        self.hear();
        match happening {
            Happening::MasterTurn => self.master_turn()?,
            Happening::MasterTimeout => self.master_timeout()?,
            Happening::Turn { worker, life, lane } => self.turn(worker, life, lane)?,
            Happening::ToMaster { from, message } => {
                self.under_way -= 1;
                self.reach_master(from, message)?;
            }
            Happening::ToSlave { to, message } => {
                self.under_way -= 1;
                self.reach_slave(to, message)?;
            }
            Happening::Fault(fault) => {
                self.trace.note(self.steps, now, &format!("{fault:?}"));
                self.fault(fault)?;
            }
            Happening::Stop { search } => self.stop(search)?,
        }
        bounds::under_way(self.under_way, self.workers.len())
    }

    // --- searches ------------------------------------------------------------------------------

    fn ask(&mut self) -> Verdict {
        let question: Question<G> = Question::draw(&mut self.random, &self.options);
        self.searches += 1;
        self.current.search = self.searches;
        self.ownership.begun(Some(self.current));
        let calm = self.faults.begun(&self.options, self.now, question.nodes);
        self.progress.begun(&self.options, question.nodes, calm);
        let search = self.searches;
        let pause = self.faults.pause(&self.options);
        self.later(pause, Happening::Fault(Fault::Strike { search }));
        if self.random.below(100) < self.options.stop_percent {
            let when = self.random.below(1 + question.nodes);
            self.later(when, Happening::Stop { search });
        }
        self.trace.note(self.steps, self.now, &format!("search {search} begins, calm at {calm}"));
        let fresh = self.random.below(2) == 0;
        self.master.begin(question.request.clone(), self.options.profile(), fresh);
        self.question = Some(question);
        self.wake_master();
        self.after_master()
    }

    fn stop(&mut self, search: u32) -> Verdict {
        if search != self.searches || self.question.is_none() {
            return Ok(());
        }
        self.trace.note(self.steps, self.now, "stop");
        self.master.stop();
        let reports = self.post()?;
        self.stopped += 1;
        let question = self.question.take();
        self.progress.finished();
        self.ownership.begun(None);
        progress::answered(reports.len())?;
        match (question, reports.first()) {
            (Some(question), Some(report)) => value::legal(&question, report),
            _ => Ok(()),
        }
    }

    fn finish(&mut self, report: &Report<G>) -> Verdict {
        self.progress.finished();
        self.ownership.begun(None);
        let Some(question) = self.question.take() else { return Ok(()) };
        self.trace.note(self.steps, self.now, &format!("search {} is over", self.searches));
        value::complete(&question, report, self.options.exact)
    }

    // --- the master ----------------------------------------------------------------------------

    fn master_turn(&mut self) -> Verdict {
        self.master_scheduled = false;
        let before = self.master.stats().master_nodes;
        let pace = self.master.work(self.options.slice, self.now);
        let spent = self.master.stats().master_nodes - before;
        self.master_free = self.now + spent.max(1);
        self.after_master()?;
        if pace == Pace::Busy {
            self.wake_master();
        }
        Ok(())
    }

    fn master_timeout(&mut self) -> Verdict {
        self.timeout = None;
        if self.master.poll_timeout().is_some_and(|due| due <= self.now) {
            self.trace.note(self.steps, self.now, "the master's time-out");
            self.master.handle_timeout(self.now);
        }
        self.after_master()
    }

    pub(super) fn reach_master(&mut self, from: SlaveId, mut message: ToMaster) -> Verdict {
        let sabotage = self.options.sabotage;
        if let Event::Result(result) = &mut message.event {
            match sabotage {
                Some(Sabotage::Loss) => return Ok(()),
                Some(Sabotage::Value) => result.bounds = Bounds { lower: 4_321, upper: 4_321 },
                Some(Sabotage::Owner | Sabotage::Forgery | Sabotage::Rumour) | None => {}
            }
        }
        let text = format!("slave {} -> master: {}", from.0, trace::to_master(&message));
        self.trace.note(self.steps, self.now, &text);
        if let Event::Result(result) = &message.event {
            self.merging.delivered(self.ownership.owns(from, message.search, result.tag));
            if sabotage == Some(Sabotage::Forgery) {
                self.master.handle(from, message.clone(), self.now);
            }
        }
        self.master.handle(from, message, self.now);
        self.wake_master();
        self.after_master()
    }

    /// After every call of the master: posts what it says, sets its alarm.
    pub(super) fn after_master(&mut self) -> Verdict {
        let reports = self.post()?;
        self.merging.agrees(self.master.stats())?;
        for report in &reports {
            self.finish(report)?;
        }
        if let Some(due) = self.master.poll_timeout()
            && self.timeout.is_none_or(|planned| due < planned)
        {
            self.timeout = Some(due);
            self.agenda.add(due.max(self.now), Happening::MasterTimeout);
        }
        Ok(())
    }

    /// The master gets a turn as soon as it is free.
    pub(super) fn wake_master(&mut self) {
        if !self.master_scheduled {
            self.master_scheduled = true;
            self.agenda.add(self.master_free.max(self.now), Happening::MasterTurn);
        }
    }

    /// Sends off what the master says; final reports come back.
    fn post(&mut self) -> Result<Vec<Report<G>>, super::check::Violation> {
        let outputs: Vec<_> = std::iter::from_fn(|| self.master.poll_output()).collect();
        bounds::master_output(outputs.len(), self.members.len())?;
        let uncertain = self.master.stats().uncertain;
        let mut reports = Vec::new();
        for output in outputs {
            match output {
                Output::ToSlave { slave, message } => {
                    self.ownership.said(slave, &message)?;
                    if let ToSlave::Agenda { due, speculative, .. } = &message {
                        bounds::agenda(due.len(), speculative.len(), uncertain)?;
                    }
                    self.send_to_slave(slave, &message);
                }
                Output::Info(_) => {}
                Output::Finished(report) => reports.push(report),
            }
        }
        Ok(reports)
    }

    fn send_to_slave(&mut self, to: SlaveId, message: &ToSlave<G>) {
        let faulty = self.faults.rage(self.now);
        let link = (to, Direction::ToSlave);
        for arrival in self.network.arrivals(&self.options, link, self.now, faulty) {
            self.under_way += 1;
            let message = message.clone();
            self.agenda.add(arrival, Happening::ToSlave { to, message });
        }
    }
}
