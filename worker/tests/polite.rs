//! A worker that leaves its machine to others when they want it.

#![cfg(target_os = "linux")]

mod common;

use std::path::PathBuf;
use std::time::Duration;

use engine_core::game::Game;
use engine_core::games::chess::Chess;
use proto::handshake;
use proto::pause::OwnPause;
use proto::v1::master_message::Kind as FromMaster;
use proto::v1::worker_message::Kind as FromWorker;
use worker::{Config, Politeness};

use common::script::{ENDLESS, Running, agenda, begin, load, result, sequential};
use common::{Call, EPOCH, FakeMaster};

/// Longer than the machine goes unwatched, so that a key is not forgotten before it is seen.
const QUIET: Duration = Duration::from_secs(3);

/// A machine of files, which go with it.
struct Machine(PathBuf);

impl Machine {
    /// On mains, with processors at rest and nobody at a terminal.
    fn new() -> Self {
        let folder = format!("aphid-worker-machine-{}", std::process::id());
        let machine = Self(std::env::temp_dir().join(folder));
        machine.write("proc/stat", "cpu  0 0 0 100 0 0 0 0 0 0\n");
        machine.write("sys/class/power_supply/BAT0/type", "Battery\n");
        machine.plug(true);
        machine
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        // In one step, for it may be read at any moment.
        let new = path.with_extension("new");
        std::fs::write(&new, text).unwrap();
        std::fs::rename(&new, &path).unwrap();
    }

    fn plug(&self, mains: bool) {
        let status = if mains { "Charging\n" } else { "Discharging\n" };
        self.write("sys/class/power_supply/BAT0/status", status);
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The next reasons it gives.
async fn reasons(call: &mut Call) -> OwnPause {
    let reasons = |message| match message {
        FromWorker::Availability(availability) => Some(availability.reasons),
        _ => None,
    };
    OwnPause::decode(call.until(reasons).await).expect("workers make sense")
}

#[tokio::test]
async fn a_polite_worker_stops_by_itself_says_why_and_goes_on_when_it_may() {
    let machine = Machine::new();
    let polite =
        Politeness { in_use: true, on_battery: true, idle_after: QUIET, ..Default::default() };
    let mut master = FakeMaster::start().await;
    let root = machine.0.clone();
    let worker = Running::with(master.address, |config| {
        config.polite = polite;
        config.machine_root = root;
    });
    let (mut call, hello) = master.call().await;
    assert_eq!(hello.pause_reasons, [], "it could work");
    let admission = handshake::Admission { worker_id: 9, epoch: EPOCH, version: "1".into() };
    call.say(FromMaster::Welcome(admission.welcome())).await;
    begin(&call, 0, &[Chess::start(), Chess::start()]).await;
    agenda::<Chess>(&call, 0, 1, &[(0, ENDLESS), (1, ENDLESS)]).await;
    load(&mut call, |load| load.busy_threads == 2).await;

    machine.plug(false);
    assert_eq!(reasons(&mut call).await, OwnPause { in_use: false, on_battery: true });
    load(&mut call, |load| load.busy_threads == 0).await;
    // A key, while it is on battery: two reasons. They end one by one.
    machine.write("dev/pts/0", "");
    assert_eq!(reasons(&mut call).await, OwnPause { in_use: true, on_battery: true });
    assert_eq!(reasons(&mut call).await, OwnPause { in_use: false, on_battery: true });
    // What the master said before it heard of the pause finds nobody.
    begin(&call, 0, &[Chess::start()]).await;
    agenda::<Chess>(&call, 0, 2, &[(0, 1)]).await;
    // Somebody who calls in this state says so at once.
    drop(call);
    let (mut call, hello) = master.call().await;
    assert_eq!(hello.pause_reasons, OwnPause { in_use: false, on_battery: true }.encode());
    call.say(FromMaster::Welcome(admission.welcome())).await;
    machine.plug(true);
    assert_eq!(reasons(&mut call).await, OwnPause::default());
    begin(&call, 0, &[Chess::start()]).await;
    agenda::<Chess>(&call, 0, 1, &[(0, 3)]).await;
    assert_eq!(result(&mut call, 0).await.bounds, sequential(&Chess::start(), 3));
    tokio::join!(worker.stop(), call.goodbye());
}

#[tokio::test]
async fn a_machine_that_does_not_tell_how_it_is_used_is_an_error_at_once() {
    let config = Config {
        polite: Politeness { in_use: true, ..Default::default() },
        machine_root: "/nowhere/at/all".into(),
        ..Config::new("127.0.0.1:1")
    };
    let error = worker::run(config, std::future::pending()).await.expect_err("no statistics");
    assert!(error.to_string().contains("/nowhere/at/all/proc/stat: "), "{error}");
}
