//! What comes in on the port that is no well-behaved client or worker.

mod stage;

use prost::Message;
use proto::v1;
use proto::v1::goodbye::Reason as Goodbye;
use proto::v1::master_message::Kind as FromMaster;
use proto::v1::refused::Reason as Refused;
use proto::v1::worker_message::Kind as ToMaster;
use stage::puppet::{Puppet, hello};
use stage::{Stage, depth, hear, othello, search, soon};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_stream::StreamExt;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Endpoint;
use tonic::{Code, IntoStreamingRequest};
use tonic_prost::ProstCodec;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

#[tokio::test]
async fn another_protocol_version_is_refused_with_both_versions() {
    let stage = Stage::new();
    for theirs in [0, proto::PROTOCOL_VERSION + 1, u32::MAX] {
        // Nothing else in it makes sense either; the version is what it must hear about.
        let strange = v1::Hello { protocol_version: theirs, ..v1::Hello::default() };
        let mut puppet = Puppet::call(stage.address, ToMaster::Hello(strange)).await;
        let refused = puppet.expect_refusal().await;
        assert_eq!(refused.reason(), Refused::VersionMismatch);
        assert_eq!(refused.master_protocol_version, proto::PROTOCOL_VERSION);
        assert_eq!(refused.worker_protocol_version, theirs);
        assert_eq!(puppet.hear().await, Ok(None), "the stream is closed");
    }
    let status = stage.status().await;
    assert_eq!(status.workers, []);
    assert_eq!(status.counters.expect("counters").refused_workers, 3);
    stage.end().await;
}

#[tokio::test]
async fn a_bad_introduction_is_refused_and_a_full_master_says_so() {
    let stage = Stage::with(|config| config.max_workers = 1);
    let nameless = v1::Hello { name: String::new(), ..hello("", 1) };
    let mut puppet = Puppet::call(stage.address, ToMaster::Hello(nameless)).await;
    assert_eq!(puppet.expect_refusal().await.reason(), Refused::MalformedHello);
    let _welcome = Puppet::join(stage.address, "a", 1).await;
    let mut superfluous = Puppet::call(stage.address, ToMaster::Hello(hello("b", 2))).await;
    assert_eq!(superfluous.expect_refusal().await.reason(), Refused::TooManyWorkers);
    assert_eq!(superfluous.hear().await, Err(Code::ResourceExhausted));
    stage.end().await;
}

#[tokio::test]
async fn the_first_message_must_be_a_hello() {
    let stage = Stage::new();
    let mut puppet = Puppet::call(stage.address, ToMaster::Load(v1::Load::default())).await;
    let detail = puppet.expect_goodbye(Goodbye::ProtocolError).await;
    assert!(detail.contains("Hello"), "{detail}");
    assert_eq!(puppet.hear().await, Err(Code::InvalidArgument));
    stage.end().await;
}

#[tokio::test]
async fn a_malformed_report_ends_the_stream_and_nothing_else() {
    let stage = Stage::new();
    let _other = Puppet::join(stage.address, "good", 1).await;
    let (mut puppet, _) = Puppet::join(stage.address, "bad", 2).await;
    puppet.say(ToMaster::Report(v1::Report::default())).await;
    let detail = puppet.expect_goodbye(Goodbye::ProtocolError).await;
    assert!(!detail.is_empty());
    assert_eq!(puppet.hear().await, Err(Code::InvalidArgument));
    let status = stage.status_when(|status| status.workers.len() == 1).await;
    assert_eq!(status.workers[0].name, "good");
    assert_eq!(status.counters.expect("counters").malformed_messages, 1);
    stage.end().await;
}

#[tokio::test]
async fn a_worker_that_comes_back_takes_its_own_place_at_once() {
    let stage = Stage::new();
    let (mut old, before) = Puppet::join(stage.address, "box", 7).await;
    let _twin = Puppet::join(stage.address, "box", 8).await;
    let (new, after) = Puppet::join(stage.address, "box", 7).await;
    assert_ne!(before.worker_id, after.worker_id);
    assert_eq!(before.epoch, after.epoch);
    old.expect_goodbye(Goodbye::Replaced).await;
    assert_eq!(old.hear().await, Ok(None));
    let status = stage.status_when(|status| status.workers.len() == 2).await;
    let names: Vec<&str> = status.workers.iter().map(|worker| worker.name.as_str()).collect();
    assert_eq!(names, ["box", "box"]);
    // Whatever the old stream does now, the new one keeps the place.
    drop(old);
    new.say(ToMaster::Load(v1::Load { nodes_total: 5, ..v1::Load::default() })).await;
    let heard = |status: &v1::StatusReply| status.workers.iter().any(|w| w.nodes_total == 5);
    assert_eq!(stage.status_when(heard).await.workers.len(), 2);
    stage.end().await;
}

