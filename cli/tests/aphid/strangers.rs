//! Every command against something that listens where a master should be, but is none of ours.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::process::Stdio;
use std::thread;

use proto::v1::analysis_server::{Analysis, AnalysisServer};
use proto::v1::cluster_server::{Cluster, ClusterServer};
use proto::v1::master_message::Kind;
use proto::v1::{self, refused::Reason};
use proto::{PROTOCOL_VERSION, handshake};
use tokio_stream::wrappers::TcpListenerStream;
use tokio_stream::{Empty, Iter, iter};
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};

use crate::common::{Uci, aphid, best, run};

/// The version of a master that is one step ahead.
const NEWER: u32 = PROTOCOL_VERSION + 1;

/// A master of the next protocol version: it refuses workers and tells clients its version.
struct NewerMaster;

#[tonic::async_trait]
impl Cluster for NewerMaster {
    type WorkStream = Iter<std::vec::IntoIter<Result<v1::MasterMessage, Status>>>;

    async fn work(
        &self,
        request: Request<Streaming<v1::WorkerMessage>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        request.into_inner().message().await?;
        let refused = v1::Refused {
            master_protocol_version: NEWER,
            master_version: "9.9.9".to_owned(),
            ..handshake::refused(Reason::VersionMismatch, "too old", PROTOCOL_VERSION)
        };
        Ok(Response::new(iter(vec![Ok(Kind::Refused(refused).into())])))
    }
}

#[tonic::async_trait]
impl Analysis for NewerMaster {
    type SearchStream = Empty<Result<v1::SearchEvent, Status>>;

    async fn search(
        &self,
        _: Request<v1::SearchRequest>,
    ) -> Result<Response<Self::SearchStream>, Status> {
        Err(Status::internal("nobody should come this far"))
    }

    async fn control(
        &self,
        _: Request<v1::ControlRequest>,
    ) -> Result<Response<v1::ControlReply>, Status> {
        Err(Status::internal("nobody should come this far"))
    }

    async fn status(
        &self,
        _: Request<v1::StatusRequest>,
    ) -> Result<Response<v1::StatusReply>, Status> {
        let reply = v1::StatusReply { protocol_version: NEWER, ..Default::default() };
        Ok(Response::new(reply))
    }

    async fn set_paused(
        &self,
        _: Request<v1::SetPausedRequest>,
    ) -> Result<Response<v1::SetPausedReply>, Status> {
        Err(Status::internal("nobody should come this far"))
    }
}

/// Starts one on a thread that ends with the test process.
fn newer_master() -> String {
    let socket = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = socket.local_addr().expect("an address");
    socket.set_nonblocking(true).expect("sockets can");
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let listener = tokio::net::TcpListener::from_std(socket).expect("a socket");
            let incoming = TcpListenerStream::new(listener);
            let server = Server::builder()
                .add_service(ClusterServer::new(NewerMaster))
                .add_service(AnalysisServer::new(NewerMaster));
            server.serve_with_incoming(incoming).await.expect("it serves");
        });
    });
    address.to_string()
}

/// Answers every connection with these bytes and ends it.
fn parrot(bytes: &'static [u8]) -> SocketAddr {
    let socket = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = socket.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in socket.incoming() {
            let mut stream = stream.expect("a connection");
            // A caller that has hung up already got what it deserves.
            let _ = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
        }
    });
    address
}

/// The one line on stderr of a run that fails with exit code 1.
fn complaint(args: &[&str]) -> String {
    let output = run(args);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
    assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
    assert!(stderr.starts_with("error: "), "{args:?}: {stderr}");
    stderr
}

/// The first line of a worker's log that begins with a word of this level.
fn first_warning(master: &str) -> String {
    let mut worker = aphid()
        .args(["worker", "--threads", "1", "--hash", "1", "--log", "warn", "--master", master])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut line = String::new();
    let mut log = BufReader::new(worker.stderr.take().expect("stderr is piped"));
    log.read_line(&mut line).expect("text");
    assert!(worker.try_wait().expect("a child").is_none(), "it goes on trying: {line}");
    worker.kill().and_then(|()| worker.wait()).expect("it can be ended");
    line
}

#[test]
fn a_worker_of_another_version_says_both_and_waits() {
    let line = first_warning(&newer_master());
    let versions = format!(
        "speaks protocol version {NEWER}, this worker (aphid {}) version {PROTOCOL_VERSION}: run \
         the same release on both; next attempt in ",
        env!("CARGO_PKG_VERSION")
    );
    assert!(line.contains("WARN") && line.contains("refused: the master (aphid 9.9.9)"), "{line}");
    assert!(line.contains(&versions), "{line}");
}

#[test]
fn a_client_of_another_version_says_both_and_ends() {
    let master = newer_master();
    let versions = format!(
        "speaks protocol version {NEWER}, this program version {PROTOCOL_VERSION}: run the same \
         release on both"
    );
    for args in [&["status", "--master", &master][..], &["analyse", "--master", &master]] {
        let line = complaint(args);
        assert!(line.contains(&versions), "{line}");
    }
    let mut uci = Uci::start(&["--master", &master, "--threads", "1", "--hash", "1"]);
    let lines = uci.go("depth 2");
    assert!(lines[0].starts_with("info string ") && lines[0].contains(&versions), "{lines:?}");
    assert_eq!(best(&lines).len(), 4, "the GUI gets its move all the same");
    uci.end();
}

#[test]
fn something_else_at_the_address_is_named_as_that() {
    for bytes in [&b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"[..], &[0; 64], b""] {
        let address = parrot(bytes).to_string();
        for command in ["status", "analyse"] {
            let line = complaint(&[command, "--master", &address]);
            assert!(line.contains(&address) && line.contains("master"), "{line}");
        }
        let line = first_warning(&address);
        assert!(line.contains("master") && line.contains("next attempt in"), "{line}");
    }
}
