//! A team: the processors that search one tree, and the lock between them.

use std::fmt;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};

use crate::game::Game;
use crate::search::history::History;
use crate::splitter::{Counts, Stir};
use crate::sync::{AtomicBool, Mutex};

use super::board::Board;

/// What the processors of one search share.
///
/// A processor takes the lock only at a split point or when it has been told that there is news;
/// at every other node it looks at its own signal and no more. The lock is held for as long as it
/// takes to take a move, merge a value or copy a tree.
pub struct Team<G: Game> {
    board: Mutex<Board<G>>,
    signals: Arc<Signals>,
    /// What everybody has learnt about move order.
    pub(super) history: Arc<History>,
    /// Called, without the lock, when an idle processor may find work now.
    stir: Stir,
}

/// What can be set from outside, for experiments.
#[derive(Debug, Clone, Copy)]
pub struct Tuning {
    /// Nodes that a processor searches after it has answered a HELP before it answers another.
    pub calm: u64,
    /// How nodes are told from each other.
    pub typing: Typing,
    /// Least remaining depth, in plies, at which a node is split.
    pub min_depth: i32,
    /// Confidence that every move must be searched, in permille, below which a node is not split.
    pub min_confidence: i32,
    /// Value of full confidence in doublings of the work at a split point, in hundredths.
    pub confidence_weight: i32,
    /// Moves searched at an open node before it is split.
    pub open_moves: u32,
    /// Root moves that everybody searches together.
    pub root_moves: u32,
}

/// How sure one can be that all moves of a node must be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Typing {
    /// By how often nodes of its kind turn out so, and by the moves searched there.
    #[default]
    Evidence,
    /// By its place in the tree, with the paper's rule for CUT nodes that do not cut.
    Paper,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            calm: 4,
            typing: Typing::Evidence,
            min_depth: 1,
            min_confidence: 300,
            confidence_weight: 1200,
            open_moves: 1,
            root_moves: 1,
        }
    }
}

impl Tuning {
    /// Splits wherever it is possible at all: for tests, which want as many splits as there can be.
    pub const EAGER: Self = Self {
        calm: 0,
        typing: Typing::Evidence,
        min_depth: 1,
        min_confidence: 0,
        confidence_weight: 100,
        open_moves: 1,
        root_moves: 1,
    };

    /// What suits threads, for which a split costs about ten nodes and a word to a neighbour one.
    pub fn threads() -> Self {
        Self { calm: 50, min_depth: 2, ..Self::default() }
    }
}

impl<G: Game> Team<G> {
    /// A team of `processors`, numbered from 0. `stir` is called whenever an idle processor that
    /// found no work may find some now; it must not call the team.
    pub fn new(processors: usize, tuning: Tuning, stir: Stir) -> Self {
        let signals = Arc::new(Signals::new(processors));
        Self {
            board: Mutex::new(Board::new(processors, tuning, Arc::clone(&signals))),
            signals,
            history: Arc::new(History::new::<G>()),
            stir,
        }
    }

    /// Does something at the board.
    pub(crate) fn with<R>(&self, act: impl FnOnce(&mut Board<G>) -> R) -> R {
        // Whoever panicked here has left its search for good; the others' blocks are whole.
        let mut board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
        let result = act(&mut board);
        let stirred = std::mem::take(&mut board.stirred);
        drop(board);
        if stirred {
            (self.stir)();
        }
        result
    }

    /// Whether something concerns processor `id`: SHARE, UNSPLIT, a cut-off, HELP, or a split
    /// point chosen for it.
    #[inline]
    pub(crate) fn has_news(&self, id: usize) -> bool {
        self.signals.0[id].raised.load(Relaxed)
    }

    /// Processor `id` is about to look around. To be called with the lock held: what is told
    /// from then on raises the signal again.
    pub(super) fn lower(&self, id: usize) {
        self.signals.0[id].raised.store(false, Relaxed);
    }

    /// Split blocks in use; 0 between searches.
    pub fn blocks_in_use(&self) -> usize {
        self.with(|board| board.pool.in_use())
    }

    /// How often things happened.
    pub fn counts(&self) -> Counts {
        self.with(|board| board.counts)
    }
}

impl<G: Game> fmt::Debug for Team<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team").field("board", &self.board).finish_non_exhaustive()
    }
}

/// One signal for each processor, raised by others under the lock, looked at without it.
#[derive(Debug)]
pub(crate) struct Signals(Box<[Signal]>);

/// On cache lines of its own: its processor reads it at every node.
#[derive(Debug)]
#[repr(align(128))]
struct Signal {
    raised: AtomicBool,
}

impl Signals {
    fn new(processors: usize) -> Self {
        Self((0..processors).map(|_| Signal { raised: AtomicBool::new(false) }).collect())
    }

    /// Tells processor `id` to look around.
    pub fn raise(&self, id: usize) {
        self.0[id].raised.store(true, Relaxed);
    }
}
