//! Where to split (Hyatt, section 3): at a node all of whose moves will have to be searched, and
//! with as much work as possible.
//!
//! Node types are Knuth and Moore's by the place in the tree, overridden with evidence: every move
//! that was searched without a cut-off makes it likelier that none will be found. Cray Blitz
//! re-typed a CUT node after three moves; here the same evidence is a probability.

use std::cmp::Reverse;

use crate::game::Game;
use crate::search::frame::{Frame, Phase};

use super::team::{Tuning, Typing};

/// What a node is expected to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeType {
    /// Its window is open.
    Pv,
    /// One move will refute it.
    Cut,
    /// No move will.
    All,
}

/// One ply of a processor's tree, as it is shown to an idle one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlyState {
    pub ply: usize,
    /// Names the node, with its depth.
    pub key: u64,
    /// Remaining depth in plies.
    pub depth: i32,
    pub kind: NodeType,
    /// Moves searched.
    pub tried: u32,
    /// Moves nobody has taken.
    pub left: u32,
    /// Confidence that all of them must be searched, in permille.
    pub confidence: i32,
}

/// Permille of nodes that turn out to have no cut-off, before any move is searched. Estimates, as
/// the next table: the lab sees little difference between them and others near them.
const PRIOR: [(NodeType, i64); 3] =
    [(NodeType::Pv, 1000), (NodeType::Cut, 100), (NodeType::All, 850)];

/// Permille of the nodes with a cut-off that have not shown it after so many moves.
const HIDDEN: [i64; 9] = [1000, 220, 120, 80, 60, 45, 35, 30, 25];

/// The type of every node of a path from the root: `TypeNode` of Cray Blitz.
///
/// The children of PV nodes that are searched with a zero window, and those of ALL nodes, are CUT
/// nodes; those of CUT nodes are ALL nodes. A CUT node re-typed by evidence has CUT children.
fn type_node<G: Game>(above: Option<NodeType>, frame: &Frame<G>) -> NodeType {
    match above {
        _ if frame.is_pv() => NodeType::Pv,
        Some(NodeType::Cut) => NodeType::All,
        _ => NodeType::Cut,
    }
}

/// Confidence that a node of this type has no cut-off, in permille.
fn confidence(typing: Typing, kind: NodeType, tried: u32) -> i32 {
    match typing {
        Typing::Evidence => by_evidence(kind, tried),
        Typing::Paper => by_the_paper(kind, tried),
    }
}

/// The paper's rule: a CUT node is one until more than three moves have been searched, and an ALL
/// node gains confidence with every move. The paper gives no numbers; these only set the order.
fn by_the_paper(kind: NodeType, tried: u32) -> i32 {
    match kind {
        NodeType::Pv => 1000,
        NodeType::Cut if tried <= 3 => 0,
        NodeType::All | NodeType::Cut => 1000 - 500 / (tried as i32 + 1),
    }
}

/// A node's type says how often nodes of its kind have no cut-off; each move searched without one
/// says how much likelier that has become (Bayes' rule).
fn by_evidence(kind: NodeType, tried: u32) -> i32 {
    let prior = PRIOR.iter().find(|(of, _)| *of == kind).map_or(0, |(_, prior)| *prior);
    let hidden = HIDDEN[(tried as usize).min(HIDDEN.len() - 1)];
    let none = prior * 1000;
    (1000 * none / (none + (1000 - prior) * hidden)) as i32
}

/// Describes a path for [`choose`]: the nodes whose moves are generated and not all taken.
pub(crate) fn describe<G: Game>(path: &[Frame<G>], typing: Typing, into: &mut Vec<PlyState>) {
    into.clear();
    let mut above = None;
    for (ply, frame) in path.iter().enumerate() {
        let mut kind = type_node(above, frame);
        let confidence = confidence(typing, kind, frame.tried);
        if kind == NodeType::Cut && confidence >= 600 {
            kind = NodeType::All;
        }
        above = Some(kind);
        let has_moves = frame.generated && matches!(frame.phase, Phase::Pick | Phase::Resolve);
        if has_moves && frame.next < frame.end {
            let Frame { key, depth, tried, .. } = *frame;
            let left = frame.end - frame.next;
            into.push(PlyState { ply, key, depth, kind, tried, left, confidence });
        }
    }
}

/// The size of the work at a node, in hundredths of doublings.
pub(super) fn work(depth: i32, moves: u32) -> i32 {
    let whole = moves.max(1).ilog2();
    let rest = 100 * moves.max(1) / (1 << whole) - 100;
    160 * depth + 100 * whole as i32 + rest as i32
}

/// The best split point among the trees shown, with its owner.
pub(super) fn choose<'a>(
    states: impl Iterator<Item = (usize, &'a [PlyState])>,
    tuning: &Tuning,
) -> Option<(usize, PlyState)> {
    let all = states.flat_map(|(owner, states)| states.iter().map(move |&state| (owner, state)));
    let eligible = all.filter(|(_, state)| is_eligible(state, tuning));
    eligible.max_by_key(|(owner, state)| {
        let doubt = (1000 - state.confidence) * tuning.confidence_weight / 1000;
        (work(state.depth, state.left) - doubt, Reverse((*owner, state.ply)))
    })
}

/// A node that may be split at all.
fn is_eligible(state: &PlyState, tuning: &Tuning) -> bool {
    let ripe = match (state.kind, state.ply) {
        (NodeType::Pv, 0) => tuning.root_moves.max(1),
        (NodeType::Pv, _) => tuning.open_moves.max(1),
        _ => 0,
    };
    state.tried >= ripe
        && state.depth >= tuning.min_depth
        && state.confidence >= tuning.min_confidence
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(kind: NodeType, ply: usize, depth: i32, tried: u32) -> PlyState {
        let confidence = by_evidence(kind, tried);
        PlyState { ply, key: 0, depth, kind, tried, left: 10, confidence }
    }

    fn chosen(states: &[PlyState]) -> Option<usize> {
        let all = [(0, states)];
        choose(all.into_iter(), &Tuning::default()).map(|(_, state)| state.ply)
    }

    #[test]
    fn every_move_without_a_cut_off_adds_confidence() {
        for kind in [NodeType::Cut, NodeType::All] {
            for tried in 0..8 {
                assert!(
                    by_evidence(kind, tried) < by_evidence(kind, tried + 1),
                    "{kind:?} {tried}"
                );
            }
        }
        assert_eq!(by_evidence(NodeType::Pv, 0), 1000);
    }

    #[test]
    fn cut_nodes_are_left_alone_until_evidence_speaks_against_it() {
        assert_eq!(chosen(&[state(NodeType::Cut, 3, 9, 0)]), None);
        assert_eq!(
            chosen(&[state(NodeType::Cut, 3, 9, 0), state(NodeType::All, 6, 4, 0)]),
            Some(6)
        );
        assert_eq!(chosen(&[state(NodeType::Cut, 3, 9, 6)]), Some(3));
    }

    #[test]
    fn open_nodes_wait_for_their_first_move() {
        assert_eq!(chosen(&[state(NodeType::Pv, 2, 8, 0)]), None);
        assert_eq!(chosen(&[state(NodeType::Pv, 2, 8, 3)]), Some(2));
    }

    #[test]
    fn among_equals_the_one_with_more_work_is_chosen() {
        let (high, low) = (state(NodeType::All, 2, 8, 2), state(NodeType::All, 4, 6, 2));
        assert_eq!(chosen(&[low, high]), Some(2));
        assert!(work(5, 20) > work(5, 10) && work(6, 10) > work(5, 10));
    }
}
