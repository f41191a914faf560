//! Workers tell each other what they find: real ones directly, one that cannot be reached by the
//! master, and none of them believes what it should not, or waits for one that is slow or dead.

mod stage;

use std::net::Ipv4Addr;

use engine_core::games::othello::Othello;
use engine_core::sharing::{BATCH, Note, PACKED_BYTES, pack};
use engine_core::table::Entry;
use engine_core::value::Bound;
use proto::v1;
use proto::v1::master_message::Kind as FromMaster;
use proto::v1::peers_client::PeersClient;
use proto::v1::worker_message::Kind as ToMaster;

use tokio::net::TcpListener;

use stage::puppet::{Puppet, hello};
use stage::worker::{Worker, with_workers};
use stage::{Stage, depth, hear, othello, search, sequential, soon};

/// Long enough for every worker to have something to tell.
const DEPTH: u32 = 10;

#[tokio::test]
async fn workers_share_what_they_find_and_the_value_stays() {
    let (stage, workers) = with_workers(2).await;
    let mut client = stage.client().await;
    // The first search may be over before the workers have reached each other.
    for round in 0..20 {
        let request = othello(depth(DEPTH));
        let heard = hear(search(&mut client, request.clone()).await).await;
        assert_eq!(heard.score(), sequential::<Othello>(&request, DEPTH));
        let sharing = heard.result().sharing.expect("workers share");
        assert_eq!(sharing.rejected, 0, "{sharing:?}");
        if sharing.sent > 0 && sharing.received > 0 && sharing.admitted > 0 {
            break;
        }
        assert!(round < 19, "nothing was shared in twenty searches: {sharing:?}");
    }
    for worker in workers {
        worker.end().await;
    }
    stage.end().await;
}

#[tokio::test]
async fn a_worker_that_is_not_to_share_does_not() {
    let stage = Stage::new();
    let workers: Vec<Worker> = ["one", "two"]
        .map(|name| Worker::with(stage.address, name, |config| config.share_budget = 0))
        .into();
    stage.status_when(|status| status.workers.len() == 2).await;
    let heard = hear(search(&mut stage.client().await, othello(depth(7))).await).await;
    let nothing = v1::Sharing::default();
    assert_eq!(heard.result().sharing, Some(nothing));
    assert!(stage.status().await.workers.iter().all(|worker| worker.sharing.is_none()));
    for worker in workers {
        worker.end().await;
    }
    stage.end().await;
}

/// A puppet that says it shares, but listens nowhere.
async fn sharing_puppet(stage: &Stage) -> Puppet {
    joined(stage, hello("puppet", 5)).await
}

/// A puppet that says it shares.
async fn joined(stage: &Stage, hello: v1::Hello) -> Puppet {
    let hello = v1::Hello { table_signature: worker::scheme(), ..hello };
    let mut puppet = Puppet::call(stage.address, ToMaster::Hello(hello)).await;
    assert!(matches!(puppet.hear().await, Ok(Some(FromMaster::Welcome(_)))));
    puppet
}

/// Two who say that they listen, and want nothing to search: to one of them the system lets others
/// connect, but it never reads, and the other hangs up at once. They read nothing from the master
/// either.
async fn bad_listeners(stage: &Stage) -> (Vec<Puppet>, TcpListener) {
    let bind = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let deaf = bind().await.expect("a free port");
    let dead = bind().await.expect("a free port");
    let mut puppets = Vec::new();
    for (listener, name, instance) in [(&deaf, "deaf", 5), (&dead, "dead", 6)] {
        let port = listener.local_addr().expect("an address").port();
        let pause_reasons = vec![v1::PauseReason::InUse.into()];
        let hello = v1::Hello { pause_reasons, peer_port: port.into(), ..hello(name, instance) };
        puppets.push(joined(stage, hello).await);
    }
    tokio::spawn(async move { while dead.accept().await.is_ok() {} });
    (puppets, deaf)
}

#[tokio::test]
async fn who_is_slow_or_dead_changes_nothing_for_the_others() {
    let (stage, workers) = with_workers(2).await;
    let _bad = bad_listeners(&stage).await;
    let mut client = stage.client().await;
    // The first search may be over before the workers have reached each other.
    for round in 0..20 {
        let request = othello(depth(DEPTH));
        let heard = hear(search(&mut client, request.clone()).await).await;
        assert_eq!(heard.score(), sequential::<Othello>(&request, DEPTH));
        let status = stage.status().await;
        let real = status.workers.iter().filter_map(|worker| worker.sharing);
        if real.clone().count() == 2 && real.clone().all(|sharing| sharing.received > 0) {
            break;
        }
        assert!(round < 19, "nothing was shared in twenty searches: {status:?}");
    }
    for worker in workers {
        worker.end().await;
    }
    stage.end().await;
}

