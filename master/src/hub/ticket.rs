//! The right to search.

use std::sync::Arc;

use engine_core::game::Game;
use proto::v1;

use super::{Hub, Running};
use crate::events::Events;
use crate::inbox::Inbox;
use crate::mind::Mind;
use crate::outbox::Outbox;

/// The right to search. Whatever happens to its holder, the place is free afterwards and the
/// client's stream has an end.
#[derive(Debug)]
pub(crate) struct Ticket {
    hub: Arc<Hub>,
    inbox: Arc<Inbox>,
    events: Outbox<Events>,
}

impl Ticket {
    /// The right to the search that `inbox` belongs to, heard by the reader of `events`.
    pub fn new(hub: Arc<Hub>, inbox: Arc<Inbox>, events: Outbox<Events>) -> Self {
        Self { hub, inbox, events }
    }

    /// Ends the search in good order. The place is free before the client hears the result, so
    /// that it can ask for the next search at once.
    pub fn finish<G: Game>(self, mind: Mind<G>, result: v1::Result) {
        let events = self.events.clone();
        self.hub.state().shelf.put(mind);
        self.free();
        events.post(|events| events.put(v1::search_event::Kind::Result(result)));
        events.close();
    }

    fn free(&self) {
        let mut state = self.hub.state();
        let mine = |search: &Running| Arc::ptr_eq(&search.inbox, &self.inbox);
        if state.search.as_ref().is_some_and(mine) {
            state.search = None;
            state.workers.clear_leaves();
        }
        drop(state);
        self.inbox.close().iter().for_each(|unread| self.hub.counters.late.add(unread.late()));
        self.hub.over.notify_waiters();
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.free();
        self.events.fail(tonic::Status::internal("the search broke off without a result"));
    }
}
