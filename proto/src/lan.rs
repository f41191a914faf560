//! Finding the master on the local network, by multicast DNS and DNS service discovery (RFC 6762,
//! RFC 6763): a master is an instance of `_aphid._tcp.local`, and its TXT record says what it
//! speaks (`protocol`) and is (`version`).
//!
//! - [`fn@find`]: who is there; [`only`] and [`first`]: which of them; [`Whereabouts`]: what
//!   people write
//! - [`Announcement`]: being found

mod announce;
mod find;

use std::fmt;
use std::str::FromStr;

use crate::PROTOCOL_VERSION;
use crate::address::{Address, AddressError};

pub use announce::Announcement;
pub use find::find;

/// What masters are called on the network.
const SERVICE: &str = "_aphid._tcp.local.";
/// Longest name of an instance, bytes (RFC 6763, 4.1.1).
const INSTANCE_BYTES: usize = 63;
/// The word for a master that is to be found.
const AUTO: &str = "auto";

/// Where a master is, as people write it: `mill:7300`, or `auto` for one that announces itself on
/// the local network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whereabouts {
    /// There.
    At(Address),
    /// To be found, anew each time.
    Auto,
}

impl Whereabouts {
    /// Where to call when a person waits for an answer; see [`only`].
    ///
    /// # Errors
    /// There is not exactly one to be found.
    pub async fn only(&self) -> Result<Address, LanError> {
        match self {
            Self::At(address) => Ok(address.clone()),
            Self::Auto => only(find().await?),
        }
    }

    /// Where to call when nobody waits; see [`first`].
    ///
    /// # Errors
    /// There is none to be found.
    pub async fn first(&self) -> Result<Address, LanError> {
        match self {
            Self::At(address) => Ok(address.clone()),
            Self::Auto => first(find().await?),
        }
    }
}

impl FromStr for Whereabouts {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        if text.trim() == AUTO { Ok(Self::Auto) } else { text.parse().map(Self::At) }
    }
}

impl fmt::Display for Whereabouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(address) => address.fmt(f),
            Self::Auto => f.write_str(AUTO),
        }
    }
}

/// A master that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// What it calls itself, usually host and port.
    pub name: String,
    /// Where it can be called.
    pub address: Address,
    /// Version of the specification it speaks; 0: it does not say.
    pub protocol: u32,
    /// Version of its program, for people.
    pub version: String,
}

impl Sighting {
    /// It speaks our version.
    pub fn is_ours(&self) -> bool {
        self.protocol == PROTOCOL_VERSION
    }
}

impl fmt::Display for Sighting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.name, self.address)
    }
}

/// Why there is no master to call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LanError {
    /// The system does not let us ask, or announce.
    #[error("cannot use multicast DNS: {0}")]
    Multicast(String),
    /// Nobody answers.
    #[error(
        "no master announces itself on this network; name it with --master HOST:PORT, or see that \
         it announces itself and that UDP port 5353 is open"
    )]
    Nobody,
    /// Those who answer speak another version.
    #[error(
        "no master on this network speaks protocol version {PROTOCOL_VERSION} as this program \
         does: {}; run the same release on all",
        versions(.0)
    )]
    OtherVersions(Vec<Sighting>),
    /// There are several.
    #[error("several masters on this network, choose one with --master HOST:PORT: {}", list(.0))]
    Several(Vec<Sighting>),
}

fn list(masters: &[Sighting]) -> String {
    let names: Vec<String> = masters.iter().map(Sighting::to_string).collect();
    names.join(", ")
}

fn versions(masters: &[Sighting]) -> String {
    let one = |master: &Sighting| format!("{master} speaks version {}", master.protocol);
    let all: Vec<String> = masters.iter().map(one).collect();
    all.join(", ")
}

/// The master to call when a person waits for an answer: the only one that speaks our version.
/// Others are skipped, with a line in the log.
///
/// # Errors
/// There is none, or more than one.
pub fn only(mut masters: Vec<Sighting>) -> Result<Address, LanError> {
    let master = first(masters.clone())?;
    masters.retain(Sighting::is_ours);
    if masters.len() > 1 { Err(LanError::Several(masters)) } else { Ok(master) }
}

/// The master to call when nobody waits: the first by name of those that speak our version, so
/// that all workers of a network come to the same one. Others are skipped, with a line in the log.
///
/// # Errors
/// There is none.
pub fn first(masters: Vec<Sighting>) -> Result<Address, LanError> {
    let (mut ours, others): (Vec<Sighting>, Vec<Sighting>) =
        masters.into_iter().partition(Sighting::is_ours);
    if ours.is_empty() {
        return Err(if others.is_empty() {
            LanError::Nobody
        } else {
            LanError::OtherVersions(others)
        });
    }
    for other in &others {
        tracing::warn!(
            "skipped the master {other} (aphid {}): it speaks protocol version {}, this program \
             version {PROTOCOL_VERSION}",
            other.version,
            other.protocol
        );
    }
    ours.sort_by(|one, other| {
        (&one.name, one.address.to_string()).cmp(&(&other.name, other.address.to_string()))
    });
    if ours.len() > 1 {
        tracing::info!("masters on this network: {}; the first is taken", list(&ours));
    }
    ours.into_iter().next().map(|master| master.address).ok_or(LanError::Nobody)
}

impl From<mdns_sd::Error> for LanError {
    fn from(error: mdns_sd::Error) -> Self {
        Self::Multicast(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn master(name: &str, address: &str, protocol: u32) -> Sighting {
        let (name, version) = (name.to_owned(), "0.1.0".to_owned());
        Sighting { name, address: address.parse().unwrap(), protocol, version }
    }

    #[test]
    fn a_master_is_written_as_an_address_or_auto() {
        assert_eq!("auto".parse(), Ok(Whereabouts::Auto));
        assert_eq!("mill:7300".parse::<Whereabouts>().unwrap().to_string(), "mill:7300");
        assert!("Auto".parse::<Whereabouts>().is_err());
    }

    #[test]
    fn a_person_gets_the_only_one_and_a_worker_the_first() {
        let (ours, other) = (PROTOCOL_VERSION, PROTOCOL_VERSION + 1);
        let mill = master("mill:7300", "10.0.0.2:7300", ours);
        let attic = master("attic:7300", "10.0.0.9:7300", ours);
        let newer = master("aa:7300", "10.0.0.1:7300", other);
        assert_eq!(only(vec![]), Err(LanError::Nobody));
        assert_eq!(only(vec![mill.clone(), newer.clone()]), Ok(mill.address.clone()));
        let both = vec![mill.clone(), attic.clone()];
        assert_eq!(first(both.clone()), Ok(attic.address.clone()), "by name, not as they came");
        let error = only(both).unwrap_err().to_string();
        for part in ["several masters", "mill:7300 at 10.0.0.2:7300", "attic:7300 at 10.0.0.9:7300"]
        {
            assert!(error.contains(part), "{error}");
        }
        let error = first(vec![newer.clone()]).unwrap_err();
        assert_eq!(error, LanError::OtherVersions(vec![newer]));
        assert!(error.to_string().contains(&format!("speaks version {other}")), "{error}");
    }
}
