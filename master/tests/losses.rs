//! Workers that vanish, freeze, come back or are of no use, in the midst of a search.

mod stage;

use std::net::SocketAddr;

use engine_core::games::othello::Othello;
use proto::v1;
use proto::v1::control_request::Command;
use proto::v1::worker_message::Kind as ToMaster;
use stage::puppet::Puppet;
use stage::{Stage, control, depth, hear, othello, search, sequential, soon};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// Deep enough that leaves go to workers.
const DEPTH: u32 = 7;

/// A search with the leaves two plies down, so that every worker gets some.
fn request() -> v1::SearchRequest {
    let profile = v1::Profile::Exact.into();
    let options = v1::Options { profile, frontier: Some(2), ..v1::Options::default() };
    v1::SearchRequest { options: Some(options), ..othello(depth(DEPTH)) }
}

fn reassigned(status: &v1::StatusReply) -> u64 {
    status.counters.map_or(0, |counters| counters.reassigned_leaves)
}

#[tokio::test]
async fn leaves_of_a_lost_worker_go_to_others() {
    let stage = Stage::new();
    let (mut first, _) = Puppet::join(stage.address, "first", 1).await;
    let (mut second, _) = Puppet::join(stage.address, "second", 2).await;
    let mut client = stage.client().await;
    let events = search(&mut client, request()).await;
    first.expect_leaf().await;
    let owns = |status: &v1::StatusReply| status.workers.iter().any(|worker| worker.leaves > 0);
    stage.status_when(owns).await;
    drop(first);
    let status = stage.status_when(|status| reassigned(status) > 0).await;
    assert_eq!(status.workers.len(), 1);
    second.expect_leaf().await;
    drop(second);
    // Nobody is left but the master itself.
    let heard = hear(events).await;
    assert_eq!(heard.score(), sequential::<Othello>(&request(), DEPTH));
    assert_eq!((heard.result().workers, heard.result().depth), (2, DEPTH));
    let counters = stage.status().await.counters.expect("counters");
    assert_eq!(counters.lost_workers, 2);
    stage.end().await;
}

#[tokio::test]
async fn a_worker_that_joins_in_the_midst_of_a_search_is_used_at_once() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let limits = v1::Limits { infinite: true, ..v1::Limits::default() };
    let events = search(&mut client, v1::SearchRequest { limits: Some(limits), ..request() }).await;
    let (mut late, _) = Puppet::join(stage.address, "late", 1).await;
    let (tag, _) = late.expect_leaf().await;
    assert_ne!(tag.epoch, 0);
    // It never answers; the client gets its own answer nevertheless.
    let stop = Command::Stop(v1::Stop {});
    assert_eq!(control(&mut client, 1, stop).await.ok(), Some(true));
    assert!(hear(events).await.result().bestmove.is_some());
    stage.end().await;
}

#[tokio::test]
async fn results_under_an_old_name_are_dropped() {
    let stage = Stage::new();
    let (mut old, _) = Puppet::join(stage.address, "sleeper", 5).await;
    let mut client = stage.client().await;
    let events = search(&mut client, request()).await;
    let (search, tag) = old.expect_leaf().await;
    let (new, _) = Puppet::join(stage.address, "sleeper", 5).await;
    stage.status_when(|status| reassigned(status) > 0).await;
    // A lie, to be found out if it counted.
    let lie = v1::LeafResult {
        tag: Some(tag),
        depth: 1,
        lower: 9_999,
        upper: 9_999,
        ..Default::default()
    };
    let event = Some(v1::report::Event::Result(lie));
    new.say(ToMaster::Report(v1::Report { search: Some(search), nodes: 1, event, sharing: None }))
        .await;
    let late = |status: &v1::StatusReply| status.workers[0].late_results == 1;
    stage.status_when(late).await;
    drop((old, new));
    assert_eq!(hear(events).await.score(), sequential::<Othello>(&request(), DEPTH));
    stage.end().await;
}

/// A cable that can be cut without either end being told.
struct Cable {
    address: SocketAddr,
    cut: oneshot::Sender<()>,
}

impl Cable {
    async fn to(master: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (cut, is_cut) = oneshot::channel();
        tokio::spawn(async move {
            let (mut near, _) = listener.accept().await.expect("a caller");
            let mut far = TcpStream::connect(master).await.expect("the master");
            tokio::select! {
                _ = copy_bidirectional(&mut near, &mut far) => {}
                // Both sockets stay open, and silent.
                _ = is_cut => std::future::pending().await,
            }
        });
        Self { address, cut }
    }
}

#[tokio::test]
async fn a_link_that_is_only_half_there_is_noticed() {
    let stage = Stage::new();
    let cable = Cable::to(stage.address).await;
    let (mut puppet, _) = Puppet::join(cable.address, "far", 1).await;
    let mut client = stage.client().await;
    let events = search(&mut client, request()).await;
    puppet.expect_leaf().await;
    cable.cut.send(()).expect("the cable is there");
    let heard = soon("noticing", hear(events)).await;
    assert_eq!(heard.score(), sequential::<Othello>(&request(), DEPTH));
    assert_eq!(stage.status().await.workers, []);
    stage.end().await;
}
