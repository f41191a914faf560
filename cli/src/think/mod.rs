//! Having a position searched, wherever that happens.
//!
//! An [`Order`] goes in, [`Event`]s come out; both are plain text and numbers, so that printing and
//! the UCI session know neither the wire nor the search. Two things can carry out an order:
//! [`alone::Alone`] here and now, [`cluster::Cluster`] through a master.

pub mod alone;
pub mod client;
mod cluster;
mod embedded;
pub mod engine;
pub mod mate;
mod reach;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use engine_core::game::{Game, Malformed};
use engine_core::line::Line;
use engine_core::search::Profile;
use engine_core::splitter::Splitter;
use engine_core::value::{Bound, Score};
use proto::v1;

use crate::choice::{FrontierChoice, GameName};

/// What to search, how, and how long.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// The game.
    pub game: GameName,
    /// Position in the game's own text.
    pub position: String,
    /// Moves played since, in the game's own text.
    pub moves: Vec<String>,
    /// When to stop.
    pub limits: Limits,
    /// Which search.
    pub profile: Profile,
    /// Best lines wanted, at least 1.
    pub multipv: u32,
    /// Plies the master searches itself.
    pub frontier: FrontierChoice,
}

impl Order {
    /// The position with its history.
    ///
    /// # Errors
    /// What is wrong with the position, or which move cannot be played.
    pub fn line<G: Game>(&self) -> Result<Line<G>, Malformed> {
        Line::from_moves(G::parse(&self.position)?, self.moves.iter().map(String::as_str))
    }
}

/// When to stop; all limits hold, none means a stop is awaited.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Limits {
    /// Last iteration in plies.
    pub depth: Option<u32>,
    /// Nodes, counted over everybody.
    pub nodes: Option<u64>,
    /// Time for this search.
    pub movetime: Option<Duration>,
    /// The clock of the side to move.
    pub clock: Option<Clock>,
    /// No answer before a stop, whatever is reached earlier.
    pub infinite: bool,
    /// No answer before a stop or a ponder hit; time counts from the hit.
    pub ponder: bool,
    /// Time kept back in each move for the way of the answer.
    pub overhead: Option<Duration>,
    /// Root moves to consider, legal, in the game's own text; empty: all.
    pub root_moves: Vec<String>,
}

impl Limits {
    /// The most time there is for this search.
    pub fn time(&self) -> Option<Duration> {
        let clock = self.clock.map(|clock| clock.remaining);
        self.movetime.into_iter().chain(clock).min()
    }

    /// The same, if a game is played: there the way of the answer counts.
    pub fn game_time(&self) -> Option<Duration> {
        self.time().filter(|_| self.overhead.is_some())
    }
}

/// A player's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub remaining: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves until more time is added; none: for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// An embedded cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setup {
    /// Number of workers; 0: no cluster at all.
    pub workers: u32,
    /// What each has, or, without any, the search in this process.
    pub machine: Machine,
}

/// What a worker may use, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// Search threads.
    pub threads: u32,
    /// Threads that search one leaf together; 0: all.
    pub leaf_threads: u32,
    /// How they share its tree.
    pub splitter: Splitter,
    /// Hash table, MB.
    pub hash_mb: u32,
    /// What a worker may tell others of what it finds, bytes a second; 0: nothing.
    pub share_budget: u64,
}

/// What a search says, in this order: lines and progress as they come, then one end.
#[derive(Debug)]
pub enum Event {
    /// The search has begun, with this many workers at hand.
    Begun {
        /// Workers connected.
        workers: u32,
    },
    /// A line of a completed iteration.
    Line(Found),
    /// Where the search stands, a few times a second.
    Progress(Progress),
    /// The end: the answer.
    Done(Answer),
    /// The end: no answer, for this reason.
    Failed(Trouble),
}

/// Why a search has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// The order makes no sense.
    #[error("{0}")]
    Refused(String),
    /// Whoever should have carried it out cannot.
    #[error("{0}")]
    Lost(String),
}

