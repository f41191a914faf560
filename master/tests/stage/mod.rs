//! A master on a port of its own, and what its clients and workers do to it.

#![allow(dead_code, reason = "each test file uses its own part of the stage")]

pub mod puppet;
pub mod worker;

use std::net::SocketAddr;
use std::time::Duration;

use engine_core::game::Game;
use engine_core::line::Line;
use engine_core::search::deepen::{Analysis, Request};
use engine_core::search::{Profile, Searcher, Status};
use engine_core::table::Table;
use engine_core::value::Score;
use master::{Config, Master};
use proto::v1;
use proto::v1::analysis_client::AnalysisClient;
use proto::v1::control_request::Command;
use proto::v1::search_event::Kind;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::Streaming;
use tonic::transport::Channel;

/// Longer than anything here can take on the slowest machine; reaching it means it hangs.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// Waits for what must happen.
pub async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    let outcome = tokio::time::timeout(PATIENCE, future).await;
    outcome.unwrap_or_else(|_| panic!("{what}: nothing happened"))
}

/// A running master.
pub struct Stage {
    pub address: SocketAddr,
    end: oneshot::Sender<()>,
    serving: JoinHandle<Result<(), master::MasterError>>,
}

impl Stage {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config::new(([127, 0, 0, 1], 0).into());
        config.hash_mb = 8;
        change(&mut config);
        let server = Master::bind(config).expect("a free port");
        let address = server.local_addr();
        let (end, ended) = oneshot::channel();
        let serving = tokio::spawn(server.serve(async { ended.await.unwrap_or_default() }));
        Self { address, end, serving }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub async fn client(&self) -> AnalysisClient<Channel> {
        soon("connecting", AnalysisClient::connect(self.url())).await.expect("connected")
    }

    pub async fn status(&self) -> v1::StatusReply {
        let reply = self.client().await.status(v1::StatusRequest {}).await;
        reply.expect("status").into_inner()
    }

    /// The state of the cluster as soon as it is as wished.
    pub async fn status_when(&self, wish: impl Fn(&v1::StatusReply) -> bool) -> v1::StatusReply {
        let mut client = self.client().await;
        soon("waiting for a state", async {
            loop {
                let reply = client.status(v1::StatusRequest {}).await;
                let status = reply.expect("status").into_inner();
                if wish(&status) {
                    return status;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await
    }

    /// Ends the master, which must take its time but not more.
    pub async fn end(self) {
        self.end.send(()).expect("the master is up");
        soon("shutting down", self.serving).await.expect("no panic").expect("a clean end");
    }
}

/// A search of Othello from the start.
pub fn othello(limits: v1::Limits) -> v1::SearchRequest {
    v1::SearchRequest {
        session: 1,
        game: "othello".to_owned(),
        moves: vec!["d3".to_owned(), "c5".to_owned()],
        limits: Some(limits),
        options: Some(v1::Options { profile: v1::Profile::Exact.into(), ..v1::Options::default() }),
        ..v1::SearchRequest::default()
    }
}

/// Search to `depth`.
pub fn depth(depth: u32) -> v1::Limits {
    v1::Limits { depth: Some(depth), ..v1::Limits::default() }
}

/// What the sequential search makes of the same position.
pub fn sequential<G: Game>(request: &v1::SearchRequest, depth: u32) -> Score {
    let moves = request.moves.iter().map(String::as_str);
    let start = match request.position.as_str() {
        "" => G::start(),
        text => G::parse(text).expect("a position"),
    };
    let line = Line::from_moves(start, moves).expect("legal moves");
    let searcher = Searcher::new(Profile::Exact, std::sync::Arc::new(Table::new(8)));
    let mut analysis = Analysis::new(searcher, Request::<G>::to_depth(line, depth));
    while analysis.work(100_000) == Status::Running {}
    analysis.report().score()
}

/// Everything a search says until its end.
pub struct Heard {
    pub infos: Vec<v1::Info>,
    pub results: Vec<v1::Result>,
}

impl Heard {
    /// The one result.
    pub fn result(&self) -> &v1::Result {
        assert_eq!(self.results.len(), 1, "exactly one result for each search");
        &self.results[0]
    }

    pub fn score(&self) -> Score {
        let score = self.result().score.expect("every result has a score");
        score.try_into().expect("a well-formed score")
    }
}

/// Listens to the end.
pub async fn hear(mut events: Streaming<v1::SearchEvent>) -> Heard {
    let mut heard = Heard { infos: Vec::new(), results: Vec::new() };
    while let Some(event) = soon("listening", events.message()).await.expect("an event") {
        match event.kind.expect("a known kind") {
            Kind::Info(info) => heard.infos.push(info),
            Kind::Result(result) => heard.results.push(result),
            Kind::Accepted(_) | Kind::Progress(_) => {}
        }
    }
    heard
}

/// Listens until there is a line of play.
pub async fn hear_a_line(events: &mut Streaming<v1::SearchEvent>) -> v1::Info {
    loop {
        let event = soon("listening", events.message()).await.expect("an event");
        if let Some(Kind::Info(info)) = event.expect("no end yet").kind {
            return info;
        }
    }
}

pub async fn search(
    client: &mut AnalysisClient<Channel>,
    request: v1::SearchRequest,
) -> Streaming<v1::SearchEvent> {
    client.search(request).await.expect("accepted").into_inner()
}

/// Sends a command for `session`; whether it applied.
pub async fn control(
    client: &mut AnalysisClient<Channel>,
    session: u64,
    command: Command,
) -> Result<bool, tonic::Status> {
    let request = v1::ControlRequest { session, command: Some(command) };
    client.control(request).await.map(|reply| reply.into_inner().applied)
}
