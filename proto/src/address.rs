//! Where a master listens, as people write it.

use std::fmt;
use std::net::{Ipv6Addr, SocketAddr};
use std::str::FromStr;

/// Host and port of a master: `mill:7300`, `192.168.1.5:7300` or `[fe80::1]:7300`. Names stay
/// names: they are resolved each time the master is called, for it may move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    host: String,
    port: u16,
}

/// Why a text is no address of a master.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// There is no port in it.
    #[error("the address {0:?} has no port; write it like mill:7300")]
    NoPort(String),
    /// What should be the port is no number from 1 to 65535.
    #[error("the port {0:?} is not a number from 1 to 65535")]
    Port(String),
    /// What should be the host is none.
    #[error("{0:?} is not a host name, an IPv4 address or an IPv6 address in brackets")]
    Host(String),
    /// It is a URL.
    #[error("the address {0:?} is a URL; write only host and port, like mill:7300")]
    Url(String),
}

impl Address {
    /// A name, or an address, IPv6 in brackets.
    pub fn host(&self) -> &str {
        &self.host
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let text = text.trim();
        if text.contains("://") {
            return Err(AddressError::Url(text.to_owned()));
        }
        let in_brackets = text.ends_with(']');
        let Some((host, port)) = text.rsplit_once(':').filter(|_| !in_brackets) else {
            return Err(AddressError::NoPort(text.to_owned()));
        };
        if !is_host(host) {
            return Err(AddressError::Host(host.to_owned()));
        }
        let digits = port.bytes().all(|byte| byte.is_ascii_digit());
        match port.parse() {
            Ok(port) if digits && port != 0 => Ok(Self { host: host.to_owned(), port }),
            _ => Err(AddressError::Port(port.to_owned())),
        }
    }
}

fn is_host(host: &str) -> bool {
    if let Some(inner) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return inner.parse::<Ipv6Addr>().is_ok();
    }
    let label = |label: &str| {
        !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    };
    let host = host.strip_suffix('.').unwrap_or(host);
    host.len() <= 253 && host.split('.').all(label)
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        let host = match address {
            SocketAddr::V4(address) => address.ip().to_string(),
            SocketAddr::V6(address) => format!("[{}]", address.ip()),
        };
        Self { host, port: address.port() }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_read_as_they_are_written() {
        for text in ["mill:7300", "mill.lan.:1", "10.0.0.5:65535", "[::1]:7300", "aphid_m-1:80"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        assert_eq!(" mill:7300\n".parse::<Address>().unwrap().to_string(), "mill:7300");
    }

    #[test]
    fn addresses_of_sockets_read_the_same() {
        for text in ["10.0.0.5:65535", "[::1]:7300"] {
            let socket: SocketAddr = text.parse().unwrap();
            assert_eq!(Address::from(socket), text.parse().unwrap());
        }
    }

    #[test]
    fn what_is_wrong_with_an_address_is_said() {
        use AddressError::{Host, NoPort, Port, Url};
        type Fault = fn(String) -> AddressError;
        let wrong: [(&str, Fault, &str); 14] = [
            ("", NoPort, ""),
            ("mill", NoPort, "mill"),
            ("[::1]", NoPort, "[::1]"),
            (":7300", Host, ""),
            ("::1:7300", Host, "::1"),
            ("[mill]:7300", Host, "[mill]"),
            ("my mill:7300", Host, "my mill"),
            ("a..b:7300", Host, "a..b"),
            ("mühle:7300", Host, "mühle"),
            ("mill:", Port, ""),
            ("mill:0", Port, "0"),
            ("mill:65536", Port, "65536"),
            ("mill:+80", Port, "+80"),
            ("http://mill:7300", Url, "http://mill:7300"),
        ];
        for (text, error, part) in wrong {
            assert_eq!(text.parse::<Address>(), Err(error(part.to_owned())), "{text:?}");
        }
    }
}
