//! The process: a socket, the services on it, and a graceful end.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use proto::lan::Announcement;
use proto::link::{KEEPALIVE_INTERVAL, KEEPALIVE_TIMEOUT};
use proto::v1::analysis_server::AnalysisServer;
use proto::v1::cluster_server::ClusterServer;
use tokio::sync::oneshot;
use tonic::transport::Server as Transport;
use tonic::transport::server::Router;

use crate::analysis::Desk;
use crate::callers::Callers;
use crate::cluster::Gate;
use crate::config::Config;
use crate::hub::Hub;

/// Time the running search has to answer when the master shuts down.
const LAST_ANSWER: Duration = Duration::from_secs(1);
/// Time the connections have to end after that.
const LAST_WORDS: Duration = Duration::from_millis(900);
/// Calls at once on one connection; a client needs three, a worker one.
const CALLS: u32 = 64;

/// Why a master cannot run.
#[derive(Debug, thiserror::Error)]
pub enum MasterError {
    /// The address is taken, not one of this machine's, or not allowed.
    #[error("cannot listen on {address}: {}", reason(.source))]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The services failed while running.
    #[error("the master's services failed: {0}")]
    Serve(#[source] tonic::transport::Error),
    /// A service could not be set up.
    #[error("cannot describe the services: {0}")]
    Reflection(#[source] tonic_reflection::server::Error),
}

/// The commonest reasons in words.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => "another program is listening there".to_owned(),
        io::ErrorKind::AddrNotAvailable => "this machine does not have that address".to_owned(),
        io::ErrorKind::PermissionDenied => "not allowed; ports below 1024 need rights".to_owned(),
        _ => error.to_string(),
    }
}

/// The master process.
#[derive(Debug)]
pub struct Master;

impl Master {
    /// Takes the address. Workers and clients can connect from now on and are answered as soon as
    /// [`Server::serve`] runs.
    ///
    /// # Errors
    /// [`MasterError::Listen`].
    pub fn bind(config: Config) -> Result<Server, MasterError> {
        let address = config.listen;
        let failed = |source| MasterError::Listen { address, source };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let local_addr = listener.local_addr().map_err(failed)?;
        Ok(Server { listener, local_addr, hub: Arc::new(Hub::new(config)) })
    }
}

/// A master that has its address.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    local_addr: SocketAddr,
    hub: Arc<Hub>,
}

impl Server {
    /// The address it listens on, with the port the system chose.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// Serves until `shutdown` is ready, then ends within two seconds: the running search is
    /// answered with what is certain, workers are told goodbye. Wants a Tokio runtime; one with a
    /// single thread serves best.
    ///
    /// # Errors
    /// [`MasterError::Serve`] when the socket fails for good.
    pub async fn serve(self, shutdown: impl Future<Output = ()>) -> Result<(), MasterError> {
        let Self { listener, local_addr, hub } = self;
        let (health, router) = services(&hub)?;
        let failed = |source| MasterError::Listen { address: local_addr, source };
        let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
        health.set_serving::<AnalysisServer<Desk>>().await;
        health.set_serving::<ClusterServer<Gate>>().await;
        let (drain, drained) = oneshot::channel::<()>();
        let until = async { drained.await.unwrap_or_default() };
        let callers = Callers::new(listener);
        let mut serving = pin!(router.serve_with_incoming_shutdown(callers, until));
        // Launch scripts wait for these words, see cli/tests/aphid/launching.rs.
        tracing::info!(address = %local_addr, version = proto::PROGRAM_VERSION, "master is up");
        let announcement = hub.config.announce.then(|| announce(local_addr, hub.epoch)).flatten();
        tokio::select! {
            ended = &mut serving => return ended.map_err(MasterError::Serve),
            () = shutdown => {}
            never = attend(announcement.as_ref()) => match never {},
        }
        tracing::info!("master shuts down");
        health.set_not_serving::<AnalysisServer<Desk>>().await;
        health.set_not_serving::<ClusterServer<Gate>>().await;
        hub.close();
        let leave = async {
            let forgotten = async {
                if let Some(announcement) = announcement {
                    announcement.end().await;
                }
            };
            tokio::join!(hub.search_over(LAST_ANSWER), forgotten);
            hub.dismiss_workers();
            let _ = drain.send(());
            tokio::time::sleep(LAST_WORDS).await;
        };
        tokio::select! {
            ended = &mut serving => ended.map_err(MasterError::Serve),
            () = leave => Ok(()),
        }
    }
}

/// Makes the master known to the local network. Without that it serves those who know where it is.
fn announce(address: SocketAddr, epoch: u64) -> Option<Announcement> {
    let system = rustix::system::uname();
    let host = system.nodename().to_string_lossy();
    match Announcement::new(address, &host, epoch) {
        Ok(announcement) => {
            tracing::info!("announced on the local network, for --master auto");
            Some(announcement)
        }
        Err(error) => {
            tracing::warn!("not announced on the local network: {error}");
            None
        }
    }
}

async fn attend(announcement: Option<&Announcement>) -> Infallible {
    match announcement {
        Some(announcement) => announcement.attend().await,
        None => std::future::pending().await,
    }
}

/// All services, with the settings of the connection.
fn services(hub: &Arc<Hub>) -> Result<(tonic_health::server::HealthReporter, Router), MasterError> {
    let (health, health_service) = tonic_health::server::health_reporter();
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(proto::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .build_v1()
        .map_err(MasterError::Reflection)?;
    let router = Transport::builder()
        .http2_keepalive_interval(Some(KEEPALIVE_INTERVAL))
        .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
        .max_concurrent_streams(Some(CALLS))
        .add_service(health_service)
        .add_service(reflection)
        .add_service(ClusterServer::new(Gate::new(Arc::clone(hub))))
        .add_service(AnalysisServer::new(Desk::new(Arc::clone(hub))));
    Ok((health, router))
}
