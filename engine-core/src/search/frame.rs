//! One node of the search in progress, as plain data.

use crate::game::Game;
use crate::value::{INFINITY, Value};

/// What happens to a frame next. The phases are the numbered steps of the search; see
/// [`Searcher::step`](super::Searcher::step).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// 1. Draws, horizon, table.
    Enter,
    /// 2. Offer the opponent a free move.
    TryNull,
    /// 3. The free move has been searched.
    NullReturned,
    /// 4. The remembered move, before any move is generated.
    TryRemembered,
    /// 5. Generate and rank the moves.
    Generate,
    /// 6. Take the next move and search it.
    Pick,
    /// 7. A move has been searched: merge its value.
    Resolve,
    /// 8. Report to the table and to the parent.
    Leave,
}

/// A node of the tree between the root and the node being searched.
#[derive(Debug, Clone)]
// Whole cache lines, and a size by which an index is multiplied in no time.
#[repr(align(64))]
pub(crate) struct Frame<G: Game> {
    /// The position here.
    pub position: G,
    /// The step that comes next.
    pub phase: Phase,
    /// Remaining depth in plies.
    pub depth: i32,
    /// Lower end of the window now.
    pub alpha: Value,
    /// Upper end of the window.
    pub beta: Value,
    /// Lower end of the window on entry.
    pub entry_alpha: Value,
    /// Best value so far (fail-soft).
    pub best: Value,
    /// The move that gave [`best`](Frame::best), once one raised alpha.
    pub best_move: Option<G::Move>,
    /// The move being searched; `None` while a null move is.
    pub current: Option<G::Move>,
    /// Upper end of the window in which [`current`](Frame::current) is searched, seen from here.
    pub child_beta: Value,
    /// Packed move remembered from an earlier search; 0: none.
    pub remembered: u16,
    /// Moves of this node on the move stack: the untried ones are `next..end`.
    pub first: u32,
    /// First untried move on the move stack.
    pub next: u32,
    /// End of this node's moves on the move stack.
    pub end: u32,
    /// Moves searched here.
    pub tried: u32,
    /// Key of the bare position.
    pub key: u64,
    /// Digest of the positions before this one that could still repeat; 0 when there are none.
    pub trail: u64,
    /// How many positions before this one could still repeat.
    pub reversible: u32,
    /// Nodes that the searcher had searched before it came here; 0 in a frame of another searcher.
    pub entered: u64,
    /// The moves stand on the move stack.
    pub generated: bool,
    /// The side to move is in check.
    pub in_check: bool,
    /// The side to move may pass (the opponent has not just done so).
    pub null_allowed: bool,
    /// Some value below is a guess, so the value here proves nothing.
    pub uncertain: bool,
}

impl<G: Game> Frame<G> {
    /// A frame that waits to be used.
    pub fn idle() -> Self {
        Self {
            position: G::start(),
            phase: Phase::Leave,
            depth: 0,
            alpha: -INFINITY,
            beta: INFINITY,
            entry_alpha: -INFINITY,
            best: -INFINITY,
            best_move: None,
            current: None,
            child_beta: INFINITY,
            remembered: 0,
            first: 0,
            next: 0,
            end: 0,
            tried: 0,
            key: 0,
            trail: 0,
            reversible: 0,
            entered: 0,
            generated: false,
            in_check: false,
            null_allowed: true,
            uncertain: false,
        }
    }

    /// Takes note of what the search asks again and again about a position new to the frame.
    #[inline]
    pub fn arrive(&mut self) {
        self.key = self.position.key();
        self.in_check = self.position.in_check();
    }

    /// Readies the frame, whose position and trail stand, for a search within a window.
    #[inline]
    pub fn open(&mut self, depth: i32, alpha: Value, beta: Value) {
        self.phase = Phase::Enter;
        self.depth = depth;
        self.alpha = alpha;
        self.beta = beta;
        self.entry_alpha = alpha;
        self.best = -INFINITY;
        self.best_move = None;
        self.tried = 0;
        self.uncertain = false;
    }

    /// The window is open: the exact value here matters, not only on which side of it it lies.
    #[inline]
    pub fn is_pv(&self) -> bool {
        self.beta - self.entry_alpha > 1
    }
}
