//! The state of one search, and telling a slave of it.

use std::collections::VecDeque;

use crate::game::Game;
use crate::search::deepen::Deepening;
use crate::search::{Answer, Profile, Searcher};

use super::assign::Member;
use super::master::{Output, SlaveId};
use super::messages::{SearchTag, ToSlave};
use super::pass::Pass;

/// The search in progress.
#[derive(Debug)]
pub(super) struct Thinking<G: Game> {
    pub(super) tag: SearchTag,
    pub(super) profile: Profile,
    pub(super) fresh: bool,
    pub(super) plan: Deepening<G>,
    pub(super) searcher: Searcher<G, Pass<G>>,
    /// A pass is under way.
    pub(super) in_pass: bool,
    /// Something changed since the last pass began.
    pub(super) news: bool,
    /// Lanes for which the last pass left nothing due.
    pub(super) idle: usize,
    /// Nodes of slaves that have left.
    pub(super) departed_nodes: u64,
    /// Nodes when the running iteration began.
    pub(super) iteration_start: u64,
    /// Root values of the last two iterations, for the drift between odd and even depths.
    pub(super) values: [Option<i32>; 2],
    pub(super) passes: u64,
    /// Best root move of the running iteration that is proved to be one.
    pub(super) proved: Option<Answer<G>>,
}

impl<G: Game> Thinking<G> {
    /// A search that has not made a pass yet.
    pub(super) fn new(
        tag: SearchTag,
        profile: Profile,
        fresh: bool,
        plan: Deepening<G>,
        searcher: Searcher<G, Pass<G>>,
    ) -> Self {
        Self {
            tag,
            profile,
            fresh,
            plan,
            searcher,
            in_pass: false,
            news: true,
            idle: 0,
            departed_nodes: 0,
            iteration_start: 0,
            values: [None; 2],
            passes: 0,
            proved: None,
        }
    }

    /// What every slave must hear before anything else.
    pub(super) fn greeting(&self) -> ToSlave<G> {
        ToSlave::Begin { search: self.tag, profile: self.profile, fresh: self.fresh }
    }
}

/// Sends a slave its agenda, after the leaves on it that it does not have yet. `repeat` sends every
/// leaf again and asks for every result again.
pub(super) fn send_agenda<G: Game>(
    thinking: &mut Thinking<G>,
    slave: SlaveId,
    member: &mut Member,
    repeat: bool,
    output: &mut VecDeque<Output<G>>,
) {
    let search = thinking.tag;
    let leaves = &mut thinking.searcher.horizon().leaves;
    let mut unsent = Vec::new();
    for want in member.due.iter().chain(&member.speculative) {
        let Some(leaf) = leaves.get_mut(want.tag.leaf) else { continue };
        if leaf.is_held(slave, want.tag) && (!leaf.sent || repeat) {
            leaf.sent = true;
            unsent.push(leaves.spec(want.tag.leaf));
        }
    }
    unsent.dedup_by_key(|spec| spec.tag);
    if !unsent.is_empty() {
        let message = ToSlave::Assign { search, leaves: unsent };
        output.push_back(Output::ToSlave { slave, message });
    }
    member.sequence += 1;
    let message = ToSlave::Agenda {
        search,
        sequence: member.sequence,
        due: member.due.clone(),
        speculative: member.speculative.clone(),
        repeat,
    };
    output.push_back(Output::ToSlave { slave, message });
}
