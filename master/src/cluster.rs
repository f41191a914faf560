//! The service for workers: the master's end of a worker's stream.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine_core::aphid::messages::ToMaster;
use proto::handshake::{Admission, Introduction, refused};
use proto::pause::OwnPause;
use proto::v1::cluster_server::Cluster;
use proto::v1::worker_message::Kind;
use proto::v1::{goodbye, master_message, refused::Reason};
use proto::{limits, link, printable, v1};
use tokio::sync::Semaphore;
use tonic::{Request, Response, Status, Streaming};

use crate::hub::{Declined, Hub, Place, count};
use crate::inbox::Input;
use crate::late::Late;
use crate::mailbox::Mailbox;
use crate::outbox::{Outbox, Outgoing};

/// Time a caller has to introduce itself.
const GREETING: Duration = Duration::from_secs(10);
/// Time between two measurements of the round trip.
const PING: Duration = Duration::from_secs(2);
/// Reports of one worker that wait for the thinker; the worker's next one waits in its stream.
const REPORTS: usize = 256;

/// The service.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    hub: Arc<Hub>,
}

impl Gate {
    /// A gate through which workers join `hub`.
    pub fn new(hub: Arc<Hub>) -> Self {
        Self { hub }
    }
}

#[tonic::async_trait]
impl Cluster for Gate {
    type WorkStream = Outgoing<Mailbox>;

    async fn work(
        &self,
        request: Request<Streaming<v1::WorkerMessage>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        let (outbox, outgoing) = Outbox::new();
        let call = Call {
            hub: Arc::clone(&self.hub),
            address: request.remote_addr(),
            incoming: request.into_inner(),
            outbox,
        };
        // The caller gets its stream only when this function returns, so it must not wait for
        // what the caller says first.
        tokio::spawn(call.serve());
        Ok(Response::new(outgoing))
    }
}

/// Why a worker's stream ended.
#[derive(Debug)]
enum Parting {
    /// It said goodbye, for this reason.
    Goodbye(String),
    /// Its stream broke off.
    Lost(String),
    /// It sent something malformed.
    Malformed(String),
    /// Another stream of the same process took its place.
    Replaced,
}

struct Call {
    hub: Arc<Hub>,
    address: Option<SocketAddr>,
    incoming: Streaming<v1::WorkerMessage>,
    outbox: Outbox<Mailbox>,
}

impl Call {
    async fn serve(mut self) {
        let Some(place) = self.greet().await else { return };
        let parting = self.listen(&place).await;
        self.part(&place, &parting);
    }

    // --- greeting ------------------------------------------------------------------------------

    /// Lets the worker in, or sends it away with the reason.
    async fn greet(&mut self) -> Option<Place> {
        let hello = match tokio::time::timeout(GREETING, self.incoming.message()).await {
            Ok(Ok(Some(v1::WorkerMessage { kind: Some(Kind::Hello(hello)) }))) => hello,
            Ok(Ok(Some(_))) => {
                self.turn_away("the first message is no Hello");
                return None;
            }
            Ok(Err(error)) => {
                self.turn_away(error.message());
                return None;
            }
            // Nothing was said; nothing need be answered.
            Ok(Ok(None)) | Err(_) => {
                self.outbox.close();
                return None;
            }
        };
        let version = hello.protocol_version;
        let introduction = match Introduction::admit(hello) {
            Ok(introduction) => introduction,
            Err(refused) => {
                self.refuse(refused);
                self.outbox.close();
                return None;
            }
        };
        match self.hub.join(introduction.clone(), self.address, self.outbox.clone()) {
            Ok(place) => {
                self.welcome(&introduction, &place);
                Some(place)
            }
            Err(Declined::Closing) => {
                self.outbox.fail(Status::unavailable("the master is shutting down"));
                None
            }
            Err(Declined::Full) => {
                let most = self.hub.config.max_workers;
                let detail = format!("this master takes {most} workers and has them");
                self.refuse(refused(Reason::TooManyWorkers, detail.as_str(), version));
                self.outbox.fail(Status::resource_exhausted(detail));
                None
            }
        }
    }

