//! Telling one other worker.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use engine_core::sharing::BATCH;
use proto::link::{CONNECT_TIMEOUT, explain};
use proto::peers::Peer;
use proto::v1;
use proto::v1::peers_client::PeersClient;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_stream::wrappers::BroadcastStream;
use tokio_stream::wrappers::errors::BroadcastStreamRecvError::Lagged;
use tokio_stream::{Stream, StreamExt};
use tonic::transport::{Channel, Endpoint};
use tracing::debug;

use super::Shared;

/// Wait before another attempt to connect: first, and at most.
const DELAYS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// The way to another worker: a stream, or the master while there is none. Ends when dropped.
pub struct Link {
    relayed: Arc<AtomicBool>,
    _task: JoinSet<()>,
}

impl Link {
    /// The way to `peer`, of which the master at the host `master` has told.
    pub fn new(shared: Arc<Shared>, peer: Peer, master: &str) -> Self {
        let relayed = Arc::new(AtomicBool::new(false));
        let caller = Caller { shared, relayed: Arc::clone(&relayed), peer };
        let host = if caller.peer.host.is_empty() { master } else { &caller.peer.host };
        let endpoint = Endpoint::from_shared(format!("http://{host}:{}", caller.peer.port));
        let endpoint = endpoint.map(|to| to.connect_timeout(CONNECT_TIMEOUT).tcp_nodelay(true));
        let mut task = JoinSet::new();
        task.spawn(async move {
            match endpoint {
                Ok(endpoint) if caller.peer.port != 0 => caller.call(endpoint).await,
                _ => caller.fall_back("it listens nowhere"),
            }
        });
        Self { relayed, _task: task }
    }

    /// The master has to pass on what is for it.
    pub fn is_relayed(&self) -> bool {
        self.relayed.load(Relaxed)
    }
}

struct Caller {
    shared: Arc<Shared>,
    relayed: Arc<AtomicBool>,
    peer: Peer,
}

impl Caller {
    /// Calls again and again.
    async fn call(self, endpoint: Endpoint) {
        let mut delay = DELAYS.0;
        loop {
            match endpoint.connect().await {
                Ok(channel) => {
                    debug!("worker {} is told directly", self.peer.id);
                    self.relayed.store(false, Relaxed);
                    delay = DELAYS.0;
                    self.tell(channel).await;
                }
                Err(error) => self.fall_back(&explain(&error)),
            }
            sleep(delay).await;
            delay = (2 * delay).min(DELAYS.1);
        }
    }

    /// From now on the master passes on what is for it.
    fn fall_back(&self, why: &str) {
        if !self.relayed.swap(true, Relaxed) {
            debug!("worker {} is told by the master: {why}", self.peer.id);
            for hearsay in self.shared.greeting() {
                self.shared.relay(vec![self.peer.id], hearsay);
            }
        }
    }

    /// Tells what there is to tell until the other end has enough.
    async fn tell(&self, channel: Channel) {
        let mut client = PeersClient::new(channel);
        if let Err(status) = client.tell(self.words()).await {
            debug!("worker {} hung up: {}", self.peer.id, explain(&status));
        }
    }

    /// Everything from now on, after what came before. A listener that is too slow misses the
    /// oldest.
    fn words(&self) -> impl Stream<Item = v1::Hearsay> + use<> {
        let news = BroadcastStream::new(self.shared.batches.subscribe());
        let shared = Arc::clone(&self.shared);
        let heard = move |news| match news {
            Ok(hearsay) => Some(hearsay),
            Err(Lagged(batches)) => {
                shared.exchange.lose(batches * BATCH as u64);
                None
            }
        };
        tokio_stream::iter(self.shared.greeting()).chain(news.filter_map(heard))
    }
}
