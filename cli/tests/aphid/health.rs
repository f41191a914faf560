//! Probes of processes that are well, frozen, and of another kind.

use rustix::process::Signal;

use crate::common::{run, stdout};
use crate::processes::{Master, lonely_worker};

/// A probe that ends with exit code 1 and a line that contains `reason`.
fn unhealthy(args: &[&str], reason: &str) {
    let output = run(args);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
    assert!(stderr.contains("is not healthy") && stderr.contains(reason), "{args:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{args:?}");
}

#[test]
fn a_master_is_healthy_while_it_serves() {
    let master = Master::start();
    let probe = ["health", "--master", &master.address];
    assert_eq!(stdout(&probe), "serving\n");
    let address = master.address.clone();
    drop(master);
    unhealthy(&["health", "--master", &address], "refused");
}

#[test]
fn a_worker_is_healthy_without_a_master_but_not_when_it_does_not_answer() {
    let (worker, address) = lonely_worker();
    let probe = ["health", "--worker", &address];
    assert_eq!(stdout(&probe), "serving\n");
    worker.signal(Signal::STOP);
    unhealthy(&probe, "no answer");
    worker.signal(Signal::CONT);
    assert_eq!(stdout(&probe), "serving\n");
}

#[test]
fn a_worker_is_no_master() {
    let (_worker, address) = lonely_worker();
    unhealthy(&["health", "--master", &address], "none of ours");
}
