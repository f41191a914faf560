//! What is on its way to one worker.
//!
//! A worker that reads slowly must neither hold up the search nor let a queue grow. It need not:
//! a newer agenda replaces an older one, a new search replaces everything of the one before, and
//! leaves that find no room here are asked for again by the worker (`Missing`).

use std::collections::VecDeque;

use proto::limits::LEAVES;
use proto::v1::master_message::Kind;
use proto::v1::{
    Agenda, Assign, Begin, End, Goodbye, Hearsay, Leaf, MasterMessage, Pause, PeerList, Ping,
    Resume, SearchTag,
};

use crate::outbox::Slots;

/// Unread leaves of one worker.
const MOST_LEAVES: usize = 8192;
/// Messages of other workers that one worker has not read: half a megabyte.
const MOST_HEARSAY: usize = 16;

/// Whose words about a search are let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seat {
    Taken(u64),
    Empty,
}

impl Default for Seat {
    fn default() -> Self {
        Self::Taken(0)
    }
}

/// At most one message of each kind, and the unread leaves.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    /// Welcome or Refused.
    greeting: Option<Kind>,
    pause: Option<Pause>,
    resume: Option<Resume>,
    /// From which of the worker's seats it is spoken to; nothing while it is paused.
    seat: Seat,
    /// The search that the rest belongs to.
    search: Option<SearchTag>,
    begin: Option<Begin>,
    leaves: VecDeque<Leaf>,
    agenda: Option<Agenda>,
    end: Option<End>,
    peers: Option<PeerList>,
    /// What other workers found, the oldest first.
    hearsay: VecDeque<Hearsay>,
    ping: Option<Ping>,
    goodbye: Option<Goodbye>,
}

impl Mailbox {
    /// Puts a message in its place.
    pub fn put(&mut self, message: Kind) {
        match message {
            Kind::Welcome(_) | Kind::Refused(_) => self.greeting = Some(message),
            Kind::Begin(begin) => self.begin(begin),
            Kind::Assign(assign) if assign.search == self.search => self.assign(assign.leaves),
            Kind::Agenda(mut agenda) if agenda.search == self.search => {
                // A wish for repetition must not be lost with the agenda that carried it.
                agenda.repeat |= self.agenda.as_ref().is_some_and(|unread| unread.repeat);
                self.agenda = Some(agenda);
            }
            Kind::End(end) => {
                self.leaves.clear();
                self.agenda = None;
                self.end = Some(end);
            }
            Kind::Ping(ping) => self.ping = Some(ping),
            Kind::Goodbye(goodbye) => self.goodbye = Some(goodbye),
            Kind::Pause(pause) => self.pause = Some(pause),
            Kind::Resume(resume) => self.resume = Some(resume),
            Kind::Peers(peers) => self.peers = Some(peers),
            Kind::Hearsay(hearsay) => {
                if self.hearsay.len() == MOST_HEARSAY {
                    self.hearsay.pop_front();
                }
                self.hearsay.push_back(hearsay);
            }
            Kind::Assign(_) | Kind::Agenda(_) => {}
        }
    }

    /// Puts a message about a search in its place, unless the worker has lost the seat that it was
    /// meant for: the search may not have heard yet.
    pub fn put_for(&mut self, seat: u64, message: Kind) {
        if self.seat == Seat::Taken(seat) {
            self.put(message);
        }
    }

    /// The worker is paused: what it has not read about a search is void.
    pub fn pause(&mut self) {
        self.seat = Seat::Empty;
        self.resume = None;
        self.begin = None;
        self.leaves.clear();
        self.agenda = None;
        self.end = None;
        self.put(Kind::Pause(Pause {}));
    }

    /// The worker may search again, on a new seat. A pause that it has not read yet stays: it must
    /// forget what it held, for everything comes anew.
    pub fn resume(&mut self, seat: u64) {
        self.seat = Seat::Taken(seat);
        self.put(Kind::Resume(Resume {}));
    }

    fn begin(&mut self, begin: Begin) {
        // The greeting of the running search may be repeated; what follows it stays.
        if begin.search != self.search {
            self.search = begin.search;
            self.leaves.clear();
            self.agenda = None;
            self.end = None;
        }
        self.begin = Some(begin);
    }

    fn assign(&mut self, leaves: Vec<Leaf>) {
        let room = MOST_LEAVES - self.leaves.len();
        self.leaves.extend(leaves.into_iter().take(room));
    }

    fn next_assign(&mut self) -> Option<Kind> {
        if self.leaves.is_empty() {
            return None;
        }
        let count = self.leaves.len().min(LEAVES);
        let leaves = self.leaves.drain(..count).collect();
        Some(Kind::Assign(Assign { search: self.search, leaves }))
    }
}

impl Slots for Mailbox {
    type Item = MasterMessage;

