//! How the threads of a worker have spent the last second, and how they share trees.

use proto::v1;
use serde_json::{Value, json};

/// Threads listed one by one; of more, only the least and the greatest share is shown.
const LISTED: usize = 32;

/// A line for people; nothing for a worker whose threads have not been heard of.
pub fn describe(worker: &v1::WorkerStatus) -> Option<String> {
    let threads = &worker.thread_loads;
    if threads.is_empty() {
        return None;
    }
    let busy = shares(threads, |thread| thread.busy);
    let idle = shares(threads, |thread| thread.idle);
    let v1::Splits { splits, joins, stops, .. } = worker.splits.unwrap_or_default();
    let lanes = match worker.lanes {
        1 => "one leaf at a time".to_owned(),
        lanes => format!("{lanes} leaves at once"),
    };
    Some(format!(
        "{}: {lanes}; threads busy {busy} %, waiting {idle} %; {splits} splits, {joins} joins, \
         {stops} stops",
        worker.id,
    ))
}

/// Shares in percent, in the order of the threads.
fn shares(threads: &[v1::ThreadLoad], share: fn(&v1::ThreadLoad) -> u32) -> String {
    let percent = |thread: &v1::ThreadLoad| (share(thread) + 5) / 10;
    if threads.len() <= LISTED {
        let all: Vec<String> = threads.iter().map(|thread| percent(thread).to_string()).collect();
        return all.join(" ");
    }
    let least = threads.iter().map(percent).min().unwrap_or(0);
    let most = threads.iter().map(percent).max().unwrap_or(0);
    format!("{least}..{most}")
}

/// The same for programs: per thread `{"busy":N,"idle":N}` in permille.
pub fn loads_json(worker: &v1::WorkerStatus) -> Value {
    let load = |thread: &v1::ThreadLoad| json!({ "busy": thread.busy, "idle": thread.idle });
    worker.thread_loads.iter().map(load).collect()
}

/// What happened at split points since the worker started.
pub fn splits_json(worker: &v1::WorkerStatus) -> Value {
    let splits = worker.splits.unwrap_or_default();
    json!({
        "helps": splits.helps,
        "splits": splits.splits,
        "joins": splits.joins,
        "shares": splits.shares,
        "stops": splits.stops,
        "stopped_nodes": splits.stopped_nodes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_has_its_share() {
        let load = |busy, idle| v1::ThreadLoad { busy, idle };
        let mut worker = v1::WorkerStatus { id: 3, lanes: 1, ..Default::default() };
        assert_eq!(describe(&worker), None);
        worker.thread_loads = vec![load(996, 4), load(951, 49)];
        worker.splits = Some(v1::Splits { splits: 12, joins: 15, stops: 2, ..Default::default() });
        assert_eq!(
            describe(&worker).as_deref(),
            Some(
                "3: one leaf at a time; threads busy 100 95 %, waiting 0 5 %; 12 splits, 15 joins, \
                 2 stops"
            )
        );
        assert_eq!(loads_json(&worker)[1]["idle"], 49);
        assert_eq!(splits_json(&worker)["joins"], 15);
        worker.thread_loads = (0..40).map(|index| load(900 + index, 0)).collect();
        worker.lanes = 5;
        let text = describe(&worker).unwrap();
        assert!(text.contains("5 leaves at once") && text.contains("busy 90..94 %"), "{text}");
    }
}
