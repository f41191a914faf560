//! `aphid health`: is a master, or a worker, alive? Made for container engines and monitors, whose
//! probes need an exit code and an image without a shell can offer no other.
//!
//! Both sides speak the standard gRPC health protocol. A master serves it on its port; a worker,
//! which listens nowhere else, where `--health` says ([`answer`]).

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use proto::lan::Whereabouts;
use proto::v1::analysis_server;
use proto::{limits, link, printable};
use tokio::time::timeout;
use tonic::Code;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::args::HealthFlags;
use crate::failure::Failure;
use crate::output::say;
use crate::settings;

/// Time for the whole probe, finding the master and connecting to it included.
const PATIENCE: Duration = Duration::from_secs(3);
/// The process as a whole, in the health protocol.
const PROCESS: &str = "";

/// Runs the command.
///
/// # Errors
/// A usage error for an address that is none; a failure, exit code 1, unless what listens there
/// says within three seconds that it is serving.
pub fn run(flags: &HealthFlags) -> Result<(), Failure> {
    let (place, service) = match &flags.worker {
        Some(worker) => (Whereabouts::At(settings::address(worker)?), PROCESS),
        None => (settings::whereabouts(&flags.master)?, analysis_server::SERVICE_NAME),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failure::failed)?;
    let answer = runtime.block_on(async { timeout(PATIENCE, ask(&place, service)).await });
    // A name that is still being looked up must not hold us here.
    runtime.shutdown_background();
    answer
        .unwrap_or_else(|_| Err(anyhow!("no answer in {} s", PATIENCE.as_secs())))
        .with_context(|| format!("{place} is not healthy"))
        .map_err(Failure::failed)?;
    say("serving")
}

/// Asks whether `service` is serving.
async fn ask(place: &Whereabouts, service: &str) -> anyhow::Result<()> {
    let clean = |error: &(dyn std::error::Error + 'static)| {
        anyhow!(printable(&link::explain(error), limits::DETAIL_BYTES))
    };
    let address = place.only().await?;
    let endpoint = link::endpoint(&address).map_err(|error| clean(&error))?;
    let channel = endpoint.connect().await.map_err(|error| clean(&error))?;
    let request = HealthCheckRequest { service: service.to_owned() };
    let reply = HealthClient::new(channel).check(request).await.map_err(|status| {
        match status.code() {
            // Both ways of saying that this is some other program.
            Code::NotFound | Code::Unimplemented => anyhow!("what listens there is none of ours"),
            _ => clean(&status),
        }
    })?;
    match reply.into_inner().status() {
        ServingStatus::Serving => Ok(()),
        ServingStatus::NotServing => bail!("it is shutting down"),
        ServingStatus::Unknown | ServingStatus::ServiceUnknown => bail!("it does not know"),
    }
}

/// Answers health checks at `address`, for as long as it is polled, on the runtime of the caller:
/// an answer shows that this runtime still turns. Says nothing about a master being there; a worker
/// that waits for one is as it should be, and starting it again would not help.
///
/// # Errors
/// The address cannot be listened on, or the socket fails.
pub async fn answer(address: SocketAddr) -> anyhow::Result<Infallible> {
    let failed = || format!("cannot answer health checks at {address}");
    let incoming = TcpIncoming::bind(address).with_context(failed)?;
    let place = incoming.local_addr().with_context(failed)?;
    tracing::info!(address = %place, "answering health checks");
    // The process as a whole is serving from the start.
    let (_reporter, service) = tonic_health::server::health_reporter();
    Server::builder()
        .add_service(service)
        .serve_with_incoming(incoming)
        .await
        .with_context(failed)?;
    bail!("{}: the socket was closed", failed())
}