    fn welcome(&self, introduction: &Introduction, place: &Place) {
        let admission = Admission {
            worker_id: place.id,
            epoch: self.hub.epoch,
            version: proto::PROGRAM_VERSION.to_owned(),
        };
        let welcome = master_message::Kind::Welcome(admission.welcome());
        self.outbox.post(|mailbox| mailbox.put(welcome));
        tracing::info!(
            worker = place.label,
            address = self.caller(),
            threads = introduction.threads,
            hash_mb = introduction.hash_mb,
            version = introduction.version,
            instead_of = place.instead_of,
            workers = self.hub.worker_count(),
            "worker joined"
        );
    }

    fn refuse(&self, refused: v1::Refused) {
        count(&self.hub.counters.refused_workers, 1);
        tracing::warn!(
            address = self.caller(),
            master_protocol = refused.master_protocol_version,
            worker_protocol = refused.worker_protocol_version,
            "worker refused: {}",
            refused.detail
        );
        let message = master_message::Kind::Refused(refused);
        self.outbox.post(|mailbox| mailbox.put(message));
    }

    fn turn_away(&self, why: &str) {
        let why = printable(why, limits::DETAIL_BYTES);
        count(&self.hub.counters.malformed_messages, 1);
        tracing::warn!(address = self.caller(), "caller turned away: {why}");
        self.hang_up(why);
    }

    /// Ends the stream because of what the caller sent.
    fn hang_up(&self, detail: String) {
        let reason = goodbye::Reason::ProtocolError.into();
        let goodbye = v1::Goodbye { reason, detail: detail.clone() };
        let goodbye = master_message::Kind::Goodbye(goodbye);
        self.outbox.post(|mailbox| mailbox.put(goodbye));
        self.outbox.fail(Status::invalid_argument(detail));
    }

    // --- listening -----------------------------------------------------------------------------

    /// Takes in what the worker says until one side has enough.
    async fn listen(&mut self, place: &Place) -> Parting {
        let permits = Arc::new(Semaphore::new(REPORTS));
        let mut ping = tokio::time::interval(PING);
        ping.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut asked = Instant::now();
        let mut nonce = 0;
        loop {
            let message = tokio::select! {
                () = place.replaced.notified() => return Parting::Replaced,
                _ = ping.tick() => {
                    nonce += 1;
                    asked = Instant::now();
                    let ping = master_message::Kind::Ping(v1::Ping { nonce });
                    self.outbox.post(|mailbox| mailbox.put(ping));
                    continue;
                }
                message = self.incoming.message() => message,
            };
            let kind = match message {
                Ok(Some(message)) => message.kind,
                Ok(None) => return Parting::Lost("its stream ended".to_owned()),
                Err(status) => return Parting::broken(&status),
            };
            match kind {
                Some(Kind::Report(report)) => {
                    let sharing = report.sharing;
                    match proto::to_master::decode(report) {
                        Ok(message) => self.pass_on(place.id, message, sharing, &permits).await,
                        Err(error) => return Parting::Malformed(error.to_string()),
                    }
                }
                Some(Kind::Relay(relay)) => match proto::peers::relay(relay) {
                    Ok((to, hearsay)) => self.hub.relay(place.id, &to, &hearsay),
                    Err(error) => return Parting::Malformed(error.to_string()),
                },
                Some(Kind::Load(load)) => {
                    if !is_plausible(&load, place.threads) {
                        return Parting::Malformed("a load out of range".to_owned());
                    }
                    self.hub.heard(place.id, |worker| {
                        worker.sharing = load.sharing.or(worker.sharing);
                        worker.load = load;
                    });
                }
                Some(Kind::Pong(pong)) => self.hub.heard(place.id, |worker| {
                    if pong.nonce == nonce {
                        worker.round_trip = Some(asked.elapsed());
                    }
                }),
                Some(Kind::Availability(availability)) => {
                    match OwnPause::decode(availability.reasons) {
                        Ok(reasons) => self.hub.excuse(place.id, reasons),
                        Err(error) => return Parting::Malformed(error.to_string()),
                    }
                }
                Some(Kind::Goodbye(goodbye)) => {
                    return Parting::Goodbye(farewell(&goodbye));
                }
                Some(Kind::Hello(_)) => return Parting::Malformed("a second Hello".to_owned()),
                // A kind of message from a newer version of the protocol.
                None => {}
            }
        }
    }

