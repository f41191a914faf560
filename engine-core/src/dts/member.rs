//! A processor of DTS behind the face that all splitters have.

use std::sync::Arc;

use crate::game::Game;
use crate::search::{Answer, Task};
use crate::sharing::Notes;
use crate::splitter::{Chores, Counts, Group, Plan, Processor, Progress};

use super::at::At;
use super::processor::{Idle, Outcome};
use super::team::Team;

/// A processor of a [`Team`], idle or busy.
#[derive(Debug)]
pub struct Member<G: Game> {
    team: Arc<Team<G>>,
    at: At<G>,
}

impl<G: Game> Member<G> {
    /// A team as `plan` describes it, and its members.
    pub fn team(plan: &Plan) -> (Arc<Team<G>>, Vec<Self>) {
        let team = Arc::new(Team::new(plan.processors, plan.tuning, Arc::clone(&plan.stir)));
        let member = |id| {
            let idle = Idle::new(id, &team, plan.profile, Arc::clone(&plan.table));
            Self { team: Arc::clone(&team), at: At::Rest(idle) }
        };
        let members = (0..plan.processors).map(member).collect();
        (team, members)
    }
}

impl<G: Game> Processor<G> for Member<G> {
    fn start(&mut self, task: Task<G>) {
        self.abort();
        if let At::Rest(idle) = self.at.leave() {
            self.at = At::Work(idle.start(task, &self.team));
        }
    }

    fn work(&mut self, budget: u64) -> Progress<G> {
        let (at, progress) = match self.at.leave() {
            At::Rest(idle) => match idle.help(&self.team) {
                Ok(busy) => (At::Work(busy), Progress::Working),
                Err(idle) => (At::Rest(idle), Progress::Idle),
            },
            At::Work(busy) => match busy.run(budget, &self.team) {
                Outcome::Working(busy) => (At::Work(busy), Progress::Working),
                Outcome::Free(idle) => (At::Rest(idle), Progress::Working),
                Outcome::Finished(idle, answer) => (At::Rest(idle), Progress::Finished(answer)),
            },
            At::Between => unreachable!("a processor is always one or the other"),
        };
        self.at = at;
        progress
    }

    fn abort(&mut self) -> Option<Answer<G>> {
        match self.at.leave() {
            At::Work(busy) => {
                let (idle, so_far) = busy.abort(&self.team);
                self.at = At::Rest(idle);
                so_far
            }
            rest => {
                self.at = rest;
                None
            }
        }
    }

    fn nodes(&self) -> u64 {
        self.at.nodes()
    }

    fn take_deepest(&mut self) -> usize {
        self.at.take_deepest()
    }

    fn notes(&mut self) -> Option<&mut Notes> {
        self.at.notes()
    }

    fn take_chores(&mut self) -> Chores {
        self.at.take_chores()
    }
}

impl<G: Game> Group for Team<G> {
    fn counts(&self) -> Counts {
        Team::counts(self)
    }

    fn blocks_in_use(&self) -> usize {
        Team::blocks_in_use(self)
    }
}
