//! Who connects to the port.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Sleep, sleep};

/// Time after which accepting is tried again when the system refuses.
const PAUSE: Duration = Duration::from_millis(100);

/// Accepted connections. An error in accepting one (too many open files, a caller that hung up)
/// is no reason to stop serving the others: it is logged and, after a pause, tried again.
#[derive(Debug)]
pub(crate) struct Callers {
    listener: TcpListener,
    pause: Option<Pin<Box<Sleep>>>,
}

impl Callers {
    /// Those that connect to `listener`.
    pub fn new(listener: TcpListener) -> Self {
        Self { listener, pause: None }
    }
}

impl Stream for Callers {
    type Item = io::Result<TcpStream>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(cx));
                self.pause = None;
            }
            match ready!(self.listener.poll_accept(cx)) {
                Ok((connection, _)) => {
                    // Messages are small and urgent. Refused only on a connection that is gone.
                    let _ = connection.set_nodelay(true);
                    return Poll::Ready(Some(Ok(connection)));
                }
                Err(error) => {
                    tracing::warn!("cannot accept a connection: {error}");
                    self.pause = Some(Box::pin(sleep(PAUSE)));
                }
            }
        }
    }
}
