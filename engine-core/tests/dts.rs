//! Dynamic Tree Splitting proved on one thread: whoever goes when, `exact` finds the value of
//! plain negamax, and every split block comes back.

#[path = "common/negamax.rs"]
mod negamax;
#[path = "common/positions.rs"]
#[expect(dead_code, reason = "the other tests use more positions")]
mod positions;
#[path = "common/synthetic.rs"]
mod synthetic;

use std::sync::Arc;

use engine_core::dts::{Busy, Idle, Outcome, Team, Tuning, Typing};
use engine_core::game::Game;
use engine_core::games::othello::Othello;
use engine_core::line::Line;
use engine_core::random::SplitMix64;
use engine_core::search::{Answer, Profile, Searcher, Task};
use engine_core::splitter::lockstep::{Costs, Lockstep};
use engine_core::splitter::{Counts, Splitter, nobody};
use engine_core::table::{Entry, Table};
use engine_core::value::Bound;
use negamax::negamax;
use synthetic::Tree;

/// Splits wherever it is possible at all.
const EAGER: Tuning = Tuning {
    calm: 0,
    typing: Typing::Evidence,
    min_depth: 1,
    min_confidence: 0,
    confidence_weight: 100,
    open_moves: 1,
    root_moves: 1,
};

enum At<G: Game> {
    Rest(Idle<G>),
    Work(Busy<G>),
}

/// A team whose processors get turns at random, for random stretches of work.
struct Crowd<G: Game> {
    team: Team<G>,
    members: Vec<Option<At<G>>>,
    random: SplitMix64,
}

impl<G: Game> Crowd<G> {
    fn new(processors: usize, tuning: Tuning, table: &Arc<Table>, seed: u64) -> Self {
        let team = Team::new(processors, tuning, nobody());
        let idle = |id| Some(At::Rest(Idle::new(id, &team, Profile::Exact, Arc::clone(table))));
        Self { members: (0..processors).map(idle).collect(), team, random: SplitMix64::new(seed) }
    }

    fn pick(&mut self) -> usize {
        self.random.below(self.members.len() as u64) as usize
    }

    fn start(&mut self, task: Task<G>) {
        let first = self.pick();
        let Some(At::Rest(idle)) = self.members[first].take() else { panic!("all are idle") };
        self.members[first] = Some(At::Work(idle.start(task, &self.team)));
    }

    /// Somebody does something.
    fn turn(&mut self) -> Option<Answer<G>> {
        let index = self.pick();
        let budget = 1 + self.random.below(20);
        let (member, answer) = match self.members[index].take().expect("all have come back") {
            At::Rest(idle) => match idle.help(&self.team) {
                Ok(busy) => (At::Work(busy), None),
                Err(idle) => (At::Rest(idle), None),
            },
            At::Work(busy) => match busy.run(budget, &self.team) {
                Outcome::Working(busy) => (At::Work(busy), None),
                Outcome::Free(idle) => (At::Rest(idle), None),
                Outcome::Finished(idle, answer) => (At::Rest(idle), Some(answer)),
            },
        };
        self.members[index] = Some(member);
        answer
    }

    fn abort(&mut self) {
        for member in &mut self.members {
            *member = match member.take() {
                Some(At::Work(busy)) => Some(At::Rest(busy.abort(&self.team).0)),
                rest => rest,
            };
        }
        assert_eq!(self.team.blocks_in_use(), 0, "every block comes back");
    }

    fn search(&mut self, task: Task<G>) -> Answer<G> {
        self.start(task);
        loop {
            if let Some(answer) = self.turn() {
                self.abort();
                return answer;
            }
        }
    }
}

fn add(sum: &mut Counts, counts: Counts) {
    sum.splits += counts.splits;
    sum.joins += counts.joins;
    sum.shares += counts.shares;
    sum.stops += counts.stops;
}

/// Compares random teams with negamax on the trees of these seeds.
fn compare_trees(seeds: std::ops::Range<u64>) -> Counts {
    let mut sum = Counts::default();
    let table = Arc::new(Table::new(1));
    for seed in seeds {
        let mut random = SplitMix64::new(seed);
        let line = Line::new(Tree::new(seed));
        let depth = 4 + random.below(4) as i32;
        let Some(expected) = negamax(&line, depth) else { continue };
        let processors = 1 << random.below(7);
        let tuning = if random.below(4) == 0 { Tuning::default() } else { EAGER };
        let mut crowd = Crowd::new(processors, tuning, &table, seed);
        let answer = crowd.search(Task::full(line.clone(), depth));
        assert_eq!(answer.value, expected, "tree {seed}, {processors} processors, depth {depth}");
        assert!(answer.certain, "tree {seed}");
        check_table(&table, line.position, 3);
        check_line(&line, depth, &answer);
        add(&mut sum, crowd.team.counts());
    }
    sum
}

/// Every bound that the team has left in the table is true, down to so many plies.
fn check_table(table: &Table, tree: Tree, plies: u32) {
    if let Some(Entry { value, depth, bound, .. }) = table.probe(tree.key())
        && let Some(truth) = negamax(&Line::new(tree), depth.into())
    {
        let holds = match bound {
            Bound::Exact => value == truth,
            Bound::Lower => value <= truth,
            Bound::Upper => value >= truth,
        };
        assert!(holds, "{tree:?}: {bound:?} {value} at depth {depth}, in truth {truth}");
    }
    if plies > 0 {
        tree.for_each_move(|mv| check_table(table, tree.after(mv), plies - 1));
    }
}

