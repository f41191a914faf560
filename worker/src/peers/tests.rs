//! Other workers that are slow, stopped or gone, on real sockets: whoever tells them goes on, and
//! so does everybody else.

use std::net::Ipv4Addr;
use std::sync::Mutex;

use engine_core::sharing::{NOTES_KEPT, Notes, unpack};
use engine_core::table::Entry;
use engine_core::value::Bound;
use proto::v1::peers_server::{Peers as Service, PeersServer};
use tokio::sync::watch;
use tokio::time::{Duration, timeout};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status, Streaming};

use super::link::WAITING;
use super::*;

/// Far longer than anything here takes on the slowest machine.
const PATIENCE: Duration = Duration::from_mins(2);
/// The word of the running search.
const TOKEN: u64 = 77;
/// What a test tells in one go, in a batch of its own.
const BURST: u64 = NOTES_KEPT as u64;
/// Bytes on their way that HTTP/2 lets a sender have before a receiver has read any: 64 KiB unless
/// the receiver offers more; twice that, for what is between the queue and the socket.
const WINDOW: u64 = 2 * 64 * 1024;

async fn open() -> Peers {
    let config = Config {
        peer_host: Some(Ipv4Addr::LOCALHOST.into()),
        share_budget: 1 << 40,
        ..Config::new("localhost:7300")
    };
    Peers::open(&config, Arc::new(Table::new(4))).await.expect("a free port")
}

/// A worker in good order.
async fn healthy() -> Peers {
    let mut peers = open().await;
    peers.meet(PeerList { token: TOKEN, peers: Vec::new() });
    peers
}

fn peer(id: u64, port: u16) -> Peer {
    Peer { id, host: "127.0.0.1".to_owned(), port }
}

/// The `number`th entry of a test.
fn note(number: u64) -> Note {
    let entry = Entry { mv: 3, value: 5, depth: 40, bound: Bound::Lower };
    Note { key: number.wrapping_mul(0x9e37_79b9_7f4a_7c15), entry }
}

/// A worker that tells, driven as a session does it.
struct Teller {
    peers: Peers,
    told: u64,
    /// To whom the master was to pass something on, each time.
    relayed: Vec<Vec<u64>>,
}

impl Teller {
    /// One that tells `listeners`.
    async fn to(listeners: Vec<Peer>) -> Self {
        let mut peers = open().await;
        peers.join("127.0.0.1");
        peers.meet(PeerList { token: TOKEN, peers: listeners });
        // What is to be noted is only known once somebody has asked.
        peers.exchange().collect(&mut Notes::default());
        Self { peers, told: 0, relayed: Vec::new() }
    }

    /// Finds entries to tell.
    fn find(&mut self) {
        let mut notes = Notes::default();
        (self.told..self.told + BURST).for_each(|number| notes.note(note(number)));
        self.told += BURST;
        self.peers.exchange().collect(&mut notes);
    }

    /// Talks until it is as wished.
    async fn until(&mut self, what: &str, mut wish: impl FnMut(&Self) -> bool) {
        let talking = async {
            while !wish(self) {
                let moment = sleep(Duration::from_millis(2));
                tokio::select! {
                    relay = self.peers.next_relay() => self.relayed.push(relay.to),
                    () = moment => {}
                }
            }
        };
        let outcome = timeout(PATIENCE, talking).await;
        outcome.unwrap_or_else(|_| panic!("{what}: nothing happened"));
    }

    /// Tells `listener` so many bursts, each when the one before has arrived.
    async fn tell(&mut self, bursts: u64, listener: &Peers) {
        for _ in 0..bursts {
            self.find();
            let told = self.told;
            let arrived = |_: &Self| listener.shared.exchange.tally().received == told;
            self.until("telling a worker in good order", arrived).await;
            assert!(self.peers.links.values().all(|link| link.waiting() <= WAITING));
        }
    }

    fn lost(&self) -> u64 {
        self.peers.shared.exchange.tally().lost
    }
}

/// A worker that reads nothing until the test says so.
#[derive(Clone)]
struct Slow {
    reads: watch::Receiver<bool>,
    heard: Arc<Mutex<Vec<u64>>>,
}

impl Slow {
    /// It, where it listens, and what makes it read.
    async fn start() -> (Self, u16, watch::Sender<bool>) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let (wake, reads) = watch::channel(false);
        let slow = Self { reads, heard: Arc::default() };
        let server = Server::builder()
            .initial_stream_window_size(64 * 1024 - 1)
            .add_service(PeersServer::new(slow.clone()))
            .serve_with_incoming(TcpIncoming::from(listener));
        tokio::spawn(server);
        (slow, port, wake)
    }

    fn heard(&self) -> Vec<u64> {
        self.heard.lock().expect("nobody panics").clone()
    }
}

