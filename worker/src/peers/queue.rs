//! A queue with an end: when it is full, what comes takes the place of the oldest.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// See the module. Whoever adds to it never waits.
pub struct Queue<T> {
    room: usize,
    waiting: Mutex<VecDeque<T>>,
    /// Rung when something comes.
    bell: Arc<Notify>,
}

impl<T> Queue<T> {
    /// Room for so many.
    pub fn new(room: usize, bell: Arc<Notify>) -> Self {
        Self { room, waiting: Mutex::default(), bell }
    }

    /// Adds to the end. Returns the oldest, if that had to go for it.
    #[must_use]
    pub fn push(&self, item: T) -> Option<T> {
        let mut waiting = self.waiting();
        let oldest = if waiting.len() == self.room { waiting.pop_front() } else { None };
        waiting.push_back(item);
        drop(waiting);
        self.bell.notify_one();
        oldest
    }

    /// The oldest, if there is one.
    pub fn pop(&self) -> Option<T> {
        self.waiting().pop_front()
    }

    /// Waits for the oldest.
    pub async fn next(&self) -> T {
        loop {
            if let Some(item) = self.pop() {
                return item;
            }
            self.bell.notified().await;
        }
    }

    /// Empties it. Returns what was in it.
    pub fn take(&self) -> VecDeque<T> {
        std::mem::take(&mut *self.waiting())
    }

    /// Number of those that wait.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.waiting().len()
    }

    /// Whoever panics while holding the lock leaves the queue as it was.
    fn waiting(&self) -> MutexGuard<'_, VecDeque<T>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_makes_room() {
        let queue = Queue::new(2, Arc::default());
        assert_eq!([1, 2, 3, 4].map(|item| queue.push(item)), [None, None, Some(1), Some(2)]);
        assert_eq!(queue.pop(), Some(3));
        assert_eq!((queue.take(), queue.pop()), ([4].into(), None));
    }
}
