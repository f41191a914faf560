//! Ctrl-C and SIGTERM.

use std::io;
use std::thread;

/// Waits for the next Ctrl-C or SIGTERM.
///
/// # Errors
/// The system does not let us listen for signals.
pub async fn interrupt() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            result = tokio::signal::ctrl_c() => result,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}

/// Calls `told` at every Ctrl-C or SIGTERM, on a thread of its own, until it says that it has
/// heard enough.
///
/// # Errors
/// The system has no thread left.
pub fn on_interrupt(mut told: impl FnMut() -> bool + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let listen = async move {
        while interrupt().await.is_ok() {
            if !told() {
                break;
            }
        }
    };
    thread::Builder::new().name("signals".into()).spawn(move || runtime.block_on(listen))?;
    Ok(())
}

/// Waits for the time to shut down: Ctrl-C, SIGTERM, or no way to hear of them, which is never.
pub async fn shutdown() {
    if let Err(error) = interrupt().await {
        tracing::warn!("cannot listen for signals, kill the process to end it: {error}");
        std::future::pending::<()>().await;
    }
}
