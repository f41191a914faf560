//! Real workers on real sockets: whoever searches, the value is the sequential one.

mod stage;

use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use proto::v1;
use proto::v1::control_request::Command;
use stage::puppet::Puppet;
use stage::worker::{Worker, with_workers};
use stage::{Stage, control, depth, hear, hear_a_line, othello, search, sequential};

fn fixed(frontier: u32, request: v1::SearchRequest) -> v1::SearchRequest {
    let options =
        request.options.map(|options| v1::Options { frontier: Some(frontier), ..options });
    v1::SearchRequest { options, ..request }
}

#[tokio::test]
async fn any_number_of_workers_finds_the_same_value() {
    let chess = v1::SearchRequest {
        game: "chess".to_owned(),
        moves: ["e2e4", "e7e5", "g1f3", "b8c6"].map(str::to_owned).into(),
        ..othello(depth(4))
    };
    let expected = sequential::<Othello>(&othello(depth(6)), 6);
    let expected_chess = sequential::<Chess>(&chess, 4);
    for count in [0, 1, 2] {
        let (stage, workers) = with_workers(count).await;
        let mut client = stage.client().await;
        for request in [fixed(2, othello(depth(6))), othello(depth(6))] {
            let heard = hear(search(&mut client, request).await).await;
            assert_eq!(heard.score(), expected, "{count} workers");
            assert_eq!(heard.result().workers as usize, count);
        }
        let heard = hear(search(&mut client, fixed(2, chess.clone())).await).await;
        assert_eq!(heard.score(), expected_chess, "{count} workers");
        for worker in workers {
            worker.end().await;
        }
        stage.status_when(|status| status.workers.is_empty()).await;
        stage.end().await;
    }
}

#[tokio::test]
async fn a_stop_is_answered_while_workers_are_busy() {
    let (stage, _workers) = with_workers(2).await;
    let mut client = stage.client().await;
    let limits = v1::Limits { infinite: true, ..v1::Limits::default() };
    let mut events = search(&mut client, fixed(2, othello(limits))).await;
    while hear_a_line(&mut events).await.depth < 5 {}
    let stop = Command::Stop(v1::Stop {});
    assert_eq!(control(&mut client, 1, stop).await.ok(), Some(true));
    let heard = hear(events).await;
    assert!(heard.result().bestmove.is_some() && heard.result().depth >= 5);
    // Nothing is left to do, so nobody does anything.
    let idle = |worker: &v1::WorkerStatus| worker.busy_threads == 0;
    stage.status_when(|status| status.workers.iter().all(idle)).await;
    stage.end().await;
}

#[tokio::test]
async fn losing_workers_in_the_midst_of_a_search_changes_nothing() {
    let (stage, mut workers) = with_workers(1).await;
    // A second worker that takes leaves and never answers: the search cannot end before it is lost.
    let (mut puppet, _) = Puppet::join(stage.address, "mute", 99).await;
    let mut client = stage.client().await;
    let events = search(&mut client, fixed(2, othello(depth(7)))).await;
    puppet.expect_leaf().await;
    workers.pop().expect("one worker").cut();
    stage.status_when(|status| status.workers.len() == 1).await;
    let late = Worker::start(stage.address, "late");
    stage.status_when(|status| status.workers.len() == 2).await;
    drop(puppet);
    let heard = hear(events).await;
    assert_eq!(heard.score(), sequential::<Othello>(&othello(depth(7)), 7));
    let counters = stage.status().await.counters.expect("counters");
    assert_eq!(counters.lost_workers, 2);
    assert!(counters.reassigned_leaves > 0);
    late.end().await;
    stage.end().await;
}

#[tokio::test]
async fn a_new_game_begins_with_nothing_learnt() {
    let (stage, _workers) = with_workers(1).await;
    let mut client = stage.client().await;
    let expected = sequential::<Othello>(&othello(depth(6)), 6);
    for _ in 0..2 {
        let new_game = Command::NewGame(v1::NewGame {});
        assert_eq!(control(&mut client, 1, new_game).await.ok(), Some(true));
        let heard = hear(search(&mut client, fixed(1, othello(depth(6)))).await).await;
        assert_eq!(heard.score(), expected);
    }
    stage.end().await;
}

#[tokio::test]
async fn workers_come_back_to_a_master_that_was_away() {
    let first = Stage::new();
    let address = first.address;
    let worker = Worker::start(address, "faithful");
    first.status_when(|status| status.workers.len() == 1).await;
    first.end().await;
    let second = Stage::with(|config| config.listen = address);
    let status = second.status_when(|status| status.workers.len() == 1).await;
    assert_eq!(status.workers[0].name, "faithful");
    let mut client = second.client().await;
    let heard = hear(search(&mut client, fixed(2, othello(depth(5)))).await).await;
    assert_eq!(heard.score(), sequential::<Othello>(&othello(depth(5)), 5));
    worker.end().await;
    second.end().await;
}
