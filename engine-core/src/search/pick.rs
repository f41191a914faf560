//! Steps 3 to 5: which move comes next, and how it is searched.

use crate::game::{BAD_TACTICAL, GOOD_TACTICAL, Game};

use super::frame::Phase;
use super::horizon::Horizon;
use super::tunables::CHECK_EXTENSION_MAX_PLY;
use super::{Profile, Searcher, extend_trail, outcome_value};

/// A move and its place in the order of trying; greater is earlier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ranked<G: Game> {
    pub mv: G::Move,
    pub order: i32,
}

/// Brings the greatest of `moves` to the front (selection sort, one step at a time: most nodes are
/// cut off after a few moves).
#[inline]
pub(super) fn bring_best_forward<G: Game>(moves: &mut [Ranked<G>]) -> G::Move {
    let mut best = 0;
    for index in 1..moves.len() {
        if moves[index].order > moves[best].order {
            best = index;
        }
    }
    moves.swap(0, best);
    moves[0].mv
}

impl<G: Game, H: Horizon<G>> Searcher<G, H> {
    #[inline]
    pub(super) fn try_remembered(&mut self) {
        let frame = &mut self.frames[self.ply];
        frame.phase = Phase::Generate;
        if frame.remembered == 0 {
            return self.generate();
        }
        match frame.position.unpack_move(frame.remembered) {
            Some(mv) if self.ply > 0 || allowed(&self.root_moves, mv) => self.search_move(mv),
            _ => frame.remembered = 0,
        }
    }

    #[inline]
    pub(super) fn generate(&mut self) {
        let ply = self.ply;
        let frame = &mut self.frames[ply];
        let (position, depth) = (&frame.position, frame.depth);
        // Only the remembered move can have been searched before the others are generated.
        let remembered = if frame.tried > 0 { frame.current } else { None };
        let first = self.moves.len();
        position.for_each_move(|mv| {
            if Some(mv) != remembered && (ply > 0 || allowed(&self.root_moves, mv)) {
                let mut order = position.order(mv, depth);
                if order > BAD_TACTICAL && order < GOOD_TACTICAL && position.is_quiet(mv) {
                    order += self.memory.order(position, ply, mv);
                }
                self.moves.push(Ranked { mv, order });
            }
        });
        frame.first = first as u32;
        frame.next = frame.first;
        frame.end = self.moves.len() as u32;
        frame.generated = true;
        frame.phase = Phase::Pick;
        if frame.first == frame.end && frame.tried == 0 {
            frame.best = outcome_value(position.outcome(), ply);
            frame.phase = Phase::Leave;
        }
    }

    #[inline]
    pub(super) fn pick(&mut self) {
        let frame = &mut self.frames[self.ply];
        if frame.next == frame.end {
            frame.phase = Phase::Leave;
            return;
        }
        let untried = frame.next as usize..frame.end as usize;
        frame.next += 1;
        let mv = bring_best_forward(&mut self.moves[untried]);
        self.search_move(mv);
    }

    /// Searches `mv`: the first move with the whole window, the others with a zero window just to
    /// see whether they are better (principal variation search).
    #[inline]
    pub(crate) fn search_move(&mut self, mv: G::Move) {
        let ply = self.ply;
        let [frame, child, ..] = &mut self.frames[ply..] else { unreachable!("a frame below") };
        frame.current = Some(mv);
        frame.child_beta = if frame.tried == 0 { frame.beta } else { frame.alpha + 1 };
        if H::ACTIVE && frame.child_beta == frame.alpha + 1 {
            let packed = frame.position.pack_move(mv);
            let known = self.horizon.recalled(packed, frame.alpha, frame.beta);
            if let Some((value, certain)) = known {
                (self.returned, self.returned_uncertain) = (value, !certain);
                frame.phase = Phase::Resolve;
                self.variations.clear(ply + 1);
                return;
            }
        }
        child.position.clone_from(&frame.position);
        child.position.play(mv);
        child.null_allowed = true;
        child.reversible = child.position.reversible_plies().min(frame.reversible + 1);
        child.trail = if child.reversible == 0 { 0 } else { extend_trail(frame.trail, frame.key) };
        child.arrive();
        let extends =
            child.in_check && self.profile == Profile::Classic && ply < CHECK_EXTENSION_MAX_PLY;
        let depth = frame.depth - 1 + i32::from(extends);
        child.open(depth, -frame.child_beta, -frame.alpha);
        self.descend();
    }
}

/// Root moves may be restricted; no restriction allows all.
#[inline]
fn allowed<M: Copy + Eq>(restriction: &[M], mv: M) -> bool {
    restriction.is_empty() || restriction.contains(&mv)
}
