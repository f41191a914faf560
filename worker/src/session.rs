//! One stream with a master, from greeting to goodbye.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use engine_core::aphid::messages::ToMaster;
use proto::address::Address;
use proto::handshake::{self, Admission, Introduction};
use proto::v1::cluster_client::ClusterClient;
use proto::v1::goodbye::Reason;
use proto::v1::master_message::Kind as FromMaster;
use proto::v1::worker_message::Kind as FromWorker;
use proto::{WireError, limits, link, printable, to_master, v1};
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};
use tracing::{info, warn};

use crate::config::WorkerError;
use crate::crew::{Crew, CrewError};
use crate::load::LoadMeter;

/// Messages on their way into the socket. What does not fit waits in the slave, where newer words
/// about running searches replace older ones.
const OUTBOX: usize = 64;
/// Time a master has to answer a greeting.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);
/// Time between two words about how busy we are.
const LOAD_INTERVAL: Duration = Duration::from_secs(1);
/// Time a master has to close the stream after our goodbye.
const GOODBYE_TIMEOUT: Duration = Duration::from_secs(1);
/// A session that lasted this long shows that calling was worth it.
const HEALTHY_AFTER: Duration = Duration::from_secs(5);

/// How a call ended.
#[derive(Debug)]
pub enum Ending {
    /// We were asked to end.
    ShutDown,
    /// The master does not want us, for this reason.
    Refused(String),
    /// There is no connection, or no longer.
    Lost {
        /// What happened.
        why: String,
        /// It had lasted a while.
        healthy: bool,
    },
}

impl Ending {
    fn lost(why: impl Into<String>) -> Self {
        Ending::Lost { why: why.into(), healthy: false }
    }
}

/// Calls a master.
pub struct Caller {
    introduction: Introduction,
    address: Address,
}

impl Caller {
    /// A worker called `name` that will call at `address`.
    pub fn new(name: String, instance_id: u64, address: &Address, crew: &Crew) -> Self {
        let introduction = Introduction {
            name,
            instance_id,
            threads: crew.threads() as u32,
            lanes: crew.lanes() as u32,
            hash_mb: crew.hash_mb() as u64,
            version: proto::PROGRAM_VERSION.to_owned(),
        };
        Self { introduction, address: address.clone() }
    }

    /// Calls once, and serves the master until that ends. `shutdown` must not be polled again
    /// after [`Ending::ShutDown`].
    pub async fn call<S: Future<Output = ()>>(
        &self,
        crew: &mut Crew,
        mut shutdown: Pin<&mut S>,
    ) -> Result<Ending, WorkerError> {
        let greeted = tokio::select! {
            greeted = timeout(GREETING_TIMEOUT, self.greet()) => greeted,
            () = shutdown.as_mut() => return Ok(Ending::ShutDown),
        };
        match greeted {
            Err(_) => Ok(Ending::lost(format!("no answer from the master at {}", self.address))),
            Ok(Err(GreetError::Fatal(error))) => Err(error),
            Ok(Err(GreetError::Ending(ending))) => Ok(ending),
            Ok(Ok(stream)) => Session::new(crew, stream).serve(shutdown).await,
        }
    }

    /// Connects, says hello and reads the answer.
    async fn greet(&self) -> Result<Stream, GreetError> {
        let address = &self.address;
        let endpoint = link::endpoint(address).map_err(WorkerError::Transport)?;
        let channel = endpoint.connect().await.map_err(|error| {
            let why = link::explain(&error);
            Ending::lost(format!("cannot reach the master at {address}: {why}"))
        })?;
        let (outbox, messages) = mpsc::channel(OUTBOX);
        // Queued before the call, for a master may answer that only after it has heard us.
        let hello = FromWorker::Hello(self.introduction.hello());
        outbox.try_send(hello.into()).map_err(|_| Ending::lost("the stream closed at once"))?;
        let call = ClusterClient::new(channel).work(ReceiverStream::new(messages)).await;
        let mut inbox = call.map_err(|status| Ending::lost(describe(&status)))?.into_inner();
        let first = inbox.message().await.map_err(|status| Ending::lost(describe(&status)))?;
        match first.and_then(|message| message.kind) {
            Some(FromMaster::Welcome(welcome)) => {
                let admission = Admission::read(welcome).map_err(|error| {
                    Ending::lost(format!("the master's welcome is malformed: {error}"))
                })?;
                let Admission { worker_id, version, .. } = admission;
                info!("worker {worker_id} of the master at {address} (aphid {version})");
                Ok(Stream { inbox, outbox })
            }
            Some(FromMaster::Refused(refused)) => {
                Err(Ending::Refused(handshake::describe(&refused)).into())
            }
            _ => Err(Ending::lost("the master answered neither yes nor no").into()),
        }
    }
}

/// Why there is no session.
enum GreetError {
    Ending(Ending),
    Fatal(WorkerError),
}

impl From<Ending> for GreetError {
    fn from(ending: Ending) -> Self {
        Self::Ending(ending)
    }
}

impl From<WorkerError> for GreetError {
    fn from(error: WorkerError) -> Self {
        Self::Fatal(error)
    }
}

/// Both directions.
struct Stream {
    inbox: Streaming<v1::MasterMessage>,
    outbox: mpsc::Sender<v1::WorkerMessage>,
}

