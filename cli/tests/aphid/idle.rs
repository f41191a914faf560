//! A cluster that has nothing to do does nothing.

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::processes::{Analysis, Master, worker};

/// Length of the measurement.
const MEASURED: Duration = Duration::from_secs(5);
/// Ticks of `/proc/PID/stat` in a second, on every Linux there is.
const TICKS: f64 = 100.0;

/// Processor time a process has used, in its own and the system's code, in seconds.
fn used(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process is there");
    // The name, in parentheses, is the only field that may have blanks in it.
    let (_, fields) = stat.rsplit_once(')').expect("a name");
    // After the name come state (field 3) and so on; user and system time are fields 14 and 15.
    let ticks = fields.split_whitespace().skip(14 - 3).take(2);
    ticks.map(|field| field.parse::<f64>().expect("a number")).sum::<f64>() / TICKS
}

#[test]
#[ignore = "measures 5 s of processor time"]
fn an_idle_cluster_uses_less_than_a_hundredth_of_a_core() {
    let master = Master::start();
    let workers = [worker(&master.address, "first"), worker(&master.address, "second")];
    master.expect_workers(&["first", "second"]);
    Analysis::start(&master.address, "startpos", 5).result();
    let idle = |status: &Value| {
        let workers = status["workers"].as_array().expect("an array");
        status["search"].is_null() && workers.iter().all(|worker| worker["busy_threads"] == 0)
    };
    master.status_when(idle);
    let pids = [master.process.pid(), workers[0].pid(), workers[1].pid()];
    let before = pids.map(used);
    thread::sleep(MEASURED);
    let after = pids.map(used);
    let share = |index: usize| (after[index] - before[index]) / MEASURED.as_secs_f64();
    let [master_share, first, second] = [share(0), share(1), share(2)];
    eprintln!("shares of a core: master {master_share:.4}, workers {first:.4} and {second:.4}");
    for share in [master_share, first, second] {
        assert!(share < 0.01, "{share}");
    }
}
