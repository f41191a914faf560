//! Who is not to search: because a person wants it so, or for a reason of the worker's own.
//!
//! A paused worker is to the running search what a lost one is, and a resumed one what a new one
//! is: it has no seat, or a new one. Nothing else of a search knows about pauses.

use std::collections::BTreeMap;

use proto::pause::OwnPause;

use super::{Hub, State};
use crate::inbox::Input;
use crate::registry::{Pause, Registry};

/// One or several workers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    /// All there are.
    All,
    /// The one with this number.
    Number(u64),
    /// All with this name.
    Name(String),
}

/// No worker is the one meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unknown {
    #[error("no worker has the number {0}")]
    Number(u64),
    #[error("no worker is called {0:?}")]
    Name(String),
}

/// A worker that was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub id: u64,
    pub name: String,
    /// A person wants it paused, from now on.
    pub paused: bool,
}

impl Hub {
    /// Pauses the one, then ends the pauses of the others, as a person wants it. Returns who was
    /// meant, by number. If one of them is unknown, nothing changes.
    pub fn set_paused(&self, pause: &[Choice], resume: &[Choice]) -> Result<Vec<Chosen>, Unknown> {
        let mut state = self.state();
        let mut wishes = BTreeMap::new();
        for (choices, paused) in [(pause, true), (resume, false)] {
            for choice in choices {
                let ids = choice.find(&state.workers)?;
                wishes.extend(ids.into_iter().map(|id| (id, paused)));
            }
        }
        if resume.contains(&Choice::All) {
            state.workers.want_all();
        }
        let wishes: Vec<(u64, bool)> = wishes.into_iter().collect();
        Ok(wishes.into_iter().filter_map(|(id, paused)| state.wish(id, paused)).collect())
    }

    /// A worker pauses itself for these reasons, or, with none, does so no more.
    pub fn excuse(&self, id: u64, reasons: OwnPause) {
        self.state().change(id, |pause| pause.by_itself = reasons);
    }
}

impl Choice {
    fn find(&self, workers: &Registry) -> Result<Vec<u64>, Unknown> {
        let all = workers.iter().map(|worker| worker.recruit.id);
        match self {
            Self::All => Ok(all.collect()),
            Self::Number(number) => {
                let found: Vec<u64> = all.filter(|id| id == number).collect();
                if found.is_empty() { Err(Unknown::Number(*number)) } else { Ok(found) }
            }
            Self::Name(name) => {
                let called = workers.iter().filter(|worker| worker.introduction.name == *name);
                let found: Vec<u64> = called.map(|worker| worker.recruit.id).collect();
                if found.is_empty() { Err(Unknown::Name(name.clone())) } else { Ok(found) }
            }
        }
    }
}

impl State {
    fn wish(&mut self, id: u64, paused: bool) -> Option<Chosen> {
        self.workers.want_paused(id, paused);
        self.change(id, |pause| pause.by_person = paused);
        let worker = self.workers.get_mut(id)?;
        Some(Chosen { id, name: worker.introduction.name.clone(), paused })
    }

    /// Changes why a worker does not search, and does what follows from it.
    fn change(&mut self, id: u64, change: impl FnOnce(&mut Pause)) {
        let Some(worker) = self.workers.get_mut(id) else { return };
        let before = worker.pause;
        change(&mut worker.pause);
        let now = worker.pause;
        let label = worker.recruit.label.as_str();
        let input = match (before.is_paused(), now.is_paused()) {
            (false, true) => {
                let reason = format!("paused {}", now.describe());
                tracing::info!(worker = label, "worker {reason}");
                worker.recruit.outbox.post(super::Mailbox::pause);
                Input::Pause { worker: id, reason }
            }
            (true, false) => {
                tracing::info!(worker = label, "worker paused no more");
                worker.recruit.seat += 1;
                let seat = worker.recruit.seat;
                worker.recruit.outbox.post(|mailbox| mailbox.resume(seat));
                Input::Join(worker.recruit.clone())
            }
            _ => {
                if before != now {
                    tracing::info!(worker = label, "worker paused {}", now.describe());
                }
                return;
            }
        };
        if let Some(search) = &self.search {
            search.inbox.push(input);
        }
    }
}