/// A stream after the greeting.
struct Session<'a> {
    crew: &'a mut Crew,
    stream: Stream,
    /// Taken from the crew, not yet sent. Refilled only when empty.
    pending: VecDeque<ToMaster>,
    began: Instant,
    load: LoadMeter,
}

impl<'a> Session<'a> {
    fn new(crew: &'a mut Crew, stream: Stream) -> Self {
        let began = Instant::now();
        let load = LoadMeter::new(crew);
        let pending = crew.take_unsent();
        Self { crew, stream, pending, began, load }
    }

    async fn serve<S: Future<Output = ()>>(
        mut self,
        mut shutdown: Pin<&mut S>,
    ) -> Result<Ending, WorkerError> {
        let mut load_due = interval(LOAD_INTERVAL);
        load_due.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let outbox = self.stream.outbox.clone();
        loop {
            tokio::select! {
                () = shutdown.as_mut() => {
                    self.leave(Reason::ShuttingDown, "").await;
                    return Ok(Ending::ShutDown);
                }
                message = self.stream.inbox.message() => {
                    if let Some(why) = self.receive(message).await? {
                        return Ok(self.lost(why));
                    }
                }
                () = self.crew.news(), if self.pending.is_empty() => self.refill()?,
                permit = outbox.reserve(), if !self.pending.is_empty() => {
                    let Ok(permit) = permit else {
                        return Ok(self.lost("the master stopped listening".to_owned()));
                    };
                    if let Some(next) = self.pending.pop_front() {
                        permit.send(FromWorker::Report(to_master::encode(&next)).into());
                    }
                }
                _ = load_due.tick() => {
                    let load = self.load.read(self.crew);
                    self.offer(FromWorker::Load(load));
                }
            }
        }
    }

    /// The stream is over: nothing is searched any more, and what is unsent waits for the next one.
    fn lost(&mut self, why: String) -> Ending {
        self.crew.part(self.pending.drain(..).collect());
        Ending::Lost { why, healthy: self.began.elapsed() >= HEALTHY_AFTER }
    }

    fn refill(&mut self) -> Result<(), WorkerError> {
        let mut output = Vec::new();
        self.crew.drain_output(&mut output)?;
        self.pending.extend(output);
        Ok(())
    }

    /// Sends what loses its worth by waiting: if the link is full, not at all.
    fn offer(&self, kind: FromWorker) {
        // The error gives the message back, and that is the end of it.
        drop(self.stream.outbox.try_send(kind.into()));
    }

    /// Takes in a message or the end of the stream. Returns why the session is over, if it is.
    async fn receive(
        &mut self,
        message: Result<Option<v1::MasterMessage>, Status>,
    ) -> Result<Option<String>, WorkerError> {
        let kind = match message {
            Ok(Some(v1::MasterMessage { kind: Some(kind) })) => kind,
            // A kind of message that came later than this program.
            Ok(Some(v1::MasterMessage { kind: None })) => return Ok(None),
            Ok(None) => return Ok(Some("the master hung up without a goodbye".to_owned())),
            Err(status) => return Ok(Some(describe(&status))),
        };
        match kind {
            FromMaster::Ping(v1::Ping { nonce }) => {
                self.offer(FromWorker::Pong(v1::Pong { nonce }));
                Ok(None)
            }
            FromMaster::Goodbye(goodbye) => Ok(Some(describe_goodbye(&goodbye))),
            kind => match self.crew.handle(kind).await {
                Ok(()) => Ok(None),
                Err(CrewError::Fatal(error)) => Err(error),
                Err(CrewError::Wire(error)) => {
                    let why = self.give_up(&error).await;
                    Ok(Some(why))
                }
            },
        }
    }

    /// Ends a conversation with a master that does not make sense.
    async fn give_up(&mut self, error: &WireError) -> String {
        let detail = printable(&error.to_string(), limits::DETAIL_BYTES);
        self.leave(Reason::ProtocolError, &detail).await;
        format!("malformed message from the master: {detail}")
    }

    /// Stops searching, says goodbye and gives the master a moment to close the stream.
    async fn leave(&mut self, reason: Reason, detail: &str) {
        self.crew.part(self.pending.drain(..).collect());
        let goodbye = v1::Goodbye { reason: reason.into(), detail: detail.to_owned() };
        let farewell = async {
            if self.stream.outbox.send(FromWorker::Goodbye(goodbye).into()).await.is_ok() {
                while let Ok(Some(_)) = self.stream.inbox.message().await {}
            }
        };
        if timeout(GOODBYE_TIMEOUT, farewell).await.is_err() {
            warn!("the master did not answer our goodbye");
        }
    }
}

fn describe(status: &Status) -> String {
    let why = printable(&link::explain(status), limits::DETAIL_BYTES);
    format!("lost the master: {why}")
}

fn describe_goodbye(goodbye: &v1::Goodbye) -> String {
    let detail = printable(&goodbye.detail, limits::DETAIL_BYTES);
    match goodbye.reason() {
        Reason::ShuttingDown => "the master is shutting down".to_owned(),
        Reason::Replaced => "another process took this worker's place".to_owned(),
        Reason::ProtocolError => format!("the master could not make sense of us: {detail}"),
        Reason::Unspecified => format!("the master said goodbye: {detail}"),
    }
}
