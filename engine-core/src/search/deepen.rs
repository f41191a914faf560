//! Iterative deepening over several lines: what to search next, and when it is enough.
//!
//! [`Deepening`] is the plan alone; the sequential [`Analysis`] and the APHID master both follow
//! it, so that both search the very same sequence of tasks.

use std::cmp::Reverse;
use std::collections::VecDeque;

use crate::game::Game;
use crate::line::Line;
use crate::value::Value;

use super::report::{Info, Report};
use super::{Answer, Searcher, Status, Task, outcome_value};

/// Deepest iteration there is, in plies.
pub const MAX_DEPTH: u32 = 100;

/// What is asked of a search. Time is the caller's business: it calls `stop`.
#[derive(Debug, Clone)]
pub struct Request<G: Game> {
    /// Position and game history.
    pub line: Line<G>,
    /// Last iteration in plies, 1..=[`MAX_DEPTH`].
    pub depth: u32,
    /// Nodes after which to stop, counted over everybody; the overshoot is one slice of work.
    pub nodes: u64,
    /// Number of best lines wanted, at least 1.
    pub multipv: usize,
    /// Root moves to consider; empty: all. Illegal ones must have been removed.
    pub root_moves: Vec<G::Move>,
}

impl<G: Game> Request<G> {
    /// Search `line` to `depth`.
    pub fn to_depth(line: Line<G>, depth: u32) -> Self {
        Self { line, depth, nodes: u64::MAX, multipv: 1, root_moves: Vec::new() }
    }
}

/// The plan: iterations 1, 2, 3, … and in each of them the lines 1..=multipv.
#[derive(Debug)]
pub struct Deepening<G: Game> {
    request: Request<G>,
    root_moves: Vec<G::Move>,
    depth: u32,
    /// Lines found in the running iteration.
    found: Vec<Info<G>>,
    /// Lines of the last complete iteration.
    complete: Vec<Info<G>>,
    outcome: Option<Value>,
}

impl<G: Game> Deepening<G> {
    /// A plan that has not begun.
    pub fn new(request: Request<G>) -> Self {
        let position = &request.line.position;
        let mut root_moves = position.moves();
        let outcome = root_moves.is_empty().then(|| outcome_value(position.outcome(), 0));
        if !request.root_moves.is_empty() {
            root_moves.retain(|mv| request.root_moves.contains(mv));
        }
        Self { request, root_moves, depth: 1, found: Vec::new(), complete: Vec::new(), outcome }
    }

    /// The running iteration in plies.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The request this plan serves.
    pub fn request(&self) -> &Request<G> {
        &self.request
    }

    /// The next task, or nothing when the plan is fulfilled.
    pub fn task(&self) -> Option<Task<G>> {
        if self.outcome.is_some() || self.depth > self.request.depth.min(MAX_DEPTH) {
            return None;
        }
        let mut task = Task::full(self.request.line.clone(), self.depth as i32);
        let restricted = !self.request.root_moves.is_empty() || !self.found.is_empty();
        if restricted {
            let taken = |mv: &G::Move| self.found.iter().any(|info| info.pv.first() == Some(mv));
            task.root_moves = self.root_moves.iter().copied().filter(|mv| !taken(mv)).collect();
        }
        Some(task)
    }

    /// Takes in the answer to [`task`](Deepening::task). Returns the lines of an iteration that
    /// this completes, best first.
    pub fn absorb(&mut self, answer: Answer<G>, nodes: u64, deepest: usize) -> &[Info<G>] {
        let rank = self.found.len() as u32 + 1;
        let (depth, deepest) = (self.depth, deepest as u32);
        let Answer { value, bound, pv, .. } = answer;
        self.found.push(Info { depth, deepest, rank, value, bound, pv, nodes });
        if self.found.len() < self.request.multipv.min(self.root_moves.len()) {
            return &[];
        }
        self.complete = std::mem::take(&mut self.found);
        // Without exactness a later line can come out better than one found before it.
        self.complete.sort_by_key(|info| Reverse(info.value));
        for (info, rank) in self.complete.iter_mut().zip(1..) {
            info.rank = rank;
        }
        self.depth += 1;
        &self.complete
    }

    /// The result so far. `partial` is a better-founded best line of the unfinished iteration.
    pub fn report(&self, partial: Option<Answer<G>>, nodes: u64) -> Report<G> {
        let mut lines = self.complete.clone();
        if let Some(answer) = partial
            && self.request.multipv == 1
            && self.found.is_empty()
        {
            let Answer { value, bound, pv, .. } = answer;
            let (depth, deepest) = (self.depth, self.depth);
            lines = vec![Info { depth, deepest, rank: 1, value, bound, pv, nodes }];
        }
        if lines.is_empty()
            && let Some(&mv) = self.root_moves.first()
        {
            let value = self.request.line.position.evaluate();
            let bound = crate::value::Bound::Lower;
            lines.push(Info { depth: 0, deepest: 0, rank: 1, value, bound, pv: vec![mv], nodes });
        }
        Report {
            certain: self.outcome.is_some() || !self.complete.is_empty(),
            lines,
            outcome: self.outcome,
            depth: self.complete.first().map_or(0, |info| info.depth),
            nodes,
            passes: 0,
        }
    }
}

/// A whole sequential search: the reference everything else is compared with.
#[derive(Debug)]
pub struct Analysis<G: Game> {
    searcher: Searcher<G>,
    plan: Deepening<G>,
    nodes_before: u64,
    status: Status,
    infos: VecDeque<Info<G>>,
}

impl<G: Game> Analysis<G> {
    /// Begins to think with `searcher`, whose table and ordering memory are used as they are.
    pub fn new(mut searcher: Searcher<G>, request: Request<G>) -> Self {
        let nodes_before = searcher.nodes();
        searcher.table().new_search();
        let plan = Deepening::new(request);
        let status = if let Some(task) = plan.task() {
            searcher.start(task);
            Status::Running
        } else {
            Status::Done
        };
        Self { searcher, plan, nodes_before, status, infos: VecDeque::new() }
    }

    /// Nodes searched so far.
    pub fn nodes(&self) -> u64 {
        self.searcher.nodes() - self.nodes_before
    }

    /// Thinks for about `budget` nodes.
    pub fn work(&mut self, budget: u64) -> Status {
        let budget = budget.min(self.plan.request().nodes.saturating_sub(self.nodes()));
        let end = self.nodes() + budget;
        while self.status == Status::Running && self.nodes() < end {
            if self.searcher.run(end - self.nodes()) == Status::Done {
                self.next_task();
            }
        }
        if self.nodes() >= self.plan.request().nodes {
            self.status = Status::Done;
        }
        self.status
    }

    fn next_task(&mut self) {
        if let Some(answer) = self.searcher.answer() {
            let (nodes, deepest) = (self.nodes(), self.searcher.deepest());
            self.infos.extend(self.plan.absorb(answer, nodes, deepest).iter().cloned());
        }
        match self.plan.task() {
            Some(task) => self.searcher.start(task),
            None => self.status = Status::Done,
        }
    }

    /// The next line found, in order.
    pub fn poll_info(&mut self) -> Option<Info<G>> {
        self.infos.pop_front()
    }

    /// What it comes to if it ends now.
    pub fn report(&self) -> Report<G> {
        let unfinished = self.plan.task().and_then(|_| self.searcher.answer());
        self.plan.report(unfinished, self.nodes())
    }

    /// Gives the searcher back.
    pub fn into_searcher(self) -> Searcher<G> {
        self.searcher
    }
}
