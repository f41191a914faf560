//! Workers that are not to search, for as long as somebody or they themselves want it so.

mod stage;

use engine_core::games::othello::Othello;
use proto::v1::worker_choice::Who;
use proto::v1::worker_message::Kind as ToMaster;
use proto::v1::worker_status::State;
use proto::v1::{self, PauseReason, master_message::Kind as FromMaster};
use stage::puppet::{Puppet, hello};
use stage::worker::with_workers;
use stage::{Stage, control, depth, hear, othello, search, sequential};
use tonic::Code;

/// Deep enough that leaves go to workers.
const DEPTH: u32 = 7;

/// A search with the leaves two plies down, so that every worker gets some.
fn request() -> v1::SearchRequest {
    let profile = v1::Profile::Exact.into();
    let options = v1::Options { profile, frontier: Some(2), ..v1::Options::default() };
    v1::SearchRequest { options: Some(options), ..othello(depth(DEPTH)) }
}

/// The same without an end.
fn endless() -> v1::SearchRequest {
    let limits = v1::Limits { infinite: true, ..v1::Limits::default() };
    v1::SearchRequest { limits: Some(limits), ..request() }
}

fn all() -> Who {
    Who::All(v1::AllWorkers {})
}

fn name(name: &str) -> Who {
    Who::Name(name.to_owned())
}

/// Asks for pauses and their ends. Number and state of those meant.
async fn set(
    stage: &Stage,
    pause: Vec<Who>,
    resume: Vec<Who>,
) -> Result<Vec<(u64, bool)>, tonic::Status> {
    let choices = |who: Vec<Who>| who.into_iter().map(|who| v1::WorkerChoice { who: Some(who) });
    let (pause, resume) = (choices(pause).collect(), choices(resume).collect());
    let request = v1::SetPausedRequest { pause, resume };
    let reply = stage.client().await.set_paused(request).await?.into_inner();
    Ok(reply.workers.into_iter().map(|worker| (worker.id, worker.paused)).collect())
}

async fn stop(stage: &Stage) {
    let command = v1::control_request::Command::Stop(v1::Stop {});
    assert_eq!(control(&mut stage.client().await, 1, command).await.ok(), Some(true));
}

