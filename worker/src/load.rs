//! How busy a worker has been, for people.

use std::time::{Duration, Instant};

use engine_core::drive::timesheet::Usage;
use engine_core::splitter::Counts;
use proto::v1;

use crate::crew::Crew;

/// Measures what came between two words about how busy we are.
pub struct LoadMeter {
    since: Instant,
    nodes: u64,
    usage: Vec<Usage>,
    sharing: Option<v1::Sharing>,
}

impl LoadMeter {
    /// Measures from now on.
    pub fn new(crew: &Crew) -> Self {
        Self {
            since: Instant::now(),
            nodes: crew.nodes_total(),
            usage: crew.usage(),
            sharing: crew.sharing(),
        }
    }

    /// What there is to say, and measures from now on.
    pub fn read(&mut self, crew: &Crew) -> v1::Load {
        let earlier = std::mem::replace(self, Self::new(crew));
        let time = self.since.duration_since(earlier.since);
        let nodes = self.nodes - earlier.nodes;
        let told = |meter: &Self| meter.sharing.map_or(0, |sharing| sharing.sent_bytes);
        // A search that began meanwhile counts anew.
        let bytes = told(self).checked_sub(told(&earlier)).unwrap_or(told(self));
        // Threads of another game than before have no earlier times.
        let before = earlier.usage.into_iter().chain(std::iter::repeat(Usage::default()));
        let threads = self.usage.iter().zip(before);
        v1::Load {
            nodes_total: self.nodes,
            nps: per_second(nodes, time),
            busy_threads: crew.busy() as u32,
            hashfull: crew.hashfull(),
            threads: threads.map(|(now, before)| thread_load(now.since(before), time)).collect(),
            splits: Some(splits(crew.counts())),
            sharing: self.sharing.map(|sharing| v1::Sharing {
                bytes_per_second: per_second(bytes, time),
                ..sharing
            }),
        }
    }
}

fn per_second(number: u64, time: Duration) -> u64 {
    if time.is_zero() { 0 } else { (number as f64 / time.as_secs_f64()) as u64 }
}

/// Shares of `time`. What a thread notes late may exceed it.
fn thread_load(usage: Usage, time: Duration) -> v1::ThreadLoad {
    let permille = |part: Duration| {
        let part = (part.as_nanos() * 1000).checked_div(time.as_nanos());
        part.unwrap_or(0).min(1000) as u32
    };
    v1::ThreadLoad { busy: permille(usage.busy), idle: permille(usage.idle) }
}

fn splits(counts: Counts) -> v1::Splits {
    let Counts { helps, splits, joins, shares, stops, stopped_nodes, .. } = counts;
    v1::Splits { helps, splits, joins, shares, stops, stopped_nodes }
}
