//! Talking to a master as its client.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use proto::address::Address;
use proto::lan::Whereabouts;
use proto::v1::analysis_client::AnalysisClient;
use proto::v1::{self, control_request};
use proto::{PROTOCOL_VERSION, limits, link, printable};
use tokio::time::{Instant, sleep, timeout};
use tonic::transport::Channel;
use tonic::{Code, Status, Streaming};

use super::{Order, Trouble, wire};

/// Time to connect.
const CONNECT: Duration = Duration::from_secs(2);
/// Time for a master to answer a call.
const ANSWER: Duration = Duration::from_secs(2);
/// Time to wait for the workers of an embedded cluster, and between two looks.
const MUSTER: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(5);

/// A connection to a master; clones share it.
#[derive(Debug, Clone)]
pub struct Client {
    address: Address,
    calls: AnalysisClient<Channel>,
    /// Names our searches among those of other clients.
    session: u64,
}

impl Client {
    /// Looks where the master is if need be, and connects to it.
    ///
    /// # Errors
    /// There is not exactly one to be found; else as [`connect`](Self::connect).
    pub async fn reach(master: &Whereabouts) -> Result<Self, Trouble> {
        let found = master.only().await;
        let address = found.map_err(|error| Trouble::Lost(error.to_string()))?;
        Self::connect(&address).await
    }

    /// Where the master is.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Connects to the master at `address` and makes sure that it speaks our version.
    ///
    /// # Errors
    /// Nobody there, no master, or another version.
    pub async fn connect(address: &Address) -> Result<Self, Trouble> {
        let lost =
            |why: &str| Trouble::Lost(format!("cannot reach the master at {address}: {why}"));
        let endpoint = link::endpoint(address).map_err(|error| lost(&explain(&error)))?;
        let channel = timeout(CONNECT, endpoint.connect())
            .await
            .map_err(|_| lost("no answer"))?
            .map_err(|error| lost(&explain(&error)))?;
        let calls = AnalysisClient::new(channel);
        let mut client = Self { address: address.clone(), calls, session: random_id() };
        let theirs = client.introduction().await?.protocol_version;
        if theirs != PROTOCOL_VERSION {
            return Err(Trouble::Lost(format!(
                "the master at {address} speaks protocol version {theirs}, this program version \
                 {PROTOCOL_VERSION}: run the same release on both"
            )));
        }
        Ok(client)
    }

    /// The first word with whoever listens there, who need not be a master.
    async fn introduction(&mut self) -> Result<v1::StatusReply, Trouble> {
        let call = timeout(ANSWER, self.calls.status(v1::StatusRequest {}));
        let answer = call.await.map_err(|_| self.silent())?;
        let address = &self.address;
        let stranger = |status: Status| {
            let why = explain(&status);
            Trouble::Lost(format!("what listens at {address} does not answer as a master: {why}"))
        };
        Ok(answer.map_err(stranger)?.into_inner())
    }

    /// The state of the cluster.
    ///
    /// # Errors
    /// The master is gone or does not answer.
    pub async fn status(&mut self) -> Result<v1::StatusReply, Trouble> {
        let call = timeout(ANSWER, self.calls.status(v1::StatusRequest {}));
        let answer = call.await.map_err(|_| self.silent())?;
        Ok(answer.map_err(|status| self.trouble(&status))?.into_inner())
    }

    /// Waits, for a while at most, until `workers` workers are connected.
    ///
    /// # Errors
    /// The master is gone.
    pub async fn muster(&mut self, workers: usize) -> Result<(), Trouble> {
        let begin = Instant::now();
        while self.status().await?.workers.len() < workers && begin.elapsed() < MUSTER {
            sleep(LOOK).await;
        }
        Ok(())
    }

    /// Begins a search.
    ///
    /// # Errors
    /// The master refuses the order, is busy, or gone.
    pub async fn search(&mut self, order: &Order) -> Result<Streaming<v1::SearchEvent>, Trouble> {
        let call = timeout(ANSWER, self.calls.search(wire::request(order, self.session)));
        let answer = call.await.map_err(|_| self.silent())?;
        Ok(answer.map_err(|status| self.trouble(&status))?.into_inner())
    }

    /// Tells the running search, or the master about our game, something.
    ///
    /// # Errors
    /// The master is gone.
    pub async fn control(&mut self, command: control_request::Command) -> Result<(), Trouble> {
        let request = v1::ControlRequest { session: self.session, command: Some(command) };
        let call = timeout(ANSWER, self.calls.control(request));
        let answer = call.await.map_err(|_| self.silent())?;
        answer.map_err(|status| self.trouble(&status))?;
        Ok(())
    }

    /// Pauses workers, and ends pauses. Returns who was meant.
    ///
    /// # Errors
    /// One of them is unknown, and then nothing has changed; or the master is gone.
    pub async fn set_paused(
        &mut self,
        request: v1::SetPausedRequest,
    ) -> Result<Vec<v1::ChosenWorker>, Trouble> {
        let call = timeout(ANSWER, self.calls.set_paused(request));
        let answer = call.await.map_err(|_| self.silent())?;
        Ok(answer.map_err(|status| self.trouble(&status))?.into_inner().workers)
    }

    fn silent(&self) -> Trouble {
        Trouble::Lost(format!("the master at {} does not answer", self.address))
    }

    /// What a refused or broken call means.
    pub fn trouble(&self, status: &Status) -> Trouble {
        let sentence = explain(status);
        match status.code() {
            Code::InvalidArgument | Code::NotFound => Trouble::Refused(sentence),
            Code::ResourceExhausted | Code::FailedPrecondition => {
                Trouble::Lost(format!("the master at {} is busy: {sentence}", self.address))
            }
            _ => Trouble::Lost(format!("lost the master at {}: {sentence}", self.address)),
        }
    }
}

/// A number no other process draws. The standard library seeds its hashers from the system.
fn random_id() -> u64 {
    RandomState::new().build_hasher().finish().max(1)
}

/// An error in one line.
fn explain(error: &(dyn std::error::Error + 'static)) -> String {
    printable(&link::explain(error), limits::DETAIL_BYTES)
}
