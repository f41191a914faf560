//! ABDADA, simplified (J.-C. Weill, *The ABDADA distributed minimax-search algorithm*, ICCA
//! Journal 19(1), 1996; the marks beside the table are T. Kiiski's): everybody searches the whole
//! tree, but puts off a move that somebody else is searching until nothing else is left at the
//! node. By then its value mostly stands in the table.
//!
//! The first move of a node is never put off: until it has a value, nobody knows whether the
//! others are worth searching.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::game::Game;
use crate::search::frame::{Frame, Phase};
use crate::search::history::History;
use crate::search::resolve::Merged;
use crate::search::{Searcher, Status};

use super::crowd::{Walker, Way};
use super::marks::{Marks, Place};
use super::rounds::Rounds;
use super::{Counts, Group, Plan};

/// Least remaining depth, in plies, of a node whose moves are marked.
const MIN_DEPTH: i32 = 2;
/// Least remaining depth of a node that asks the table again before each of its moves.
const MIN_DEPTH_TO_ASK: i32 = 3;

/// What the processors share beside the table.
#[derive(Debug)]
pub(super) struct Common<G: Game> {
    rounds: Arc<Rounds<G>>,
    marks: Marks,
    put_off: AtomicU64,
}

/// How a processor of ABDADA searches.
#[derive(Debug)]
pub(super) struct Abdada<G: Game> {
    common: Arc<Common<G>>,
    /// The marks it has set, by ply, outermost first.
    held: Vec<(usize, Place)>,
}

impl<G: Game> Abdada<G> {
    /// What the processors share, and the processors.
    pub fn crew(plan: &Plan) -> (Arc<Common<G>>, Vec<Walker<G, Self>>) {
        let rounds = Arc::new(Rounds::new(Arc::clone(&plan.stir)));
        let (marks, put_off) = (Marks::new(), AtomicU64::new(0));
        let common = Arc::new(Common { rounds: Arc::clone(&rounds), marks, put_off });
        let history = Arc::new(History::new::<G>());
        let walker = |_| {
            let way = Self { common: Arc::clone(&common), held: Vec::new() };
            let mut walker = Walker::new(plan, &rounds, way);
            walker.searcher().share_history(&history);
            walker
        };
        let walkers = (0..plan.processors).map(walker).collect();
        (common, walkers)
    }

    /// Step 6 of the machine, without going on to the next move.
    fn resolve(&mut self, searcher: &mut Searcher<G>) {
        let ply = searcher.ply();
        if searcher.merge_value() != Merged::SearchedAgain
            && let Some((_, place)) = self.held.pop_if(|(at, _)| *at == ply)
        {
            self.common.marks.clear(place);
        }
    }

    /// Step 5 of the machine: takes the best move that nobody else is searching, or else the best
    /// of those that were put off.
    fn pick(&mut self, searcher: &mut Searcher<G>) {
        let (tried, depth) = (searcher.top().tried, searcher.top().depth);
        if tried > 0 && depth >= MIN_DEPTH_TO_ASK && searcher.leave_if_known() {
            return;
        }
        while let Some((mv, was_put_off)) = searcher.best_untried() {
            let name = name(searcher.top(), mv);
            if tried > 0 && !was_put_off && self.common.marks.has(name) {
                self.common.put_off.fetch_add(1, Relaxed);
                searcher.put_off();
                continue;
            }
            let place = if tried > 0 { self.common.marks.set(name) } else { None };
            self.held.extend(place.map(|place| (searcher.ply(), place)));
            searcher.take_untried();
            return searcher.search_move(mv);
        }
        searcher.step();
    }
}

/// Names a move searched to some depth.
fn name<G: Game>(frame: &Frame<G>, mv: G::Move) -> u64 {
    let mv = u64::from(frame.position.pack_move(mv)) << 8 | u64::from(frame.depth as u8);
    (frame.key ^ mv.wrapping_mul(0x9e37_79b9_7f4a_7c15)).max(1)
}

impl<G: Game> Way<G> for Abdada<G> {
    #[inline]
    fn step(&mut self, searcher: &mut Searcher<G>) -> Status {
        let frame = searcher.top();
        match frame.phase {
            Phase::Resolve if frame.depth >= MIN_DEPTH => self.resolve(searcher),
            Phase::Pick if frame.depth >= MIN_DEPTH => self.pick(searcher),
            _ => return searcher.step(),
        }
        Status::Running
    }

    fn give_up(&mut self) {
        self.held.drain(..).for_each(|(_, place)| self.common.marks.clear(place));
    }
}

impl<G: Game> Group for Common<G> {
    fn counts(&self) -> Counts {
        let put_off = self.put_off.load(Relaxed);
        Counts { joins: self.rounds.joins(), put_off, ..Counts::default() }
    }

    fn blocks_in_use(&self) -> usize {
        self.marks.len()
    }
}
