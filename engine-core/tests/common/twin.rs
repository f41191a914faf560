//! The search once more, as plain recursion: the twin that the machine is measured against.
//!
//! Written straight from the rules of the search, on nothing but the public face of the crate. The
//! machine must find the same values at the same nodes, and may cost only little more for being
//! resumable after every step.

mod formulas;

use std::sync::Arc;

use engine_core::game::{BAD_TACTICAL, GOOD_TACTICAL, Game};
use engine_core::line::Line;
use engine_core::search::{Profile, Task};
use engine_core::table::{Entry, Table};
use engine_core::value::{Bound, INFINITY, MATE, MATE_BAND, MAX_PLY, Value, from_node, from_root};

use formulas::{
    CHECK_EXTENSION_MAX_PLY, CLOCK_MATTERS, CLOCK_MATTERS_EXACT, KILLER_ORDER, NULL_MIN_DEPTH,
    NULL_REDUCTION, Node, QUIET_EVASION_PLIES, Ranked, mix, nudge, outcome_value, pick,
};

/// The recursive search.
pub struct Twin<G: Game> {
    profile: Profile,
    table: Arc<Table>,
    moves: Vec<Ranked<G>>,
    /// Keys of the game's earlier positions, then of the path.
    keys: Vec<u64>,
    roots: usize,
    root_moves: Vec<G::Move>,
    killers: Vec<[Option<G::Move>; 2]>,
    history: Vec<i32>,
    lines: Vec<Vec<G::Move>>,
    nodes: u64,
}

impl<G: Game> Twin<G> {
    /// A twin that knows nothing yet.
    pub fn new(profile: Profile, table: Arc<Table>) -> Self {
        Self {
            profile,
            table,
            moves: Vec::new(),
            keys: Vec::new(),
            roots: 0,
            root_moves: Vec::new(),
            killers: vec![[None; 2]; MAX_PLY + 1],
            history: vec![0; G::HISTORY_SLOTS],
            lines: vec![Vec::new(); MAX_PLY + 2],
            nodes: 0,
        }
    }

    /// Nodes searched since it was made.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The best line of the last task.
    pub fn pv(&self) -> &[G::Move] {
        &self.lines[0]
    }

    /// Searches a task to its end.
    pub fn run(&mut self, task: Task<G>) -> Value {
        let Task { line: Line { position, history }, depth, alpha, beta, .. } = task;
        let reversible = position.reversible_plies().min(history.len() as u32);
        let trail = history[history.len() - reversible as usize..]
            .iter()
            .fold(0_u64, |trail, &key| trail.wrapping_add(mix(key)));
        self.roots = history.len();
        self.keys = history;
        self.root_moves = task.root_moves;
        let root = Node::new(position, task.null_allowed, reversible, trail);
        self.search(&root, 0, depth, alpha, beta)
    }

    fn search(
        &mut self,
        node: &Node<G>,
        ply: usize,
        depth: i32,
        alpha: Value,
        beta: Value,
    ) -> Value {
        self.keys.truncate(self.roots + ply);
        self.keys.push(node.key);
        self.lines[ply].clear();
        if ply > 0 && (node.position.is_rule_draw() || self.repeats(node, ply)) {
            self.nodes += 1;
            return 0;
        }
        if depth <= 0 || ply >= MAX_PLY {
            return self.quiesce(&node.position, ply, alpha, beta, 0);
        }
        self.nodes += 1;
        let key = self.table_key(node);
        let entry = self.table.probe(key);
        if let Some(value) = entry.and_then(|entry| self.cut(node, entry, ply, depth, alpha, beta))
        {
            return value;
        }
        let remembered = entry.map_or(0, |entry| entry.mv);
        let (best, best_move) = match self.try_null(node, ply, depth, alpha, beta) {
            Some(value) => (value, None),
            None => self.search_moves(node, ply, depth, alpha, beta, remembered),
        };
        if ply > 0 || self.root_moves.is_empty() {
            let entry = Entry {
                mv: best_move.map_or(0, |mv| node.position.pack_move(mv)),
                value: from_node(best, ply),
                depth: depth as u8,
                bound: Bound::of(best, alpha, beta),
            };
            self.table.store(key, entry);
        }
        best
    }

