//! An errand: the searches that one job takes, one after the other, and the way back to the slave.

use crate::game::Game;
use crate::search::{Answer, Task};

use super::messages::Bounds;
use super::slave::{Job, Slave};
use super::tunables::DEEPENING_STEP;

/// What a lane has to do for a job.
///
/// A leaf that was opened or moved comes to a slave whose table knows nothing of it. It is
/// approached by iterative deepening, as the sequential search came to it: the moves found in
/// the shallower searches save more than these cost.
#[derive(Debug)]
pub struct Errand<G: Game> {
    root: G,
    /// Searches to come before there is an answer, the last one first.
    to_come: Vec<Task<G>>,
}

impl<G: Game> Errand<G> {
    /// The errand of a job, none of whose searches has begun.
    pub fn new(job: &Job<G>) -> Self {
        let mut to_come = vec![job.task.clone()];
        let mut shallower = job.task.depth - DEEPENING_STEP;
        while shallower > job.reached {
            to_come.push(Task { depth: shallower, ..job.task.clone() });
            shallower -= DEEPENING_STEP;
        }
        Self { root: job.task.line.position.clone(), to_come }
    }

    /// The next search; nothing when the last one has given the answer.
    pub fn next_search(&mut self) -> Option<Task<G>> {
        self.to_come.pop()
    }

    /// Hands to the slave what the last search, in `lane`, came to.
    pub fn deliver(&self, slave: &mut Slave<G>, lane: usize, answer: &Answer<G>) {
        let mut position = self.root.clone();
        let pack = |&mv: &G::Move| {
            let packed = position.pack_move(mv);
            position.play(mv);
            packed
        };
        let pv = answer.pv.iter().map(pack).collect();
        slave.finish(lane, Bounds::proved(answer.value, answer.bound), pv);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aphid::messages::{LeafTag, Want, Window};
    use crate::games::othello::Othello;
    use crate::line::Line;
    use crate::search::Profile;
    use crate::value::INFINITY;

    /// Depths searched until the answer to a question of depth 6 stands, when `reached` was reached
    /// before.
    fn depths(reached: i32) -> Vec<i32> {
        let tag = LeafTag { leaf: 0, generation: 0 };
        let window = Window { alpha: -INFINITY, beta: INFINITY };
        let task = Task::full(Line::new(Othello::start()), 6);
        let want = Want { tag, depth: 6, window };
        let job = Job { want, profile: Profile::Exact, task, reached, fresh: true };
        let mut errand = Errand::new(&job);
        std::iter::from_fn(|| errand.next_search()).map(|task| task.depth).collect()
    }

    #[test]
    fn only_a_leaf_not_searched_before_is_approached_by_deepening() {
        assert_eq!(depths(0), [2, 4, 6]);
        assert_eq!(depths(3), [4, 6]);
        assert_eq!(depths(4), [6]);
        assert_eq!(depths(6), [6]);
    }
}
