//! What goes wrong: faults strike workers at random until a search's time of calm.

use engine_core::aphid::master::SlaveId;
use engine_core::aphid::messages::{
    Bounds, Event, LeafResult, LeafTag, SearchTag, ToMaster, ToSlave,
};
use engine_core::game::Game;
use engine_core::random::SplitMix64;
use serde::Serialize;

use super::check::Verdict;
use super::options::{MAX_WORKERS, Options};
use super::worker::{Condition, Worker};
use super::world::{Happening, World};
use crate::clock::Time;

/// A fault, or a consequence of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Something goes wrong, in the search of that number.
    Strike { search: u32 },
    /// A killed worker is started anew.
    Restart { worker: usize },
    /// A frozen worker goes on.
    Thaw { worker: usize, life: u32 },
    /// A cut-off worker can be reached again.
    Heal { worker: usize },
    /// The master finds a connection dead.
    Dropped { slave: SlaveId },
    /// A worker finds its connection dead, and dials anew.
    Notices { worker: usize, slave: SlaveId },
}

/// Faults so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Workers killed.
    pub crashes: u64,
    /// Workers frozen.
    pub freezes: u64,
    /// Workers cut off.
    pub partitions: u64,
    /// Workers added.
    pub arrivals: u64,
    /// Messages of other searches and masters.
    pub foreign: u64,
}

/// When and where faults strike.
#[derive(Debug)]
pub struct Faults {
    random: SplitMix64,
    /// From here on nothing new goes wrong.
    window_end: Time,
    /// What has gone wrong.
    pub counts: Counts,
}

impl Faults {
    /// Faults that follow from `seed`.
    pub fn new(seed: u64) -> Self {
        Self { random: SplitMix64::new(seed), window_end: 0, counts: Counts::default() }
    }

    /// A search of `nodes` begins: draws how long things go wrong. Returns when all is well again.
    pub fn begun(&mut self, options: &Options, now: Time, nodes: u64) -> Time {
        self.window_end = now + self.random.below(1 + nodes * options.slowness);
        // The longest fault, and its discovery by both sides.
        self.window_end + 12 * options.keepalive
    }

    /// Messages may be lost, doubled and much delayed.
    pub fn rage(&self, now: Time) -> bool {
        now < self.window_end
    }

    /// A time to the next fault.
    pub fn pause(&mut self, options: &Options) -> Time {
        1 + self.random.below(2 * options.fault_every)
    }

    /// A time in 1..=`longest`.
    pub fn span(&mut self, longest: Time) -> Time {
        1 + self.random.below(longest)
    }
}

impl<G: Game> World<G> {
    /// A fault or its consequence comes about.
    pub fn fault(&mut self, fault: Fault) -> Verdict {
        match fault {
            Fault::Strike { search } => self.strike(search),
            Fault::Restart { worker } => self.restart(worker),
            Fault::Thaw { worker, life } => self.thaw(worker, life),
            Fault::Heal { worker } => self.heal(worker),
            Fault::Dropped { slave } => self.drop_link(slave),
            Fault::Notices { worker, slave } => self.notice(worker, slave),
        }
    }

    fn strike(&mut self, search: u32) -> Verdict {
        if search != self.searches || !self.faults.rage(self.now) {
            return Ok(());
        }
        let pause = self.faults.pause(&self.options);
        self.later(pause, Happening::Fault(Fault::Strike { search }));
        let weights = self.options.weights;
        let worker = self.faults.random.below(self.workers.len() as u64) as usize;
        let kinds =
            [weights.crash, weights.freeze, weights.partition, weights.arrival, weights.foreign];
        let mut drawn = self.faults.random.below(kinds.iter().sum());
        let kind = kinds.iter().position(|&weight| {
            let hit = drawn < weight;
            drawn = drawn.wrapping_sub(weight);
            hit
        });
        let well = self.workers[worker].is_well();
        match kind {
            Some(0) if well => self.crash(worker),
            Some(1) if well => self.freeze(worker),
            Some(2) if well => self.cut_off(worker),
            Some(3) if self.workers.len() < MAX_WORKERS => {
                self.faults.counts.arrivals += 1;
                return self.arrive();
            }
            Some(4) if well => return self.foreign(worker),
            _ => {}
        }
        Ok(())
    }