    fn repeats(&self, node: &Node<G>, ply: usize) -> bool {
        let here = self.roots + ply;
        (4..=node.reversible as usize).step_by(2).any(|back| self.keys[here - back] == node.key)
    }

    fn cut(
        &self,
        node: &Node<G>,
        entry: Entry,
        ply: usize,
        depth: i32,
        alpha: Value,
        beta: Value,
    ) -> Option<Value> {
        let entry_depth = i32::from(entry.depth);
        let deep_enough = match self.profile {
            Profile::Exact => entry_depth == depth,
            Profile::Classic => entry_depth >= depth,
        };
        if ply == 0 || beta - alpha > 1 || !deep_enough {
            return None;
        }
        let distance = (MATE - entry.value.abs()) as u32;
        if entry.value.abs() >= MATE_BAND && distance > node.position.plies_to_rule_draw() {
            return None;
        }
        let value = from_root(entry.value, ply);
        let decides = match entry.bound {
            Bound::Exact => true,
            Bound::Lower => value >= beta,
            Bound::Upper => value <= alpha,
        };
        decides.then_some(value)
    }

    /// The value of the node if even a free move for the opponent leaves it above beta.
    fn try_null(
        &mut self,
        node: &Node<G>,
        ply: usize,
        depth: i32,
        alpha: Value,
        beta: Value,
    ) -> Option<Value> {
        if self.profile != Profile::Classic
            || !node.null_allowed
            || depth < NULL_MIN_DEPTH
            || node.in_check
            || beta - alpha > 1
            || beta.abs() >= MATE_BAND
            || node.position.evaluate() < beta
        {
            return None;
        }
        let child = Node::new(node.position.null_move()?, false, 0, 0);
        let value = -self.search(&child, ply + 1, depth - 1 - NULL_REDUCTION, -beta, 1 - beta);
        (value >= beta).then_some(if value >= MATE_BAND { beta } else { value })
    }

    /// The best value of all moves, and the move if it raised alpha.
    fn search_moves(
        &mut self,
        node: &Node<G>,
        ply: usize,
        depth: i32,
        mut alpha: Value,
        beta: Value,
        remembered: u16,
    ) -> (Value, Option<G::Move>) {
        let keeps_line = ply == 0 || beta - alpha > 1;
        let mut best = (-INFINITY, None);
        let first = self.moves.len();
        let mut next = first;
        let mut generated = false;
        let hinted = if remembered == 0 { None } else { node.position.unpack_move(remembered) };
        let hinted = hinted.filter(|&mv| ply > 0 || self.is_allowed(mv));
        let mut hint = hinted;
        loop {
            let mv = if let Some(mv) = hint.take() {
                mv
            } else {
                if !generated {
                    self.generate(node, ply, depth, hinted);
                    generated = true;
                }
                if next == self.moves.len() {
                    break;
                }
                next += 1;
                pick(&mut self.moves[next - 1..])
            };
            let is_first = best.0 == -INFINITY;
            let value = self.search_move(node, mv, ply, depth, alpha, beta, is_first);
            if value <= best.0 {
                continue;
            }
            best.0 = value;
            if value <= alpha {
                continue;
            }
            alpha = value;
            best.1 = Some(mv);
            if keeps_line {
                self.extend_line(ply, mv);
            }
            if value >= beta {
                if node.position.is_quiet(mv) {
                    self.reward(node, ply, depth, mv, first..next);
                }
                break;
            }
        }
        self.moves.truncate(first);
        if best.0 == -INFINITY {
            best.0 = outcome_value(node.position.outcome(), ply);
        }
        best
    }