#[tokio::test]
async fn reports_out_of_the_blue_are_counted_and_dropped() {
    let stage = Stage::new();
    let (puppet, _) = Puppet::join(stage.address, "zombie", 1).await;
    let tag = Some(v1::LeafTag { leaf: 3, generation: 1 });
    let result = v1::LeafResult { tag, depth: 2, ..v1::LeafResult::default() };
    let running = v1::RunningLeaf { tag, depth: 3, nodes: 5 };
    let running = v1::RunningLeaves { leaves: vec![running, running] };
    for event in [v1::report::Event::Result(result), v1::report::Event::Running(running)] {
        let report = v1::Report {
            search: Some(v1::SearchTag { epoch: 12345, search: 1 }),
            nodes: 1,
            event: Some(event),
            sharing: None,
        };
        puppet.say(ToMaster::Report(report)).await;
    }
    let counted = |status: &v1::StatusReply| status.workers[0].late_reports == 2;
    let status = stage.status_when(counted).await;
    assert_eq!(status.workers[0].late_results, 1);
    let counters = status.counters.expect("counters");
    assert_eq!((counters.late_results, counters.late_reports), (1, 2));
    stage.end().await;
}

#[tokio::test]
async fn bytes_that_are_no_message_end_the_stream_and_nothing_else() {
    let stage = Stage::new();
    let channel = Endpoint::from_shared(format!("http://{}", stage.address)).expect("a url");
    let mut call = Grpc::new(channel.connect().await.expect("connected"));
    call.ready().await.expect("ready");
    // A byte string is written like a WorkerMessage with these bytes for a Hello.
    let words = [hello("box", 1).encode_to_vec(), vec![0xff; 40]];
    let words = tokio_stream::iter(words).chain(tokio_stream::pending());
    let codec = ProstCodec::<Vec<u8>, v1::MasterMessage>::default();
    let path = PathAndQuery::from_static("/aphid.v1.Cluster/Work");
    let mut ear = call.streaming(words.into_streaming_request(), path, codec).await;
    let ear = ear.as_mut().expect("the call is taken").get_mut();
    let mut goodbye = None;
    let end = loop {
        match soon("listening", ear.message()).await {
            Ok(Some(v1::MasterMessage { kind: Some(FromMaster::Goodbye(word)) })) => {
                goodbye = Some(word.reason());
            }
            Ok(Some(_)) => {}
            Ok(None) => break None,
            Err(status) => break Some(status.code()),
        }
    };
    assert_eq!((goodbye, end), (Some(Goodbye::ProtocolError), Some(Code::InvalidArgument)));
    let status = stage.status_when(|status| status.workers.is_empty()).await;
    let counters = status.counters.expect("counters");
    assert_eq!((counters.malformed_messages, counters.lost_workers), (1, 0));
    stage.end().await;
}

#[tokio::test]
async fn garbage_on_the_port_does_no_harm() {
    let stage = Stage::new();
    let noise: Vec<u8> =
        (0..20_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    let half_open = [preface, noise.clone()].concat();
    for bytes in [noise, half_open, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n".to_vec(), Vec::new()] {
        let mut socket = TcpStream::connect(stage.address).await.expect("connected");
        // The master may hang up before it has read everything.
        let _ = socket.write_all(&bytes).await;
        let _ = socket.shutdown().await;
        let mut answer = Vec::new();
        let _ = soon("hanging up", socket.read_to_end(&mut answer)).await;
    }
    let mut client = stage.client().await;
    assert_eq!(hear(search(&mut client, othello(depth(3))).await).await.result().depth, 3);
    stage.end().await;
}

#[tokio::test]
async fn a_port_can_be_had_once() {
    let stage = Stage::new();
    let error = master::Master::bind(master::Config::new(stage.address)).expect_err("busy");
    let sentence = error.to_string();
    assert!(sentence.contains(&stage.address.to_string()), "{sentence}");
    assert!(sentence.contains("another program") && !sentence.contains('\n'), "{sentence}");
    stage.end().await;
}

#[tokio::test]
async fn health_is_told_service_by_service() {
    let stage = Stage::new();
    let channel = Endpoint::from_shared(format!("http://{}", stage.address)).expect("a url");
    let channel = channel.connect().await.expect("connected");
    let mut health = tonic_health::pb::health_client::HealthClient::new(channel);
    let ask = |service: &str| tonic_health::pb::HealthCheckRequest { service: service.to_owned() };
    let known = health.check(ask("aphid.v1.Analysis")).await.expect("known").into_inner();
    assert_eq!(known.status(), tonic_health::pb::health_check_response::ServingStatus::Serving);
    let unknown = health.check(ask("aphid.v1.Oracle")).await.expect_err("unknown");
    assert_eq!(unknown.code(), Code::NotFound);
    stage.end().await;
}

#[tokio::test]
async fn every_service_can_be_asked_what_it_offers() {
    let stage = Stage::new();
    let channel = Endpoint::from_shared(format!("http://{}", stage.address)).expect("a url");
    let channel = channel.connect().await.expect("connected");
    let question = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut reflection = ServerReflectionClient::new(channel);
    let answers = reflection.server_reflection_info(tokio_stream::once(question)).await;
    let mut answers = answers.expect("answered").into_inner();
    let answer = soon("reflecting", answers.message()).await.expect("no error").expect("one");
    let Some(MessageResponse::ListServicesResponse(list)) = answer.message_response else {
        panic!("no list but {:?}", answer.message_response);
    };
    let names: Vec<&str> = list.service.iter().map(|service| service.name.as_str()).collect();
    for service in ["aphid.v1.Analysis", "aphid.v1.Cluster", "grpc.health.v1.Health"] {
        assert!(names.contains(&service), "{service} is not among {names:?}");
    }
    drop((answers, reflection));
    stage.end().await;
}
