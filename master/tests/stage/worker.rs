//! Real workers.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use worker::Config;

use super::{Stage, soon};

/// A worker process, as a task of the test's runtime and search threads of its own.
pub struct Worker {
    end: oneshot::Sender<()>,
    running: JoinHandle<Result<(), worker::WorkerError>>,
}

impl Worker {
    pub fn start(master: SocketAddr, name: &str) -> Self {
        Self::with(master, name, |_| {})
    }

    pub fn with(master: SocketAddr, name: &str, change: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config {
            threads: 2,
            hash_mb: 4,
            peer_host: Some(Ipv4Addr::LOCALHOST.into()),
            name: name.to_owned(),
            ..Config::new(master.to_string())
        };
        change(&mut config);
        let (end, ended) = oneshot::channel();
        let shutdown = async { ended.await.unwrap_or_default() };
        Self { end, running: tokio::spawn(worker::run(config, shutdown)) }
    }

    /// Ends it in good order.
    pub async fn end(self) {
        self.end.send(()).expect("the worker is up");
        soon("a worker's end", self.running).await.expect("no panic").expect("no error");
    }

    /// Ends it without a word, as a power cut would.
    pub fn cut(self) {
        self.running.abort();
    }
}

/// A stage with workers that have joined.
pub async fn with_workers(count: usize) -> (Stage, Vec<Worker>) {
    let stage = Stage::new();
    let start = |index| Worker::start(stage.address, &format!("worker-{index}"));
    let workers = (0..count).map(start).collect();
    stage.status_when(|status| status.workers.len() == count).await;
    (stage, workers)
}
