//! A worker against a master that follows a script, over real sockets.

mod common;

use engine_core::aphid::messages::ToSlave;
use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use proto::v1::goodbye::Reason;
use proto::v1::master_message::Kind as FromMaster;
use proto::v1::refused;
use proto::v1::worker_message::Kind as FromWorker;
use proto::{handshake, v1};

use common::script::{ENDLESS, Running, agenda, begin, load, result, search, sequential, tell};
use common::{EPOCH, FakeMaster};

#[tokio::test]
async fn a_worker_greets_searches_and_says_goodbye() {
    let mut master = FakeMaster::start().await;
    let worker = Running::at(master.address);
    let (call, hello) = master.call().await;
    let introduction = handshake::Introduction::admit(hello).unwrap();
    assert_eq!((introduction.name.as_str(), introduction.threads), ("test", 2));
    assert_eq!(introduction.hash_mb, 4);
    let admission = handshake::Admission { worker_id: 9, epoch: EPOCH, version: "1".into() };
    call.say(FromMaster::Welcome(admission.welcome())).await;

    let mut call = call;
    let positions = [Chess::start(), Chess::parse("8/8/8/8/8/4k3/4p3/4K3 w - - 0 1").unwrap()];
    begin(&call, 0, &positions).await;
    agenda::<Chess>(&call, 0, 1, &[(0, 3), (1, 3), (0, 4)]).await;
    for _ in 0..3 {
        let found = result(&mut call, 0).await;
        let position = &positions[found.tag.leaf as usize];
        assert_eq!(found.bounds, sequential(position, found.depth), "{found:?}");
    }
    call.say(FromMaster::Ping(v1::Ping { nonce: 5 })).await;
    let pong = |message| match message {
        FromWorker::Pong(v1::Pong { nonce }) => Some(nonce),
        _ => None,
    };
    assert_eq!(call.until(pong).await, 5);

    let goodbye = tokio::join!(worker.stop(), call.goodbye()).1;
    assert_eq!(goodbye.reason(), Reason::ShuttingDown);
}

#[tokio::test]
async fn another_game_takes_over_and_an_ended_search_stops() {
    let mut master = FakeMaster::start().await;
    let worker = Running::at(master.address);
    let mut call = master.welcome().await;
    begin(&call, 0, &[Chess::start(), Chess::start()]).await;
    agenda::<Chess>(&call, 0, 1, &[(0, ENDLESS), (1, ENDLESS)]).await;
    load(&mut call, |load| load.busy_threads == 2).await;

    begin(&call, 1, &[Othello::start()]).await;
    agenda::<Othello>(&call, 1, 1, &[(0, 5)]).await;
    assert_eq!(result(&mut call, 1).await.bounds, sequential(&Othello::start(), 5));

    agenda::<Othello>(&call, 1, 2, &[(0, ENDLESS)]).await;
    load(&mut call, |load| load.busy_threads == 2 && load.nodes_total > 0).await;
    tell::<Othello>(&call, ToSlave::End { search: search(1) }).await;
    load(&mut call, |load| load.busy_threads == 0).await;
    load(&mut call, |load| load.nps == 0).await;
    tokio::join!(worker.stop(), call.goodbye());
}

#[tokio::test]
async fn a_paused_worker_rests_is_deaf_and_begins_anew() {
    let mut master = FakeMaster::start().await;
    let worker = Running::at(master.address);
    let mut call = master.welcome().await;
    begin(&call, 0, &[Chess::start(), Chess::start()]).await;
    agenda::<Chess>(&call, 0, 5, &[(0, ENDLESS), (1, ENDLESS)]).await;
    load(&mut call, |load| load.busy_threads == 2).await;

    call.say(FromMaster::Pause(v1::Pause {})).await;
    load(&mut call, |load| load.busy_threads == 0).await;
    // What was on its way is lost on it, and so is what makes no sense.
    begin(&call, 0, &[Chess::start()]).await;
    agenda::<Chess>(&call, 0, 6, &[(0, 1)]).await;
    call.say(FromMaster::Ping(v1::Ping { nonce: 8 })).await;
    let deaf = |message| match message {
        FromWorker::Pong(_) => Some(()),
        FromWorker::Load(load) => {
            assert_eq!(load.busy_threads, 0);
            None
        }
        other => panic!("{other:?} from a paused worker"),
    };
    call.until(deaf).await;

    call.say(FromMaster::Resume(v1::Resume {})).await;
    // Of what it held it knows nothing any more.
    agenda::<Chess>(&call, 0, 7, &[(0, 1)]).await;
    begin(&call, 0, &[Chess::start()]).await;
    agenda::<Chess>(&call, 0, 1, &[(0, 3)]).await;
    let found = result(&mut call, 0).await;
    assert_eq!((found.depth, found.bounds), (3, sequential(&Chess::start(), 3)));
    tokio::join!(worker.stop(), call.goodbye());
}

