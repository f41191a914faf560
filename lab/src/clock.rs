//! Virtual time: events in the order of their time, ties in the order of their making.

use std::collections::BTreeMap;

/// Virtual time; the unit is one searched node.
pub type Time = u64;

/// Events that will happen.
#[derive(Debug)]
pub struct Agenda<E> {
    events: BTreeMap<(Time, u64), E>,
    made: u64,
}

impl<E> Default for Agenda<E> {
    fn default() -> Self {
        Self { events: BTreeMap::new(), made: 0 }
    }
}

impl<E> Agenda<E> {
    /// `event` will happen at `time`.
    pub fn add(&mut self, time: Time, event: E) {
        self.made += 1;
        self.events.insert((time, self.made), event);
    }

    /// When the next event happens.
    pub fn next_time(&self) -> Option<Time> {
        self.events.first_key_value().map(|((time, _), _)| *time)
    }

    /// Takes the next event if it happens by `time`.
    pub fn take_until(&mut self, time: Time) -> Option<(Time, E)> {
        let entry = self.events.first_entry()?;
        let at = entry.key().0;
        (at <= time).then(|| (at, entry.remove()))
    }
}
