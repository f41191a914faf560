//! Bounded memory: no call leaves more behind than its bound, no table holds more than was given.

use engine_core::aphid::messages::SearchTag;
use engine_core::aphid::slave::Slave;
use engine_core::game::Game;

use super::{Verdict, check};

const NAME: &str = "bounds";

/// Messages a member gets from one call at most: greeting, leaves, agenda.
const PER_MEMBER: usize = 3;
/// Speculative wants in one agenda, whatever the tunable says.
const AHEAD: usize = 64;
/// What one call has for the driver besides: an iteration's lines, the end.
const FOR_DRIVER: usize = 2;
/// Messages under way per worker. Agendas and results overtake each other when latency is long;
/// this tells a queue from a storm.
const UNDER_WAY: usize = 2_000;

/// One call of the master, with `members`, left so many outputs.
pub fn master_output(outputs: usize, members: usize) -> Verdict {
    check(NAME, outputs <= PER_MEMBER * members + FOR_DRIVER, || {
        format!("{outputs} outputs in one call with {members} members")
    })
}

/// An agenda does not name more than the pass found, nor more ahead than agreed.
pub fn agenda(due: usize, speculative: usize, uncertain: u64) -> Verdict {
    check(NAME, due as u64 <= uncertain && speculative <= AHEAD, || {
        format!("an agenda of {due} due and {speculative} speculative wants; {uncertain} uncertain")
    })
}

/// One call of a slave, with an agenda of `due` wants, left so many messages.
pub fn slave_output(messages: usize, due: usize) -> Verdict {
    // Every due result again, what is missing, what is running; a search finished and one begun.
    check(NAME, messages <= due + 4, || format!("{messages} messages from {due} due wants"))
}

/// A slave holds no more leaves than were given out in its search.
pub fn slave_table<G: Game>(slave: &Slave<G>, search: SearchTag, given: usize) -> Verdict {
    let held = slave.held(search);
    check(NAME, held <= given, || format!("{held} leaves of {given} in one slave"))
}

/// So many messages are under way between the master and `workers`.
pub fn under_way(messages: usize, workers: usize) -> Verdict {
    check(NAME, messages <= UNDER_WAY * (workers + 1), || {
        format!("{messages} messages under way with {workers} workers")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_is_found() {
        master_output(11, 3).unwrap();
        assert!(master_output(12, 3).is_err());
        agenda(5, 16, 5).unwrap();
        assert!(agenda(6, 0, 5).is_err());
        assert!(agenda(0, 1_000, 5).is_err());
        slave_output(4, 0).unwrap();
        assert!(slave_output(5, 0).is_err());
        assert!(under_way(1 << 20, 3).is_err());
    }
}
