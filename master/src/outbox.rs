//! A bounded place for messages on their way out, between a thread that must never wait and a
//! stream that may be slow.
//!
//! A queue would have to grow or to block when the reader falls behind. An outbox does neither:
//! its [`Slots`] know which unread messages a newer one makes superfluous.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_core::Stream;
use tonic::Status;

/// The messages in an outbox and what becomes of them; bounded by construction.
pub(crate) trait Slots: Default + Send + Unpin + 'static {
    /// What the reader gets.
    type Item: Send;

    /// Removes the message that is to be sent next.
    fn next(&mut self) -> Option<Self::Item>;
}

#[derive(Debug)]
struct Inner<S> {
    slots: S,
    /// Nothing more will come; the error is the last word.
    closed: bool,
    error: Option<Status>,
    /// The reader is gone.
    abandoned: bool,
    waker: Option<Waker>,
}

/// The writing end. Clones write to the same outbox; it does not end with them but with
/// [`close`](Outbox::close) or [`fail`](Outbox::fail).
#[derive(Debug)]
pub(crate) struct Outbox<S>(Arc<Mutex<Inner<S>>>);

impl<S> Clone for Outbox<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: Slots> Outbox<S> {
    /// An empty outbox and its only reader.
    pub fn new() -> (Self, Outgoing<S>) {
        let inner = Inner {
            slots: S::default(),
            closed: false,
            error: None,
            abandoned: false,
            waker: None,
        };
        let shared = Arc::new(Mutex::new(inner));
        (Self(Arc::clone(&shared)), Outgoing(shared))
    }

    /// Changes the slots and wakes the reader. Does nothing once closed or when nobody reads.
    pub fn post(&self, change: impl FnOnce(&mut S)) {
        self.update(|inner| change(&mut inner.slots));
    }

    /// Ends the stream after what is still unread.
    pub fn close(&self) {
        self.update(|inner| inner.closed = true);
    }

    /// Ends the stream with an error after what is still unread.
    pub fn fail(&self, error: Status) {
        self.update(|inner| {
            inner.closed = true;
            inner.error = Some(error);
        });
    }

    fn update(&self, change: impl FnOnce(&mut Inner<S>)) {
        let mut inner = lock(&self.0);
        if inner.closed || inner.abandoned {
            return;
        }
        change(&mut inner);
        let waker = inner.waker.take();
        drop(inner);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The reading end: the response stream of a call.
#[derive(Debug)]
pub(crate) struct Outgoing<S>(Arc<Mutex<Inner<S>>>);

impl<S: Slots> Stream for Outgoing<S> {
    type Item = Result<S::Item, Status>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut inner = lock(&self.0);
        if let Some(item) = inner.slots.next() {
            return Poll::Ready(Some(Ok(item)));
        }
        if inner.closed {
            return Poll::Ready(inner.error.take().map(Err));
        }
        inner.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl<S> Drop for Outgoing<S> {
    fn drop(&mut self) {
        lock(&self.0).abandoned = true;
    }
}

/// A panic while the lock was held cannot leave slots half changed in a way that matters.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use tokio_stream::StreamExt;

    use super::*;

    #[derive(Debug, Default)]
    struct Letters(VecDeque<char>);

    impl Slots for Letters {
        type Item = char;

        fn next(&mut self) -> Option<char> {
            self.0.pop_front()
        }
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_waiting_reader_is_woken_and_the_end_comes_last() {
        let (outbox, mut outgoing) = Outbox::<Letters>::new();
        let reader = tokio::spawn(async move {
            let mut seen = Vec::new();
            while let Some(item) = outgoing.next().await {
                seen.push(item.map_err(|status| status.message().to_owned()));
            }
            seen
        });
        tokio::task::yield_now().await;
        outbox.post(|letters| letters.0.push_back('a'));
        tokio::task::yield_now().await;
        outbox.post(|letters| letters.0.push_back('b'));
        outbox.fail(Status::internal("over"));
        outbox.post(|letters| letters.0.push_back('c'));
        let seen = reader.await.unwrap_or_default();
        assert_eq!(seen, [Ok('a'), Ok('b'), Err("over".to_owned())]);
    }

    #[test]
    fn nothing_piles_up_for_a_reader_that_is_gone() {
        let (outbox, outgoing) = Outbox::<Letters>::new();
        drop(outgoing);
        outbox.post(|letters| letters.0.push_back('a'));
        assert!(lock(&outbox.0).slots.0.is_empty());
    }
}
