//! The connected workers.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use proto::handshake::Introduction;
use proto::pause::OwnPause;
use proto::v1;
use tokio::sync::Notify;

use crate::late::LateCounter;
use crate::mailbox::Mailbox;
use crate::outbox::Outbox;

/// What a running search counts about a worker.
#[derive(Debug, Default)]
pub(crate) struct Gauges {
    /// Leaves it owns.
    pub leaves: AtomicU64,
    /// What it said too late.
    pub late: LateCounter,
}

/// A worker as a search needs it.
#[derive(Debug, Clone)]
pub(crate) struct Recruit {
    /// Its number.
    pub id: u64,
    /// Name and number, for the log.
    pub label: String,
    /// Searches it runs at once.
    pub lanes: u32,
    /// The way to it.
    pub outbox: Outbox<Mailbox>,
    /// Which of its seats this is: every pause ends one, and what was to be said to it from an
    /// earlier one reaches it no more.
    pub seat: u64,
    /// What is counted about it.
    pub gauges: Arc<Gauges>,
}

/// Why a worker does not search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Pause {
    /// A person wants it so.
    pub by_person: bool,
    /// Its own reasons.
    pub by_itself: OwnPause,
}

impl Pause {
    /// It is given nothing.
    pub fn is_paused(self) -> bool {
        self.by_person || self.by_itself.is_paused()
    }

    /// The reasons in one line.
    pub fn describe(self) -> String {
        let by_person = self.by_person.then_some("by you");
        let words: Vec<&str> = by_person.into_iter().chain(self.by_itself.words()).collect();
        words.join(", ")
    }
}

/// A connected worker.
#[derive(Debug)]
pub(crate) struct Worker {
    pub introduction: Introduction,
    pub address: Option<SocketAddr>,
    /// How a search sees it.
    pub recruit: Recruit,
    /// Rung when another stream has taken this one's place.
    pub replaced: Arc<Notify>,
    /// When its stream began.
    pub since: Instant,
    /// When it was last heard of.
    pub heard: Instant,
    /// Its last account of itself.
    pub load: v1::Load,
    /// What it last said became of the entries it shares, in the newest search.
    pub sharing: Option<v1::Sharing>,
    /// Last measured round trip.
    pub round_trip: Option<Duration>,
    /// Why it does not search.
    pub pause: Pause,
}

/// All of them, by number.
#[derive(Debug)]
pub(crate) struct Registry {
    workers: BTreeMap<u64, Worker>,
    next_id: u64,
    /// Processes that a person wants paused, by instance, connected or not. One that never comes
    /// back stays here: a number for each time that a person paused a worker which then ended.
    unwanted: BTreeSet<u64>,
}

impl Default for Registry {
    fn default() -> Self {
        Self { workers: BTreeMap::new(), next_id: 1, unwanted: BTreeSet::new() }
    }
}

impl Registry {
    /// A number nobody had before.
    pub fn draw_id(&mut self) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    /// The worker of that process, if its stream is still believed alive.
    pub fn find_instance(&self, instance: u64) -> Option<u64> {
        let known = self.iter().find(|worker| worker.introduction.instance_id == instance);
        known.map(|worker| worker.recruit.id)
    }

    /// Takes in a worker under a number of its own.
    pub fn join(
        &mut self,
        introduction: Introduction,
        address: Option<SocketAddr>,
        outbox: Outbox<Mailbox>,
    ) -> &Worker {
        let id = self.draw_id();
        let recruit = Recruit {
            id,
            label: format!("{}#{id}", introduction.name),
            lanes: introduction.lanes,
            outbox,
            seat: 0,
            gauges: Arc::default(),
        };
        let pause = Pause {
            by_person: self.unwanted.contains(&introduction.instance_id),
            by_itself: introduction.pause,
        };
        let now = Instant::now();
        let worker = Worker {
            introduction,
            address,
            recruit,
            replaced: Arc::default(),
            since: now,
            heard: now,
            load: v1::Load::default(),
            sharing: None,
            round_trip: None,
            pause,
        };
        self.workers.entry(id).or_insert(worker)
    }

    /// A new search: what was shared in the last one counts no more.
    pub fn forget_sharing(&mut self) {
        for worker in self.workers.values_mut() {
            worker.sharing = None;
        }
    }

    /// Forgets a worker.
    pub fn leave(&mut self, id: u64) -> Option<Worker> {
        self.workers.remove(&id)
    }

    /// Notes whether a person wants that worker paused, for as long as its process lives.
    pub fn want_paused(&mut self, id: u64, paused: bool) {
        let Some(worker) = self.workers.get(&id) else { return };
        let instance = worker.introduction.instance_id;
        if paused {
            self.unwanted.insert(instance);
        } else {
            self.unwanted.remove(&instance);
        }
    }

    /// No person wants anybody paused, whether connected or not.
    pub fn want_all(&mut self) {
        self.unwanted.clear();
    }

    /// The worker with that number.
    pub fn get_mut(&mut self, id: u64) -> Option<&mut Worker> {
        self.workers.get_mut(&id)
    }

    /// All workers, by number.
    pub fn iter(&self) -> impl Iterator<Item = &Worker> {
        self.workers.values()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.workers.len()
    }

    /// No worker owns a leaf any more.
    pub fn clear_leaves(&self) {
        self.iter().for_each(|worker| worker.recruit.gauges.leaves.store(0, Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn introduction(name: &str, instance_id: u64) -> Introduction {
        let version = "test".to_owned();
        Introduction {
            name: name.to_owned(),
            instance_id,
            threads: 1,
            lanes: 1,
            hash_mb: 16,
            version,
            sharing: proto::handshake::Sharer::default(),
            pause: OwnPause::default(),
        }
    }

    #[test]
    fn equal_names_are_told_apart_and_numbers_never_return() {
        let mut registry = Registry::default();
        let mut join = |instance| {
            let worker = registry.join(introduction("box", instance), None, Outbox::new().0);
            (worker.recruit.id, worker.recruit.label.clone())
        };
        assert_eq!(join(7), (1, "box#1".to_owned()));
        assert_eq!(join(8), (2, "box#2".to_owned()));
        assert_eq!(registry.find_instance(8), Some(2));
        assert!(registry.leave(2).is_some());
        assert!(registry.leave(2).is_none());
        assert_eq!(registry.find_instance(8), None);
        assert_eq!(registry.draw_id(), 3);
        assert_eq!(registry.len(), 1);
    }

    #[test]
    fn a_pause_belongs_to_the_process_and_not_to_its_stream() {
        let mut registry = Registry::default();
        let join = |registry: &mut Registry, name: &str, instance| {
            let worker = registry.join(introduction(name, instance), None, Outbox::new().0);
            (worker.recruit.id, worker.pause.by_person)
        };
        assert_eq!(join(&mut registry, "box", 7), (1, false));
        registry.want_paused(1, true);
        registry.leave(1);
        assert_eq!(join(&mut registry, "box", 8), (2, false), "another process of that name");
        assert_eq!(join(&mut registry, "box", 7), (3, true));
        registry.want_paused(3, false);
        registry.leave(3);
        assert_eq!(join(&mut registry, "box", 7), (4, false));
        registry.want_paused(4, true);
        registry.leave(4);
        registry.want_all();
        assert_eq!(join(&mut registry, "box", 7), (5, false));
    }
}
