//! Searches that everybody does from the root, one after the other: what is to be searched, and
//! whether it still is.

use std::fmt;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

use crate::game::Game;
use crate::search::Task;
use crate::sync::{AtomicU64, Mutex};

use super::Stir;

/// What processors share that all search the whole of a task: the task.
///
/// Rounds are numbered from 1. Whoever takes part remembers the number and asks at every node
/// whether that round is still on, which is one relaxed load.
pub(super) struct Rounds<G: Game> {
    /// Number of the round that is on; 0: none is.
    on: AtomicU64,
    books: Mutex<Books<G>>,
    /// Called, without the lock, when a round begins.
    stir: Stir,
}

#[derive(Debug)]
struct Books<G: Game> {
    begun: u64,
    task: Option<Task<G>>,
    /// Processors that ever came to take part in a round another began.
    joins: u64,
}

impl<G: Game> Rounds<G> {
    /// No round yet.
    pub fn new(stir: Stir) -> Self {
        let books = Books { begun: 0, task: None, joins: 0 };
        Self { on: AtomicU64::new(0), books: Mutex::new(books), stir }
    }

    fn with<R>(&self, act: impl FnOnce(&mut Books<G>) -> R) -> R {
        // The books hold after every line of the code that writes them.
        act(&mut self.books.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Begins a round; others may join it from now on.
    pub fn begin(&self, task: Task<G>) -> u64 {
        let round = self.with(|books| {
            books.begun += 1;
            books.task = Some(task);
            self.on.store(books.begun, Relaxed);
            books.begun
        });
        (self.stir)();
        round
    }

    /// The round that is on, if one is, and its task, for somebody who takes part from now on.
    pub fn join(&self) -> Option<(u64, Task<G>)> {
        if self.on.load(Relaxed) == 0 {
            return None;
        }
        self.with(|books| {
            let task = books.task.clone()?;
            books.joins += 1;
            Some((books.begun, task))
        })
    }

    /// That round is still on.
    #[inline]
    pub fn is_on(&self, round: u64) -> bool {
        self.on.load(Relaxed) == round
    }

    /// Ends that round for everybody. True for the one who does so first.
    pub fn end(&self, round: u64) -> bool {
        self.with(|books| {
            let first = books.begun == round && books.task.take().is_some();
            if first {
                self.on.store(0, Relaxed);
            }
            first
        })
    }

    /// Processors that ever came to take part in a round another began.
    pub fn joins(&self) -> u64 {
        self.with(|books| books.joins)
    }
}

impl<G: Game> fmt::Debug for Rounds<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rounds").field("books", &self.books).finish_non_exhaustive()
    }
}