    fn next(&mut self) -> Option<MasterMessage> {
        let kind = self
            .greeting
            .take()
            .or_else(|| self.ping.take().map(Kind::Ping))
            .or_else(|| self.pause.take().map(Kind::Pause))
            .or_else(|| self.resume.take().map(Kind::Resume))
            .or_else(|| self.begin.take().map(Kind::Begin))
            .or_else(|| self.next_assign())
            .or_else(|| self.agenda.take().map(Kind::Agenda))
            .or_else(|| self.end.take().map(Kind::End))
            .or_else(|| self.peers.take().map(Kind::Peers))
            .or_else(|| self.hearsay.pop_front().map(Kind::Hearsay))
            .or_else(|| self.goodbye.take().map(Kind::Goodbye))?;
        Some(kind.into())
    }
}

#[cfg(test)]
mod tests {
    use proto::v1::LeafTag;

    use super::*;

    const fn tag(search: u32) -> SearchTag {
        SearchTag { epoch: 9, search }
    }

    fn begin(search: u32) -> Kind {
        Kind::Begin(Begin { search: Some(tag(search)), ..Begin::default() })
    }

    fn assign(search: u32, leaves: std::ops::Range<u32>) -> Kind {
        let leaf = |leaf| Leaf { tag: Some(LeafTag { leaf, generation: 0 }), ..Leaf::default() };
        Kind::Assign(Assign { search: Some(tag(search)), leaves: leaves.map(leaf).collect() })
    }

    fn agenda(search: u32, sequence: u64, repeat: bool) -> Kind {
        Kind::Agenda(Agenda { search: Some(tag(search)), sequence, repeat, ..Agenda::default() })
    }

    fn read(mailbox: &mut Mailbox) -> Vec<Kind> {
        std::iter::from_fn(|| mailbox.next()?.kind).collect()
    }

    #[test]
    fn leaves_come_before_the_agenda_that_names_them_and_old_agendas_vanish() {
        let mut mailbox = Mailbox::default();
        for message in
            [begin(1), agenda(1, 1, true), assign(1, 0..2), begin(1), agenda(1, 2, false)]
        {
            mailbox.put(message);
        }
        assert_eq!(read(&mut mailbox), [begin(1), assign(1, 0..2), agenda(1, 2, true)]);
    }

    #[test]
    fn a_new_search_replaces_the_old_one() {
        let mut mailbox = Mailbox::default();
        for message in [
            begin(1),
            assign(1, 0..2),
            Kind::End(End { search: Some(tag(1)) }),
            begin(2),
            agenda(1, 7, false),
            assign(1, 2..3),
            agenda(2, 1, false),
        ] {
            mailbox.put(message);
        }
        assert_eq!(read(&mut mailbox), [begin(2), agenda(2, 1, false)]);
    }

    #[test]
    fn a_pause_voids_what_is_unread_and_what_is_said_from_an_earlier_seat() {
        let mut mailbox = Mailbox::default();
        for message in [begin(1), assign(1, 0..2), agenda(1, 7, true)] {
            mailbox.put_for(0, message);
        }
        mailbox.pause();
        mailbox.put_for(0, agenda(1, 8, false));
        mailbox.resume(1);
        // The search has not heard of the pause yet.
        mailbox.put_for(0, agenda(1, 9, false));
        assert_eq!(read(&mut mailbox), [Kind::Pause(Pause {}), Kind::Resume(Resume {})]);
        for message in [begin(1), assign(1, 0..1), agenda(1, 1, false)] {
            mailbox.put_for(1, message);
        }
        assert_eq!(read(&mut mailbox), [begin(1), assign(1, 0..1), agenda(1, 1, false)]);
        mailbox.resume(2);
        mailbox.pause();
        assert_eq!(read(&mut mailbox), [Kind::Pause(Pause {})]);
    }

    #[test]
    fn what_others_found_comes_last_and_the_oldest_of_it_is_given_up() {
        let mut mailbox = Mailbox::default();
        let hearsay = |token| Kind::Hearsay(Hearsay { token, ..Hearsay::default() });
        for token in 0..MOST_HEARSAY as u64 + 2 {
            mailbox.put(hearsay(token));
        }
        mailbox.put(begin(1));
        let read = read(&mut mailbox);
        assert_eq!(read.len(), 1 + MOST_HEARSAY);
        assert_eq!(read[..2], [begin(1), hearsay(2)]);
    }

    #[test]
    fn unread_leaves_are_bounded_and_cut_into_messages() {
        let mut mailbox = Mailbox::default();
        mailbox.put(begin(1));
        mailbox.put(assign(1, 0..MOST_LEAVES as u32));
        mailbox.put(assign(1, 10_000..10_100));
        let messages = read(&mut mailbox);
        let leaves: Vec<usize> = messages
            .iter()
            .filter_map(|kind| match kind {
                Kind::Assign(assign) => Some(assign.leaves.len()),
                _ => None,
            })
            .collect();
        assert_eq!(leaves.iter().sum::<usize>(), MOST_LEAVES);
        assert!(leaves.iter().all(|&count| count <= LEAVES));
    }
}
