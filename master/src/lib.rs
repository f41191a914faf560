//! The master process as a library: workers dial in, clients ask for searches, and one search at
//! a time is spread over whoever is there.
//!
//! ```no_run
//! # async fn example() -> Result<(), master::MasterError> {
//! let config = master::Config::new(([127, 0, 0, 1], 7300).into());
//! let server = master::Master::bind(config)?;
//! println!("listening on {}", server.local_addr());
//! server.serve(std::future::pending()).await
//! # }
//! ```
//!
//! The rooms, from the socket inwards:
//!
//! - `server`: the socket, health and reflection, the graceful end; `callers`: who connects
//! - `cluster`: the service for workers; `mailbox`: what is on its way to one of them
//! - `analysis`: the service for clients; `request`: reading their wishes; `events`: what they
//!   hear; `status`: the state of the cluster
//! - `hub`: what all share; `registry`: the connected workers; `late`: what they say too late
//! - `session`: the thread that thinks; `inbox`: what reaches it; `clock`: how long it may think;
//!   `mind`: what it remembers from search to search; `crew`: its ways to the workers; `local`:
//!   the slave that helps out while there is none
//!
//! Everything that talks runs on the caller's Tokio runtime; everything that thinks runs in plain
//! threads of lower priority. Between them are bounded places only: `inbox` and `outbox`.

mod analysis;
mod callers;
mod clock;
mod cluster;
mod config;
mod crew;
mod events;
mod hub;
mod inbox;
mod late;
mod local;
mod mailbox;
mod mind;
mod outbox;
mod registry;
mod request;
mod server;
mod session;
mod status;

pub use config::Config;
pub use server::{Master, MasterError, Server};
