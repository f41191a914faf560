//! What becomes of a message: when it arrives, how often, and whether at all.

use std::collections::BTreeMap;

use engine_core::aphid::master::SlaveId;
use engine_core::random::SplitMix64;

use crate::clock::Time;

use super::options::Options;

/// In which direction a message travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// From the master to a worker.
    ToSlave,
    /// From a worker to the master.
    ToMaster,
}

/// Every connection there is or was.
#[derive(Debug)]
pub struct Network {
    random: SplitMix64,
    /// Last arrival per connection and direction, for networks that keep order.
    last: BTreeMap<(SlaveId, Direction), Time>,
}

impl Network {
    /// A network whose whims follow from `seed`.
    pub fn new(seed: u64) -> Self {
        Self { random: SplitMix64::new(seed), last: BTreeMap::new() }
    }

    /// When copies of a message sent at `now` arrive. Only a `faulty` network loses or doubles.
    pub fn arrivals(
        &mut self,
        options: &Options,
        link: (SlaveId, Direction),
        now: Time,
        faulty: bool,
    ) -> Vec<Time> {
        let chance = |random: &mut SplitMix64, of_1000| random.below(1_000) < of_1000;
        if faulty && chance(&mut self.random, options.loss) {
            return Vec::new();
        }
        let copies = if faulty && chance(&mut self.random, options.duplicates) { 2 } else { 1 };
        (0..copies).map(|_| self.arrival(options, link, now, faulty)).collect()
    }

    fn arrival(
        &mut self,
        options: &Options,
        link: (SlaveId, Direction),
        now: Time,
        faulty: bool,
    ) -> Time {
        let (shortest, longest) = options.latency;
        let mut arrival = now + shortest + self.random.below(longest - shortest + 1);
        if options.in_order {
            let last = self.last.entry(link).or_default();
            *last = arrival.max(*last);
            return *last;
        }
        // Now and then a message takes so long that another search, or owner, has come meanwhile.
        if faulty && self.random.below(50) == 0 {
            arrival += self.random.below(4 * options.keepalive);
        }
        arrival
    }
}
