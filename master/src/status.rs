//! The state of the cluster, for people.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use proto::v1;
use proto::v1::worker_status::State;

use crate::hub::{Hub, Running};
use crate::registry::Worker;

/// A worker not heard of for this long is called silent; it answers a ping every two seconds.
const SILENCE: Duration = Duration::from_secs(5);

/// Everything at this moment.
pub(crate) fn report(hub: &Hub) -> v1::StatusReply {
    let (workers, search) = hub.look(|workers, running| {
        let search = running.map(search);
        (workers.iter().map(worker).collect(), search)
    });
    let read = |counter: &AtomicU64| counter.load(Relaxed);
    let counters = &hub.counters;
    let late = counters.late.read();
    v1::StatusReply {
        version: proto::PROGRAM_VERSION.to_owned(),
        protocol_version: proto::PROTOCOL_VERSION,
        uptime_s: hub.born.elapsed().as_secs(),
        epoch: hub.epoch,
        workers,
        search,
        counters: Some(v1::Counters {
            searches: read(&counters.searches),
            late_results: late.results,
            reassigned_leaves: read(&counters.reassigned_leaves),
            refused_workers: read(&counters.refused_workers),
            lost_workers: read(&counters.lost_workers),
            malformed_messages: read(&counters.malformed_messages),
            late_reports: late.reports,
        }),
    }
}

fn worker(worker: &Worker) -> v1::WorkerStatus {
    let (who, seat, load) = (&worker.introduction, &worker.recruit, &worker.load);
    let late = seat.gauges.late.read();
    let state = if Instant::now().saturating_duration_since(worker.heard) > SILENCE {
        State::Silent
    } else if worker.pause.is_paused() {
        State::Paused
    } else if load.busy_threads > 0 {
        State::Searching
    } else {
        State::Idle
    };
    v1::WorkerStatus {
        id: seat.id,
        name: who.name.clone(),
        address: worker.address.map(|address| address.to_string()).unwrap_or_default(),
        threads: who.threads,
        lanes: who.lanes,
        hash_mb: who.hash_mb,
        version: who.version.clone(),
        state: state.into(),
        nodes_total: load.nodes_total,
        nps: load.nps,
        busy_threads: load.busy_threads,
        thread_loads: load.threads.clone(),
        splits: load.splits,
        leaves: seat.gauges.leaves.load(Relaxed),
        late_results: late.results,
        late_reports: late.reports,
        connected_s: worker.since.elapsed().as_secs(),
        rtt_us: worker.round_trip.map(|time| time.as_micros() as u64),
        paused_by_person: worker.pause.by_person,
        pause_reasons: worker.pause.by_itself.encode(),
        sharing: worker.sharing.map(|sharing| v1::Sharing {
            bytes_per_second: load.sharing.map_or(0, |sharing| sharing.bytes_per_second),
            ..sharing
        }),
    }
}

fn search(running: &Running) -> v1::SearchStatus {
    let standing = &running.standing;
    v1::SearchStatus {
        game: running.game.to_owned(),
        position: running.position.clone(),
        depth: standing.depth.load(Relaxed) as u32,
        nodes: standing.nodes.load(Relaxed),
        time_ms: running.started.elapsed().as_millis() as u64,
        leaves: standing.leaves.load(Relaxed),
        passes: standing.passes.load(Relaxed),
    }
}
