//! What reaches a running search from outside its thread.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use engine_core::aphid::messages::ToMaster;
use tokio::sync::OwnedSemaphorePermit;

use crate::late::Late;
use crate::registry::Recruit;

/// Something that happened.
#[derive(Debug)]
pub(crate) enum Input {
    /// A worker is there to help.
    Join(Recruit),
    /// A worker is gone.
    Leave {
        /// Its number.
        worker: u64,
        /// Why, for the log.
        reason: String,
    },
    /// A worker is paused.
    Pause {
        /// Its number.
        worker: u64,
        /// Why, for the log.
        reason: String,
    },
    /// A worker has something to say.
    Report {
        /// Its number.
        worker: u64,
        /// What.
        message: ToMaster,
        /// Room for this message, given back when it has been dealt with.
        permit: Option<OwnedSemaphorePermit>,
    },
    /// The local slave has something to say. At most one of these waits.
    LocalNews,
    /// Answer now.
    Stop,
    /// The expected move was played.
    PonderHit,
    /// Nobody waits for the answer any more.
    HungUp,
}

impl Input {
    /// What is lost with it when nobody takes it in.
    pub fn late(&self) -> Late {
        match self {
            Input::Report { message, .. } => Late::all_of(&message.event),
            _ => Late::default(),
        }
    }
}

#[derive(Debug, Default)]
struct Queue {
    inputs: VecDeque<Input>,
    closed: bool,
}

/// The queue between everybody and the thread of one search.
///
/// Bounded although [`push`](Inbox::push) never waits: reports come with a permit out of a fixed
/// number for each worker, and the rest are rare and dealt with within a slice of work.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    queue: Mutex<Queue>,
    arrived: Condvar,
}

impl Inbox {
    /// Adds an input, unless the search is over.
    pub fn push(&self, input: Input) {
        let mut queue = self.lock();
        if !queue.closed {
            queue.inputs.push_back(input);
            self.arrived.notify_one();
        }
    }

    /// The oldest input, if there is one.
    pub fn try_take(&self) -> Option<Input> {
        self.lock().inputs.pop_front()
    }

    /// The oldest input; sleeps until there is one, at most `until` (none: for ever).
    pub fn wait(&self, until: Option<Instant>) -> Option<Input> {
        let queue = self.lock();
        let empty = |queue: &mut Queue| queue.inputs.is_empty();
        let mut queue = match until {
            None => self.arrived.wait_while(queue, empty).unwrap_or_else(PoisonError::into_inner),
            Some(until) => {
                let time = until.saturating_duration_since(Instant::now());
                let waited = self.arrived.wait_timeout_while(queue, time, empty);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        queue.inputs.pop_front()
    }

    /// Takes in nothing more; returns what was not taken.
    pub fn close(&self) -> VecDeque<Input> {
        let mut queue = self.lock();
        queue.closed = true;
        std::mem::take(&mut queue.inputs)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn waiting_ends_with_an_input_or_the_time() {
        let inbox = Arc::new(Inbox::default());
        assert!(inbox.wait(Some(Instant::now() + Duration::from_millis(1))).is_none());
        let far = Arc::clone(&inbox);
        let pusher = std::thread::spawn(move || far.push(Input::Stop));
        assert!(matches!(inbox.wait(None), Some(Input::Stop)));
        pusher.join().expect("the pusher ends");
    }

    #[test]
    fn nothing_is_taken_in_after_the_end() {
        let inbox = Inbox::default();
        inbox.push(Input::PonderHit);
        assert!(matches!(inbox.close().back(), Some(Input::PonderHit)));
        inbox.push(Input::Stop);
        assert!(inbox.try_take().is_none());
    }
}