/// The line found leads to its value.
fn check_line<G: Game>(line: &Line<G>, depth: i32, answer: &Answer<G>) {
    let (Some(&mv), Some(all)) = (answer.pv.first(), negamax(line, depth)) else {
        assert!(line.position.moves().is_empty(), "a root with moves has a best one");
        return;
    };
    let mut next = line.clone();
    next.play(mv);
    // Wins and losses count from their own root: one ply less.
    let ply = |value: i32| if value.abs() > 30_000 { value.signum() } else { 0 };
    let reply = if depth > 1 { negamax(&next, depth - 1) } else { None };
    if let Some(reply) = reply {
        assert_eq!(-reply - ply(-reply), all, "the first move has the value of the root");
    }
}

#[test]
fn synthetic_trees_have_the_values_of_negamax() {
    let sum = compare_trees(0..2_000);
    assert!(sum.splits > 4_000 && sum.stops > 1_000 && sum.shares > 1_000, "{sum:?}");
}

#[test]
#[ignore = "half a minute"]
fn ten_thousand_trees_have_the_values_of_negamax() {
    compare_trees(10_000..20_000);
}

fn compare_positions<G: Game>(lines: impl Iterator<Item = Line<G>>, depths: std::ops::Range<i32>) {
    let table = Arc::new(Table::new(2));
    for (number, line) in lines.enumerate() {
        for depth in depths.clone() {
            let Some(expected) = negamax(&line, depth) else { continue };
            let processors = [2, 3, 8, 16, 64][number % 5];
            let mut crowd = Crowd::new(processors, EAGER, &table, number as u64);
            let answer = crowd.search(Task::full(line.clone(), depth));
            let text = line.position.text();
            assert_eq!(answer.value, expected, "{text}, {processors} processors, depth {depth}");
        }
    }
}

#[test]
fn chess_positions_have_the_values_of_negamax() {
    let lines = positions::CHESS.iter().map(|fen| Line::new(positions::chess(fen)));
    compare_positions(lines, 1..4);
}

#[test]
fn othello_positions_have_the_values_of_negamax() {
    let lines =
        (0..180_u64).map(|seed| Line::new(positions::random::<Othello>(seed, seed as u32 % 58)));
    compare_positions(lines, 2..5);
}

#[test]
fn a_stop_at_any_time_releases_everything() {
    let table = Arc::new(Table::new(1));
    let mut random = SplitMix64::new(11);
    let mut crowd = Crowd::new(16, EAGER, &table, 5);
    let mut stopped_split = 0;
    for seed in 0..3_000 {
        let line = Line::new(Tree::new(seed));
        crowd.start(Task::full(line.clone(), 6));
        let turns = random.below(600);
        let finished = (0..turns).find_map(|_| crowd.turn());
        stopped_split += u32::from(finished.is_none() && crowd.team.blocks_in_use() > 0);
        crowd.abort();
    }
    assert!(stopped_split > 500, "{stopped_split} of 3000 had split");
}

#[test]
fn slices_change_nothing() {
    let position = positions::chess(positions::CHESS[1]);
    let run = |mut slice: Box<dyn FnMut() -> u64>| {
        let table = Arc::new(Table::new(2));
        let costs = Costs { copy: 3, message: 1 };
        let mut lockstep =
            Lockstep::new(Splitter::Dts, 7, Profile::Classic, &table, costs, Tuning::default());
        let mut found = Vec::new();
        for depth in 1..=6 {
            lockstep.start(Task::full(Line::new(position.clone()), depth));
            let answer = loop {
                if let Some(answer) = lockstep.run(slice()) {
                    break answer;
                }
            };
            assert_eq!(lockstep.group().blocks_in_use(), 0);
            found.push((answer.value, answer.pv, lockstep.ended_at(), lockstep.nodes()));
        }
        (found, lockstep.group().counts(), lockstep.idle(), lockstep.overhead())
    };
    let whole = run(Box::new(|| u64::MAX));
    assert!(whole.1.splits > 10, "{:?}", whole.1);
    let mut random = SplitMix64::new(2);
    assert!(whole == run(Box::new(|| 1)));
    assert!(whole == run(Box::new(move || random.below(1000))));
}

/// One processor of a team does exactly what a searcher alone does.
#[test]
fn alone_it_is_the_sequential_search() {
    for fen in &positions::CHESS[..8] {
        let position = positions::chess(fen);
        let table = Arc::new(Table::new(2));
        let mut searcher = Searcher::new(Profile::Classic, Arc::clone(&table));
        let team_table = Arc::new(Table::new(2));
        let (costs, tuning) = (Costs::default(), Tuning::default());
        let mut lockstep =
            Lockstep::new(Splitter::Dts, 1, Profile::Classic, &team_table, costs, tuning);
        for depth in 1..=5 {
            let task = Task::full(Line::new(position.clone()), depth);
            searcher.start(task.clone());
            searcher.run(u64::MAX);
            lockstep.start(task);
            assert_eq!(lockstep.run(u64::MAX), searcher.answer(), "{fen}");
            assert_eq!(lockstep.nodes(), searcher.nodes(), "{fen}");
            assert_eq!(lockstep.ended_at(), searcher.nodes(), "{fen}");
        }
    }
}
