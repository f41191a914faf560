//! How a master is set up.

use std::net::SocketAddr;

/// Settings of a master process.
#[derive(Debug, Clone)]
pub struct Config {
    /// Address and port to listen on; port 0 lets the system choose one.
    pub listen: SocketAddr,
    /// Hash table of the local slave that searches while no worker is connected, MiB, 1 or more.
    pub hash_mb: usize,
    /// Workers taken at most.
    pub max_workers: usize,
    /// Announce the master on the local network, for those who look for it there.
    pub announce: bool,
}

impl Config {
    /// Listen on `listen`, defaults for the rest.
    pub fn new(listen: SocketAddr) -> Self {
        Self { listen, hash_mb: 64, max_workers: 1024, announce: false }
    }
}
