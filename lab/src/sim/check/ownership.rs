//! One owner a leaf: what the master has said to whom, compared with what the slaves believe.

use std::collections::BTreeMap;

use engine_core::aphid::master::SlaveId;
use engine_core::aphid::messages::{LeafTag, SearchTag, ToSlave};
use engine_core::aphid::slave::Slave;
use engine_core::game::Game;

use super::{Verdict, check};

const NAME: &str = "ownership";

/// Who has been given a leaf last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Deed {
    generation: u32,
    slave: SlaveId,
}

/// The deeds of the running search.
#[derive(Debug, Default)]
pub struct Ownership {
    search: Option<SearchTag>,
    deeds: BTreeMap<u32, Deed>,
    /// Deeds of slaves that have left: their generation is used up.
    void: BTreeMap<u32, u32>,
}

impl Ownership {
    /// A search begins, or (nothing) ends.
    pub fn begun(&mut self, search: Option<SearchTag>) {
        *self = Self { search, ..Self::default() };
    }

    /// Leaves given so far.
    pub fn len(&self) -> usize {
        self.deeds.len() + self.void.len()
    }

    /// Some leaf and its present generation.
    pub fn some_tag(&self) -> Option<LeafTag> {
        let (&leaf, deed) = self.deeds.last_key_value()?;
        Some(LeafTag { leaf, generation: deed.generation })
    }

    /// A slave has left; it owns nothing any more.
    pub fn left(&mut self, slave: SlaveId) {
        let gone = self.deeds.iter().filter(|(_, deed)| deed.slave == slave);
        self.void.extend(gone.map(|(&leaf, deed)| (leaf, deed.generation)));
        self.deeds.retain(|_, deed| deed.slave != slave);
    }

    /// `slave` owns the leaf in this generation of this search.
    pub fn owns(&self, slave: SlaveId, search: SearchTag, tag: LeafTag) -> bool {
        let deed = Deed { generation: tag.generation, slave };
        self.search == Some(search) && self.deeds.get(&tag.leaf) == Some(&deed)
    }

    /// The master writes to a slave: a leaf changes hands only with a new generation, and nobody
    /// is asked for what is not theirs.
    pub fn said<G: Game>(&mut self, to: SlaveId, message: &ToSlave<G>) -> Verdict {
        match message {
            ToSlave::Assign { search, leaves } => {
                for spec in leaves {
                    self.give(to, *search, spec.tag)?;
                }
            }
            ToSlave::Agenda { search, due, speculative, .. } => {
                for want in due.iter().chain(speculative) {
                    let (leaf, generation) = (want.tag.leaf, want.tag.generation);
                    check(NAME, self.owns(to, *search, want.tag), || {
                        format!("slave {} is asked for leaf {leaf}.{generation} of others", to.0)
                    })?;
                }
            }
            ToSlave::Begin { .. } | ToSlave::End { .. } => {}
        }
        Ok(())
    }

    fn give(&mut self, to: SlaveId, search: SearchTag, tag: LeafTag) -> Verdict {
        let LeafTag { leaf, generation } = tag;
        check(NAME, self.search == Some(search), || "a leaf of another search".into())?;
        let deed = Deed { generation, slave: to };
        let before = self.deeds.insert(leaf, deed);
        let fair = before.is_none_or(|before| before == deed || before.generation < generation);
        let unused = self.void.remove(&leaf).is_none_or(|void| void < generation);
        check(NAME, fair && unused, || {
            format!("leaf {leaf}.{generation} goes to slave {}, but was {before:?}", to.0)
        })
    }

    /// Of all `slaves`, at most one believes to own the present generation of leaf `tag`.
    pub fn believed<'a, G: Game>(
        &self,
        slaves: impl Iterator<Item = &'a Slave<G>>,
        tag: LeafTag,
    ) -> Verdict {
        let Some(search) = self.search else { return Ok(()) };
        let current = self.deeds.get(&tag.leaf).is_some_and(|d| d.generation == tag.generation);
        let believers = slaves.filter(|slave| slave.holds(search, tag)).count();
        check(NAME, !current || believers <= 1, || {
            format!("{believers} slaves hold leaf {}.{}", tag.leaf, tag.generation)
        })
    }
}

#[cfg(test)]
mod tests {
    use engine_core::aphid::messages::{LeafSpec, Want, Window};
    use engine_core::games::othello::Othello;
    use engine_core::line::Line;

    use super::*;

    const SEARCH: SearchTag = SearchTag { epoch: 1, search: 1 };

    fn assign(generation: u32) -> ToSlave<Othello> {
        let tag = LeafTag { leaf: 3, generation };
        let line = Line::new(Othello::start());
        ToSlave::Assign { search: SEARCH, leaves: vec![LeafSpec { tag, line, null_allowed: true }] }
    }

    fn agenda(generation: u32) -> ToSlave<Othello> {
        let tag = LeafTag { leaf: 3, generation };
        let due = vec![Want { tag, depth: 2, window: Window { alpha: 0, beta: 1 } }];
        ToSlave::Agenda { search: SEARCH, sequence: 1, due, speculative: vec![], repeat: false }
    }

    #[test]
    fn a_leaf_changes_hands_with_its_generation_only() {
        let mut ownership = Ownership::default();
        ownership.begun(Some(SEARCH));
        ownership.said(SlaveId(1), &assign(0)).unwrap();
        ownership.said(SlaveId(1), &assign(0)).unwrap();
        ownership.said(SlaveId(1), &agenda(0)).unwrap();
        assert!(ownership.said(SlaveId(2), &agenda(0)).is_err());
        ownership.said(SlaveId(2), &assign(1)).unwrap();
        assert!(ownership.said(SlaveId(1), &agenda(0)).is_err());
        assert!(ownership.said(SlaveId(1), &assign(1)).is_err());
    }

    #[test]
    fn who_has_left_owns_nothing() {
        let mut ownership = Ownership::default();
        ownership.begun(Some(SEARCH));
        ownership.said(SlaveId(1), &assign(0)).unwrap();
        let tag = LeafTag { leaf: 3, generation: 0 };
        assert!(ownership.owns(SlaveId(1), SEARCH, tag));
        ownership.left(SlaveId(1));
        assert!(!ownership.owns(SlaveId(1), SEARCH, tag));
        assert!(ownership.said(SlaveId(2), &assign(0)).is_err());
    }

    #[test]
    fn two_believers_are_found() {
        let mut ownership = Ownership::default();
        ownership.begun(Some(SEARCH));
        ownership.said(SlaveId(1), &assign(0)).unwrap();
        let mut slaves = [Slave::<Othello>::new(1, 1), Slave::new(1, 1)];
        for (count, slave) in slaves.iter_mut().enumerate() {
            let profile = engine_core::search::Profile::Exact;
            slave.handle(ToSlave::Begin { search: SEARCH, profile, fresh: true });
            if count == 0 {
                slave.handle(assign(0));
            }
        }
        let tag = LeafTag { leaf: 3, generation: 0 };
        ownership.believed(slaves.iter(), tag).unwrap();
        slaves[1].handle(assign(0));
        assert!(ownership.believed(slaves.iter(), tag).is_err());
    }
}