/// Waits for the master to say who the others are; there is one.
async fn introduction(puppet: &mut Puppet) -> (u64, v1::Peer) {
    loop {
        if let Ok(Some(FromMaster::Peers(list))) = puppet.hear().await
            && let [peer] = &list.peers[..]
        {
            return (list.token, peer.clone());
        }
    }
}

/// Waits for the other to say something by the master, and so to know of the search.
async fn hearsay(puppet: &mut Puppet) -> v1::Hearsay {
    loop {
        if let Ok(Some(FromMaster::Hearsay(hearsay))) = puppet.hear().await {
            return hearsay;
        }
    }
}

#[tokio::test]
async fn what_cannot_be_told_directly_goes_by_the_master() {
    let (stage, workers) = with_workers(1).await;
    let mut puppet = sharing_puppet(&stage).await;
    let request = othello(depth(DEPTH));
    let events = search(&mut stage.client().await, request.clone()).await;
    let (token, peer) = introduction(&mut puppet).await;
    assert_eq!((peer.host.as_str(), peer.port > 0), ("127.0.0.1", true));
    let hearsay = hearsay(&mut puppet).await;
    assert_eq!(hearsay.token, token);
    assert!(!hearsay.entries.is_empty() && hearsay.entries.len().is_multiple_of(16));
    // And the other way round: entries of no position in this game do no harm.
    let notes: Vec<Note> = (1..=50).map(note).collect();
    let hearsay = v1::Hearsay { token, entries: pack(&notes).into() };
    let relay = v1::Relay { to: vec![peer.worker_id, 999], hearsay: Some(hearsay) };
    puppet.say(ToMaster::Relay(relay)).await;
    let received = |status: &v1::StatusReply| {
        let sharing = status.workers.iter().filter_map(|worker| worker.sharing);
        sharing.map(|sharing| sharing.received).sum::<u64>() >= 50
    };
    stage.status_when(received).await;
    // What it owns goes to the other.
    drop(puppet);
    assert_eq!(hear(events).await.score(), sequential::<Othello>(&request, DEPTH));
    for worker in workers {
        worker.end().await;
    }
    stage.end().await;
}

/// An entry in range, of a position that there is not.
fn note(key: u64) -> Note {
    Note { key, entry: Entry { mv: 0xfeed, value: 3, depth: 20, bound: Bound::Exact } }
}

#[tokio::test]
async fn nonsense_is_counted_and_changes_nothing() {
    let (stage, workers) = with_workers(1).await;
    let mut puppet = sharing_puppet(&stage).await;
    let request = othello(depth(DEPTH));
    let events = search(&mut stage.client().await, request.clone()).await;
    let (token, peer) = introduction(&mut puppet).await;
    // What it hears before it knows of the search is not counted in it.
    hearsay(&mut puppet).await;
    let whole = pack(&[note(7), note(8)]);
    let mut spoiled = whole.clone();
    spoiled[12] = 0;
    let words = vec![
        v1::Hearsay { token: token ^ 1, entries: whole.clone().into() },
        v1::Hearsay { token: 0, entries: whole.clone().into() },
        v1::Hearsay { token, entries: spoiled.into() },
        v1::Hearsay { token, entries: whole[..21].to_vec().into() },
        v1::Hearsay { token, entries: Vec::new().into() },
    ];
    let mut direct = PeersClient::connect(format!("http://{}:{}", peer.host, peer.port))
        .await
        .expect("the worker listens");
    let told = soon("telling", direct.tell(tokio_stream::iter(words))).await;
    told.expect("nothing in it ends the stream");
    // Two of another search, two of none, one spoiled, one cut off.
    let rejected = |status: &v1::StatusReply| {
        let sharing = status.workers.iter().filter_map(|worker| worker.sharing);
        sharing.map(|sharing| sharing.rejected).sum::<u64>() == 6
    };
    stage.status_when(rejected).await;
    let long = v1::Hearsay { token, entries: vec![0; (BATCH + 1) * PACKED_BYTES].into() };
    let refused = soon("telling", direct.tell(tokio_stream::iter(vec![long]))).await;
    assert_eq!(refused.err().map(|status| status.code()), Some(tonic::Code::InvalidArgument));
    // A relay that is too long ends the conversation, as everything malformed does.
    let long = v1::Hearsay { token, entries: vec![0; (BATCH + 1) * PACKED_BYTES].into() };
    let relay = v1::Relay { to: vec![peer.worker_id], hearsay: Some(long) };
    puppet.say(ToMaster::Relay(relay)).await;
    stage.status_when(|status| status.workers.len() == 1).await;
    assert_eq!(hear(events).await.score(), sequential::<Othello>(&request, DEPTH));
    for worker in workers {
        worker.end().await;
    }
    stage.end().await;
}
