//! What a seed stands for: every option of a run, drawn once and printed first.

use engine_core::aphid::Frontier;
use engine_core::random::SplitMix64;
use engine_core::search::Profile;
use serde::Serialize;

use crate::clock::Time;

/// Most workers a simulated cluster has at any time.
pub const MAX_WORKERS: usize = 64;

/// A game the simulator plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum GameName {
    /// Chess.
    Chess,
    /// Othello.
    Othello,
}

/// Damage done on purpose, to see the checkers catch it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Sabotage {
    /// Results arrive with other numbers than were sent.
    Value,
    /// Leaves are handed to a second worker behind the master's back.
    Owner,
    /// Results are merged that nobody sent.
    Forgery,
    /// No result ever arrives.
    Loss,
    /// Workers tell each other other values than they found.
    Rumour,
}

/// How often each fault strikes, in relation to the others.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Weights {
    /// A worker loses everything; usually it is started anew.
    pub crash: u64,
    /// A worker stands still for a while.
    pub freeze: u64,
    /// A worker is cut off, both ways, for a while.
    pub partition: u64,
    /// A worker more.
    pub arrival: u64,
    /// A message of another search or another master.
    pub foreign: u64,
}

/// Everything that shapes a run. Times are virtual: the unit is one searched node.
#[derive(Debug, Clone, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent options, not a state in disguise")]
pub struct Options {
    /// Where all of this comes from.
    pub seed: u64,
    /// What is played.
    pub game: GameName,
    /// Profile `exact`, whose values are compared with the sequential search; else `classic`.
    pub exact: bool,
    /// The master's tree in plies; nothing means `auto`.
    pub frontier: Option<u32>,
    /// Workers run ahead rather than idle.
    pub speculate: bool,
    /// Workers at the start, 1..=64.
    pub workers: usize,
    /// Greatest number of lanes a worker has.
    pub lanes: u64,
    /// Workers that are slow, in percent.
    pub slow_percent: u64,
    /// How many times slower they are.
    pub slowness: u64,
    /// Nodes between two looks of a lane at the world, and of the master.
    pub slice: u64,
    /// Shortest and longest way of a message.
    pub latency: (Time, Time),
    /// Messages of one connection arrive in the order of sending.
    pub in_order: bool,
    /// Messages lost, in 1,000.
    pub loss: u64,
    /// Messages that arrive twice, in 1,000.
    pub duplicates: u64,
    /// A partition delays messages, as TCP does, instead of losing them.
    pub partition_holds: bool,
    /// Silence after which a connection counts as lost.
    pub keepalive: Time,
    /// Silence after which the master repeats itself.
    pub refresh: Time,
    /// Time between two faults, on average.
    pub fault_every: Time,
    /// Which faults.
    pub weights: Weights,
    /// Searches that are stopped half-way, in percent.
    pub stop_percent: u64,
    /// Nodes from which a sequential search counts as long enough.
    pub enough_nodes: u64,
    /// Nodes that an entry must have taken for workers to tell it each other; nothing: they tell none.
    pub share_from: Option<u64>,
    /// Damage done on purpose.
    pub sabotage: Option<Sabotage>,
}

impl Options {
    /// The options of `seed`, in `game` if that is given.
    pub fn draw(seed: u64, game: Option<GameName>) -> Self {
        let random = &mut SplitMix64::new(seed);
        let drawn_game = *one_of(random, &[GameName::Othello, GameName::Chess]);
        let shortest = 1 + random.below(50);
        let longest = shortest + *one_of(random, &[1, 20, 200, 2_000, 8_000]);
        let frontier = *one_of(random, &[Some(1), Some(2), Some(2), Some(3), None, None, None]);
        // Small iterations are the master's own affair in `auto`.
        let least_nodes = if frontier.is_none() { 4_000 } else { 1_000 };
        let in_order = random.below(2) == 0;
        let most_workers = 1 << random.below(7);
        Self {
            seed,
            game: game.unwrap_or(drawn_game),
            exact: random.below(4) != 0,
            frontier,
            speculate: random.below(4) != 0,
            workers: 1 + random.below(most_workers) as usize,
            lanes: 1 + random.below(3),
            slow_percent: *one_of(random, &[0, 10, 50]),
            slowness: 1 + random.below(20),
            slice: 16 << random.below(6),
            latency: (shortest, longest),
            in_order,
            loss: *one_of(random, &[0, 0, 5, 50, 200]),
            duplicates: *one_of(random, &[0, 5, 50, 200]),
            partition_holds: random.below(2) == 0,
            keepalive: 500 + random.below(4_000),
            refresh: 4 * longest + random.below(8_000),
            fault_every: 16 << random.below(9),
            weights: Weights {
                crash: random.below(4),
                freeze: random.below(4),
                partition: random.below(4),
                arrival: random.below(3),
                foreign: 1 + random.below(3),
            },
            stop_percent: *one_of(random, &[0, 10, 30]),
            enough_nodes: least_nodes << random.below(5),
            share_from: *one_of(random, &[None, Some(1), Some(8), Some(64)]),
            sabotage: None,
        }
    }

    /// How leaves are searched.
    pub fn profile(&self) -> Profile {
        if self.exact { Profile::Exact } else { Profile::Classic }
    }

    /// Where the master's tree ends.
    pub fn frontier(&self) -> Frontier {
        self.frontier.map_or(Frontier::Auto, Frontier::Fixed)
    }
}

/// One of several, all equally likely.
fn one_of<'a, T>(random: &mut SplitMix64, choices: &'a [T]) -> &'a T {
    &choices[random.below(choices.len() as u64) as usize]
}
