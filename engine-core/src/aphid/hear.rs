//! What the master does with what slaves say.

use crate::game::Game;

use super::master::{Master, Output, SlaveId};
use super::messages::{Event, LeafResult, LeafTag, Running, ToMaster, Want};
use super::thinking::send_agenda;

impl<G: Game> Master<G> {
    /// Takes in a write to a slave's half of the table.
    pub fn handle(&mut self, from: SlaveId, message: ToMaster, now: u64) {
        self.now = now;
        let current = self.thinking.as_ref().is_some_and(|t| t.tag == message.search);
        let member = self.members.get_mut(&from).filter(|_| current);
        let Some(member) = member else {
            match &message.event {
                Event::Result(_) => self.stats.late_results += 1,
                Event::Running(running) => self.stats.late_reports += running.len() as u64,
                Event::Missing(_) => {}
            }
            return;
        };
        member.last_heard = now;
        member.nodes = member.nodes.max(message.nodes);
        match message.event {
            Event::Result(result) => self.merge(from, result),
            Event::Running(running) => self.note_running(from, running),
            Event::Missing(missing) => self.resend(from, &missing),
        }
    }

    /// Merges a result, if its sender still owns the leaf.
    fn merge(&mut self, from: SlaveId, result: LeafResult) {
        let (Some(thinking), Some(member)) = (&mut self.thinking, self.members.get_mut(&from))
        else {
            return;
        };
        let pass = thinking.searcher.horizon();
        let leaf = pass.leaves.get_mut(result.tag.leaf);
        let Some(leaf) = leaf.filter(|leaf| leaf.is_held(from, result.tag)) else {
            self.stats.late_results += 1;
            return;
        };
        let same = |want: &&Want| want.tag == result.tag && want.depth == result.depth;
        if let Some(want) = member.due.iter().find(same) {
            pass.horizon.learn(result.depth, want.window.is_open(), result.nodes);
        }
        member.running.retain(|job| job.tag != result.tag || job.depth != result.depth);
        let changed = result.tag.leaf;
        leaf.merge(result);
        pass.note_news(changed);
        self.stats.results += 1;
        thinking.news = true;
    }

    /// A slave lacks leaves it should have: a message was lost, or it was restarted.
    fn resend(&mut self, slave: SlaveId, missing: &[LeafTag]) {
        let Some(thinking) = &mut self.thinking else { return };
        let leaves = &mut thinking.searcher.horizon().leaves;
        for tag in missing {
            if let Some(leaf) = leaves.get_mut(tag.leaf)
                && leaf.owner == Some(slave)
            {
                leaf.sent = false;
            }
        }
        if let Some(member) = self.members.get_mut(&slave) {
            send_agenda(thinking, slave, member, true, &mut self.output);
        }
    }

    /// Notes what a slave is doing, as far as it still has the right to.
    fn note_running(&mut self, from: SlaveId, mut running: Vec<Running>) {
        let (Some(thinking), Some(member)) = (&mut self.thinking, self.members.get_mut(&from))
        else {
            return;
        };
        let reported = running.len();
        let leaves = &thinking.searcher.horizon().leaves;
        running.retain(|job| {
            let leaf = leaves.get(job.tag.leaf);
            leaf.is_some_and(|leaf| leaf.is_held(from, job.tag))
        });
        self.stats.late_reports += (reported - running.len()) as u64;
        member.running = running;
        self.open_outgrown(from);
    }

    /// Breaks up the search of a leaf that turned out too big for one, when others are idle.
    fn open_outgrown(&mut self, slave: SlaveId) {
        let (Some(thinking), Some(member)) = (&mut self.thinking, self.members.get(&slave)) else {
            return;
        };
        let pass = thinking.searcher.horizon();
        for job in &member.running {
            let same = |want: &&Want| want.tag == job.tag && want.depth == job.depth;
            let Some(want) = member.due.iter().find(same) else { continue };
            let Some(leaf) = pass.leaves.get(job.tag.leaf) else { continue };
            let estimate = pass.horizon.estimate(Some(leaf), job.depth, want.window.is_open());
            if pass.horizon.outgrown(job.depth, job.nodes, estimate, thinking.idle) {
                pass.horizon.open(leaf.identity);
                pass.note_news(job.tag.leaf);
                thinking.news = true;
            }
        }
    }

    /// Time has passed: slaves that owe results and have been silent are told everything again.
    pub fn handle_timeout(&mut self, now: u64) {
        self.now = now;
        let Some(thinking) = &mut self.thinking else { return };
        for (&slave, member) in &mut self.members {
            let silent = now >= member.last_heard.saturating_add(self.config.refresh);
            if silent && !member.due.is_empty() {
                member.last_heard = now;
                let message = thinking.greeting();
                self.output.push_back(Output::ToSlave { slave, message });
                send_agenda(thinking, slave, member, true, &mut self.output);
            }
        }
    }

    /// When to call [`handle_timeout`](Master::handle_timeout).
    pub fn poll_timeout(&self) -> Option<u64> {
        self.thinking.as_ref()?;
        let owing = self.members.values().filter(|member| !member.due.is_empty());
        owing.map(|member| member.last_heard.saturating_add(self.config.refresh)).min()
    }
}
