//! The network between the workers, in virtual time: what they tell each other of their tables.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use engine_core::game::Game;
use engine_core::random::SplitMix64;
use engine_core::sharing::{Note, PACKED_BYTES, Settings, Sharer};

use crate::clock::Time;
use crate::virtual_worker::VirtualWorker;

/// Bytes of a batch that are not entries: headers of messages and of three layers of network.
const HEADER_BYTES: u64 = 120;

/// Whether.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Share {
    /// Workers tell each other what they find.
    On,
    /// Every worker for itself.
    Off,
}

/// How workers share their tables.
#[derive(Debug, Clone, Args)]
pub struct ShareArgs {
    /// Whether workers tell each other what they find.
    #[arg(long, value_enum, default_value = "on")]
    share: Share,
    /// What a worker may send, all copies counted, KB a second of virtual time.
    #[arg(long, default_value_t = 24_000, value_name = "KB/S")]
    share_budget: u64,
    /// Batches that get lost, percent.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=100))]
    share_loss: u64,
    /// What the network takes from a worker, KB a second of virtual time; a gigabit is 125000.
    #[arg(long, default_value_t = 125_000, value_name = "KB/S",
        value_parser = clap::value_parser!(u64).range(1..))]
    bandwidth: u64,
    /// Nodes that a processor searches in a second: what makes seconds of nodes.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1_000..))]
    pub nps: u64,
}

/// How workers share their tables, for one search.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    settings: Settings,
    loss: u64,
    bytes_per_second: u64,
}

impl ShareArgs {
    /// The same with another budget, KB a second; 0: nothing is shared.
    pub fn with_budget(&self, share_budget: u64) -> Self {
        Self { share_budget, ..self.clone() }
    }

    /// None: not at all.
    pub fn plan(&self) -> Option<Plan> {
        (self.share == Share::On && self.share_budget > 0).then_some(Plan {
            settings: Settings { bytes_per_second: self.share_budget * 1_000, second: self.nps },
            loss: self.share_loss,
            bytes_per_second: self.bandwidth * 1_000,
        })
    }
}

impl Plan {
    /// The sharer of one of so many workers.
    fn sharer(self, workers: usize) -> Sharer {
        let mut sharer = Sharer::new(self.settings);
        sharer.tell(workers - 1);
        sharer
    }
}

/// Carries batches from worker to worker.
#[derive(Debug)]
pub struct Hearsay {
    plan: Option<Plan>,
    latency: Time,
    /// For each worker, until when its wire is busy.
    busy: Vec<Time>,
    random: SplitMix64,
}

impl Hearsay {
    /// A network on which a message takes `latency`, for so many workers.
    pub fn new(plan: Option<Plan>, workers: usize, latency: Time) -> Self {
        Self { plan, latency, busy: vec![0; workers], random: SplitMix64::new(1) }
    }

    /// The sharer of each worker.
    pub fn sharer(&self) -> Option<Sharer> {
        self.plan.map(|plan| plan.sharer(self.busy.len()))
    }

    /// Sends what worker `from` has to say to all others.
    pub fn carry<G: Game>(&mut self, workers: &mut [VirtualWorker<G>], from: usize) {
        let Some(plan) = self.plan else { return };
        while let Some((time, batch)) = workers[from].poll_batch() {
            let bytes = HEADER_BYTES + (batch.len() * PACKED_BYTES) as u64;
            for (to, worker) in workers.iter_mut().enumerate() {
                if to == from {
                    continue;
                }
                let wire = &mut self.busy[from];
                *wire = time.max(*wire) + bytes * plan.settings.second / plan.bytes_per_second;
                if self.random.below(100) >= plan.loss {
                    worker.receive_batch(*wire + self.latency, Arc::<[Note]>::clone(&batch));
                }
            }
        }
    }
}
