//! Who searches what: leaves to slaves, and the agenda of each slave.
//!
//! The paper deals leaves out round robin and keeps them there. Here a leaf goes to the slave with
//! the least due work, stays there (its table is warm), and moves only when another slave would
//! otherwise have nothing to do.

use std::collections::BTreeMap;

use crate::game::Game;
use crate::value::Value;

use super::leaf::LeafTable;
use super::master::SlaveId;
use super::messages::{Running, Want, Window};
use super::tunables::SPECULATIVE_WANTS;
use super::visits::Visit;

/// What the master knows about a slave.
#[derive(Debug)]
pub(crate) struct Member {
    /// Searches it runs at once.
    pub lanes: u32,
    /// Number of the last agenda sent.
    pub sequence: u64,
    /// The last agenda sent.
    pub due: Vec<Want>,
    pub speculative: Vec<Want>,
    /// What it said it is doing.
    pub running: Vec<Running>,
    /// Nodes it said it has spent on this search.
    pub nodes: u64,
    /// When it last said something, or was last sent something it must answer.
    pub last_heard: u64,
}

impl Member {
    pub fn new(lanes: u32, now: u64) -> Self {
        Self {
            lanes,
            sequence: 0,
            due: Vec::new(),
            speculative: Vec::new(),
            running: Vec::new(),
            nodes: 0,
            last_heard: now,
        }
    }

    fn is_running(&self, want: &Want) -> bool {
        self.running.iter().any(|job| job.tag == want.tag && job.depth == want.depth)
    }
}

/// The due work of every slave, in pass order.
#[derive(Debug, Default)]
pub(crate) struct Allocation {
    due: BTreeMap<SlaveId, Vec<Visit>>,
}

impl Allocation {
    /// Deals out the uncertain leaves of a pass.
    pub fn deal<G: Game>(
        leaves: &mut LeafTable<G>,
        members: &BTreeMap<SlaveId, Member>,
        uncertain: &[Visit],
    ) -> Self {
        let due = members.keys().map(|&slave| (slave, Vec::new())).collect();
        let mut allocation = Self { due };
        for &visit in uncertain {
            let Some(leaf) = leaves.get_mut(visit.leaf) else { continue };
            let owner = match leaf.owner.filter(|owner| members.contains_key(owner)) {
                Some(owner) => owner,
                None => match allocation.least_loaded(members) {
                    Some(slave) => slave,
                    None => return allocation,
                },
            };
            leaf.owner = Some(owner);
            allocation.due.entry(owner).or_default().push(visit);
        }
        allocation.feed_the_hungry(leaves, members);
        allocation
    }

    fn load(&self, slave: SlaveId, member: &Member) -> (u64, SlaveId) {
        let due = self.due.get(&slave).map_or(0, Vec::len) as u64;
        (due * 1_000 / u64::from(member.lanes.max(1)), slave)
    }

    fn least_loaded(&self, members: &BTreeMap<SlaveId, Member>) -> Option<SlaveId> {
        members.iter().map(|(&slave, member)| self.load(slave, member)).min().map(|(_, s)| s)
    }

    /// Moves work that nobody has begun to slaves that have too little.
    fn feed_the_hungry<G: Game>(
        &mut self,
        leaves: &mut LeafTable<G>,
        members: &BTreeMap<SlaveId, Member>,
    ) {
        for (&hungry, member) in members {
            while self.due.get(&hungry).map_or(0, Vec::len) < member.lanes as usize {
                let Some((donor, place)) = self.spare_work(leaves, members) else { return };
                let Some(queue) = self.due.get_mut(&donor) else { return };
                let visit = queue.remove(place);
                if let Some(leaf) = leaves.get_mut(visit.leaf) {
                    leaf.disown();
                    leaf.owner = Some(hungry);
                }
                self.due.entry(hungry).or_default().push(visit);
            }
        }
    }

