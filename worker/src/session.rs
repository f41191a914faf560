//! One stream with a master, from greeting to goodbye.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use engine_core::aphid::messages::ToMaster;
use proto::handshake::{self, Admission, Introduction};
use proto::lan::Whereabouts;
use proto::pause::OwnPause;
use proto::v1::cluster_client::ClusterClient;
use proto::v1::goodbye::Reason;
use proto::v1::master_message::Kind as FromMaster;
use proto::v1::worker_message::Kind as FromWorker;
use proto::{WireError, limits, link, printable, to_master, v1};
use tokio::sync::{mpsc, watch};
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
    master: Whereabouts,
}

impl Caller {
    /// A worker called `name` that will call `master`.
    pub fn new(name: String, instance_id: u64, master: Whereabouts, crew: &Crew) -> Self {
        let introduction = Introduction {
            name,
            instance_id,
            threads: crew.threads() as u32,
            lanes: crew.lanes() as u32,
            hash_mb: crew.hash_mb() as u64,
            version: proto::PROGRAM_VERSION.to_owned(),
            pause: OwnPause::default(),
            sharing: crew.sharer(),
        };
        Self { introduction, master }
    }

    /// Calls once, and serves the master until that ends, whenever there is no reason of our own
    /// to pause. `shutdown` must not be polled again after [`Ending::ShutDown`].
    pub async fn call<S: Future<Output = ()>>(
        &self,
        crew: &mut Crew,
        reasons: &mut watch::Receiver<OwnPause>,
        mut shutdown: Pin<&mut S>,
    ) -> Result<Ending, WorkerError> {
        let pause = *reasons.borrow_and_update();
        let greeted = tokio::select! {
            greeted = timeout(GREETING_TIMEOUT, self.greet(pause)) => greeted,
            () = shutdown.as_mut() => return Ok(Ending::ShutDown),
        };
        match greeted {
            Err(_) => Ok(Ending::lost(format!("no answer from the master, {}", self.master))),
            Ok(Err(GreetError::Fatal(error))) => Err(error),
            Ok(Err(GreetError::Ending(ending))) => Ok(ending),
            Ok(Ok((host, stream))) => {
                crew.join(&host);
                Session::new(crew, stream, reasons).serve(shutdown).await
            }
        }
    }

    /// Looks where the master is if need be, connects, says hello and reads the answer. The
    /// master's host and the stream.
    async fn greet(&self, pause: OwnPause) -> Result<(String, Stream), GreetError> {
        let address = self.master.first().await.map_err(|error| Ending::lost(error.to_string()))?;
        let endpoint = link::endpoint(&address).map_err(WorkerError::Transport)?;
        let channel = endpoint.connect().await.map_err(|error| {
            let why = link::explain(&error);
            Ending::lost(format!("cannot reach the master at {address}: {why}"))
        })?;
        let (outbox, messages) = mpsc::channel(OUTBOX);
        // Queued before the call, for a master may answer that only after it has heard us.
        let introduction = Introduction { pause, ..self.introduction.clone() };
        let hello = FromWorker::Hello(introduction.hello());
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
                // Launch scripts wait for these words, see cli/tests/aphid/launching.rs.
                info!("worker {worker_id} of the master at {address} (aphid {version})");
                Ok((address.host().to_owned(), Stream { inbox, outbox }))
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
    /// The master wants nothing searched.
    paused: bool,
    /// Our own reasons to search nothing.
    reasons: &'a mut watch::Receiver<OwnPause>,
    /// The master does not know the newest of them.
    excuse_due: bool,
}

impl<'a> Session<'a> {
    fn new(crew: &'a mut Crew, stream: Stream, reasons: &'a mut watch::Receiver<OwnPause>) -> Self {
        let began = Instant::now();
        let load = LoadMeter::new(crew);
        let pending = crew.take_unsent();
        Self { crew, stream, pending, began, load, paused: false, reasons, excuse_due: false }
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
                permit = outbox.reserve(), if self.excuse_due || !self.pending.is_empty() => {
                    let Ok(permit) = permit else {
                        return Ok(self.lost("the master stopped listening".to_owned()));
                    };
                    if let Some(next) = self.next_word() {
                        permit.send(next.into());
                    }
                }
                relay = self.crew.next_relay() => self.pass_on(relay),
                // The sender outlives every session.
                Ok(()) = self.reasons.changed() => self.reconsider(),
                _ = load_due.tick() => {
                    let load = self.load.read(self.crew);
                    self.offer(FromWorker::Load(load));
                }
            }
        }
    }

    /// What the master is to hear next.
    fn next_word(&mut self) -> Option<FromWorker> {
        if std::mem::take(&mut self.excuse_due) {
            let reasons = *self.reasons.borrow();
            return Some(FromWorker::Availability(reasons.into()));
        }
        let next = self.pending.pop_front()?;
        let sharing = self.crew.sharing();
        Some(FromWorker::Report(v1::Report { sharing, ..to_master::encode(&next) }))
    }

    /// There is a new reason to pause, or one less.
    fn reconsider(&mut self) {
        self.excuse_due = true;
        let paused = self.reasons.borrow_and_update().is_paused();
        if paused {
            self.rest();
        }
    }

    /// We have a reason of our own to search nothing.
    fn is_excused(&self) -> bool {
        self.reasons.borrow().is_paused()
    }

    /// Nothing may be searched.
    fn is_paused(&self) -> bool {
        self.paused || self.is_excused()
    }

    /// Stops searching. What the master has not heard is of no use to it: the leaves are others'.
    fn rest(&mut self) {
        self.crew.rest();
        self.pending.clear();
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

    /// Lets the master pass something on to other workers, if the link has room for it.
    fn pass_on(&self, relay: v1::Relay) {
        match self.stream.outbox.try_reserve() {
            Ok(permit) => permit.send(FromWorker::Relay(relay).into()),
            Err(_) => self.crew.lose(&relay),
        }
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
            FromMaster::Pause(_) => {
                if !std::mem::replace(&mut self.paused, true) && !self.is_excused() {
                    info!("paused: the master gives us nothing to search until it is told to");
                }
                self.rest();
                Ok(None)
            }
            FromMaster::Resume(_) => {
                if std::mem::take(&mut self.paused) {
                    info!("the master takes us into its searches again");
                }
                Ok(None)
            }
            FromMaster::Begin(_) | FromMaster::Assign(_) | FromMaster::Agenda(_)
                if self.is_paused() =>
            {
                Ok(None)
            }
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
    let why = match goodbye.reason() {
        Reason::ShuttingDown => return "the master is shutting down".to_owned(),
        Reason::Replaced => return "another process took this worker's place".to_owned(),
        Reason::ProtocolError => "the master could not make sense of us",
        Reason::Unspecified => "the master said goodbye",
    };
    let detail = printable(&goodbye.detail, limits::DETAIL_BYTES);
    if detail.is_empty() { why.to_owned() } else { format!("{why}: {detail}") }
}
