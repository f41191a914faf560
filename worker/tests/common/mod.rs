//! A master that does what a test says, on a real socket.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod script;

use std::net::SocketAddr;
use std::thread::JoinHandle;
use std::time::Duration;

use proto::v1::cluster_server::{Cluster, ClusterServer};
use proto::v1::master_message::Kind as FromMaster;
use proto::v1::worker_message::Kind as FromWorker;
use proto::{handshake, v1};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};

/// Far longer than anything here takes on the slowest machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// Epoch of every fake master.
pub const EPOCH: u64 = 77;

/// Listens, and hands every worker that calls to the test. Dropping it cuts all connections.
pub struct FakeMaster {
    pub address: SocketAddr,
    calls: mpsc::Receiver<Call>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl FakeMaster {
    /// Listens on a port of the system's choice.
    pub async fn start() -> Self {
        Self::start_on(([127, 0, 0, 1], 0).into()).await
    }

    /// Listens on this address. A runtime of its own lets the test end it as a crash would.
    pub async fn start_on(address: SocketAddr) -> Self {
        let (calls_in, calls) = mpsc::channel(16);
        let (stop, stopped) = oneshot::channel();
        let (address_in, address_out) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async move {
                let listener = TcpListener::bind(address).await.unwrap();
                address_in.send(listener.local_addr().unwrap()).unwrap();
                let server = Server::builder()
                    .add_service(ClusterServer::new(Desk { calls: calls_in }))
                    .serve_with_incoming(TcpListenerStream::new(listener));
                tokio::select! {
                    served = server => served.unwrap(),
                    _ = stopped => {}
                }
            });
        });
        let address = address_out.await.unwrap();
        Self { address, calls, stop: Some(stop), thread: Some(thread) }
    }

    /// The next worker that calls, with the Hello it said.
    pub async fn call(&mut self) -> (Call, v1::Hello) {
        let mut call = timeout(PATIENCE, self.calls.recv()).await.unwrap().unwrap();
        match call.hear().await {
            Some(FromWorker::Hello(hello)) => (call, hello),
            other => panic!("{other:?} is no greeting"),
        }
    }

    /// The next worker that calls, made welcome.
    pub async fn welcome(&mut self) -> Call {
        let (call, hello) = self.call().await;
        handshake::Introduction::admit(hello).unwrap();
        let admission =
            handshake::Admission { worker_id: 1, epoch: EPOCH, version: "0.0.0-test".into() };
        call.say(FromMaster::Welcome(admission.welcome())).await;
        call
    }

    /// Dies without a word.
    pub fn crash(mut self) -> SocketAddr {
        self.stop.take().unwrap().send(()).unwrap();
        self.thread.take().unwrap().join().unwrap();
        self.address
    }
}

/// One worker's stream.
#[derive(Debug)]
pub struct Call {
    inbox: Streaming<v1::WorkerMessage>,
    outbox: mpsc::Sender<Result<v1::MasterMessage, Status>>,
}

impl Call {
    pub async fn say(&self, kind: FromMaster) {
        self.outbox.send(Ok(kind.into())).await.unwrap();
    }

    /// The next message; nothing when the stream has ended, in whatever way.
    pub async fn hear(&mut self) -> Option<FromWorker> {
        let message = timeout(PATIENCE, self.inbox.message()).await.expect("the worker speaks");
        Some(message.ok()??.kind.expect("a message of a kind we know"))
    }

    /// The next message for which `wanted` finds something; everything before it is skipped.
    pub async fn until<T>(&mut self, mut wanted: impl FnMut(FromWorker) -> Option<T>) -> T {
        let listen = async {
            loop {
                let message = self.hear().await.expect("the stream goes on");
                if let Some(found) = wanted(message) {
                    return found;
                }
            }
        };
        timeout(PATIENCE, listen).await.expect("the worker says what it should")
    }

    /// The worker's goodbye, and that nothing comes after it.
    pub async fn goodbye(mut self) -> v1::Goodbye {
        let goodbye = self
            .until(|message| match message {
                FromWorker::Goodbye(goodbye) => Some(goodbye),
                _ => None,
            })
            .await;
        drop(self.outbox);
        let mut inbox = self.inbox;
        let end = timeout(PATIENCE, inbox.message()).await.expect("the stream ends");
        assert!(!matches!(end, Ok(Some(_))), "{end:?} after a goodbye");
        goodbye
    }
}

struct Desk {
    calls: mpsc::Sender<Call>,
}

#[tonic::async_trait]
impl Cluster for Desk {
    type WorkStream = ReceiverStream<Result<v1::MasterMessage, Status>>;

    async fn work(
        &self,
        request: Request<Streaming<v1::WorkerMessage>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        let (outbox, messages) = mpsc::channel(16);
        let call = Call { inbox: request.into_inner(), outbox };
        self.calls.send(call).await.map_err(|_| Status::unavailable("the test is over"))?;
        Ok(Response::new(ReceiverStream::new(messages)))
    }
}
