//! What a master says, and a worker to say it to.

use std::sync::Arc;

use engine_core::aphid::messages::{
    Bounds, Event, LeafResult, LeafSpec, LeafTag, SearchTag, ToSlave, Want, Window,
};
use engine_core::game::Game;
use engine_core::line::Line;
use engine_core::search::{Profile, Searcher, Status, Task};
use engine_core::table::Table;
use engine_core::value::INFINITY;
use proto::v1::worker_message::Kind as FromWorker;
use proto::{to_master, to_slave, v1};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use worker::{Config, WorkerError};

use super::{Call, EPOCH};

pub const FULL: Window = Window { alpha: -INFINITY, beta: INFINITY };
/// A depth that takes years.
pub const ENDLESS: i32 = 60;

pub struct Running {
    stop: oneshot::Sender<()>,
    worker: JoinHandle<Result<(), WorkerError>>,
}

impl Running {
    /// A worker of two threads that calls at `address`.
    pub fn at(address: std::net::SocketAddr) -> Self {
        Self::with(address, |_| {})
    }

    /// The same, with some things different.
    pub fn with(address: std::net::SocketAddr, change: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config {
            threads: 2,
            hash_mb: 4,
            name: "test".into(),
            ..Config::new(address.to_string())
        };
        change(&mut config);
        let (stop, stopped) = oneshot::channel::<()>();
        let shutdown = async move {
            let _ = stopped.await;
        };
        Self { stop, worker: tokio::spawn(worker::run(config, shutdown)) }
    }

    pub async fn stop(self) {
        self.stop.send(()).expect("the worker is still there");
        self.worker.await.expect("no panic").expect("no error");
    }
}

pub fn search(number: u32) -> SearchTag {
    SearchTag { epoch: EPOCH, search: number }
}

pub fn leaf(index: u32) -> LeafTag {
    LeafTag { leaf: index, generation: 1 }
}

pub async fn tell<G: Game>(call: &Call, message: ToSlave<G>) {
    for message in to_slave::encode(&message) {
        call.say(message.kind.expect("we know what we say")).await;
    }
}

pub async fn begin<G: Game>(call: &Call, number: u32, leaves: &[G]) {
    let (search, profile) = (search(number), Profile::Exact);
    tell::<G>(call, ToSlave::Begin { search, profile, fresh: true }).await;
    let spec = |(index, position): (usize, &G)| LeafSpec {
        tag: leaf(index as u32),
        line: Line::new(position.clone()),
        null_allowed: true,
    };
    let leaves = leaves.iter().enumerate().map(spec).collect();
    tell::<G>(call, ToSlave::Assign { search, leaves }).await;
}

pub async fn agenda<G: Game>(call: &Call, number: u32, sequence: u64, due: &[(u32, i32)]) {
    let want = |&(index, depth)| Want { tag: leaf(index), depth, window: FULL };
    let due = due.iter().map(want).collect();
    let (search, speculative, repeat) = (search(number), Vec::new(), false);
    tell::<G>(call, ToSlave::Agenda { search, sequence, due, speculative, repeat }).await;
}

pub async fn result(call: &mut Call, number: u32) -> LeafResult {
    call.until(|message| match message {
        FromWorker::Report(report) => {
            let message = to_master::decode(report).expect("workers make sense");
            assert_eq!(message.search, search(number));
            match message.event {
                Event::Result(result) => Some(result),
                Event::Running(_) | Event::Missing(_) => None,
            }
        }
        _ => None,
    })
    .await
}

/// Waits for a word about how busy the worker is that fits.
pub async fn load(call: &mut Call, fits: impl Fn(&v1::Load) -> bool) {
    call.until(|message| match message {
        FromWorker::Load(load) if fits(&load) => Some(()),
        _ => None,
    })
    .await;
}

pub fn sequential<G: Game>(position: &G, depth: i32) -> Bounds {
    let mut searcher = Searcher::new(Profile::Exact, Arc::new(Table::new(4)));
    searcher.start(Task::full(Line::new(position.clone()), depth));
    while searcher.run(u64::MAX) == Status::Running {}
    let value = searcher.answer().expect("a finished search has an answer").value;
    Bounds { lower: value, upper: value }
}
