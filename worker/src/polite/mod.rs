//! Manners: a worker that searches nothing while others want its machine.
//!
//! - [`machine`]: what the machine's files say about its use
//! - [`judge`]: what to make of it
//!
//! Both are asked once a second on the runtime that talks to the master; a look takes well under a
//! millisecond and nothing from the search threads.

mod judge;
mod machine;

use std::convert::Infallible;
use std::time::{Duration, Instant, SystemTime};

use proto::pause::OwnPause;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};
use tracing::info;

use crate::config::{Config, WorkerError};
use judge::Judge;
use machine::Machine;

/// Time between two looks.
const LOOK: Duration = Duration::from_secs(1);

/// When a worker pauses itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Politeness {
    /// While the machine is in use: somebody types on one of its terminals, or other programs take
    /// more than `busy_above` of its processors.
    pub in_use: bool,
    /// While the machine runs on battery.
    pub on_battery: bool,
    /// How long the machine counts as in use after its last use, 1 s to 24 h.
    pub idle_after: Duration,
    /// Share of all processors, in percent, 1..=100, that other programs may use over ten seconds
    /// before the machine counts as in use.
    pub busy_above: u8,
}

impl Politeness {
    /// Shortest and longest `idle_after`.
    pub const IDLE_AFTER: (Duration, Duration) = (Duration::from_secs(1), Duration::from_hours(24));

    /// It may pause.
    fn is_wanted(&self) -> bool {
        self.in_use || self.on_battery
    }

    /// Checks everything.
    ///
    /// # Errors
    /// A value out of its range, or a system whose use we cannot observe.
    pub(crate) fn check(&self) -> Result<(), WorkerError> {
        let (shortest, longest) = Self::IDLE_AFTER;
        if !(shortest..=longest).contains(&self.idle_after) {
            return Err(WorkerError::IdleAfter(self.idle_after));
        }
        if !(1..=100).contains(&self.busy_above) {
            return Err(WorkerError::BusyAbove(self.busy_above));
        }
        if self.is_wanted() && !cfg!(target_os = "linux") {
            return Err(WorkerError::NoManners);
        }
        Ok(())
    }
}

impl Default for Politeness {
    /// Never; else as others who lend out idle machines have it: BOINC takes a machine for used
    /// when other programs have a quarter of it (`suspend_cpu_usage`), `HTCondor` takes it back
    /// five minutes after its owner's last key (`ContinueIdleTime`).
    fn default() -> Self {
        Self {
            in_use: false,
            on_battery: false,
            idle_after: Duration::from_mins(5),
            busy_above: 25,
        }
    }
}

/// Watches the machine.
pub(crate) struct Watch {
    machine: Machine,
    judge: Judge,
    wanted: bool,
}

impl Watch {
    /// Begins to watch the machine as `config` asks for.
    ///
    /// # Errors
    /// The machine does not tell how it is used.
    pub fn new(config: &Config) -> Result<Self, WorkerError> {
        let machine = Machine::new(config.machine_root.clone(), config.nice == 0);
        if config.polite.in_use {
            machine
                .processors()
                .map_err(|source| WorkerError::Machine { path: machine.statistics(), source })?;
        }
        let judge = Judge::new(config.polite);
        Ok(Self { machine, judge, wanted: config.polite.is_wanted() })
    }

    /// Tells `reasons` whenever there is one more or one less. The first look is at the first poll.
    pub async fn tell(mut self, reasons: watch::Sender<OwnPause>) -> Infallible {
        if !self.wanted {
            return std::future::pending().await;
        }
        let began = Instant::now();
        let mut due = interval(LOOK);
        due.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            due.tick().await;
            let readings = self.machine.read();
            let pause = self.judge.judge(began.elapsed(), SystemTime::now(), &readings);
            reasons.send_if_modified(|before| {
                let changed = *before != pause;
                if changed {
                    *before = pause;
                    announce(pause);
                }
                changed
            });
        }
    }
}

fn announce(pause: OwnPause) {
    if pause.is_paused() {
        info!("paused: the machine is {}", pause.words().join(" and "));
    } else {
        info!("paused no more");
    }
}
