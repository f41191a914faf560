//! Telling one other worker.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::time::{Duration, Instant};

use proto::link::{self, explain};
use proto::peers::Peer;
use proto::v1;
use proto::v1::peers_client::PeersClient;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;
use tonic::transport::{Channel, Endpoint};
use tracing::debug;

use super::Shared;
use super::queue::Queue;

/// Batches that may wait for a slow listener before it loses the oldest: a megabyte.
pub const WAITING: usize = 32;
/// Wait before another attempt to connect: first, and at most.
const DELAYS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// A stream that lasted this long shows that calling was worth it. Much longer than it takes to
/// notice that nobody answers.
const HEALTHY_AFTER: Duration = Duration::from_secs(30);

/// The way to another worker: a stream, or the master while there is none. Ends when dropped.
pub struct Link {
    way: Arc<Way>,
    _task: JoinSet<()>,
}

/// How it is told at the moment.
struct Way {
    /// One of those below.
    by: AtomicU8,
    /// What waits for the stream.
    queue: Queue<v1::Hearsay>,
}

/// Not yet; a greeting will say what it missed.
const NOT_YET: u8 = 0;
/// By a stream.
const DIRECTLY: u8 = 1;
/// The master has to pass it on.
const BY_THE_MASTER: u8 = 2;

impl Link {
    /// The way to `peer`, of which the master at the host `master` has told.
    pub fn new(shared: Arc<Shared>, peer: Peer, master: &str) -> Self {
        let queue = Queue::new(WAITING, Arc::default());
        let way = Arc::new(Way { by: AtomicU8::new(NOT_YET), queue });
        let caller = Caller { shared, way: Arc::clone(&way), peer };
        let host = if caller.peer.host.is_empty() { master } else { &caller.peer.host };
        let endpoint = link::endpoint(format_args!("{host}:{}", caller.peer.port));
        let mut task = JoinSet::new();
        task.spawn(async move {
            match endpoint {
                Ok(endpoint) if caller.peer.port != 0 => caller.call(endpoint).await,
                _ => caller.fall_back("it listens nowhere"),
            }
        });
        Self { way, _task: task }
    }

    /// The master has to pass on what is for it.
    pub fn is_relayed(&self) -> bool {
        self.way.by.load(Relaxed) == BY_THE_MASTER
    }

    /// Tells it directly if there is a way. Returns what it will never hear because of that.
    pub fn tell(&self, hearsay: &v1::Hearsay) -> Option<v1::Hearsay> {
        let direct = self.way.by.load(Relaxed) == DIRECTLY;
        if direct { self.way.queue.push(hearsay.clone()) } else { None }
    }

    /// What waits is of no use any more.
    pub fn forget(&self) {
        self.way.queue.take();
    }

    /// Number of batches that wait.
    #[cfg(test)]
    pub fn waiting(&self) -> usize {
        self.way.queue.len()
    }
}

struct Caller {
    shared: Arc<Shared>,
    way: Arc<Way>,
    peer: Peer,
}

impl Caller {
    /// Calls again and again, ever more seldom while that leads nowhere.
    async fn call(self, endpoint: Endpoint) {
        let mut delay = DELAYS.0;
        loop {
            let why = match endpoint.connect().await {
                Ok(channel) => {
                    let began = Instant::now();
                    let end = self.tell(channel).await;
                    if began.elapsed() >= HEALTHY_AFTER {
                        delay = DELAYS.0;
                    }
                    end.map_or_else(|status| explain(&status), |()| "it hung up".to_owned())
                }
                Err(error) => explain(&error),
            };
            self.fall_back(&why);
            sleep(delay).await;
            delay = (2 * delay).min(DELAYS.1);
        }
    }

    /// From now on the master passes on what is for it.
    fn fall_back(&self, why: &str) {
        if self.way.by.swap(BY_THE_MASTER, Relaxed) == BY_THE_MASTER {
            return;
        }
        debug!("worker {} is told by the master: {why}", self.peer.id);
        for lost in self.way.queue.take() {
            self.shared.lose(&lost, 1);
        }
        for hearsay in self.shared.greeting() {
            self.shared.relay(vec![self.peer.id], hearsay);
        }
    }

    /// Tells what there is to tell, after what came before, until the other end has enough.
    async fn tell(&self, channel: Channel) -> Result<(), Status> {
        debug!("worker {} is told directly", self.peer.id);
        let greeting = self.shared.greeting();
        self.way.queue.take();
        self.way.by.store(DIRECTLY, Relaxed);
        // Whatever room there is here is room for what is too old.
        let (mouth, words) = mpsc::channel(1);
        let mut client = PeersClient::new(channel);
        let talk = async {
            for hearsay in greeting {
                mouth.send(hearsay).await?;
            }
            loop {
                mouth.send(self.way.queue.next().await).await?;
            }
        };
        let told = client.tell(ReceiverStream::new(words));
        tokio::pin!(told);
        tokio::select! {
            told = &mut told => told.map(drop),
            // Nobody takes the words any more: there is an answer on its way.
            Err::<(), mpsc::error::SendError<v1::Hearsay>>(_) = talk => told.await.map(drop),
        }
    }
}
