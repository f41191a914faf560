//! The ways to the slaves of a search.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering::Relaxed;

use engine_core::aphid::master::SlaveId;
use engine_core::aphid::messages::ToSlave;
use engine_core::game::Game;

use crate::late::Late;
use crate::registry::Recruit;

/// The workers that take part, and who owns which leaf.
#[derive(Debug, Default)]
pub(crate) struct Crew {
    seats: BTreeMap<u64, Recruit>,
    /// Owner of each leaf, for onlookers; decides nothing.
    owners: HashMap<u32, u64>,
    /// The most workers at one time in this search.
    most: usize,
}

impl Crew {
    /// A search begins.
    pub fn begin(&mut self) {
        self.owners.clear();
        self.most = self.seats.len();
        for seat in self.seats.values() {
            seat.gauges.leaves.store(0, Relaxed);
        }
    }

    /// How many workers take part.
    pub fn len(&self) -> usize {
        self.seats.len()
    }

    /// The most workers that took part at one time.
    pub fn most(&self) -> usize {
        self.most
    }

    /// Whether that worker takes part, on this seat.
    pub fn has(&self, recruit: &Recruit) -> bool {
        self.seats.get(&recruit.id).is_some_and(|seated| seated.seat == recruit.seat)
    }

    /// Members that are not `present`, on the seat they have here.
    pub fn absent(&self, present: &BTreeMap<u64, u64>) -> Vec<SlaveId> {
        let absent = self
            .seats
            .values()
            .filter(|seated| present.get(&seated.id).is_none_or(|&seat| seat != seated.seat));
        absent.map(|seated| SlaveId(seated.id)).collect()
    }

    /// A worker takes part from now on.
    pub fn seat(&mut self, recruit: Recruit) {
        self.seats.insert(recruit.id, recruit);
        self.most = self.most.max(self.seats.len());
    }

    /// A worker takes part no more.
    pub fn unseat(&mut self, worker: u64) -> Option<Recruit> {
        let seat = self.seats.remove(&worker)?;
        // It may come back, if it was only paused.
        self.owners.retain(|_, owner| *owner != worker);
        seat.gauges.leaves.store(0, Relaxed);
        Some(seat)
    }

    /// Sends a worker what the master says. Never waits.
    pub fn post<G: Game>(&mut self, worker: u64, message: &ToSlave<G>) {
        let Some(seat) = self.seats.get(&worker) else { return };
        if let ToSlave::Assign { leaves, .. } = message {
            for leaf in leaves {
                let before = self.owners.insert(leaf.tag.leaf, worker);
                if before != Some(worker) {
                    seat.gauges.leaves.fetch_add(1, Relaxed);
                    let before = before.and_then(|before| self.seats.get(&before));
                    if let Some(before) = before {
                        before.gauges.leaves.fetch_sub(1, Relaxed);
                    }
                }
            }
        }
        let kinds = proto::to_slave::encode(message).into_iter().filter_map(|message| message.kind);
        seat.outbox.post(|mailbox| kinds.for_each(|kind| mailbox.put_for(seat.seat, kind)));
    }

    /// What `worker` said came too late.
    pub fn note_late(&self, worker: u64, late: Late) {
        if let Some(seat) = self.seats.get(&worker) {
            seat.gauges.late.add(late);
        }
    }
}
