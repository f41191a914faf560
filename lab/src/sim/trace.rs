//! The last events of a run, for whoever has to find out why it went wrong.

use std::collections::VecDeque;

use engine_core::aphid::messages::{Event, ToMaster, ToSlave};
use engine_core::game::Game;

use crate::clock::Time;

/// Events kept.
const KEPT: usize = 30;

/// The last events, oldest first.
#[derive(Debug, Default)]
pub struct Trace {
    last: VecDeque<String>,
}

impl Trace {
    /// Something happened.
    pub fn note(&mut self, step: u64, now: Time, what: &str) {
        if self.last.len() == KEPT {
            self.last.pop_front();
        }
        self.last.push_back(format!("step {step}, time {now}: {what}"));
    }

    /// What happened last, a line each.
    pub fn text(&self) -> String {
        self.last.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

/// A message to a worker in a few words.
pub fn to_slave<G: Game>(message: &ToSlave<G>) -> String {
    match message {
        ToSlave::Begin { search, fresh, .. } => {
            format!("begin search {} (fresh {fresh})", search.search)
        }
        ToSlave::Assign { search, leaves } => {
            let tags: Vec<_> = leaves.iter().map(|spec| tag(spec.tag)).collect();
            format!("assign in search {}: {}", search.search, tags.join(" "))
        }
        ToSlave::Agenda { search, sequence, due, speculative, repeat } => {
            let wants: Vec<_> = due.iter().map(|w| format!("{}@{}", tag(w.tag), w.depth)).collect();
            format!(
                "agenda {sequence} in search {}: {}, {} speculative, repeat {repeat}",
                search.search,
                wants.join(" "),
                speculative.len()
            )
        }
        ToSlave::End { search } => format!("end search {}", search.search),
    }
}

/// A message to the master in a few words.
pub fn to_master(message: &ToMaster) -> String {
    let event = match &message.event {
        Event::Result(r) => {
            let (lower, upper) = (r.bounds.lower, r.bounds.upper);
            format!("result {}@{} in {lower}..{upper}", tag(r.tag), r.depth)
        }
        Event::Running(running) => {
            let jobs: Vec<_> =
                running.iter().map(|job| format!("{}@{}", tag(job.tag), job.depth)).collect();
            format!("running {}", jobs.join(" "))
        }
        Event::Missing(tags) => {
            format!("missing {}", tags.iter().map(|&t| tag(t)).collect::<Vec<_>>().join(" "))
        }
    };
    format!("{event} (search {})", message.search.search)
}

/// Leaf and generation.
fn tag(tag: engine_core::aphid::messages::LeafTag) -> String {
    format!("{}.{}", tag.leaf, tag.generation)
}
