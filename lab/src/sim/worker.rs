//! A worker process on virtual processors: production slave and lanes, which can be frozen, cut
//! off and killed.

use std::collections::VecDeque;
use std::sync::Arc;

use engine_core::aphid::lane::Lane;
use engine_core::aphid::master::SlaveId;
use engine_core::aphid::messages::{ToMaster, ToSlave};
use engine_core::aphid::slave::Slave;
use engine_core::game::Game;
use engine_core::search::Status;
use engine_core::sharing::{Note, Threshold, admit};
use engine_core::table::Table;

/// What a worker process is up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// It runs.
    Alive,
    /// It exists but makes no progress (SIGSTOP).
    Frozen,
    /// It is no more (SIGKILL).
    Dead,
}

/// One searching thread.
#[derive(Debug)]
struct Thread<G: Game> {
    lane: Lane<G>,
    busy: bool,
    /// Its next turn is in the agenda.
    scheduled: bool,
}

/// A worker and its connection.
#[derive(Debug)]
pub struct Worker<G: Game> {
    /// Name of its present connection.
    pub id: Option<SlaveId>,
    /// Counts up whenever the process is started.
    pub life: u32,
    /// How the process is.
    pub condition: Condition,
    /// Nothing gets through, in neither direction.
    pub cut_off: bool,
    /// Time a node takes.
    pub slowness: u64,
    /// The logic.
    pub slave: Slave<G>,
    threads: Vec<Thread<G>>,
    table: Arc<Table>,
    /// What arrived while it was frozen.
    unread: VecDeque<ToSlave<G>>,
}

impl<G: Game> Worker<G> {
    /// A worker that has just been started and is not yet connected.
    pub fn new(life: u32, lanes: u32, slowness: u64) -> Self {
        let table = Arc::new(Table::new(1));
        let thread = |index| Thread {
            lane: Lane::new(index, Arc::clone(&table)),
            busy: false,
            scheduled: false,
        };
        Self {
            id: None,
            life,
            condition: Condition::Alive,
            cut_off: false,
            slowness,
            slave: Slave::new(lanes as usize, lanes as usize),
            threads: (0..lanes as usize).map(thread).collect(),
            table,
            unread: VecDeque::new(),
        }
    }

    /// Searches it runs at once.
    pub fn lanes(&self) -> u32 {
        self.threads.len() as u32
    }

    /// It runs and can talk to the master.
    pub fn is_well(&self) -> bool {
        self.condition == Condition::Alive && !self.cut_off && self.id.is_some()
    }

    /// A message arrives.
    pub fn receive(&mut self, message: ToSlave<G>) {
        if self.condition == Condition::Alive {
            self.read(message);
        } else {
            self.unread.push_back(message);
        }
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

    /// It wakes from its frost and reads what has piled up. Returns how many wants that named.
    pub fn thaw(&mut self) -> usize {
        self.condition = Condition::Alive;
        let mut wants = 0;
        while let Some(message) = self.unread.pop_front() {
            if let ToSlave::Agenda { due, .. } = &message {
                // Each agenda may have a word on what is missing and what is running.
                wants += due.len() + 2;
            }
            self.read(message);
        }
        wants
    }

    /// The connection is gone, and the worker knows.
    pub fn disconnect(&mut self) {
        self.id = None;
        self.unread.clear();
        self.slave.rest();
    }

    /// The threads that have no turn yet, and get one now.
    pub fn wake(&mut self) -> Vec<usize> {
        let asleep = |(index, thread): (usize, &mut Thread<G>)| {
            let asleep = !thread.scheduled;
            thread.scheduled = true;
            asleep.then_some(index)
        };
        self.threads.iter_mut().enumerate().filter_map(asleep).collect()
    }

    /// A thread searches for about `slice` nodes. Returns how long that takes; nothing means that
    /// it sleeps until it is woken.
    pub fn turn(&mut self, index: usize, slice: u64) -> Option<u64> {
        let thread = &mut self.threads[index];
        thread.scheduled = false;
        if self.condition != Condition::Alive {
            return None;
        }
        if thread.busy && !self.slave.still_wanted(index) {
            self.slave.abandon(index);
            thread.busy = false;
        }
        if !thread.busy {
            let job = self.slave.pick(index)?;
            thread.lane.begin(&job);
            thread.busy = true;
        }
        let (status, nodes) = thread.lane.run(slice);
        self.slave.progress(index, nodes);
        if status == Status::Running {
            self.slave.send_word(index);
        } else {
            thread.lane.deliver(&mut self.slave);
            thread.busy = false;
        }
        thread.scheduled = true;
        Some(nodes.max(1) * self.slowness)
    }

    /// What its threads have noted for other workers: entries that took so many nodes or more.
    pub fn take_notes(&mut self, threshold: u64) -> Vec<Note> {
        let mut taken = Vec::new();
        for thread in &mut self.threads {
            let notes = thread.lane.notes();
            notes.take_from(Threshold::nodes(threshold));
            taken.extend(notes.drain());
        }
        taken
    }

    /// Another worker has told this.
    pub fn hear(&self, notes: &[Note]) {
        admit(&self.table, notes);
    }

    /// What it has to say.
    pub fn speak(&mut self) -> Vec<ToMaster> {
        std::iter::from_fn(|| self.slave.poll_output()).collect()
    }
}
