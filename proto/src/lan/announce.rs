//! Being found.

use std::convert::Infallible;
use std::future::pending;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use mdns_sd::{DaemonEvent, IfKind, ServiceDaemon, ServiceInfo};
use tokio::time::timeout;

use super::{INSTANCE_BYTES, LanError, SERVICE};
use crate::{PROGRAM_VERSION, PROTOCOL_VERSION, printable};

/// Time to take an announcement back.
const FAREWELL: Duration = Duration::from_millis(300);

/// A master made known to the network, for as long as this exists.
pub struct Announcement {
    daemon: ServiceDaemon,
}

impl Announcement {
    /// Makes known a master that listens at `address`, under the name of the machine `host` and
    /// its port; if that is taken, a number is put behind it. With an unspecified address it is
    /// known by all addresses of the machine, also those it gets later. `id` tells it from all
    /// others.
    ///
    /// # Errors
    /// [`LanError::Multicast`].
    pub fn new(address: SocketAddr, host: &str, id: u64) -> Result<Self, LanError> {
        let daemon = ServiceDaemon::new()?;
        let this = Self { daemon };
        this.register(address, host, id)?;
        Ok(this)
    }

    fn register(&self, address: SocketAddr, host: &str, id: u64) -> Result<(), mdns_sd::Error> {
        let port = address.port().to_string();
        let host = printable(host, INSTANCE_BYTES - 1 - port.len());
        let instance = format!("{host}:{port}");
        // A host name of its own: that of the machine may belong to another responder on it.
        let target = format!("aphid-{id:016x}.local.");
        let properties =
            [("protocol", PROTOCOL_VERSION.to_string()), ("version", PROGRAM_VERSION.to_owned())];
        let everywhere = address.ip().is_unspecified();
        let given: Vec<IpAddr> = if everywhere { Vec::new() } else { vec![address.ip()] };
        let mut service = ServiceInfo::new(
            SERVICE,
            &instance,
            &target,
            given.as_slice(),
            address.port(),
            properties.as_slice(),
        )?;
        if everywhere {
            service = service.enable_addr_auto();
        }
        if address.is_ipv4() {
            self.daemon.disable_interface(IfKind::IPv6)?;
        }
        self.daemon.register(service)
    }

    /// Waits for what goes wrong with it; never ends. Polling it is not needed for being found.
    pub async fn attend(&self) -> Infallible {
        if let Ok(events) = self.daemon.monitor() {
            while let Ok(event) = events.recv_async().await {
                match event {
                    DaemonEvent::Error(error) => tracing::warn!("announcing: {error}"),
                    DaemonEvent::NameChange(change) => {
                        tracing::info!("announced as {}: the name was taken", change.new_name);
                    }
                    _ => {}
                }
            }
        }
        pending().await
    }

    /// Takes it back, which takes a moment.
    pub async fn end(self) {
        if let Ok(ended) = self.daemon.shutdown() {
            // Without it, others forget us later.
            let _ = timeout(FAREWELL, ended.recv_async()).await;
        }
    }
}
