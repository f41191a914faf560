//! Pass after pass until the value is certain, iteration after iteration (section 2.1).

use std::collections::BTreeMap;

use crate::game::Game;
use crate::search::Status;

use super::assign::{Allocation, speculative};
use super::master::{Master, Output, Pace};
use super::thinking::send_agenda;

impl<G: Game> Master<G> {
    /// Searches about `budget` nodes of the master's own tree.
    pub fn work(&mut self, budget: u64, now: u64) -> Pace {
        self.now = now;
        if self.thinking.is_some() && self.nodes() >= self.request_nodes() {
            self.stop();
        }
        let Some(thinking) = &mut self.thinking else { return Pace::Waiting };
        if !thinking.in_pass {
            if !thinking.news {
                return Pace::Waiting;
            }
            let Some(task) = thinking.plan.task() else {
                self.stop();
                return Pace::Waiting;
            };
            thinking.news = false;
            thinking.in_pass = true;
            thinking.searcher.horizon().begin();
            thinking.searcher.start(task);
        }
        let before = thinking.searcher.nodes();
        let status = thinking.searcher.run(budget);
        self.stats.master_nodes += thinking.searcher.nodes() - before;
        if status == Status::Done {
            self.pass_done();
        }
        Pace::Busy
    }

    fn request_nodes(&self) -> u64 {
        self.thinking.as_ref().map_or(u64::MAX, |thinking| thinking.plan.request().nodes)
    }

    /// A pass has come to its end: the iteration is complete, or agendas go out.
    fn pass_done(&mut self) {
        let nodes = self.nodes();
        let Some(thinking) = &mut self.thinking else { return };
        thinking.in_pass = false;
        thinking.passes += 1;
        self.stats.passes += 1;
        let Some(answer) = thinking.searcher.answer() else { return };
        thinking.proved = thinking.searcher.proved_so_far();
        if answer.certain {
            thinking.proved = None;
            let deepest = thinking.searcher.deepest();
            let lines = thinking.plan.absorb(answer, nodes, deepest);
            thinking.news = true;
            if let Some(best) = lines.first() {
                thinking.values = [thinking.values[1], Some(best.value)];
                self.output.push_back(Output::Info(lines.to_vec()));
                let own = nodes - thinking.iteration_start;
                thinking.iteration_start = nodes;
                thinking.searcher.horizon().iteration_done(own);
            }
            return;
        }
        self.publish();
    }

    /// Turns what the pass could not decide into agendas.
    fn publish(&mut self) {
        let Some(thinking) = &mut self.thinking else { return };
        let pass = thinking.searcher.horizon();
        let uncertain = pass.wishes();
        let allocation = Allocation::deal(&mut pass.leaves, &self.members, &uncertain);
        self.stats.uncertain = uncertain.len() as u64;
        self.stats.leaves = pass.leaves.len() as u64;
        self.stats.opened = pass.horizon.opened() as u64;
        thinking.idle = allocation.idle(&self.members);
        let drift = match thinking.values {
            [Some(before), Some(last)] => before - last,
            _ => 0,
        };
        let mut ahead = if self.config.speculate {
            speculative(&pass.leaves, &pass.visits.certain, drift)
        } else {
            BTreeMap::new()
        };
        for (&slave, member) in &mut self.members {
            let pass = thinking.searcher.horizon();
            let due = allocation.due(slave, &pass.leaves);
            let ahead = ahead.remove(&slave).unwrap_or_default();
            if due != member.due || ahead != member.speculative {
                member.due = due;
                member.speculative = ahead;
                send_agenda(thinking, slave, member, false, &mut self.output);
            }
        }
    }
}
