//! What a service manager is told.

use std::fs;
use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::Signal;

use crate::processes::service;

/// The watchdog's period; the processes speak twice in it.
const WATCHDOG: Duration = Duration::from_millis(40);
/// Longer than anything here can take; reaching it means that nothing comes.
const PATIENCE: Duration = Duration::from_mins(2);

/// The manager's end.
struct Manager {
    socket: UnixDatagram,
    path: PathBuf,
}

impl Manager {
    fn new(name: &str) -> Self {
        // Short, for the name of a socket is; ours alone, by our process.
        let path = std::env::temp_dir().join(format!("aphid-{name}-{}", std::process::id()));
        let socket = UnixDatagram::bind(&path).expect("a socket");
        socket.set_read_timeout(Some(PATIENCE)).expect("a number");
        Self { socket, path }
    }

    fn hears(&self) -> String {
        let mut text = [0; 256];
        let length = self.socket.recv(&mut text).expect("a message in time");
        String::from_utf8_lossy(&text[..length]).trim_end().to_owned()
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn is_attended(name: &str, args: &[&str]) {
    let manager = Manager::new(name);
    let process = service(args, &manager.path, WATCHDOG);
    assert_eq!(manager.hears(), "READY=1");
    for _ in 0..5 {
        assert_eq!(manager.hears(), "WATCHDOG=1");
    }
    process.signal(Signal::TERM);
    let last = std::iter::repeat_with(|| manager.hears()).find(|word| word != "WATCHDOG=1");
    assert_eq!(last.as_deref(), Some("STOPPING=1"));
    assert_eq!(process.end(), Some(0));
}

#[test]
fn a_master_says_that_it_is_up_turns_and_ends() {
    is_attended("m", &["master", "--listen", "127.0.0.1:0"]);
}

#[test]
fn a_worker_says_so_without_a_master() {
    is_attended("w", &["worker", "--threads", "1", "--hash", "1", "--master", "127.0.0.1:1"]);
}
