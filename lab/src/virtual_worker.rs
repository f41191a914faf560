//! A worker process on virtual processors: production slave and lanes, driven node by node.

use std::collections::VecDeque;
use std::sync::Arc;

use engine_core::aphid::messages::{ToMaster, ToSlave};
use engine_core::aphid::slave::Slave;
use engine_core::game::Game;
use engine_core::search::Status;
use engine_core::sharing::{Note, Sharer, Tally, admit};
use engine_core::table::Table;

use crate::clock::Time;
use crate::team::{Stretch, Team};

/// Where a worker's time went, in nodes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// On what the running iteration needed.
    pub due: u64,
    /// Ahead of it.
    pub speculative: u64,
}

/// One worker, of one processor or several.
pub struct VirtualWorker<G: Game> {
    slave: Slave<G>,
    team: Team<G>,
    table: Arc<Table>,
    busy: bool,
    inbox: VecDeque<(Time, ToSlave<G>)>,
    /// What it tells the other workers of its table; none: nothing.
    sharer: Option<Sharer>,
    batches: VecDeque<(Time, Arc<[Note]>)>,
    /// When it is next able to do something.
    pub free_at: Time,
    /// Where its time went.
    pub spent: Spent,
}

impl<G: Game> VirtualWorker<G> {
    /// An idle worker that exists from `now` on.
    pub fn new(processors: usize, table_mb: usize, sharer: Option<Sharer>, now: Time) -> Self {
        let table = Arc::new(Table::new(table_mb));
        Self {
            slave: Slave::new(1, processors),
            team: Team::new(processors, &table),
            table,
            busy: false,
            inbox: VecDeque::new(),
            sharer,
            batches: VecDeque::new(),
            free_at: now,
            spent: Spent::default(),
        }
    }

    /// A message arrives at `time`.
    pub fn receive(&mut self, time: Time, message: ToSlave<G>) {
        self.inbox.push_back((time, message));
    }

    /// Table entries of another worker arrive at `time`.
    pub fn receive_batch(&mut self, time: Time, batch: Arc<[Note]>) {
        self.batches.push_back((time, batch));
    }

    /// A batch for all the other workers, and when it was sent.
    pub fn poll_batch(&mut self) -> Option<(Time, Arc<[Note]>)> {
        let sharer = self.sharer.as_mut()?;
        let now = self.free_at;
        self.team.for_each_notes(|notes| sharer.collect(notes, now));
        Some((now, sharer.poll_batch(now)?.into()))
    }

    /// What became of entries here.
    pub fn tally(&self) -> Tally {
        self.sharer.as_ref().map_or_else(Tally::default, |sharer| sharer.tally)
    }

    fn unpack_batches(&mut self, now: Time) {
        let Some(sharer) = &mut self.sharer else { return };
        while let Some((_, batch)) = self.batches.pop_front_if(|(arrival, _)| *arrival <= now) {
            sharer.tally.received += batch.len() as u64;
            sharer.tally.admitted += admit(&self.table, &batch);
        }
    }

    /// When it has something to do, if nothing more arrives.
    pub fn ready_at(&self) -> Option<Time> {
        if self.busy {
            return Some(self.free_at);
        }
        self.inbox.front().map(|(arrival, _)| self.free_at.max(*arrival))
    }

    /// Lives from `ready_at` for at most `quantum` nodes; what it has to say goes to `say`.
    pub fn live(&mut self, quantum: u64, mut say: impl FnMut(Time, ToMaster)) {
        let Some(now) = self.ready_at() else { return };
        self.free_at = now;
        while self.inbox.front().is_some_and(|(arrival, _)| *arrival <= now) {
            if let Some((_, message)) = self.inbox.pop_front() {
                self.read(message);
            }
        }
        self.unpack_batches(now);
        if self.busy && !self.slave.still_wanted(0) {
            self.slave.abandon(0);
            self.busy = false;
        }
        if !self.busy
            && let Some(job) = self.slave.pick(0)
        {
            self.team.begin(&job);
            self.busy = true;
        }
        self.speak(now, &mut say);
        if self.busy {
            self.search(quantum);
        }
        self.speak(self.free_at, &mut say);
    }

    fn read(&mut self, message: ToSlave<G>) {
        if let ToSlave::Begin { fresh, .. } = &message {
            self.table.new_search();
            if *fresh {
                self.table.clear(1);
            }
        }
        self.slave.handle(message);
    }

    fn search(&mut self, quantum: u64) {
        let Stretch { status, time, nodes } = self.team.run(quantum);
        self.free_at += time;
        let account = if self.slave.is_speculative(0) {
            &mut self.spent.speculative
        } else {
            &mut self.spent.due
        };
        *account += nodes;
        self.slave.progress(0, nodes);
        if status == Status::Running {
            self.slave.send_word(0);
        } else {
            self.team.deliver(&mut self.slave);
            self.busy = false;
            // Stay ready to pick the next job at once.
            if let Some(job) = self.slave.pick(0) {
                self.team.begin(&job);
                self.busy = true;
            }
        }
    }

    fn speak(&mut self, now: Time, say: &mut impl FnMut(Time, ToMaster)) {
        while let Some(message) = self.slave.poll_output() {
            say(now, message);
        }
    }
}
