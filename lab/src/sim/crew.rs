//! The workers' side of the world: processes that come and go, and what they are told and say.

use engine_core::aphid::master::SlaveId;
use engine_core::aphid::messages::ToSlave;
use engine_core::game::Game;

use super::check::{Verdict, bounds};
use super::network::Direction;
use super::options::Sabotage;
use super::trace;
use super::worker::{Condition, Worker};
use super::world::{Happening, World};
use crate::clock::Time;

impl<G: Game> World<G> {
    /// A new worker comes and connects.
    pub(super) fn arrive(&mut self) -> Verdict {
        let lanes = 1 + self.random.below(self.options.lanes) as u32;
        let slow = self.random.below(100) < self.options.slow_percent;
        let slowness = if slow { self.options.slowness } else { 1 };
        self.workers.push(Worker::new(0, lanes, slowness));
        self.connect(self.workers.len() - 1)
    }

    /// A worker's new connection is accepted.
    pub(super) fn connect(&mut self, index: usize) -> Verdict {
        self.connections += 1;
        let slave = SlaveId(self.connections);
        let worker = &mut self.workers[index];
        worker.id = Some(slave);
        self.members.insert(slave);
        self.master.join(slave, worker.lanes());
        self.wake_master();
        self.after_master()
    }

    /// The master gives up a connection.
    pub(super) fn drop_link(&mut self, slave: SlaveId) -> Verdict {
        self.members.remove(&slave);
        self.master.leave(slave);
        self.ownership.left(slave);
        self.wake_master();
        self.after_master()
    }

    pub(super) fn reach_slave(&mut self, to: SlaveId, message: ToSlave<G>) -> Verdict {
        let Some(index) = self.workers.iter().position(|worker| worker.id == Some(to)) else {
            return Ok(());
        };
        if self.workers[index].cut_off {
            if self.options.partition_holds {
                self.under_way += 1;
                self.later(self.options.keepalive, Happening::ToSlave { to, message });
            }
            return Ok(());
        }
        let text = format!("master -> slave {}: {}", to.0, trace::to_slave(&message));
        self.trace.note(self.steps, self.now, &text);
        let wants = match &message {
            ToSlave::Agenda { due, .. } => due.len(),
            ToSlave::Begin { .. } | ToSlave::Assign { .. } | ToSlave::End { .. } => 0,
        };
        let tags: Vec<_> = match &message {
            ToSlave::Assign { leaves, .. } => leaves.iter().map(|spec| spec.tag).collect(),
            ToSlave::Begin { .. } | ToSlave::Agenda { .. } | ToSlave::End { .. } => Vec::new(),
        };
        if self.options.sabotage == Some(Sabotage::Owner) {
            let other = (index + 1) % self.workers.len();
            self.workers[other].receive(message.clone());
        }
        self.workers[index].receive(message);
        for tag in tags {
            self.ownership.believed(self.workers.iter().map(|worker| &worker.slave), tag)?;
        }
        if self.question.is_some() {
            let given = self.ownership.len();
            bounds::slave_table(&self.workers[index].slave, self.current, given)?;
        }
        self.after_worker(index, wants)
    }

    pub(super) fn turn(&mut self, index: usize, life: u32, lane: usize) -> Verdict {
        let worker = &mut self.workers[index];
        if worker.life != life {
            return Ok(());
        }
        let Some(spent) = worker.turn(lane, self.options.slice) else {
            return self.after_worker_at(index, 0, self.now);
        };
        self.spread(index, self.now + spent);
        self.later(spent, Happening::Turn { worker: index, life, lane });
        self.after_worker_at(index, 0, self.now + spent)
    }

    /// A worker was told something, an agenda of so many `wants` perhaps.
    pub(super) fn after_worker(&mut self, index: usize, wants: usize) -> Verdict {
        self.after_worker_at(index, wants, self.now)?;
        let worker = &mut self.workers[index];
        if worker.condition == Condition::Alive {
            let life = worker.life;
            for lane in worker.wake() {
                self.later(0, Happening::Turn { worker: index, life, lane });
            }
        }
        Ok(())
    }

    /// Sends off at `time` what a worker says.
    fn after_worker_at(&mut self, index: usize, wants: usize, time: Time) -> Verdict {
        let worker = &mut self.workers[index];
        let messages = worker.speak();
        bounds::slave_output(messages.len(), wants)?;
        let Some(from) = worker.id.filter(|_| !worker.cut_off) else { return Ok(()) };
        let faulty = self.faults.rage(time);
        for message in messages {
            let link = (from, Direction::ToMaster);
            for arrival in self.network.arrivals(&self.options, link, time, faulty) {
                self.under_way += 1;
                let message = message.clone();
                self.agenda.add(arrival, Happening::ToMaster { from, message });
            }
        }
        Ok(())
    }
}
