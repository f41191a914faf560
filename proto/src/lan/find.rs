//! Asking who is there.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use mdns_sd::{ResolvedService, ScopedIp, ServiceDaemon, ServiceEvent};
use tokio::time::{Instant, sleep_until};

use super::{INSTANCE_BYTES, LanError, SERVICE, Sighting};
use crate::{limits, printable};

/// Time for the first master to answer. The question is put twice in it, a second apart.
const PATIENCE: Duration = Duration::from_secs(2);
/// Time for others to answer after the first: they wait up to 120 ms so as not to answer all at
/// once (RFC 6762, 6), and machines that sleep lightly take longer.
const OTHERS: Duration = Duration::from_millis(500);

/// The masters of the local network, by name; takes half a second to two seconds. Wants to be
/// called on a Tokio runtime.
///
/// # Errors
/// [`LanError::Multicast`].
pub async fn find() -> Result<Vec<Sighting>, LanError> {
    let daemon = ServiceDaemon::new()?;
    let found = listen(&daemon).await;
    // It ends by itself, soon.
    let _ = daemon.shutdown();
    found
}

async fn listen(daemon: &ServiceDaemon) -> Result<Vec<Sighting>, LanError> {
    let events = daemon.browse(SERVICE)?;
    let mut deadline = Instant::now() + PATIENCE;
    let mut found = BTreeMap::new();
    loop {
        let event = tokio::select! {
            event = events.recv_async() => event,
            () = sleep_until(deadline) => break,
        };
        match event {
            Ok(ServiceEvent::ServiceResolved(service)) => {
                let Some(sighting) = sighting(&service) else { continue };
                if found.is_empty() {
                    deadline = Instant::now() + OTHERS;
                }
                // The same again may come with more addresses.
                found.insert(service.fullname.to_lowercase(), sighting);
            }
            Ok(ServiceEvent::ServiceRemoved(_, name)) => {
                found.remove(&name.to_lowercase());
            }
            Ok(_) => {}
            Err(_) => return Err(LanError::Multicast("its thread has ended".to_owned())),
        }
    }
    Ok(found.into_values().collect())
}

/// What is worth knowing of an answer; nothing when there is no address to call.
fn sighting(service: &ResolvedService) -> Option<Sighting> {
    let addresses: Vec<IpAddr> = service.addresses.iter().map(ScopedIp::to_ip_addr).collect();
    let says = |key| service.get_property_val_str(key).unwrap_or_default();
    let name = service.fullname.strip_suffix(SERVICE).unwrap_or(&service.fullname);
    Some(Sighting {
        name: printable(&unescape(name.trim_end_matches('.')), INSTANCE_BYTES),
        address: SocketAddr::new(reachable(&addresses)?, service.port).into(),
        protocol: says("protocol").parse().unwrap_or(0),
        version: printable(says("version"), limits::VERSION_BYTES),
    })
}

/// The best of several addresses: version 4 before version 6, and the lowest of each, for all to
/// find the same. Those that need an interface named to them are left out.
fn reachable(addresses: &[IpAddr]) -> Option<IpAddr> {
    let usable = |address: &&IpAddr| match address {
        IpAddr::V4(address) => !address.is_unspecified(),
        IpAddr::V6(address) => !address.is_unicast_link_local() && !address.is_unspecified(),
    };
    // An IPv4 address is less than any IPv6 address.
    addresses.iter().filter(usable).min().copied()
}

/// The name of an instance as a person reads it: dots in it travel behind a backslash.
fn unescape(name: &str) -> String {
    let mut text = String::new();
    let mut letters = name.chars();
    while let Some(letter) = letters.next() {
        text.extend(if letter == '\\' { letters.next() } else { Some(letter) });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_addresses_all_find_the_same_that_can_be_called() {
        let read = |texts: &[&str]| {
            let addresses: Vec<IpAddr> = texts.iter().map(|text| text.parse().unwrap()).collect();
            reachable(&addresses).map(|address| address.to_string())
        };
        assert_eq!(read(&["192.168.1.7", "10.0.0.3", "2001:db8::1"]).as_deref(), Some("10.0.0.3"));
        assert_eq!(read(&["fe80::1", "2001:db8::1"]).as_deref(), Some("2001:db8::1"));
        assert_eq!(read(&["fe80::1", "0.0.0.0"]), None);
    }

    #[test]
    fn escaped_names_are_read() {
        assert_eq!(unescape(r"mill\.lan:7300"), "mill.lan:7300");
        assert_eq!(unescape(r"a\\b\"), r"a\b");
    }
}
