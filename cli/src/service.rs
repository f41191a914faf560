//! Under a service manager that speaks systemd's notification protocol: saying that we are up, that
//! we still turn, and that we end. Without one (no `NOTIFY_SOCKET`) all of it is nothing.

use std::convert::Infallible;
use std::future::{Future, pending};

use sd_notify::NotifyState;
use tokio::time::{MissedTickBehavior, interval};

/// Says that we are up; from then on, for as long as it is polled, quiets the manager's watchdog
/// twice in each of its periods. Polled on the runtime that talks to everybody else, it stops when
/// that stops turning, and the manager starts us again.
pub async fn attend() -> Infallible {
    tell(NotifyState::Ready);
    let Some(period) = sd_notify::watchdog_enabled().filter(|period| !period.is_zero()) else {
        return pending().await;
    };
    let mut due = interval(period / 2);
    due.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        due.tick().await;
        tell(NotifyState::Watchdog);
    }
}

/// `shutdown`, of which the manager is told.
pub async fn told(shutdown: impl Future<Output = ()>) {
    shutdown.await;
    tell(NotifyState::Stopping);
}

fn tell(state: NotifyState) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!("cannot notify the service manager: {error}");
    }
}
