//! Hearing other workers.

use std::sync::Arc;

use engine_core::sharing::{BATCH, PACKED_BYTES};
use proto::link::{KEEPALIVE_INTERVAL, KEEPALIVE_TIMEOUT};
use proto::v1::peers_server::{Peers, PeersServer};
use proto::{peers, v1};
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status, Streaming};
use tracing::warn;

use super::Shared;

/// Bytes of a message: the entries, and generous room for the rest.
const MESSAGE_BYTES: usize = BATCH * PACKED_BYTES + 1024;
/// Streams at once on one connection; a worker needs one.
const STREAMS: u32 = 4;

/// The service.
pub struct Listener {
    shared: Arc<Shared>,
}

impl Listener {
    /// Hears for this worker.
    pub fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Listens for ever.
    pub async fn serve(self, listener: TcpListener) {
        let service = PeersServer::new(self).max_decoding_message_size(MESSAGE_BYTES);
        let served = Server::builder()
            .max_concurrent_streams(Some(STREAMS))
            .http2_keepalive_interval(Some(KEEPALIVE_INTERVAL))
            .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
            .add_service(service)
            .serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true)));
        if let Err(error) = served.await {
            warn!("other workers are heard no more: {error}");
        }
    }
}

#[tonic::async_trait]
impl Peers for Listener {
    async fn tell(
        &self,
        request: Request<Streaming<v1::Hearsay>>,
    ) -> Result<Response<v1::Heard>, Status> {
        let mut words = request.into_inner();
        while let Some(hearsay) = words.message().await? {
            peers::check(&hearsay).map_err(|error| Status::invalid_argument(error.to_string()))?;
            self.shared.hear(&hearsay);
        }
        Ok(Response::new(v1::Heard {}))
    }
}
