//! Calling a master, and noticing when the other end is gone.
//!
//! A broken cable or a powered-off machine ends no TCP connection. Both ends therefore send HTTP/2
//! pings, on idle connections too, and close one that does not answer: after
//! [`KEEPALIVE_INTERVAL`] + [`KEEPALIVE_TIMEOUT`] at the latest, well within 10 s. The server
//! counts no pings, so a diligent client is never told `too_many_pings`.

use std::error::Error;
use std::fmt::Display;
use std::time::Duration;

use tonic::transport::{self, Endpoint};

/// Time between two pings.
pub const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(3);

/// Time after which an unanswered ping ends the connection.
pub const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(3);

/// Time after which an attempt to connect has failed.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The client side of a connection to the master or worker at `address`, written like `mill:7300`.
/// The name is resolved anew whenever the endpoint connects.
///
/// # Errors
/// The transport finds fault with the address after all.
pub fn endpoint(address: impl Display) -> Result<Endpoint, transport::Error> {
    Ok(Endpoint::from_shared(format!("http://{address}"))?
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT)
        .keep_alive_while_idle(true))
}

/// An error with its causes in one line. The transport keeps what matters ("connection refused")
/// several causes deep and calls the whole a "transport error", which tells nobody anything.
pub fn explain(error: &dyn Error) -> String {
    let error = match error.source() {
        Some(cause) if error.to_string() == "transport error" => cause,
        _ => error,
    };
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !words.contains(&more) {
            words.push_str(": ");
            words.push_str(&more);
        }
        cause = error.source();
    }
    words
}
