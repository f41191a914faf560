//! What this worker tells the other workers of its master, and hears from them.
//!
//! The search threads hand their notes to the [`Exchange`]; here its batches are carried to the
//! others and theirs brought to it. Everything is a hint, so nothing here ever holds up a search,
//! the conversation with the master or another worker: what finds no room is lost.
//!
//! Every worker tells every other, at any number of workers. Each entry has to reach all of them,
//! so that without multicast any arrangement carries the same number of copies; this one takes a
//! single step.
//!
//! - `server`: hearing others; `link`: telling one of them; `queue`: where what is told waits

mod link;
mod queue;
mod server;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use engine_core::drive::exchange::Exchange;
use engine_core::sharing::{BATCH, Note, pack};
use engine_core::table::Table;
use proto::peers::{Peer, PeerList};
use proto::{handshake, v1};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::config::Config;
use crate::table;

use link::Link;
use queue::Queue;
use server::Listener;

/// Messages that may wait for the master to pass them on.
const RELAYS: usize = 16;

/// See the module.
pub struct Peers {
    shared: Arc<Shared>,
    /// The port at which others find us; 0: they do not.
    port: u16,
    /// The host of the master.
    master: String,
    links: BTreeMap<Peer, Link>,
    /// The server. It ends with this.
    _listening: JoinSet<()>,
}

/// What the parts have in common.
struct Shared {
    exchange: Arc<Exchange>,
    /// Of the running search; 0: there is none.
    token: AtomicU64,
    /// What the master is to pass on.
    relays: Queue<v1::Relay>,
    /// Rung when there is a batch, or something for the master to pass on.
    bell: Arc<Notify>,
}

impl Shared {
    /// Takes in what another worker found, if it found it in the running search.
    fn hear(&self, hearsay: &v1::Hearsay) {
        if hearsay.token != 0 && hearsay.token == self.token.load(Relaxed) {
            self.exchange.admit(&hearsay.entries);
        } else {
            self.exchange.reject(proto::peers::entries(hearsay));
        }
    }

    /// Entries in the words of the running search.
    fn say(&self, notes: &[Note]) -> v1::Hearsay {
        v1::Hearsay { token: self.token.load(Relaxed), entries: pack(notes).into() }
    }

    /// What a new listener should know.
    fn greeting(&self) -> Vec<v1::Hearsay> {
        self.exchange.greeting().chunks(BATCH).map(|notes| self.say(notes)).collect()
    }

    /// Lets the master pass something on.
    fn relay(&self, to: Vec<u64>, hearsay: v1::Hearsay) {
        if let Some(oldest) = self.relays.push(v1::Relay { to, hearsay: Some(hearsay) }) {
            self.lose_relay(&oldest);
        }
    }

    /// So many copies of something told will not arrive.
    fn lose(&self, hearsay: &v1::Hearsay, copies: usize) {
        self.exchange.lose(proto::peers::entries(hearsay) * copies as u64);
    }

    fn lose_relay(&self, relay: &v1::Relay) {
        if let Some(hearsay) = &relay.hearsay {
            self.lose(hearsay, relay.to.len());
        }
    }
}

impl Peers {
    /// Nobody yet, and a port for those to come.
    ///
    /// # Errors
    /// There is no such port.
    pub async fn open(config: &Config, table: Arc<Table>) -> io::Result<Self> {
        let listener = listen(config.peer_host, config.peer_port).await?;
        let (port, budget) = (listener.local_addr()?.port(), config.share_budget);
        let bell = Arc::new(Notify::new());
        let ring = Arc::clone(&bell);
        let exchange = Exchange::new(budget, table, Box::new(move || ring.notify_one()));
        let shared = Arc::new(Shared {
            exchange: Arc::new(exchange),
            token: AtomicU64::new(0),
            relays: Queue::new(RELAYS, Arc::clone(&bell)),
            bell,
        });
        let mut listening = JoinSet::new();
        listening.spawn(Listener::new(Arc::clone(&shared)).serve(listener));
        let master = String::new();
        Ok(Self { shared, port, master, links: BTreeMap::new(), _listening: listening })
    }

    /// What search threads hand their notes to.
    pub fn exchange(&self) -> &Arc<Exchange> {
        &self.shared.exchange
    }

    /// How this worker introduces itself to those it is to share with.
    pub fn introduce(&self) -> handshake::Sharer {
        handshake::Sharer { signature: table::scheme(), port: self.port }
    }

    /// There is a master, at this host.
    pub fn join(&mut self, master: &str) {
        master.clone_into(&mut self.master);
    }

    /// The master says who the others are.
    pub fn meet(&mut self, list: PeerList) {
        if self.shared.token.swap(list.token, Relaxed) != list.token {
            self.links.values().for_each(Link::forget);
            self.shared.relays.take();
            self.shared.exchange.begin();
        }
        self.shared.exchange.tell(list.peers.len());
        let mut before = std::mem::take(&mut self.links);
        for peer in list.peers {
            let link = before.remove(&peer).unwrap_or_else(|| self.link(&peer));
            self.links.insert(peer, link);
        }
    }

    fn link(&self, peer: &Peer) -> Link {
        Link::new(Arc::clone(&self.shared), peer.clone(), &self.master)
    }

    /// The master is gone, and whoever was known by it.
    pub fn part(&mut self) {
        self.shared.token.store(0, Relaxed);
        self.shared.exchange.tell(0);
        self.links.clear();
        self.shared.relays.take();
    }

    /// Another worker says something by the master.
    pub fn hear(&self, hearsay: &v1::Hearsay) {
        self.shared.hear(hearsay);
    }

    /// Waits for what the master is to pass on. Meanwhile tells those that can be reached what
    /// there is to tell.
    pub async fn next_relay(&self) -> v1::Relay {
        loop {
            if let Some(relay) = self.shared.relays.pop() {
                return relay;
            }
            let due = self.shared.exchange.poll_timeout();
            tokio::select! {
                () = self.shared.bell.notified() => {}
                () = sleep(due.unwrap_or_default()), if due.is_some() => {}
            }
            self.tell();
        }
    }

    fn tell(&self) {
        while let Some(batch) = self.shared.exchange.poll_batch() {
            let hearsay = self.shared.say(&batch);
            let relayed = self.links.iter().filter(|(_, link)| link.is_relayed());
            let relayed: Vec<u64> = relayed.map(|(peer, _)| peer.id).collect();
            if !relayed.is_empty() {
                self.shared.relay(relayed, hearsay.clone());
            }
            for lost in self.links.values().filter_map(|link| link.tell(&hearsay)) {
                self.shared.lose(&lost, 1);
            }
        }
    }

    /// The master has no room for what it was to pass on.
    pub fn lose(&self, relay: &v1::Relay) {
        self.shared.lose_relay(relay);
    }

    /// What became of entries in the running search.
    pub fn sharing(&self) -> v1::Sharing {
        self.shared.exchange.tally().into()
    }
}

/// A port at one address of this machine, or at all of them.
async fn listen(host: Option<IpAddr>, port: u16) -> io::Result<TcpListener> {
    match host {
        Some(host) => TcpListener::bind((host, port)).await,
        None => match TcpListener::bind((Ipv6Addr::UNSPECIFIED, port)).await {
            Ok(listener) => Ok(listener),
            // A system without IPv6, if not one whose port is taken.
            Err(_) => TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).await,
        },
    }
}