    /// Brings a report to the running search, as soon as that has room for it.
    async fn pass_on(
        &self,
        worker: u64,
        message: ToMaster,
        sharing: Option<v1::Sharing>,
        permits: &Arc<Semaphore>,
    ) {
        let permit = Arc::clone(permits).acquire_owned().await.ok();
        self.hub.heard(worker, |worker| worker.sharing = sharing.or(worker.sharing));
        match self.hub.inbox() {
            Some(inbox) => inbox.push(Input::Report { worker, message, permit }),
            None => self.hub.late(worker, Late::all_of(&message.event)),
        }
    }

    // --- parting -------------------------------------------------------------------------------

    fn part(&self, place: &Place, parting: &Parting) {
        let (worker, counters) = (place.label.as_str(), &self.hub.counters);
        match parting {
            Parting::Goodbye(detail) => {
                self.hub.leave(place.id, "it said goodbye");
                tracing::info!(worker, "worker left: {detail}");
                self.outbox.close();
            }
            Parting::Lost(_) if self.hub.is_closing() => {
                self.hub.leave(place.id, "the master is shutting down");
                self.outbox.close();
            }
            Parting::Lost(error) => {
                self.hub.leave(place.id, "its connection was lost");
                count(&counters.lost_workers, 1);
                tracing::warn!(worker, "worker lost: {error}");
                self.outbox.close();
            }
            Parting::Malformed(error) => {
                self.hub.leave(place.id, "it sent a malformed message");
                count(&counters.malformed_messages, 1);
                tracing::warn!(worker, "worker disconnected, it sent a malformed message: {error}");
                self.hang_up(error.clone());
            }
            Parting::Replaced => {
                tracing::info!(worker, "worker has come back on a newer stream");
            }
        }
    }

    fn caller(&self) -> String {
        self.address.map_or_else(|| "unknown".to_owned(), |address| address.to_string())
    }
}

impl Parting {
    /// A stream that ended with an error: the connection broke, which the error names as its
    /// cause, or its bytes are no message.
    fn broken(status: &Status) -> Self {
        let message = printable(&link::explain(status), limits::DETAIL_BYTES);
        if status.source().is_some() { Parting::Lost(message) } else { Parting::Malformed(message) }
    }
}

/// Why a worker says goodbye, in words.
fn farewell(goodbye: &v1::Goodbye) -> String {
    let reason = match goodbye.reason() {
        goodbye::Reason::ShuttingDown => "it is shutting down",
        goodbye::Reason::Replaced => "another process took its place",
        goodbye::Reason::ProtocolError => "it could not make sense of the master",
        goodbye::Reason::Unspecified => "it gave no reason",
    };
    let detail = printable(&goodbye.detail, limits::DETAIL_BYTES);
    if detail.is_empty() { reason.to_owned() } else { format!("{reason}: {detail}") }
}

/// No figure is out of its range.
fn is_plausible(load: &v1::Load, threads: u32) -> bool {
    let permille = |thread: &v1::ThreadLoad| thread.busy <= 1000 && thread.idle <= 1000;
    load.busy_threads <= threads
        && load.hashfull <= 1000
        && load.threads.len() <= threads as usize
        && load.threads.iter().all(permille)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_farewell_has_a_reason_and_no_loose_end() {
        let said = |reason: goodbye::Reason, detail: &str| {
            farewell(&v1::Goodbye { reason: reason.into(), detail: detail.to_owned() })
        };
        assert_eq!(said(goodbye::Reason::ShuttingDown, ""), "it is shutting down");
        let confused = said(goodbye::Reason::ProtocolError, "no leaf\n");
        assert!(confused.starts_with("it could not make sense of the master: no leaf"));
        assert!(!confused.contains('\n'));
        assert_eq!(said(goodbye::Reason::Unspecified, ""), "it gave no reason");
    }
}
