//! A master and workers of our own, in this process, over loopback.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use proto::address::Address;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{Setup, Trouble};

/// Time for all parts to say goodbye.
const GOODBYE: Duration = Duration::from_secs(3);

/// A running cluster.
pub struct Embedded {
    address: SocketAddr,
    parts: Vec<JoinHandle<()>>,
    end: watch::Sender<bool>,
}

impl Embedded {
    /// Starts a master on a port the system chooses, and its workers, on the current runtime.
    ///
    /// # Errors
    /// There is no port.
    pub fn start(setup: Setup) -> Result<Self, Trouble> {
        let lost = |error: &dyn std::fmt::Display| Trouble::Lost(format!("no cluster: {error}"));
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = master::Master::bind(master::Config::new(listen)).map_err(|e| lost(&e))?;
        let address = server.local_addr();
        let (end, ended) = watch::channel(false);
        let serve = server.serve(wait(ended.clone()));
        let mut parts = vec![tokio::spawn(async move {
            if let Err(error) = serve.await {
                tracing::error!("embedded master: {error}");
            }
        })];
        for number in 1..=setup.workers {
            parts.push(tokio::spawn(work(number, address, setup, wait(ended.clone()))));
        }
        Ok(Self { address, parts, end })
    }

    /// Where the master listens.
    pub fn address(&self) -> Address {
        self.address.into()
    }

    /// Takes everything down.
    pub async fn end(self) {
        self.end.send_replace(true);
        let all = async {
            for part in self.parts {
                // A part that panicked is down as well.
                let _ = part.await;
            }
        };
        if timeout(GOODBYE, all).await.is_err() {
            tracing::warn!("the embedded cluster did not end in time");
        }
    }
}

/// Waits for the end.
async fn wait(mut ended: watch::Receiver<bool>) {
    // An error means that nobody is left to tell us: the end as well.
    let _ = ended.wait_for(|&ended| ended).await;
}

/// One worker's life.
async fn work(number: u32, master: SocketAddr, setup: Setup, ended: impl Future<Output = ()>) {
    let config = worker::Config {
        threads: setup.machine.threads as usize,
        leaf_threads: setup.machine.leaf_threads as usize,
        splitter: setup.machine.splitter,
        hash_mb: setup.machine.hash_mb as usize,
        share_budget: setup.machine.share_budget,
        peer_host: Some(Ipv4Addr::LOCALHOST.into()),
        name: format!("embedded-{number}"),
        ..worker::Config::new(master.to_string())
    };
    if let Err(error) = worker::run(config, ended).await {
        tracing::error!("embedded worker {number}: {error}");
    }
}