/// A line of play.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Iteration in plies.
    pub depth: u32,
    /// Greatest ply looked at.
    pub deepest: u32,
    /// 1 = best.
    pub rank: u32,
    /// Value for the side to move.
    pub score: Score,
    /// How it relates to the true value.
    pub bound: Bound,
    /// Nodes, time and helpers.
    pub effort: Effort,
    /// Table filled, permille.
    pub hashfull: u32,
    /// The moves.
    pub pv: Vec<String>,
}

/// What a search has cost so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// Nodes, by everybody.
    pub nodes: u64,
    /// Since it began.
    pub time: Duration,
    /// Workers that take part.
    pub workers: u32,
    /// Passes of the master; 0 without one.
    pub passes: u64,
}

/// Where a search stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Iteration in progress, plies.
    pub depth: u32,
    /// Cost so far.
    pub effort: Effort,
    /// Frontier leaves of the last pass; 0 without a master.
    pub leaves: u64,
    /// Those whose value is still a guess.
    pub leaves_open: u64,
}

/// What a search comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The move to play; none when the game is over.
    pub best: Option<String>,
    /// The reply expected.
    pub ponder: Option<String>,
    /// Value for the side to move.
    pub score: Score,
    /// Deepest completed iteration in plies.
    pub depth: u32,
    /// Total cost.
    pub effort: Effort,
    /// The best line.
    pub pv: Vec<String>,
    /// Every value it rests on is proved.
    pub certain: bool,
    /// What became of table entries that workers shared; none without workers.
    pub sharing: Option<v1::Sharing>,
}

/// Where the events of one search go.
pub type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// The moves of a line as text, from `position` on.
pub fn texts<G: Game>(position: &G, moves: &[G::Move]) -> Vec<String> {
    let mut position = position.clone();
    let text = |&mv: &G::Move| {
        let text = position.move_text(mv);
        position.play(mv);
        text
    };
    moves.iter().map(text).collect()
}

/// The legal part of a line given as text, cut where the game is over: after mate or any other end,
/// the third occurrence of a position (game history included) or a draw by rule. The first move
/// always stays, for the side to move must play on.
pub fn lint<G: Game>(root: &Line<G>, pv: &[String]) -> Vec<G::Move> {
    let mut line = root.clone();
    let mut moves = Vec::new();
    for text in pv {
        let Ok(mv) = line.position.parse_move(text) else { break };
        moves.push(mv);
        line.play(mv);
        if line.earlier_occurrences() >= 2 || line.position.is_rule_draw() {
            break;
        }
    }
    moves
}

#[cfg(test)]
mod tests {
    use engine_core::games::chess::Chess;

    use super::*;

    fn linted(fen: &str, moves: &str, pv: &str) -> String {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let root = Line::from_moves(Chess::parse(fen).unwrap(), moves.split_whitespace()).unwrap();
        texts(&root.position, &lint(&root, &words(pv))).join(" ")
    }

    #[test]
    fn lines_end_where_the_game_does() {
        let there_and_back = "g1f3 g8f6 f3g1 f6g8";
        // With the start position itself, the eighth ply is the third occurrence.
        let long = format!("{there_and_back} {there_and_back} e2e4");
        let cut = format!("{there_and_back} {there_and_back}");
        assert_eq!(linted("startpos", "", &long), cut);
        assert_eq!(linted("startpos", there_and_back, &long), there_and_back);
        // Mate, and the hundredth reversible ply.
        assert_eq!(linted("startpos", "f2f3 e7e5 g2g4", "d8h4 e1e2"), "d8h4");
        assert_eq!(linted("k7/8/1RK5/8/8/8/8/8 w - - 99 90", "", "b6b5 a8a7"), "b6b5");
        // Nonsense ends a line; the move after a draw that stands already stays.
        assert_eq!(linted("startpos", "", "e2e4 e2e4"), "e2e4");
        assert_eq!(linted("8/8/8/8/8/4k3/R7/4K3 w - - 100 120", "", "a2a3 e3e4"), "a2a3");
    }
}