    /// The most urgent unbegun work of the slave that has most to spare.
    fn spare_work<G: Game>(
        &self,
        leaves: &LeafTable<G>,
        members: &BTreeMap<SlaveId, Member>,
    ) -> Option<(SlaveId, usize)> {
        let surplus = |slave: SlaveId| {
            let lanes = members.get(&slave).map_or(1, |member| member.lanes as usize);
            self.due.get(&slave).map_or(0, Vec::len).saturating_sub(lanes)
        };
        let donor = members.keys().copied().max_by_key(|&slave| (surplus(slave), slave))?;
        if surplus(donor) == 0 {
            return None;
        }
        let member = members.get(&donor)?;
        // The first wants are what its lanes run, or will run before word of the move arrives.
        let queue = self.due.get(&donor)?;
        // A leaf wanted at two depths stays: it has one owner, who would lose the other depth.
        let alone = |leaf| queue.iter().filter(|visit| visit.leaf == leaf).count() == 1;
        let unbegun = (member.lanes as usize..queue.len()).find(|&place| {
            alone(queue[place].leaf) && !member.is_running(&want(leaves, &queue[place]))
        })?;
        Some((donor, unbegun))
    }

    /// The agenda of one slave.
    pub fn due<G: Game>(&self, slave: SlaveId, leaves: &LeafTable<G>) -> Vec<Want> {
        let visits = self.due.get(&slave).into_iter().flatten();
        visits.map(|visit| want(leaves, visit)).collect()
    }

    /// Lanes for which nothing is due.
    pub fn idle(&self, members: &BTreeMap<SlaveId, Member>) -> usize {
        let due = |slave| self.due.get(slave).map_or(0, Vec::len);
        members
            .iter()
            .map(|(slave, member)| (member.lanes as usize).saturating_sub(due(slave)))
            .sum()
    }
}

fn want<G: Game>(leaves: &LeafTable<G>, visit: &Visit) -> Want {
    Want { tag: leaves.tag(visit.leaf), depth: visit.depth, window: visit.window }
}

/// What each slave may do ahead of time: its certain leaves one ply deeper, left to right, with the
/// windows moved by the change expected of the root's value (`drift`, seen from the root).
pub(crate) fn speculative<G: Game>(
    leaves: &LeafTable<G>,
    certain: &[Visit],
    drift: Value,
) -> BTreeMap<SlaveId, Vec<Want>> {
    let mut ahead: BTreeMap<SlaveId, Vec<Want>> = BTreeMap::new();
    for visit in certain {
        let Some(owner) = leaves.get(visit.leaf).and_then(|leaf| leaf.owner) else { continue };
        let wants = ahead.entry(owner).or_default();
        let tag = leaves.tag(visit.leaf);
        if wants.len() == SPECULATIVE_WANTS || wants.iter().any(|want| want.tag == tag) {
            continue;
        }
        let shift = if visit.root_side { drift } else { -drift };
        let Window { alpha, beta } = visit.window;
        let window = if visit.window.is_open() {
            visit.window
        } else {
            Window { alpha: alpha + shift, beta: beta + shift }
        };
        wants.push(Want { tag, depth: visit.depth + 1, window });
    }
    ahead
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::othello::Othello;
    use crate::search::horizon::Node;

    #[test]
    fn a_leaf_wanted_at_two_depths_is_not_torn_apart() {
        let position = Othello::start();
        let mut leaves: LeafTable<Othello> = LeafTable::new();
        for identity in 0..2 {
            let (alpha, beta) = (0, 1);
            let (ply, depth, null_allowed, history) = (2, 3, true, &[][..]);
            let position = &position;
            let node = Node { position, identity, ply, depth, alpha, beta, null_allowed, history };
            leaves.visit(&node);
        }
        let window = Window { alpha: 0, beta: 1 };
        let visit = |leaf, depth| Visit { leaf, depth, window, root_side: true };
        let (rich, poor) = (SlaveId(1), SlaveId(2));
        let mut members = BTreeMap::from([(rich, Member::new(1, 0))]);
        let uncertain = [visit(0, 2), visit(0, 3), visit(1, 2)];
        Allocation::deal(&mut leaves, &members, &uncertain);
        members.insert(poor, Member::new(1, 0));
        let allocation = Allocation::deal(&mut leaves, &members, &uncertain);
        for slave in [rich, poor] {
            let due = allocation.due(slave, &leaves);
            assert!(!due.is_empty(), "{slave:?} has nothing to do");
            for want in due {
                let owner = leaves.get(want.tag.leaf).and_then(|leaf| leaf.owner);
                assert_eq!(owner, Some(slave), "{want:?}");
            }
        }
    }
}
