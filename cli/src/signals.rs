//! Ctrl-C and SIGTERM.

use std::future::Future;
use std::io;
use std::thread;

/// Waits for the next Ctrl-C or SIGTERM from now on: listening begins with the call, not with the
/// first poll. Wants to be called on a runtime.
///
/// # Errors
/// The system does not let us listen for signals.
pub fn interrupt() -> io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        Ok(async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    })
}

/// Calls `told` at every Ctrl-C or SIGTERM, on a thread of its own, until it says that it has
/// heard enough.
///
/// # Errors
/// The system has no thread left.
pub fn on_interrupt(mut told: impl FnMut() -> bool + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let listen = async move {
        while let Ok(interrupt) = interrupt() {
            interrupt.await;
            if !told() {
                break;
            }
        }
    };
    thread::Builder::new().name("signals".into()).spawn(move || runtime.block_on(listen))?;
    Ok(())
}

/// Waits for the time to shut down: Ctrl-C, SIGTERM, or no way to hear of them, which is never.
/// Listens from the call on: the first process of a container is deaf to a signal that it has not
/// asked for, and would otherwise miss one that comes while a large table is being set up. Wants to
/// be called on a runtime.
pub fn shutdown() -> impl Future<Output = ()> {
    let interrupt = interrupt();
    async {
        match interrupt {
            Ok(interrupt) => interrupt.await,
            Err(error) => {
                tracing::warn!("cannot listen for signals, kill the process to end it: {error}");
                std::future::pending::<()>().await;
            }
        }
    }
}
