//! Processors of one crew that get turns at random, for random stretches of work.

use std::ops::Range;
use std::sync::Arc;

use engine_core::dts::Tuning;
use engine_core::game::Game;
use engine_core::line::Line;
use engine_core::random::SplitMix64;
use engine_core::search::{Answer, Profile, Task};
use engine_core::splitter::{Counts, Crew, Plan, Processor, Progress, Splitter, nobody};
use engine_core::table::{Entry, Table};
use engine_core::value::Bound;

use crate::negamax::negamax;
use crate::synthetic::Tree;

/// Turns after which a search counts as hung.
const PATIENCE: u64 = 20_000_000;

/// A crew in random order.
pub struct Crowd<G: Game> {
    crew: Crew<G>,
    random: SplitMix64,
}

impl<G: Game> Crowd<G> {
    /// A crew that searches `exact`.
    pub fn new(
        splitter: Splitter,
        processors: usize,
        tuning: Tuning,
        table: &Arc<Table>,
        seed: u64,
    ) -> Self {
        let (profile, table, stir) = (Profile::Exact, Arc::clone(table), nobody());
        let crew = splitter.crew(&Plan { processors, profile, table, tuning, stir });
        Self { crew, random: SplitMix64::new(seed) }
    }

    fn pick(&mut self) -> &mut Box<dyn Processor<G>> {
        let processors = &mut self.crew.processors;
        let index = self.random.below(processors.len() as u64);
        &mut processors[index as usize]
    }

    /// Somebody begins a search.
    pub fn start(&mut self, task: Task<G>) {
        self.pick().start(task);
    }

    /// Somebody does something.
    pub fn turn(&mut self) -> Option<Answer<G>> {
        let budget = 1 + self.random.below(20);
        match self.pick().work(budget) {
            Progress::Finished(answer) => Some(answer),
            _ => None,
        }
    }

    /// Stops everybody.
    pub fn abort(&mut self) {
        for processor in &mut self.crew.processors {
            processor.abort();
        }
        assert_eq!(self.crew.group.blocks_in_use(), 0, "everything comes back");
        let resting = self.crew.processors.iter_mut().all(|processor| {
            let before = processor.nodes();
            matches!(processor.work(1), Progress::Idle) && processor.nodes() == before
        });
        assert!(resting, "nobody finds work of a search that is over");
    }

    /// Searches to the end.
    pub fn search(&mut self, task: Task<G>) -> Answer<G> {
        self.start(task);
        for _ in 0..PATIENCE {
            if let Some(answer) = self.turn() {
                self.abort();
                return answer;
            }
        }
        panic!("the search hangs: {:?}", self.crew.group.counts());
    }

    /// How often things happened.
    pub fn counts(&self) -> Counts {
        self.crew.group.counts()
    }

    /// Split blocks or marks in use.
    pub fn in_use(&self) -> usize {
        self.crew.group.blocks_in_use()
    }
}

fn add(sum: &mut Counts, counts: Counts) {
    sum.splits += counts.splits;
    sum.joins += counts.joins;
    sum.shares += counts.shares;
    sum.stops += counts.stops;
    sum.put_off += counts.put_off;
}

/// Compares crews of 1 to 64 with negamax on the trees of these seeds.
pub fn compare_trees(splitter: Splitter, seeds: Range<u64>) -> Counts {
    let mut sum = Counts::default();
    let table = Arc::new(Table::new(1));
    for seed in seeds {
        let mut random = SplitMix64::new(seed);
        let line = Line::new(Tree::new(seed));
        let depth = 4 + random.below(4) as i32;
        let Some(expected) = negamax(&line, depth) else { continue };
        let processors = 1 << random.below(7);
        let tuning = if random.below(4) == 0 { Tuning::default() } else { Tuning::EAGER };
        let mut crowd = Crowd::new(splitter, processors, tuning, &table, seed);
        let answer = crowd.search(Task::full(line.clone(), depth));
        let who = format!("{} on tree {seed}, {processors} processors", splitter.name());
        assert_eq!(answer.value, expected, "{who}, depth {depth}");
        assert!(answer.certain, "{who}");
        check_table(&table, line.position, 3);
        check_line(&line, depth, &answer);
        add(&mut sum, crowd.counts());
    }
    sum
}

/// Compares crews of 2 to 64 of every splitter with negamax on positions of a game.
pub fn compare_positions<G: Game>(lines: impl Iterator<Item = Line<G>>, depths: Range<i32>) {
    // One each, so that nobody lives on what another has found.
    let tables = Splitter::ALL.map(|splitter| (splitter, Arc::new(Table::new(2))));
    for (number, line) in lines.enumerate() {
        for depth in depths.clone() {
            let Some(expected) = negamax(&line, depth) else { continue };
            let processors = [2, 3, 8, 16, 64][number % 5];
            for (splitter, table) in &tables {
                let mut crowd =
                    Crowd::new(*splitter, processors, Tuning::EAGER, table, number as u64);
                let answer = crowd.search(Task::full(line.clone(), depth));
                let (name, text) = (splitter.name(), line.position.text());
                let who = format!("{name} on {text}, {processors} processors, depth {depth}");
                assert_eq!(answer.value, expected, "{who}");
            }
        }
    }
}

/// Every bound that a crew has left in the table is true, down to so many plies.
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

/// Searches broken off after up to `turns` turns. Returns how many of them had something in use.
pub fn break_off(splitter: Splitter, searches: u64, turns: u64) -> u32 {
    let table = Arc::new(Table::new(1));
    let mut random = SplitMix64::new(11);
    let mut crowd = Crowd::new(splitter, 16, Tuning::EAGER, &table, 5);
    let mut stopped_shared = 0;
    for seed in 0..searches {
        let line = Line::new(Tree::new(seed));
        crowd.start(Task::full(line.clone(), 6));
        let turns = random.below(turns);
        let finished = (0..turns).find_map(|_| crowd.turn());
        stopped_shared += u32::from(finished.is_none() && crowd.in_use() > 0);
        crowd.abort();
    }
    stopped_shared
}
