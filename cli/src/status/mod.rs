//! `aphid status`: shows what a running master and its workers are doing.
//!
//! - [`pause`]: who does not search, and making it so
//! - [`threads`]: the threads inside a worker

mod pause;
mod threads;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use proto::address::Address;
use proto::v1::{self, worker_status::State};
use proto::{limits, printable};
use serde_json::{Value, json};

use crate::args::StatusFlags;
use crate::failure::Failure;
use crate::output::{say, say_json};
use crate::settings;
use crate::sharing;
use crate::think::Trouble;
use crate::think::client::Client;

/// Runs the command.
///
/// # Errors
/// A usage error for an address that is none; a failure when no master of ours answers there, or
/// knows no worker that is to be paused or resumed.
pub fn run(flags: &StatusFlags) -> Result<(), Failure> {
    let master = settings::whereabouts(&flags.master)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failure::failed)?;
    let ask = async {
        let mut client = Client::reach(&master).await?;
        let chosen = match pause::request(flags) {
            Some(request) => client.set_paused(request).await?,
            None => Vec::new(),
        };
        let reply = client.status().await?;
        Ok::<_, Trouble>((client.address().clone(), chosen, reply))
    };
    let (address, chosen, reply) = runtime.block_on(ask).map_err(Failure::failed)?;
    if flags.json {
        chosen.iter().try_for_each(|chosen| say_json(&pause::chosen_json(chosen)))?;
        say_json(&as_json(&reply))
    } else {
        chosen.iter().try_for_each(|chosen| say(pause::describe_chosen(chosen)))?;
        show(&address, &reply)
    }
}

fn state(worker: &v1::WorkerStatus) -> &'static str {
    match worker.state() {
        State::Unspecified => "unknown",
        State::Idle => "idle",
        State::Searching => "searching",
        State::Silent => "silent",
        State::Paused => "paused",
    }
}

fn name(worker: &v1::WorkerStatus) -> String {
    printable(&worker.name, limits::NAME_BYTES)
}

fn as_json(reply: &v1::StatusReply) -> Value {
    let workers: Vec<Value> = reply.workers.iter().map(worker_json).collect();
    let search = reply.search.as_ref().map(|search| {
        json!({
            "game": search.game,
            "position": search.position,
            "depth": search.depth,
            "nodes": search.nodes,
            "time_ms": search.time_ms,
            "leaves": search.leaves,
            "passes": search.passes,
        })
    });
    let counters = reply.counters.unwrap_or_default();
    json!({
        "type": "status",
        "version": reply.version,
        "protocol_version": reply.protocol_version,
        "uptime_s": reply.uptime_s,
        "epoch": reply.epoch,
        "workers": workers,
        "search": search,
        "counters": {
            "searches": counters.searches,
            "late_results": counters.late_results,
            "late_reports": counters.late_reports,
            "reassigned_leaves": counters.reassigned_leaves,
            "refused_workers": counters.refused_workers,
            "lost_workers": counters.lost_workers,
            "malformed_messages": counters.malformed_messages,
        },
    })
}

fn worker_json(worker: &v1::WorkerStatus) -> Value {
    json!({
        "id": worker.id,
        "name": name(worker),
        "address": worker.address,
        "threads": worker.threads,
        "busy_threads": worker.busy_threads,
        "lanes": worker.lanes,
        "thread_loads": threads::loads_json(worker),
        "splits": threads::splits_json(worker),
        "sharing": sharing_json(worker),
        "hash_mb": worker.hash_mb,
        "version": worker.version,
        "state": state(worker),
        "paused": pause::reasons(worker),
        "nodes_total": worker.nodes_total,
        "nps": worker.nps,
        "leaves": worker.leaves,
        "late_results": worker.late_results,
        "late_reports": worker.late_reports,
        "connected_s": worker.connected_s,
        "rtt_us": worker.rtt_us,
    })
}

fn show(address: &Address, reply: &v1::StatusReply) -> Result<(), Failure> {
    let version = printable(&reply.version, limits::VERSION_BYTES);
    say(format!("master {address}  aphid {version}  up {}", duration(reply.uptime_s)))?;
    match &reply.search {
        None => say("idle")?,
        Some(search) => say(format!(
            "searching {} {:?}: depth {}, {} nodes, {} s, {} leaves, {} passes",
            printable(&search.game, 32),
            printable(&search.position, 200),
            search.depth,
            search.nodes,
            search.time_ms / 1000,
            search.leaves,
            search.passes,
        ))?,
    }
    if reply.workers.is_empty() {
        return say("no workers");
    }
    say(table(&reply.workers).to_string())?;
    reply.workers.iter().filter_map(threads::describe).try_for_each(say)?;
    reply.workers.iter().filter_map(shared).try_for_each(say)
}

/// What a worker shares with others, in a line; nothing for one that shares nothing.
fn shared(worker: &v1::WorkerStatus) -> Option<String> {
    let sharing = worker.sharing.as_ref().filter(|sharing| sharing.sent + sharing.received > 0)?;
    let speed = sharing.bytes_per_second / 1_000;
    let dropped = sharing.dropped + sharing.rejected;
    let words = sharing::describe(sharing);
    Some(format!("{}: sharing: {words}, {speed} KB/s; {dropped} dropped", worker.id))
}

fn sharing_json(worker: &v1::WorkerStatus) -> Value {
    let Some(sharing) = &worker.sharing else { return Value::Null };
    let mut value = sharing::as_json(sharing);
    value["bytes_per_second"] = sharing.bytes_per_second.into();
    value
}

fn table(workers: &[v1::WorkerStatus]) -> Table {
    const NUMBERS: [usize; 8] = [0, 4, 5, 6, 7, 8, 9, 10];
    let mut table = Table::new();
    table.load_preset(NOTHING).set_header([
        "id",
        "name",
        "address",
        "state",
        "busy",
        "hash MB",
        "nodes/s",
        "nodes",
        "leaves",
        "late",
        "rtt ms",
        "connected",
        "version",
    ]);
    for worker in workers {
        let rtt = worker.rtt_us.map_or_else(String::new, |us| format!("{:.1}", us as f64 / 1e3));
        table.add_row([
            worker.id.to_string(),
            name(worker),
            printable(&worker.address, 64),
            pause::state(worker, state(worker)),
            format!("{}/{}", worker.busy_threads, worker.threads),
            worker.hash_mb.to_string(),
            worker.nps.to_string(),
            worker.nodes_total.to_string(),
            worker.leaves.to_string(),
            (worker.late_results + worker.late_reports).to_string(),
            rtt,
            duration(worker.connected_s),
            printable(&worker.version, limits::VERSION_BYTES),
        ]);
    }
    for column in NUMBERS {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Seconds as hours, minutes and seconds.
fn duration(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}h{minutes:02}m") } else { format!("{minutes}m{seconds:02}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_a_row() {
        let worker = v1::WorkerStatus {
            id: 7,
            name: "kitchen\n".into(),
            threads: 4,
            busy_threads: 3,
            state: State::Searching.into(),
            rtt_us: Some(1_500),
            connected_s: 3_725,
            ..Default::default()
        };
        let text = table(std::slice::from_ref(&worker)).to_string();
        for part in ["kitchen\u{fffd}", "searching", "3/4", "1.5", "1h02m"] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        let reply = v1::StatusReply { workers: vec![worker], ..Default::default() };
        let value = as_json(&reply);
        assert_eq!(value["workers"][0]["rtt_us"], 1_500);
        assert_eq!(value["search"], Value::Null);
    }
}