#[tonic::async_trait]
impl Service for Slow {
    async fn tell(
        &self,
        request: Request<Streaming<v1::Hearsay>>,
    ) -> Result<Response<v1::Heard>, Status> {
        let mut words = request.into_inner();
        let mut reads = self.reads.clone();
        let _ = reads.wait_for(|reads| *reads).await;
        while let Some(hearsay) = words.message().await? {
            let keys = unpack(&hearsay.entries).notes.into_iter().map(|note| note.key);
            self.heard.lock().expect("nobody panics").extend(keys);
        }
        Ok(Response::new(v1::Heard {}))
    }
}

/// Where a process is that does not run: the system takes its calls, and nobody reads.
fn stopped() -> (std::net::TcpListener, u16) {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    (listener, port)
}

/// Enough for the window and the queue of one who does not read to be full.
const PLENTY: u64 = 2 * (WINDOW / (BURST * 16) + WAITING as u64);

#[tokio::test]
async fn a_slow_worker_misses_the_oldest_and_nobody_else_anything() {
    let (slow, port, wake) = Slow::start().await;
    let good = healthy().await;
    let mut teller = Teller::to(vec![peer(1, port), peer(2, good.port)]).await;
    teller.tell(PLENTY, &good).await;
    assert_eq!(slow.heard(), []);
    // Lost is all that neither waits nor is in the window, burst by burst.
    let lost = teller.lost();
    let kept = teller.told - lost;
    let waiting = WAITING as u64 * BURST;
    assert!((waiting..=waiting + WINDOW / 16).contains(&kept), "{kept} kept, {lost} lost");
    assert_eq!(good.sharing().received, teller.told);
    assert!(teller.relayed.is_empty(), "it was reached");
    // It reads again: the newest are there, and what is missing is what was counted.
    wake.send(true).expect("it waits for this");
    teller.until("waking up", |_| slow.heard().len() as u64 == kept).await;
    let heard = slow.heard();
    let newest = (teller.told - waiting..teller.told).map(|number| note(number).key);
    assert!(heard.ends_with(&newest.collect::<Vec<_>>()), "the newest, in order");
    let before = teller.told;
    teller.tell(3, &good).await;
    teller.until("hearing again", |_| slow.heard().len() as u64 == kept + 3 * BURST).await;
    assert_eq!((teller.told - before, teller.lost()), (3 * BURST, lost));
}

#[tokio::test]
async fn a_stopped_worker_is_noticed_and_left_to_the_master() {
    let (_listener, port) = stopped();
    let good = healthy().await;
    let mut teller = Teller::to(vec![peer(1, port), peer(2, good.port)]).await;
    teller.tell(PLENTY, &good).await;
    assert!(teller.lost() > 0, "the queue was full");
    teller.until("noticing", |teller| teller.relayed.contains(&vec![1])).await;
    assert_eq!(good.sharing().received, teller.told);
}

#[tokio::test]
async fn a_worker_that_hangs_up_is_told_by_the_master() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    let (call, mut calls) = watch::channel(0);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            drop(socket);
            call.send_modify(|calls| *calls += 1);
        }
    });
    let good = healthy().await;
    let mut teller = Teller::to(vec![peer(1, port), peer(2, good.port)]).await;
    calls.wait_for(|&calls| calls > 0).await.expect("it is called");
    teller.tell(8, &good).await;
    teller.until("noticing", |teller| teller.relayed.contains(&vec![1])).await;
    assert_eq!(good.sharing().received, teller.told);
}

#[tokio::test]
async fn a_worker_that_refuses_is_told_by_the_master() {
    let (listener, port) = stopped();
    drop(listener);
    let good = healthy().await;
    let mut teller = Teller::to(vec![peer(1, port), peer(2, good.port)]).await;
    teller.tell(8, &good).await;
    teller.until("noticing", |teller| teller.relayed.contains(&vec![1])).await;
    assert_eq!(good.sharing().received, teller.told);
    assert!(teller.relayed.iter().all(|to| to == &[1]));
}

#[tokio::test]
async fn a_master_that_passes_nothing_on_holds_nobody_up() {
    let good = healthy().await;
    let mut teller = Teller::to(vec![peer(1, 0), peer(2, good.port)]).await;
    for burst in 1..=2 * RELAYS as u64 {
        teller.find();
        // Nobody takes what the master is to pass on.
        let arrived = async {
            while good.sharing().received < burst * BURST {
                teller.peers.tell();
                sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(PATIENCE, arrived).await.expect("a worker in good order is told");
        assert!(teller.peers.shared.relays.len() <= RELAYS);
    }
    assert_eq!(teller.lost(), RELAYS as u64 * BURST);
    assert_eq!(teller.told, good.sharing().received);
}
