//! A lane: one searcher working for a slave.

use std::sync::Arc;

use crate::game::Game;
use crate::search::{Profile, Searcher, Status, Task};
use crate::table::Table;

use super::messages::Bounds;
use super::slave::{Job, Slave};
use super::tunables::DEEPENING_STEP;

/// One of the searches a slave runs at once. Threads and simulator drive it alike: [`begin`]
/// with a job, then [`run`] in slices until it says done, then [`deliver`] to the slave.
///
/// [`begin`]: Lane::begin
/// [`run`]: Lane::run
/// [`deliver`]: Lane::deliver
#[derive(Debug)]
pub struct Lane<G: Game> {
    index: usize,
    searcher: Searcher<G>,
    root: G,
    /// Searches to come before there is an answer, the last one first.
    to_come: Vec<Task<G>>,
}

impl<G: Game> Lane<G> {
    /// Lane number `index` of a slave, sharing `table` with its neighbours.
    pub fn new(index: usize, table: Arc<Table>) -> Self {
        let searcher = Searcher::new(Profile::default(), table);
        Self { index, searcher, root: G::start(), to_come: Vec::new() }
    }

    /// Sets up a job picked for this lane.
    ///
    /// A leaf that was opened or moved comes to a slave whose table knows nothing of it. It is
    /// approached by iterative deepening, as the sequential search came to it: the moves found in
    /// the shallower searches save more than these cost.
    pub fn begin(&mut self, job: Job<G>) {
        if job.profile != self.searcher.profile() || job.fresh {
            self.searcher = Searcher::new(job.profile, Arc::clone(self.searcher.table()));
        }
        self.root.clone_from(&job.task.line.position);
        self.to_come.clear();
        let mut shallower = job.task.depth - DEEPENING_STEP;
        self.to_come.push(job.task);
        while shallower > job.reached {
            self.to_come.push(Task { depth: shallower, ..self.to_come[0].clone() });
            shallower -= DEEPENING_STEP;
        }
        self.next_search();
    }

    /// Goes on to the next search, if there is one.
    fn next_search(&mut self) -> Status {
        match self.to_come.pop() {
            Some(task) => {
                self.searcher.start(task);
                Status::Running
            }
            None => Status::Done,
        }
    }

    /// Searches about `budget` nodes. Returns what happened and the nodes spent.
    pub fn run(&mut self, budget: u64) -> (Status, u64) {
        let before = self.searcher.nodes();
        let status = match self.searcher.run(budget) {
            Status::Running => Status::Running,
            Status::Done => self.next_search(),
        };
        (status, self.searcher.nodes() - before)
    }

    /// Hands the finished search to the slave.
    pub fn deliver(&self, slave: &mut Slave<G>) {
        let Some(answer) = self.searcher.answer() else { return slave.abandon(self.index) };
        let mut position = self.root.clone();
        let pack = |&mv: &G::Move| {
            let packed = position.pack_move(mv);
            position.play(mv);
            packed
        };
        let pv = answer.pv.iter().map(pack).collect();
        slave.finish(self.index, Bounds::proved(answer.value, answer.bound), pv);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aphid::messages::{LeafTag, Want, Window};
    use crate::games::othello::Othello;
    use crate::line::Line;
    use crate::value::INFINITY;

    /// Searches until the answer to a question of depth 6 stands, when `reached` was reached before.
    fn searches(reached: i32) -> u32 {
        let mut lane: Lane<Othello> = Lane::new(0, Arc::new(Table::new(1)));
        let tag = LeafTag { leaf: 0, generation: 0 };
        let window = Window { alpha: -INFINITY, beta: INFINITY };
        let task = Task::full(Line::new(Othello::start()), 6);
        let want = Want { tag, depth: 6, window };
        lane.begin(Job { want, profile: Profile::Exact, task, reached, fresh: true });
        let mut searches = 1;
        while lane.run(u64::MAX).0 == Status::Running {
            searches += 1;
        }
        searches
    }

    #[test]
    fn only_a_leaf_not_searched_before_is_approached_by_deepening() {
        assert_eq!([0, 2, 3, 4, 5, 6].map(searches), [3, 2, 2, 1, 1, 1]);
    }
}
