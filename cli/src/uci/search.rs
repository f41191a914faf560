//! One `go`, from the order to its single `bestmove`.
//!
//! The engine behind it may be slow, silent or gone: a search knows until when it is willing to
//! wait, and can answer with what it has heard so far, or with any legal move.

use std::time::Duration;

use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::line::Line;
use engine_core::value::{Bound, Score};

use super::print;
use super::throttle::Throttle;
use crate::speed::millis;
use crate::think::{Answer, Effort, Found, Limits, Order, Progress, lint, mate, texts};

/// How long a stopped engine may take to answer.
const STOP_PATIENCE: Duration = Duration::from_millis(400);
/// How much longer than its move time a search may take.
const LATENESS: Duration = Duration::from_millis(500);
/// Share of the time left on the clock, in hundredths, after which we answer in any case. The
/// master's own time control stays below 70.
const CLOCK_SHARE: u32 = 85;
/// Nodes spent on showing mates whole for each millisecond of the time given: a few hundredths of
/// it.
const MATE_NODES_PER_MS: u64 = 20;

/// A search in progress.
#[derive(Debug)]
pub struct Search {
    /// Tells its events from those of earlier searches.
    pub id: u64,
    /// What was asked.
    pub order: Order,
    /// The shim's own search is at work, not the cluster.
    pub fallen_back: bool,
    root: Line<Chess>,
    began: Duration,
    stopped: bool,
    answer: Option<Answer>,
    /// Best line of the last iteration.
    best: Option<Found>,
    /// A completed iteration that has not been printed.
    pending: Vec<Found>,
    /// First move of the best line last printed.
    printed: Option<String>,
    effort: Effort,
    /// Nodes of whoever could not go on.
    lost_nodes: u64,
    /// Stop at a win in this many moves.
    mate: Option<u32>,
    /// Nodes that may still be spent on showing mates whole.
    mate_nodes: u64,
    /// Answer by then, come what may.
    due: Option<Duration>,
}

impl Search {
    /// Begins at `now` to search `root`, which has a legal move.
    pub fn new(id: u64, order: Order, root: Line<Chess>, mate: Option<u32>, now: Duration) -> Self {
        let mut search = Self {
            id,
            order,
            fallen_back: false,
            root,
            began: now,
            stopped: false,
            answer: None,
            best: None,
            pending: Vec::new(),
            printed: None,
            effort: Effort::default(),
            lost_nodes: 0,
            mate,
            mate_nodes: u64::MAX,
            due: None,
        };
        search.set_due(now);
        search
    }

    /// A search that has its answer, no move, but may have to wait before it gives it.
    pub fn answered(id: u64, order: Order, root: Line<Chess>, now: Duration) -> Self {
        let mut search = Self::new(id, order, root, None, now);
        search.answer = Some(Answer {
            best: None,
            ponder: None,
            score: Score::Mate(0),
            depth: 0,
            effort: Effort::default(),
            pv: Vec::new(),
            certain: true,
            sharing: None,
        });
        search.due = None;
        search
    }

    /// No answer may be given yet.
    pub fn is_held(&self) -> bool {
        (self.order.limits.infinite || self.order.limits.ponder) && !self.stopped
    }

    /// Everything is there for the answer.
    pub fn is_ready(&self) -> bool {
        self.answer.is_some() && !self.is_held()
    }

    /// When [`is_overdue`](Self::is_overdue) is to be asked next.
    pub fn due(&self) -> Option<Duration> {
        self.due
    }

    /// Nobody may be waited for any longer.
    pub fn is_overdue(&self, now: Duration) -> bool {
        self.due.is_some_and(|due| now >= due)
    }

    /// The GUI wants the answer now.
    pub fn stop(&mut self, now: Duration) {
        if !self.stopped {
            self.stopped = true;
            self.due = Some(now + STOP_PATIENCE);
        }
    }

    /// The move pondered on was played. Says whether that was news.
    pub fn ponder_hit(&mut self, now: Duration) -> bool {
        let pondered = std::mem::take(&mut self.order.limits.ponder);
        if pondered && !self.stopped {
            self.set_due(now);
        }
        pondered
    }

    /// Who was to carry out the order cannot; what is left of it is for the shim's own search.
    pub fn fall_back(&mut self, now: Duration) -> Order {
        self.fallen_back = true;
        self.lost_nodes = self.effort.nodes;
        let mut order = self.order.clone();
        let Limits { movetime, clock, ponder, .. } = &mut order.limits;
        if !*ponder {
            let spent = now.saturating_sub(self.began);
            *movetime = movetime.map(|time| time.saturating_sub(spent));
            if let Some(clock) = clock {
                clock.remaining = clock.remaining.saturating_sub(spent);
            }
        }
        if self.stopped {
            order.limits = Limits { depth: Some(1), ..order.limits };
        }
        order
    }

    fn set_due(&mut self, now: Duration) {
        let limits = &self.order.limits;
        if self.is_held() {
            return;
        }
        self.mate_nodes = limits.time().map_or(u64::MAX, |time| millis(time) * MATE_NODES_PER_MS);
        let late = limits.movetime.map(|time| time + LATENESS);
        let share = limits.clock.map(|clock| clock.remaining * CLOCK_SHARE / 100);
        self.due = late.into_iter().chain(share).min().map(|time| now + time);
    }