/// Reads on until the worker is told to pause, or that its pause is over.
async fn expect_pause(puppet: &mut Puppet, pause: bool) {
    loop {
        match puppet.hear().await.expect("the stream goes on").expect("no end") {
            FromMaster::Pause(_) if pause => return,
            FromMaster::Resume(_) if !pause => return,
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_paused_worker_has_its_leaves_taken_and_is_used_at_once_when_resumed() {
    let stage = Stage::new();
    let (mut first, _) = Puppet::join(stage.address, "first", 1).await;
    let (mut second, _) = Puppet::join(stage.address, "second", 2).await;
    let events = search(&mut stage.client().await, endless()).await;
    first.expect_leaf().await;
    second.expect_leaf().await;
    let own = |status: &v1::StatusReply| status.workers.iter().all(|worker| worker.leaves > 0);
    stage.status_when(own).await;

    assert_eq!(set(&stage, vec![name("first")], vec![]).await.expect("known"), [(1, true)]);
    let moved = |status: &v1::StatusReply| status.workers[0].leaves == 0;
    let status = stage.status_when(moved).await;
    let counters = status.counters.expect("counters");
    assert!(counters.reassigned_leaves > 0 && counters.lost_workers == 0, "{counters:?}");
    assert_eq!(status.workers[0].state(), State::Paused);
    assert!(status.workers[0].paused_by_person && status.workers[0].pause_reasons.is_empty());
    assert!(status.workers[1].leaves > 0 && !status.workers[1].paused_by_person);
    expect_pause(&mut first, true).await;

    assert_eq!(set(&stage, vec![], vec![Who::Id(1)]).await.expect("known"), [(1, false)]);
    // Nothing has been said to it in between, and now everything comes anew.
    assert!(matches!(first.hear().await, Ok(Some(FromMaster::Resume(_)))));
    assert!(matches!(first.hear().await, Ok(Some(FromMaster::Begin(_)))));
    first.expect_leaf().await;
    let agenda = loop {
        if let Ok(Some(FromMaster::Agenda(agenda))) = first.hear().await {
            break agenda;
        }
    };
    assert!(agenda.sequence < 3, "it is counted anew: {}", agenda.sequence);
    stage.status_when(|status| status.workers[0].leaves > 0).await;
    stop(&stage).await;
    assert!(hear(events).await.result().bestmove.is_some());
    stage.end().await;
}

#[tokio::test]
async fn a_master_whose_workers_are_all_paused_searches_by_itself() {
    let stage = Stage::new();
    let (mut only, _) = Puppet::join(stage.address, "only", 1).await;
    let events = search(&mut stage.client().await, request()).await;
    only.expect_leaf().await;
    assert_eq!(set(&stage, vec![all()], vec![]).await.expect("known"), [(1, true)]);
    // The worker never answers, so this is the master's own work.
    let heard = hear(events).await;
    assert_eq!(heard.score(), sequential::<Othello>(&request(), DEPTH));
    // And from the start, with nobody to take part.
    let heard = hear(search(&mut stage.client().await, request()).await).await;
    assert_eq!((heard.result().depth, heard.result().workers), (DEPTH, 0));
    assert_eq!(stage.status().await.workers.len(), 1);
    stage.end().await;
}

#[tokio::test]
async fn real_workers_paused_and_resumed_over_and_over_give_the_right_value() {
    let (stage, workers) = with_workers(2).await;
    let deep = v1::SearchRequest { limits: Some(depth(9)), ..request() };
    let events = search(&mut stage.client().await, deep.clone()).await;
    let listening = tokio::spawn(hear(events));
    let mut turns = 0;
    while !listening.is_finished() {
        // One, the other, both; a pause that ends before anybody has heard of it among them.
        let (pause, resume) = match turns % 4 {
            0 => (vec![Who::Id(1)], vec![Who::Id(2)]),
            1 => (vec![Who::Id(2)], vec![Who::Id(1)]),
            2 => (vec![all()], vec![]),
            _ => (vec![], vec![all()]),
        };
        set(&stage, pause, resume).await.expect("known");
        turns += 1;
        tokio::time::sleep(std::time::Duration::from_millis(turns % 7)).await;
    }
    assert!(turns > 2, "the search was long enough to be disturbed");
    let heard = listening.await.expect("no panic");
    assert_eq!(heard.score(), sequential::<Othello>(&deep, 9));
    // They are as able as ever.
    set(&stage, vec![], vec![all()]).await.expect("known");
    let heard = hear(search(&mut stage.client().await, request()).await).await;
    assert_eq!((heard.result().depth, heard.result().workers), (DEPTH, 2));
    for worker in workers {
        worker.end().await;
    }
    stage.end().await;
}

#[tokio::test]
async fn a_person_s_pause_outlives_the_stream_but_not_the_process() {
    let stage = Stage::new();
    let (first, _) = Puppet::join(stage.address, "box", 1).await;
    set(&stage, vec![name("box")], vec![]).await.expect("known");
    drop(first);
    stage.status_when(|status| status.workers.is_empty()).await;
    let (mut again, welcome) = Puppet::join(stage.address, "box", 1).await;
    expect_pause(&mut again, true).await;
    let (_other, _) = Puppet::join(stage.address, "box", 2).await;
    let status = stage.status().await;
    let states: Vec<State> = status.workers.iter().map(v1::WorkerStatus::state).collect();
    assert_eq!(states, [State::Paused, State::Idle]);
    // By name both are meant, and one of them changes.
    let meant = set(&stage, vec![], vec![name("box")]).await.expect("known");
    assert_eq!(meant, [(welcome.worker_id, false), (welcome.worker_id + 1, false)]);
    expect_pause(&mut again, false).await;
    stage.end().await;
}

#[tokio::test]
async fn a_worker_s_own_reasons_are_independent_of_a_person_s() {
    let stage = Stage::new();
    let reasons = vec![PauseReason::InUse.into()];
    let greeting = v1::Hello { pause_reasons: reasons.clone(), ..hello("desk", 1) };
    let mut desk = Puppet::call(stage.address, ToMaster::Hello(greeting)).await;
    assert!(matches!(desk.hear().await, Ok(Some(FromMaster::Welcome(_)))));
    expect_pause(&mut desk, true).await;
    let status = stage.status().await;
    assert_eq!(status.workers[0].state(), State::Paused);
    assert_eq!(status.workers[0].pause_reasons, reasons);
    // Nobody is there to take part, although one is connected.
    let events = search(&mut stage.client().await, endless()).await;
    let alone = |status: &v1::StatusReply| {
        status.search.as_ref().is_some_and(|search| search.passes > 0 && search.nodes > 0)
    };
    assert_eq!(stage.status_when(alone).await.workers[0].leaves, 0);
    // A person's pause on top of it, and its end, change nothing for the worker.
    set(&stage, vec![all()], vec![]).await.expect("known");
    set(&stage, vec![], vec![all()]).await.expect("known");
    assert_eq!(stage.status().await.workers[0].state(), State::Paused);
    // Its own does, in the midst of the search.
    desk.say(ToMaster::Availability(v1::Availability::default())).await;
    assert!(matches!(desk.hear().await, Ok(Some(FromMaster::Resume(_)))));
    desk.expect_leaf().await;
    // The other way round.
    set(&stage, vec![all()], vec![]).await.expect("known");
    desk.say(ToMaster::Availability(v1::Availability { reasons })).await;
    desk.say(ToMaster::Availability(v1::Availability::default())).await;
    let back = |status: &v1::StatusReply| status.workers[0].pause_reasons.is_empty();
    let status = stage.status_when(back).await;
    assert!(status.workers[0].paused_by_person && status.workers[0].state() == State::Paused);
    stop(&stage).await;
    hear(events).await;
    stage.end().await;
}

#[tokio::test]
async fn when_somebody_named_is_unknown_nothing_changes() {
    let stage = Stage::new();
    let (first, _) = Puppet::join(stage.address, "first", 1).await;
    let refusals = [
        (vec![name("first"), name("nobody")], vec![], Code::NotFound, "\"nobody\""),
        (vec![name("first")], vec![Who::Id(7)], Code::NotFound, "number 7"),
        (vec![name("")], vec![], Code::InvalidArgument, "1 to 64 bytes"),
        (vec![], vec![], Code::InvalidArgument, "nobody is named"),
    ];
    for (pause, resume, code, part) in refusals {
        let status = set(&stage, pause, resume).await.expect_err(part);
        assert!(status.code() == code && status.message().contains(part), "{status:?}");
        assert_eq!(stage.status().await.workers[0].state(), State::Idle);
    }
    // Named twice, it is what was asked for last; and nobody at all is no mistake.
    assert_eq!(set(&stage, vec![all()], vec![all()]).await.expect("known"), [(1, false)]);
    drop(first);
    stage.status_when(|status| status.workers.is_empty()).await;
    assert_eq!(set(&stage, vec![all()], vec![]).await.expect("nobody"), []);
    stage.end().await;
}

#[tokio::test]
async fn a_reason_that_is_none_is_malformed() {
    let stage = Stage::new();
    let (mut puppet, _) = Puppet::join(stage.address, "odd", 1).await;
    puppet.say(ToMaster::Availability(v1::Availability { reasons: vec![9] })).await;
    let why = puppet.expect_goodbye(v1::goodbye::Reason::ProtocolError).await;
    assert!(why.contains("reasons is 9"), "{why}");
    stage.end().await;
}
