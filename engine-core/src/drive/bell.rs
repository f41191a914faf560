//! Where idle processors wait for work in the middle of a search.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Looks at the bell before going to sleep: some ten microseconds, about what a sleep and its end
/// would take.
const SPINS: u32 = 200;

/// A bell that wakes everybody who waits. Ringing costs next to nothing while nobody sleeps.
#[derive(Debug, Default)]
pub(super) struct Bell {
    rings: AtomicU64,
    sleepers: AtomicUsize,
    /// Held by a sleeper from its last look at the bell until it sleeps.
    door: Mutex<()>,
    woken: Condvar,
}

impl Bell {
    /// How often it has rung.
    pub fn rung(&self) -> u64 {
        self.rings.load(SeqCst)
    }

    /// Wakes everybody.
    pub fn ring(&self) {
        // Either a sleeper sees this ring in its last look, or we see the sleeper.
        self.rings.fetch_add(1, SeqCst);
        if self.sleepers.load(SeqCst) > 0 {
            drop(self.door.lock().unwrap_or_else(PoisonError::into_inner));
            self.woken.notify_all();
        }
    }

    /// Waits until the bell has rung more than `known` times, but no longer than `patience`.
    pub fn wait(&self, known: u64, patience: Duration) {
        for _ in 0..SPINS {
            if self.rung() != known {
                return;
            }
            std::hint::spin_loop();
        }
        let door = self.door.lock().unwrap_or_else(PoisonError::into_inner);
        self.sleepers.fetch_add(1, SeqCst);
        let silent = |(): &mut ()| self.rung() == known;
        // Rung or not: whoever waits looks for work again.
        drop(self.woken.wait_timeout_while(door, patience, silent));
        self.sleepers.fetch_sub(1, SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn no_ring_is_missed() {
        let (here, there) = (Bell::default(), Bell::default());
        let forever = Duration::from_mins(5);
        thread::scope(|scope| {
            scope.spawn(|| {
                for turn in 0..10_000 {
                    here.wait(turn, forever);
                    there.ring();
                }
            });
            for turn in 0..10_000 {
                here.ring();
                there.wait(turn, forever);
            }
        });
        assert_eq!((here.rung(), there.rung()), (10_000, 10_000));
    }
}
