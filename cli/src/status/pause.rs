//! Who does not search, and making it so.

use proto::pause::OwnPause;
use proto::{limits, printable, v1};
use serde_json::{Value, json};

use crate::args::StatusFlags;

/// What the master is to change; nothing, when only its state is wanted.
pub fn request(flags: &StatusFlags) -> Option<v1::SetPausedRequest> {
    if flags.pause.is_empty() && flags.resume.is_empty() {
        return None;
    }
    let pause = flags.pause.iter().map(Into::into).collect();
    let resume = flags.resume.iter().map(Into::into).collect();
    Some(v1::SetPausedRequest { pause, resume })
}

/// A worker that was meant, for people.
pub fn describe_chosen(chosen: &v1::ChosenWorker) -> String {
    let word = if chosen.paused { "paused" } else { "resumed" };
    format!("{word} {}, {}", chosen.id, printable(&chosen.name, limits::NAME_BYTES))
}

/// The same for programs.
pub fn chosen_json(chosen: &v1::ChosenWorker) -> Value {
    let kind = if chosen.paused { "paused" } else { "resumed" };
    let name = printable(&chosen.name, limits::NAME_BYTES);
    json!({ "type": kind, "id": chosen.id, "name": name })
}

/// Why a worker is paused; empty when it is not.
pub fn reasons(worker: &v1::WorkerStatus) -> Vec<&'static str> {
    // A reason that a newer master knows is still one.
    let own = OwnPause::decode(worker.pause_reasons.clone())
        .map_or_else(|_| vec!["for a reason of its own"], OwnPause::words);
    worker.paused_by_person.then_some("by you").into_iter().chain(own).collect()
}

/// `state`, and why if the worker is paused: `paused (by you, in use)`.
pub fn state(worker: &v1::WorkerStatus, state: &str) -> String {
    let reasons = reasons(worker).join(", ");
    if reasons.is_empty() { state.to_owned() } else { format!("{state} ({reasons})") }
}

#[cfg(test)]
mod tests {
    use proto::v1::PauseReason;

    use super::*;

    #[test]
    fn a_pause_is_shown_with_all_its_reasons() {
        let mut worker = v1::WorkerStatus::default();
        assert_eq!(state(&worker, "idle"), "idle");
        worker.paused_by_person = true;
        assert_eq!(state(&worker, "paused"), "paused (by you)");
        worker.pause_reasons = vec![PauseReason::InUse.into(), PauseReason::OnBattery.into()];
        assert_eq!(state(&worker, "paused"), "paused (by you, in use, on battery)");
        worker.paused_by_person = false;
        assert_eq!(reasons(&worker), ["in use", "on battery"]);
        worker.pause_reasons = vec![9];
        assert_eq!(state(&worker, "silent"), "silent (for a reason of its own)");
    }

    #[test]
    fn who_was_meant_is_said() {
        let chosen = v1::ChosenWorker { id: 3, name: "mill".into(), paused: true };
        assert_eq!(describe_chosen(&chosen), "paused 3, mill");
        assert_eq!(chosen_json(&chosen)["type"], "paused");
        let chosen = v1::ChosenWorker { paused: false, ..chosen };
        assert_eq!(describe_chosen(&chosen), "resumed 3, mill");
    }
}
