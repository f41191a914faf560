//! What workers tell each other, and to whom.

use engine_core::sharing::{BATCH, PACKED_BYTES, Tally};

use crate::error::WireError;
use crate::{limits, parts, text, v1};

/// Bytes of the entries in one message.
const ENTRIES_BYTES: usize = BATCH * PACKED_BYTES;

/// The workers that share what they find in one search, as one of them sees them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerList {
    /// Drawn anew for each search, not 0.
    pub token: u64,
    /// The others.
    pub peers: Vec<Peer>,
}

/// Another worker.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Peer {
    /// Its number at the master.
    pub id: u64,
    /// Its address, IPv6 in brackets; empty: that of the master.
    pub host: String,
    /// Where it listens there; 0: nowhere, it is reached by the master.
    pub port: u16,
}

impl PeerList {
    /// Reads a list.
    ///
    /// # Errors
    /// A field out of its range.
    pub fn decode(list: v1::PeerList) -> Result<Self, WireError> {
        let v1::PeerList { token, peers } = list;
        if token == 0 {
            return Err(WireError::Missing("token"));
        }
        let peers = parts::list(peers, "peers", limits::PEERS, |peer| {
            let v1::Peer { worker_id: id, host, port } = peer;
            let host = text::checked(host, "host", limits::NAME_BYTES)?;
            Ok(Peer { id, host, port: self::port(port)? })
        })?;
        Ok(Self { token, peers })
    }
}

impl From<PeerList> for v1::PeerList {
    fn from(list: PeerList) -> Self {
        let peer = |Peer { id, host, port }| v1::Peer { worker_id: id, host, port: port.into() };
        Self { token: list.token, peers: list.peers.into_iter().map(peer).collect() }
    }
}

/// Reads a port; 0 is one.
pub(crate) fn port(port: u32) -> Result<u16, WireError> {
    let most = u16::MAX.into();
    parts::in_range(port, "port", 0, most).map(|port| port as u16)
}

/// Whether a message holds no more entries than one may. What is in them is looked at when they are
/// unpacked.
///
/// # Errors
/// It is too long.
pub fn check(hearsay: &v1::Hearsay) -> Result<(), WireError> {
    let length = hearsay.entries.len();
    if length > ENTRIES_BYTES {
        return Err(WireError::TooLong { field: "entries", length, max: ENTRIES_BYTES });
    }
    Ok(())
}

/// Number of entries in a message, whatever they are.
pub fn entries(hearsay: &v1::Hearsay) -> u64 {
    hearsay.entries.len().div_ceil(PACKED_BYTES) as u64
}

/// Reads a message to be passed on: for whom, and what.
///
/// # Errors
/// A field out of its range.
pub fn relay(relay: v1::Relay) -> Result<(Vec<u64>, v1::Hearsay), WireError> {
    let to = parts::list(relay.to, "to", limits::PEERS, Ok)?;
    let hearsay = relay.hearsay.ok_or(WireError::Missing("hearsay"))?;
    check(&hearsay)?;
    Ok((to, hearsay))
}

impl From<Tally> for v1::Sharing {
    fn from(tally: Tally) -> Self {
        let Tally { sent, sent_bytes, unsent, received, admitted, rejected, used, lost } = tally;
        Self {
            sent,
            sent_bytes,
            received,
            admitted,
            used,
            dropped: unsent + lost,
            rejected,
            bytes_per_second: 0,
        }
    }
}

/// The sum of what several workers say.
pub fn sum(sharing: impl IntoIterator<Item = v1::Sharing>) -> v1::Sharing {
    sharing.into_iter().fold(v1::Sharing::default(), |sum, one| v1::Sharing {
        sent: sum.sent.saturating_add(one.sent),
        sent_bytes: sum.sent_bytes.saturating_add(one.sent_bytes),
        received: sum.received.saturating_add(one.received),
        admitted: sum.admitted.saturating_add(one.admitted),
        used: sum.used.saturating_add(one.used),
        dropped: sum.dropped.saturating_add(one.dropped),
        rejected: sum.rejected.saturating_add(one.rejected),
        bytes_per_second: sum.bytes_per_second.saturating_add(one.bytes_per_second),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_they_are_written() {
        let peer = |id: u64, host: &str, port| Peer { id, host: host.to_owned(), port };
        let peers = vec![peer(3, "10.0.0.5", 4711), peer(9, "", 1), peer(4, "[fe80::1]", 0)];
        let list = PeerList { token: 7, peers };
        assert_eq!(PeerList::decode(list.clone().into()), Ok(list));
    }

    #[test]
    fn what_is_out_of_range_is_malformed() {
        let peer = |host: String, port| v1::Peer { worker_id: 1, host, port };
        let list = |token, peers| PeerList::decode(v1::PeerList { token, peers }).is_err();
        assert!(list(0, vec![]), "no token");
        assert!(list(1, vec![peer(String::new(), 65_536)]));
        assert!(list(1, vec![peer("x".repeat(65), 1)]));
        assert!(list(1, vec![peer("a\nb".to_owned(), 1)]));
        assert!(list(1, vec![peer(String::new(), 1); limits::PEERS + 1]));
        let hearsay = |length| v1::Hearsay { token: 1, entries: vec![0; length].into() };
        assert_eq!(check(&hearsay(ENTRIES_BYTES)), Ok(()));
        assert!(check(&hearsay(ENTRIES_BYTES + 1)).is_err());
        let passed_on = |to, hearsay| relay(v1::Relay { to, hearsay }).is_err();
        assert!(passed_on(vec![1], None));
        assert!(passed_on(vec![1; limits::PEERS + 1], Some(hearsay(16))));
        assert!(!passed_on(vec![1], Some(hearsay(16))));
    }
}