#[tokio::test]
async fn a_refused_worker_waits_and_can_be_stopped() {
    let mut master = FakeMaster::start().await;
    let worker = Running::at(master.address);
    let (mut call, mut hello) = master.call().await;
    hello.protocol_version += 1;
    let refusal = handshake::Introduction::admit(hello).unwrap_err();
    assert_eq!(refusal.reason(), refused::Reason::VersionMismatch);
    call.say(FromMaster::Refused(refusal)).await;
    assert!(call.hear().await.is_none(), "a refused worker hangs up");
    // It now waits for half a minute; that must not keep it from ending.
    worker.stop().await;
}

#[tokio::test]
async fn a_master_that_dies_and_comes_back_is_served_again() {
    let mut master = FakeMaster::start().await;
    let worker = Running::at(master.address);
    let mut call = master.welcome().await;
    begin(&call, 0, &[Chess::start(), Chess::start()]).await;
    agenda::<Chess>(&call, 0, 1, &[(0, ENDLESS), (1, ENDLESS)]).await;
    load(&mut call, |load| load.busy_threads == 2).await;
    let address = master.crash();

    let mut master = FakeMaster::start_on(address).await;
    let mut call = master.welcome().await;
    // The orphaned searches were given up, and their results are never told the new master.
    load(&mut call, |load| load.busy_threads == 0).await;
    begin(&call, 4, &[Chess::start()]).await;
    agenda::<Chess>(&call, 4, 1, &[(0, 3)]).await;
    assert_eq!(result(&mut call, 4).await.bounds, sequential(&Chess::start(), 3));
    tokio::join!(worker.stop(), call.goodbye());
}

#[tokio::test]
async fn a_worker_may_start_long_before_its_master() {
    let address = FakeMaster::start().await.crash();
    let worker = Running::at(address);
    let mut master = FakeMaster::start_on(address).await;
    let mut call = master.welcome().await;
    load(&mut call, |_| true).await;
    tokio::join!(worker.stop(), call.goodbye());
}

#[tokio::test]
async fn a_worker_without_a_master_can_be_stopped() {
    let address = FakeMaster::start().await.crash();
    let worker = Running::at(address);
    worker.stop().await;
}

#[tokio::test]
async fn nonsense_ends_the_session_and_the_worker_calls_again() {
    let tag = |search| Some(v1::SearchTag { epoch: EPOCH, search });
    let assign = |line: &[u8]| {
        let leaf = v1::Leaf {
            tag: Some(v1::LeafTag::default()),
            line: line.into(),
            ..v1::Leaf::default()
        };
        FromMaster::Assign(v1::Assign { search: tag(0), leaves: vec![leaf] })
    };
    let begin_in = |game: &str, profile| {
        let (game, profile) = (game.to_owned(), v1::Profile::into(profile));
        FromMaster::Begin(v1::Begin { search: tag(0), game, profile, fresh: false })
    };
    let nonsense = [
        assign(b"not a position"),
        assign(b""),
        FromMaster::Assign(v1::Assign { search: tag(0), leaves: Vec::new() }),
        FromMaster::Agenda(v1::Agenda::default()),
        FromMaster::End(v1::End { search: None }),
        begin_in("checkers", v1::Profile::Exact),
        begin_in("chess", v1::Profile::Unspecified),
        FromMaster::Welcome(v1::Welcome::default()),
    ];
    let mut master = FakeMaster::start().await;
    for message in nonsense {
        let worker = Running::at(master.address);
        let mut call = master.welcome().await;
        begin(&call, 0, &[Chess::start()]).await;
        agenda::<Chess>(&call, 0, 1, &[(0, 1)]).await;
        result(&mut call, 0).await;
        call.say(message).await;
        let goodbye = call.goodbye().await;
        assert_eq!(goodbye.reason(), Reason::ProtocolError, "{goodbye:?}");
        assert!(!goodbye.detail.is_empty());
        let mut again = master.welcome().await;
        load(&mut again, |load| load.busy_threads == 0).await;
        tokio::join!(worker.stop(), again.goodbye());
    }
}

#[tokio::test]
async fn a_server_that_speaks_no_grpc_is_called_again() {
    use tokio::io::AsyncWriteExt;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let worker = Running::at(listener.local_addr().unwrap());
    for greeting in [&b"220 mail ready\r\n"[..], &[0xff; 64], b""] {
        let (mut socket, _) = listener.accept().await.unwrap();
        // The worker may hang up first.
        let _ = socket.write_all(greeting).await;
    }
    listener.accept().await.unwrap();
    worker.stop().await;
}
