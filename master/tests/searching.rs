//! A client and a master without workers: the master's own search answers.

mod stage;

use engine_core::games::othello::Othello;
use proto::v1;
use proto::v1::control_request::Command;
use stage::{Stage, control, depth, hear, hear_a_line, othello, search, sequential, soon};
use tonic::Code;

const STOP: Command = Command::Stop(v1::Stop {});
const PONDER_HIT: Command = Command::PonderHit(v1::PonderHit {});
const NEW_GAME: Command = Command::NewGame(v1::NewGame {});

fn forever() -> v1::Limits {
    v1::Limits { infinite: true, ..v1::Limits::default() }
}

#[tokio::test]
async fn the_master_alone_finds_what_the_sequential_search_finds() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let request = othello(depth(6));
    let expected = sequential::<Othello>(&request, 6);
    // The second search meets what the first left behind.
    for _ in 0..2 {
        let heard = hear(search(&mut client, request.clone()).await).await;
        assert_eq!(heard.score(), expected);
        let result = heard.result();
        assert_eq!((result.depth, result.workers, result.certain), (6, 0, true));
        assert_eq!(result.bestmove.as_ref(), result.pv.first());
        let depths: Vec<u32> = heard.infos.iter().map(|info| info.depth).collect();
        assert_eq!(depths, [1, 2, 3, 4, 5, 6]);
        assert!(heard.infos.is_sorted_by_key(|info| info.nodes));
    }
    stage.end().await;
}

#[tokio::test]
async fn a_stop_is_answered_once_and_harms_no_later_search() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    assert_eq!(control(&mut client, 1, STOP).await.ok(), Some(false));
    for _ in 0..3 {
        let events = search(&mut client, othello(forever())).await;
        assert_eq!(control(&mut client, 1, STOP).await.ok(), Some(true));
        let heard = hear(events).await;
        assert!(heard.result().bestmove.is_some());
        assert_eq!(control(&mut client, 1, STOP).await.ok(), Some(false));
    }
    let heard = hear(search(&mut client, othello(depth(4))).await).await;
    assert_eq!(heard.result().depth, 4);
    stage.end().await;
}

#[tokio::test]
async fn an_infinite_search_keeps_its_result_until_stopped() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let limits = v1::Limits { infinite: true, ..depth(2) };
    let mut events = search(&mut client, othello(limits)).await;
    while hear_a_line(&mut events).await.depth < 2 {}
    // The depth is reached; the search is still there to be stopped.
    assert!(stage.status().await.search.is_some());
    assert_eq!(control(&mut client, 1, STOP).await.ok(), Some(true));
    assert_eq!(hear(events).await.result().depth, 2);
    stage.end().await;
}

#[tokio::test]
async fn pondering_ends_by_the_clock_after_the_hit() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let limits = v1::Limits { ponder: true, movetime_ms: Some(50), ..v1::Limits::default() };
    let mut events = search(&mut client, othello(limits)).await;
    while hear_a_line(&mut events).await.time_ms < 60 {}
    assert!(stage.status().await.search.is_some(), "no time passes while pondering");
    assert_eq!(control(&mut client, 1, PONDER_HIT).await.ok(), Some(true));
    assert!(hear(events).await.result().bestmove.is_some());
    stage.end().await;
}

#[tokio::test]
async fn time_and_nodes_end_a_search() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let clock = Some(v1::Clock { remaining_ms: 400, increment_ms: 10, moves_to_go: 0 });
    for limits in [
        v1::Limits { movetime_ms: Some(30), ..v1::Limits::default() },
        v1::Limits { clock, ..v1::Limits::default() },
        v1::Limits { nodes: Some(20_000), ..v1::Limits::default() },
        v1::Limits { nodes: Some(1), ..v1::Limits::default() },
        v1::Limits { movetime_ms: Some(0), ..v1::Limits::default() },
    ] {
        let heard = hear(search(&mut client, othello(limits.clone())).await).await;
        assert!(heard.result().bestmove.is_some(), "{limits:?}");
    }
    stage.end().await;
}

#[tokio::test]
async fn only_one_client_searches_at_a_time() {
    let stage = Stage::new();
    let (mut first, mut second) = (stage.client().await, stage.client().await);
    let events = search(&mut first, othello(forever())).await;
    let request = v1::SearchRequest { session: 2, ..othello(depth(2)) };
    let refusal = second.search(request.clone()).await.expect_err("refused");
    assert_eq!(refusal.code(), Code::ResourceExhausted);
    assert!(refusal.message().contains("another client"), "{}", refusal.message());
    let refusal = control(&mut second, 2, NEW_GAME).await.expect_err("refused");
    assert_eq!(refusal.code(), Code::FailedPrecondition);
    assert_eq!(control(&mut second, 2, STOP).await.ok(), Some(false), "not its search");
    // A new search of the same session takes the place of the running one.
    let next = search(&mut first, othello(depth(3))).await;
    assert!(hear(events).await.result().bestmove.is_some());
    assert_eq!(hear(next).await.result().depth, 3);
    assert_eq!(control(&mut second, 2, NEW_GAME).await.ok(), Some(true));
    assert_eq!(hear(search(&mut second, request).await).await.result().depth, 2);
    stage.end().await;
}

#[tokio::test]
async fn hanging_up_ends_the_search() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let mut events = search(&mut client, othello(forever())).await;
    hear_a_line(&mut events).await;
    drop(events);
    stage.status_when(|status| status.search.is_none()).await;
    let heard = hear(search(&mut client, othello(depth(2))).await).await;
    assert_eq!(heard.result().depth, 2);
    stage.end().await;
}

#[tokio::test]
async fn wrong_wishes_are_refused_with_a_sentence() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let chess = |position: &str| v1::SearchRequest {
        game: "chess".to_owned(),
        position: position.to_owned(),
        moves: Vec::new(),
        ..othello(depth(1))
    };
    let checkers = v1::SearchRequest { game: "checkers".to_owned(), ..othello(depth(1)) };
    for (request, word) in [
        (chess("not a position"), "bad position"),
        (chess("8/8/8/8/8/8/8/8 w - - 0 1"), "bad position"),
        (checkers, "checkers"),
        (v1::SearchRequest { session: 0, ..othello(depth(1)) }, "session"),
    ] {
        let refusal = client.search(request).await.expect_err("refused");
        assert_eq!(refusal.code(), Code::InvalidArgument);
        assert!(refusal.message().contains(word), "{}", refusal.message());
        assert!(!refusal.message().contains('\n'));
    }
    let nothing = v1::ControlRequest { session: 1, command: None };
    let refusal = client.control(nothing).await.expect_err("refused");
    assert_eq!(refusal.code(), Code::InvalidArgument);
    stage.end().await;
}

#[tokio::test]
async fn a_game_that_is_over_has_a_result_without_a_move() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let mated = v1::SearchRequest {
        game: "chess".to_owned(),
        position: "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3".to_owned(),
        moves: Vec::new(),
        ..othello(depth(5))
    };
    let heard = hear(search(&mut client, mated).await).await;
    assert_eq!(heard.result().bestmove, None);
    assert_eq!(heard.score(), engine_core::value::Score::Mate(0));
    stage.end().await;
}

#[tokio::test]
async fn shutting_down_answers_the_running_search() {
    let stage = Stage::new();
    let mut client = stage.client().await;
    let mut events = search(&mut client, othello(forever())).await;
    hear_a_line(&mut events).await;
    let (heard, ()) = soon("the end", async { tokio::join!(hear(events), stage.end()) }).await;
    assert!(heard.result().bestmove.is_some());
}