    /// Takes in a line. Says whether the search has found the mate it was to look for.
    pub fn line(&mut self, mut found: Found, now: Duration) -> bool {
        (found.pv, found.bound) = self.checked(&found.pv, found.score, found.bound);
        if found.pv.is_empty() {
            return false;
        }
        found.effort = self.spent(found.effort, now);
        if found.rank == 1 {
            self.pending.clear();
            self.best = Some(found.clone());
        }
        let mate_found = match (self.mate, found.score) {
            (Some(wanted), Score::Mate(moves)) => (1..=i64::from(wanted)).contains(&moves.into()),
            _ => false,
        };
        self.pending.push(found);
        mate_found
    }

    /// The legal part of a line, or all of a mate. A mate that cannot be shown is only claimed as a
    /// bound.
    fn checked(&mut self, pv: &[String], score: Score, bound: Bound) -> (Vec<String>, Bound) {
        let mut moves = lint(&self.root, pv);
        let bound = match mate::plies(score) {
            Some(plies) if !moves.is_empty() && bound == Bound::Exact => {
                let whole = mate::complete(&self.root, &mut moves, plies, &mut self.mate_nodes);
                let claim = if plies % 2 == 1 { Bound::Lower } else { Bound::Upper };
                if whole { Bound::Exact } else { claim }
            }
            _ => bound,
        };
        (texts(&self.root.position, &moves), bound)
    }

    /// What is worth saying about progress.
    pub fn progress(&mut self, progress: &Progress, now: Duration) -> String {
        format!("info {}", print::effort(&self.spent(progress.effort, now)))
    }

    /// Counts of a search only ever grow, whoever carries it out.
    fn spent(&mut self, effort: Effort, now: Duration) -> Effort {
        let nodes = effort.nodes.saturating_add(self.lost_nodes).max(self.effort.nodes);
        self.effort = Effort { nodes, time: now.saturating_sub(self.began), ..effort };
        self.effort
    }

    /// The lines of a completed iteration, if there is one to print and `throttle` allows it.
    pub fn flush(&mut self, throttle: &mut Throttle, now: Duration) -> Vec<String> {
        let complete = self.pending.len() >= self.lines_expected();
        if !complete || !throttle.allow(self.pending.len(), now) {
            return Vec::new();
        }
        self.flush_all()
    }

    fn flush_all(&mut self) -> Vec<String> {
        if let Some(first) = self.pending.first() {
            self.printed = first.pv.first().cloned();
        }
        self.pending.drain(..).map(|found| print::line(&found)).collect()
    }

    fn lines_expected(&self) -> usize {
        let restricted = self.order.limits.root_moves.len();
        let allowed = if restricted > 0 { restricted } else { self.root.position.moves().len() };
        allowed.min(self.order.multipv as usize)
    }

    /// The engine's last word.
    pub fn done(&mut self, answer: Answer) {
        self.answer = Some(answer);
    }

    /// The end: the last lines and the one `bestmove`.
    pub fn finish(mut self, now: Duration) -> Vec<String> {
        if self.root.position.moves().is_empty() {
            return vec![print::best_move(None, None)];
        }
        let mut lines =
            if self.pending.len() >= self.lines_expected() { self.flush_all() } else { Vec::new() };
        let answer = self.final_line(now);
        if self.printed.as_ref() != answer.pv.first() {
            lines.push(print::line(&answer));
        }
        lines.push(format!("info {}", print::effort(&answer.effort)));
        let ponder = answer.pv.get(1).map(String::as_str);
        lines.push(print::best_move(answer.pv.first().map(String::as_str), ponder));
        lines
    }

    /// The line to play: the answer's, else the best heard of, else any legal move.
    fn final_line(&mut self, now: Duration) -> Found {
        let answer = self.answer.take();
        let told = answer.as_ref().map_or_else(Effort::default, |answer| answer.effort);
        let effort = self.spent(told, now);
        let heard = self.best.take();
        let told = answer.as_ref().map(|answer| (&answer.pv[..], answer.score));
        let (pv, score) = told.unwrap_or((&[], Score::Centipawns(0)));
        let (pv, bound) = self.checked(pv, score, Bound::Exact);
        let mut line = match (answer, heard) {
            (Some(answer), heard) if !pv.is_empty() => Found {
                depth: answer.depth.max(1),
                deepest: answer.depth.max(1),
                rank: 1,
                score,
                bound,
                effort,
                hashfull: heard.map_or(0, |found| found.hashfull),
                pv,
            },
            (_, Some(heard)) => Found { effort, ..heard },
            (_, None) => self.any_move(effort),
        };
        if line.pv.len() == 1
            && let Some(reply) = self.reply(&line.pv[0])
        {
            line.pv.push(reply);
        }
        line
    }

    /// A ponder move is worth having even if the line has none; only a forced reply is certain
    /// enough to be made up.
    fn reply(&self, best: &str) -> Option<String> {
        let mv = self.root.position.parse_move(best).ok()?;
        let mut line = self.root.clone();
        line.play(mv);
        if line.position.is_rule_draw() || line.earlier_occurrences() >= 2 {
            return None;
        }
        match line.position.moves()[..] {
            [only] => Some(line.position.move_text(only)),
            _ => None,
        }
    }

    fn any_move(&self, effort: Effort) -> Found {
        let position = &self.root.position;
        let allowed = self.order.limits.root_moves.first().cloned();
        let first = || position.moves().first().map(|&mv| position.move_text(mv));
        Found {
            depth: 1,
            deepest: 1,
            rank: 1,
            score: Score::Centipawns(position.evaluate()),
            bound: Bound::Exact,
            effort,
            hashfull: 0,
            pv: allowed.or_else(first).into_iter().collect(),
        }
    }
}
