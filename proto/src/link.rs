//! Calling a master, and noticing when the other end is gone.
//!
//! A broken cable or a powered-off machine ends no TCP connection. Both ends therefore send HTTP/2
//! pings, on idle connections too, and close one that does not answer: after
//! [`KEEPALIVE_INTERVAL`] + [`KEEPALIVE_TIMEOUT`] at the latest, well within 10 s. The server
//! counts no pings, so a diligent client is never told `too_many_pings`.

use std::error::Error;
use std::fmt::Display;
use std::time::Duration;

use tonic::Status;
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

/// An error with its causes in one line, for people. The transport keeps what matters ("connection
/// refused") several causes deep and calls the whole a "transport error", which tells nobody
/// anything; a status is written for programmers.
pub fn explain(error: &(dyn Error + 'static)) -> String {
    if let Some(status) = error.downcast_ref::<Status>() {
        return explain_status(status);
    }
    let error = match error.source() {
        Some(cause) if error.to_string() == "transport error" => cause,
        _ => error,
    };
    let mut words = error.to_string();
    for cause in causes(error) {
        let more = cause.to_string();
        if !words.contains(&more) {
            words.push_str(": ");
            words.push_str(&more);
        }
    }
    words
}

/// The other end's own words, or what ended the connection without any.
fn explain_status(status: &Status) -> String {
    match causes(status).last() {
        Some(first) => format!("the connection broke: {first}"),
        None if status.message().is_empty() => status.code().description().to_lowercase(),
        None => status.message().to_owned(),
    }
}

/// What an error comes from, and what that comes from.
fn causes<'a>(error: &'a dyn Error) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(error.source(), |&error| error.source())
}

#[cfg(test)]
mod tests {
    use std::io;

    use tokio::net::TcpListener;

    use super::*;
    use crate::v1;
    use crate::v1::analysis_client::AnalysisClient;

    #[test]
    fn a_status_reads_as_a_sentence() {
        let said = |status: Status| explain(&status);
        assert_eq!(said(Status::unavailable("the table is full")), "the table is full");
        assert_eq!(said(Status::cancelled("")), "the operation was cancelled");
        let reset = io::Error::new(io::ErrorKind::ConnectionReset, "connection reset by peer");
        let broken = Status::from_error(Box::new(reset));
        assert_eq!(said(broken), "the connection broke: connection reset by peer");
    }

    #[tokio::test]
    async fn so_does_every_end_of_a_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let hang_up = async { drop(listener.accept().await.expect("a caller")) };
        let connecting = endpoint(address).expect("an endpoint");
        let (channel, ()) = tokio::join!(connecting.connect(), hang_up);
        drop(listener);
        let mut client = AnalysisClient::new(channel.expect("somebody listens"));
        // The first call finds the connection broken, the second can make no other.
        for _ in 0..2 {
            let status = client.status(v1::StatusRequest {}).await.expect_err("nobody answers");
            let why = explain(&status);
            assert!(why.starts_with("the connection broke: "), "{why}");
            let plain = |word: &str| !why.contains(word);
            assert!(["code", "source", "Error", "{", "\""].into_iter().all(plain), "{why}");
        }
        let refused = connecting.connect().await.expect_err("nobody listens");
        assert!(explain(&refused).to_lowercase().contains("connection refused"));
    }
}
