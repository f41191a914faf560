//! How both ends notice that the other is gone.
//!
//! A broken cable or a powered-off machine ends no TCP connection. Both ends therefore send HTTP/2
//! pings, on idle connections too, and close one that does not answer: after
//! [`KEEPALIVE_INTERVAL`] + [`KEEPALIVE_TIMEOUT`] at the latest, well within 10 s. The server
//! counts no pings, so a diligent client is never told `too_many_pings`.

use std::time::Duration;

/// Time between two pings.
pub const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(3);

/// Time after which an unanswered ping ends the connection.
pub const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(3);

/// Time after which an attempt to connect has failed.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Time a worker waits, at least, before it calls a master again that refused it.
pub const REFUSED_BACKOFF: Duration = Duration::from_secs(30);