    fn crash(&mut self, index: usize) {
        self.faults.counts.crashes += 1;
        let keepalive = self.options.keepalive;
        let alive = self.workers.iter().filter(|w| w.condition != Condition::Dead).count();
        let worker = &mut self.workers[index];
        worker.condition = Condition::Dead;
        let slave = worker.id.take();
        if let Some(slave) = slave {
            let noticed = self.faults.span(keepalive);
            self.later(noticed, Happening::Fault(Fault::Dropped { slave }));
        }
        let for_good = alive > 2 && self.faults.random.below(4) == 0;
        if !for_good {
            let pause = self.faults.span(2 * keepalive);
            self.later(pause, Happening::Fault(Fault::Restart { worker: index }));
        }
    }

    fn restart(&mut self, index: usize) -> Verdict {
        let before = &self.workers[index];
        self.workers[index] = Worker::new(before.life + 1, before.lanes(), before.slowness);
        self.connect(index)
    }

    /// How long a worker is away, and whether the master takes its connection for dead.
    fn absence(&mut self, slave: Option<SlaveId>) -> (Time, bool) {
        let keepalive = self.options.keepalive;
        let duration = self.faults.span(3 * keepalive);
        let dropped = duration > keepalive;
        if dropped && let Some(slave) = slave {
            self.later(keepalive, Happening::Fault(Fault::Dropped { slave }));
        }
        (duration, dropped)
    }

    fn freeze(&mut self, worker: usize) {
        self.faults.counts.freezes += 1;
        self.workers[worker].condition = Condition::Frozen;
        let (slave, life) = (self.workers[worker].id, self.workers[worker].life);
        let (duration, dropped) = self.absence(slave);
        self.later(duration, Happening::Fault(Fault::Thaw { worker, life }));
        if dropped && let Some(slave) = slave {
            // Awake, it goes on for a while as if nothing had happened.
            let zombie = self.faults.span(self.options.keepalive);
            self.later(duration + zombie, Happening::Fault(Fault::Notices { worker, slave }));
        }
    }

    fn thaw(&mut self, index: usize, life: u32) -> Verdict {
        let worker = &mut self.workers[index];
        if worker.life != life || worker.condition != Condition::Frozen {
            return Ok(());
        }
        let wants = worker.thaw();
        self.after_worker(index, wants)
    }

    fn cut_off(&mut self, worker: usize) {
        self.faults.counts.partitions += 1;
        self.workers[worker].cut_off = true;
        let slave = self.workers[worker].id;
        let (duration, dropped) = self.absence(slave);
        self.later(duration, Happening::Fault(Fault::Heal { worker }));
        if dropped && let Some(slave) = slave {
            let noticed = self.faults.span(4 * self.options.keepalive);
            self.later(noticed, Happening::Fault(Fault::Notices { worker, slave }));
        }
    }

    fn heal(&mut self, index: usize) -> Verdict {
        let worker = &mut self.workers[index];
        worker.cut_off = false;
        if worker.id.is_none() && worker.condition == Condition::Alive {
            return self.connect(index);
        }
        Ok(())
    }

    fn notice(&mut self, index: usize, slave: SlaveId) -> Verdict {
        let worker = &mut self.workers[index];
        if worker.id != Some(slave) {
            return Ok(());
        }
        if worker.condition == Condition::Frozen {
            let later = Fault::Notices { worker: index, slave };
            self.later(self.options.keepalive, Happening::Fault(later));
            return Ok(());
        }
        worker.disconnect();
        if worker.cut_off {
            return Ok(());
        }
        self.drop_link(slave)?;
        self.connect(index)
    }

    /// Messages that must change nothing reach master and worker: of another master incarnation
    /// or of an earlier search.
    fn foreign(&mut self, index: usize) -> Verdict {
        self.faults.counts.foreign += 1;
        let Some(slave) = self.workers[index].id else { return Ok(()) };
        let now = self.current;
        let search = if self.faults.random.below(2) == 0 {
            SearchTag { epoch: now.epoch ^ 1, ..now }
        } else {
            SearchTag { search: now.search.wrapping_sub(1), ..now }
        };
        let somewhere = LeafTag { leaf: 0, generation: 0 };
        let tag = self.ownership.some_tag().unwrap_or(somewhere);
        let poison = LeafResult {
            tag,
            depth: 1 + self.faults.random.below(6) as i32,
            bounds: Bounds { lower: 7_777, upper: 7_777 },
            pv: Vec::new(),
            nodes: 1,
        };
        let message = ToMaster { search, nodes: 1 << 40, event: Event::Result(poison) };
        self.reach_master(slave, message)?;
        let (due, speculative) = (Vec::new(), Vec::new());
        let agenda =
            ToSlave::Agenda { search, sequence: u64::MAX, due, speculative, repeat: false };
        self.reach_slave(slave, agenda)?;
        self.reach_slave(slave, ToSlave::End { search })
    }
}
