//! Real processes that are killed, frozen and woken in mid-search.

use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::common::{Uci, best, json_lines};
use crate::processes::{Analysis, Master, Process, worker};

/// After 1. e4 e5 2. Nf3 Nc6 3. Bb5.
const RUY_LOPEZ: &str = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
/// Depth of the searches: the last iteration takes a second on the fastest machine.
const DEPTH: u32 = 8;

/// What `--workers 0` says.
static PLAIN: LazyLock<Value> = LazyLock::new(|| {
    let args = ["analyse", "--workers", "0", "--profile", "exact", "--json", RUY_LOPEZ];
    let depth = ["--depth", &DEPTH.to_string()];
    json_lines(&[&args[..], &depth].concat()).pop().expect("a line")
});

/// A master with workers of these names.
fn cluster(names: &[&str]) -> (Master, Vec<Process>) {
    let master = Master::start();
    let workers = names.iter().map(|name| worker(&master.address, name)).collect();
    master.expect_workers(names);
    (master, workers)
}

/// A search whose last and longest iteration has begun.
fn analysis(master: &Master) -> Analysis {
    let mut analysis = Analysis::start(&master.address, RUY_LOPEZ, DEPTH);
    analysis.expect_depth(DEPTH - 1);
    analysis
}

/// Waits until every worker has leaves.
fn expect_leaves(master: &Master) {
    let owns = |worker: &Value| worker["leaves"].as_u64() > Some(0);
    let all_own = |workers: &Vec<Value>| workers.iter().all(owns);
    master.status_when(|status| status["workers"].as_array().is_some_and(all_own));
}

fn assert_right(result: &Value) {
    assert_eq!(result["score"], PLAIN["score"], "{result}");
    assert_eq!((&result["depth"], &result["certain"]), (&DEPTH.into(), &true.into()));
}

/// The log says that this worker was lost and how many leaves others got.
fn assert_loss_logged(master: &mut Master, name: &str) {
    let loss = master.logged("worker left the running search", name);
    assert_eq!(loss["level"], "WARN", "{loss}");
    let leaves = loss["fields"]["leaves"].as_u64().expect("a number");
    assert!(leaves > 0, "{loss}");
    let message = loss["fields"]["message"].as_str().expect("text");
    assert!(message.ends_with(&format!("its {leaves} leaves go to others")), "{loss}");
}

#[test]
fn a_killed_worker_is_replaced_by_one_that_comes_in_mid_search() {
    let (mut master, mut workers) = cluster(&["first", "second"]);
    let analysis = analysis(&master);
    // The second holds its breath until the third is there, so that the search cannot end before.
    workers[1].signal(Signal::STOP);
    expect_leaves(&master);
    workers.swap_remove(0).kill();
    let _third = worker(&master.address, "third");
    master.logged("worker takes part in the running search", "third");
    workers[0].signal(Signal::CONT);
    assert_right(&analysis.result());
    assert_loss_logged(&mut master, "first");
    let status = master.status_when(|status| status["search"].is_null());
    assert!(status["counters"]["reassigned_leaves"].as_u64() > Some(0), "{status}");
}

/// The worker of this name.
fn named<'a>(status: &'a Value, name: &str) -> Option<&'a Value> {
    status["workers"].as_array()?.iter().find(|worker| worker["name"] == name)
}

/// Waits until the first worker is back and has had time to speak; whether it said anything that
/// came too late.
fn returns_with_late_words(master: &Master) -> bool {
    let late = |worker: &Value| {
        let count = |what: &str| worker[what].as_u64().unwrap_or(0);
        count("late_results") + count("late_reports") > 0
    };
    let spoke = |worker: &Value| late(worker) || worker["connected_s"].as_u64() > Some(2);
    let status = master.status_when(|status| named(status, "first").is_some_and(spoke));
    named(&status, "first").is_some_and(late)
}

/// One worker is frozen until the master has given it up and for `longer` after that. What it says
/// when it wakes up comes too late for the search it was frozen in.
fn freeze(longer: Duration) {
    let (mut master, workers) = cluster(&["first", "second"]);
    let analysis = analysis(&master);
    expect_leaves(&master);
    workers[0].signal(Signal::STOP);
    assert_right(&analysis.result());
    assert_loss_logged(&mut master, "first");
    thread::sleep(longer);

    let mut uci = shim(&master);
    uci.send("go infinite");
    master.status_when(|status| status["search"]["depth"].as_u64() > Some(2));
    workers[0].signal(Signal::CONT);
    // A worker frozen between two leaves has nothing to say; then it is frozen once more.
    let again = || {
        let busy = |worker: &Value| worker["busy_threads"] == 1;
        master.status_when(|status| named(status, "first").is_some_and(busy));
        workers[0].signal(Signal::STOP);
        master.expect_workers(&["second"]);
        workers[0].signal(Signal::CONT);
        returns_with_late_words(&master)
    };
    assert!(returns_with_late_words(&master) || (0..4).any(|_| again()));
    // What came late has changed nothing, and the search goes on with the one who sent it.
    let lines = uci.until(&format!("info depth {DEPTH} "));
    let score = format!(" score cp {} ", PLAIN["score"]["cp"]);
    assert!(lines.last().is_some_and(|line| line.contains(&score)), "{score} in {lines:#?}");
    uci.send("stop");
    uci.until("bestmove");
    uci.end();
    master.log.find(|line| {
        let count = |what: &str| line["fields"][what].as_u64().unwrap_or(0);
        let late = count("late_results") + count("late_reports") > 0;
        line["fields"]["message"] == "search ends" && late
    });
}

/// `aphid uci` with a running master, at the same position.
fn shim(master: &Master) -> Uci {
    let args = ["--profile", "exact", "--frontier", "2", "--hash", "1"];
    let mut uci = Uci::start(&[&["--master", &master.address], &args[..]].concat());
    uci.send(format!("position fen {RUY_LOPEZ}"));
    uci
}

#[test]
fn a_frozen_worker_is_done_without_and_what_it_says_when_woken_is_dropped() {
    freeze(Duration::ZERO);
}

#[test]
#[ignore = "waits 30 s"]
fn a_worker_frozen_for_half_a_minute_is_done_without_as_well() {
    freeze(Duration::from_secs(30));
}

#[test]
fn a_master_that_is_killed_and_started_anew_has_its_workers_back_for_the_next_go() {
    let (master, _workers) = cluster(&["first", "second"]);
    let mut uci = shim(&master);
    uci.send("go infinite");
    master.status_when(|status| status["search"]["depth"].as_u64() > Some(2));
    let address = master.address.clone();
    master.process.kill();
    let mut master = Master::listen(&address);
    master.expect_workers(&["first", "second"]);
    uci.send("stop");
    assert_eq!(best(&uci.until("bestmove")).len(), 4);
    assert!(uci.go("depth 4").iter().any(|line| line.starts_with("info depth 4 ")));
    let begins = master.log.find(|line| line["fields"]["message"] == "search begins");
    assert_eq!(begins["fields"]["workers"], 2, "{begins}");
    uci.end();
}
