//! Checks that several commands need.

use std::net::SocketAddr;
use std::thread;

use crate::args::MachineFlags;
use crate::failure::Failure;

/// Search threads: as many as asked for, else one a core (or as many as the system lets us have).
pub fn threads(flags: &MachineFlags) -> u32 {
    let cores = || thread::available_parallelism().map_or(1, std::num::NonZero::get);
    flags.threads.unwrap_or_else(|| u32::try_from(cores()).unwrap_or(1))
}

/// A `HOST:PORT` to connect to. Whether the host exists is for the network to say.
///
/// # Errors
/// A usage error for anything else.
pub fn address(text: &str) -> Result<String, Failure> {
    let bad = |why: &str| {
        Failure::usage(format!("address {text:?}: {why}; expected HOST:PORT, such as desk:7300"))
    };
    if text.parse::<SocketAddr>().is_ok_and(|address| address.port() != 0) {
        return Ok(text.to_owned());
    }
    let (host, port) = text.rsplit_once(':').ok_or_else(|| bad("no port"))?;
    if !port.parse::<u16>().is_ok_and(|port| port != 0) {
        return Err(bad("the port is no number from 1 to 65535"));
    }
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    if host.is_empty() || host.len() > 253 || !host.chars().all(is_name) {
        return Err(bad("the host is no name"));
    }
    Ok(text.to_owned())
}

/// An address of this machine to listen on.
///
/// # Errors
/// A usage error for anything else.
pub fn listen_address(text: &str) -> Result<SocketAddr, Failure> {
    text.parse().map_err(|_| {
        Failure::usage(format!("address {text:?}: expected ADDR:PORT, such as 0.0.0.0:7300"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_hosts_with_ports() {
        for good in ["127.0.0.1:7300", "desk:7300", "[::1]:80", "a-b.example.org:1"] {
            assert!(address(good).is_ok(), "{good}");
        }
        for bad in
            ["", ":7300", "desk", "desk:", "desk:0", "desk:65536", "de sk:1", "::1", "http://x:1"]
        {
            assert!(address(bad).is_err(), "{bad}");
        }
        assert!(listen_address("127.0.0.1:0").is_ok());
        assert!(listen_address("7300").is_err());
    }
}
