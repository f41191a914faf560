//! Who tells whom what they find: the master only introduces the workers to each other, and passes
//! on what they cannot bring there themselves.

use std::net::SocketAddr;

use proto::peers::{Peer, PeerList};
use proto::v1;
use proto::v1::master_message::Kind;

use super::{Hub, State};
use crate::registry::Worker;

impl Hub {
    /// Passes on what worker `from` tells others, to those that take part in the same search.
    pub fn relay(&self, from: u64, to: &[u64], hearsay: &v1::Hearsay) {
        let state = self.state();
        let Some(search) = &state.search else { return };
        if search.token != hearsay.token {
            return;
        }
        for worker in state.workers.iter().filter(|worker| worker.recruit.id != from) {
            if worker.shares() && to.contains(&worker.recruit.id) {
                worker.recruit.outbox.post(|mailbox| mailbox.put(Kind::Hearsay(hearsay.clone())));
            }
        }
    }

    /// What the workers say became of the entries they shared in the running search, added up.
    pub fn shared(&self) -> v1::Sharing {
        let state = self.state();
        proto::peers::sum(state.workers.iter().filter_map(|worker| worker.sharing))
    }
}

impl State {
    /// Tells every worker that shares what it finds who the others are, while there is a search.
    pub(super) fn introduce_peers(&self) {
        let Some(search) = &self.search else { return };
        let sharers: Vec<&Worker> = self.workers.iter().filter(|worker| worker.shares()).collect();
        for worker in &sharers {
            let others = sharers.iter().filter(|other| worker.understands(other));
            let peers = others.map(|other| other.as_peer_of(worker)).collect();
            let list = PeerList { token: search.token, peers };
            worker.recruit.outbox.post(|mailbox| mailbox.put(Kind::Peers(list.into())));
        }
    }
}

impl Worker {
    /// It shares what it finds.
    fn shares(&self) -> bool {
        self.introduction.sharing.signature != 0
    }

    /// It is another worker whose table entries mean the same.
    fn understands(&self, other: &Worker) -> bool {
        let signature = |worker: &Worker| worker.introduction.sharing.signature;
        self.recruit.id != other.recruit.id && signature(self) == signature(other)
    }

    /// Where `other` finds it. An address of this machine alone means another one elsewhere: there
    /// it is the address of the master.
    fn as_peer_of(&self, other: &Worker) -> Peer {
        let ip = |address: Option<SocketAddr>| address.map(|address| address.ip().to_canonical());
        let (mine, theirs) = (ip(self.address), ip(other.address));
        let host = match mine {
            Some(ip) if ip.is_loopback() && !theirs.is_some_and(|ip| ip.is_loopback()) => None,
            Some(ip) => Some(ip),
            None => None,
        };
        let host = host.map_or_else(String::new, |ip| {
            if ip.is_ipv6() { format!("[{ip}]") } else { ip.to_string() }
        });
        Peer { id: self.recruit.id, host, port: self.introduction.sharing.port }
    }
}
