//! Plain negamax: the definition of what `exact` must find. No window, no table, no ordering.

use engine_core::game::{Game, Outcome};
use engine_core::line::Line;
use engine_core::search::tunables::TUNABLES;
use engine_core::value::{MATE, Value};

/// Positions after which a comparison is given up: without windows some trees are enormous.
const PATIENCE: u32 = 200_000;

/// Value of `line` for the side to move at `depth` plies; none if that takes too long.
pub fn negamax<G: Game>(line: &Line<G>, depth: i32) -> Option<Value> {
    let evasions = TUNABLES.iter().find(|tunable| tunable.name == "QUIET_EVASION_PLIES");
    let evasions = evasions.expect("there is such a tunable").value;
    Negamax { evasions, left: PATIENCE }.full(line, 0, depth)
}

struct Negamax {
    /// Plies below the horizon down to which every check evasion is tried.
    evasions: i32,
    /// Positions still to be looked at before giving up.
    left: u32,
}

impl Negamax {
    fn full<G: Game>(&mut self, line: &Line<G>, ply: Value, depth: i32) -> Option<Value> {
        let position = &line.position;
        if ply > 0 && (position.is_rule_draw() || line.earlier_occurrences() > 0) {
            return Some(0);
        }
        if depth == 0 {
            return self.quiet(position, ply, 0);
        }
        let mut best = None;
        for mv in position.moves() {
            let mut next = line.clone();
            next.play(mv);
            best = best.max(Some(-self.full(&next, ply + 1, depth - 1)?));
        }
        Some(best.unwrap_or_else(|| ended(position, ply)))
    }

    fn quiet<G: Game>(&mut self, position: &G, ply: Value, below: i32) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        if below > 0 && position.plies_to_rule_draw() == 0 && position.is_rule_draw() {
            return Some(0);
        }
        let in_check = position.in_check();
        if in_check && below >= self.evasions {
            return Some(position.evaluate());
        }
        let mut moves = Vec::new();
        position.for_each_tactical(|mv| moves.push(mv));
        let mut best = None;
        for mv in moves {
            best = best.max(Some(-self.quiet(&position.after(mv), ply + 1, below + 1)?));
        }
        Some(match best {
            None if in_check => ended(position, ply),
            Some(best) if in_check => best,
            best => position.evaluate().max(best.unwrap_or(Value::MIN)),
        })
    }
}

fn ended<G: Game>(position: &G, ply: Value) -> Value {
    match position.outcome() {
        Outcome::Loss => ply - MATE,
        Outcome::Draw => 0,
        Outcome::Margin(value) => value,
    }
}