    /// The value of a move: the first with the whole window, others with a zero window first.
    #[expect(clippy::too_many_arguments, reason = "recursion keeps its state in arguments")]
    fn search_move(
        &mut self,
        node: &Node<G>,
        mv: G::Move,
        ply: usize,
        depth: i32,
        alpha: Value,
        beta: Value,
        is_first: bool,
    ) -> Value {
        let child = node.child(mv);
        let extends =
            self.profile == Profile::Classic && ply < CHECK_EXTENSION_MAX_PLY && child.in_check;
        let depth = depth - 1 + i32::from(extends);
        if is_first {
            return -self.search(&child, ply + 1, depth, -beta, -alpha);
        }
        let value = -self.search(&child, ply + 1, depth, -alpha - 1, -alpha);
        if value > alpha && alpha + 1 < beta {
            return -self.search(&child, ply + 1, depth, -beta, -alpha);
        }
        value
    }

    fn generate(&mut self, node: &Node<G>, ply: usize, depth: i32, hinted: Option<G::Move>) {
        let position = &node.position;
        position.for_each_move(|mv| {
            if Some(mv) == hinted || (ply == 0 && !self.is_allowed(mv)) {
                return;
            }
            let mut order = position.order(mv, depth);
            if order > BAD_TACTICAL && order < GOOD_TACTICAL && position.is_quiet(mv) {
                order += match self.killers[ply] {
                    [first, _] if first == Some(mv) => KILLER_ORDER + 1,
                    [_, second] if second == Some(mv) => KILLER_ORDER,
                    _ => self.history[position.history_slot(mv)],
                };
            }
            self.moves.push(Ranked { mv, order });
        });
    }

    fn is_allowed(&self, mv: G::Move) -> bool {
        self.root_moves.is_empty() || self.root_moves.contains(&mv)
    }

    fn extend_line(&mut self, ply: usize, mv: G::Move) {
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        upper[ply].clear();
        upper[ply].push(mv);
        upper[ply].extend_from_slice(&lower[0]);
    }

    fn reward(
        &mut self,
        node: &Node<G>,
        ply: usize,
        depth: i32,
        mv: G::Move,
        tried: std::ops::Range<usize>,
    ) {
        let position = &node.position;
        let killers = &mut self.killers[ply];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let bonus = (depth * depth).min(400);
        nudge(&mut self.history[position.history_slot(mv)], bonus);
        for Ranked { mv: failure, .. } in &self.moves[tried] {
            if *failure != mv && position.is_quiet(*failure) {
                nudge(&mut self.history[position.history_slot(*failure)], -bonus);
            }
        }
    }

    fn quiesce(
        &mut self,
        position: &G,
        ply: usize,
        mut alpha: Value,
        beta: Value,
        below: i32,
    ) -> Value {
        self.nodes += 1;
        self.lines[ply].clear();
        let open = beta - alpha > 1;
        if below > 0 && position.plies_to_rule_draw() == 0 && position.is_rule_draw() {
            return 0;
        }
        let in_check = position.in_check();
        if ply >= MAX_PLY || (in_check && below >= QUIET_EVASION_PLIES) {
            return position.evaluate();
        }
        let mut best = if in_check { -INFINITY } else { position.evaluate() };
        if best >= beta {
            return best;
        }
        alpha = alpha.max(best);
        let first = self.moves.len();
        position.for_each_tactical(|mv| {
            self.moves.push(Ranked { mv, order: position.order(mv, 0) });
        });
        if in_check && self.moves.len() == first {
            return outcome_value(position.outcome(), ply);
        }
        for next in first..self.moves.len() {
            let mv = pick(&mut self.moves[next..]);
            let value = -self.quiesce(&position.after(mv), ply + 1, -beta, -alpha, below + 1);
            best = best.max(value);
            if value > alpha {
                alpha = value;
                if open {
                    self.extend_line(ply, mv);
                }
                if alpha >= beta {
                    break;
                }
            }
        }
        self.moves.truncate(first);
        best
    }

    fn table_key(&self, node: &Node<G>) -> u64 {
        let left = node.position.plies_to_rule_draw();
        let (trail, matters) = match self.profile {
            Profile::Exact => (node.trail, CLOCK_MATTERS_EXACT),
            Profile::Classic => (0, CLOCK_MATTERS),
        };
        node.key ^ trail ^ if left < matters { mix(u64::from(left) + 1) } else { 0 }
    }
}
