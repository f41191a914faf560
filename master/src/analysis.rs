//! The service for clients: searches, commands, status.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use futures_core::Stream;
use proto::v1::analysis_server::Analysis;
use proto::v1::control_request::Command;
use proto::{printable, v1};
use tonic::{Request, Response, Status};

use crate::events::Events;
use crate::hub::pause::Chosen;
use crate::hub::{Busy, Hub, Opening};
use crate::inbox::{Inbox, Input};
use crate::outbox::{Outbox, Outgoing};
use crate::request::{Order, invalid};
use crate::{request, session, status};

/// How long a search may take to answer when its client wants the next one begun. A few
/// milliseconds are usual.
const REPLACING: Duration = Duration::from_secs(5);

/// The service.
#[derive(Debug, Clone)]
pub(crate) struct Desk {
    hub: Arc<Hub>,
}

impl Desk {
    /// A desk at which the searches of `hub` are ordered.
    pub fn new(hub: Arc<Hub>) -> Self {
        Self { hub }
    }

    async fn open<G: Game>(&self, request: v1::SearchRequest) -> Result<Hearing, Status> {
        let order = Order::<G>::read(request)?;
        let (events, outgoing) = Outbox::new();
        let opening = self.take_place(&order, &events).await?;
        let inbox = Arc::clone(&opening.running.inbox);
        // If the thread cannot be had, dropping its ticket gives the place back.
        session::start(Arc::clone(&self.hub), order, opening, events).map_err(|error| {
            tracing::error!(%error, "cannot start a search");
            Status::internal(format!("the master cannot start a search: {error}"))
        })?;
        Ok(Hearing { outgoing, inbox })
    }

    /// Takes the one place for a search, from this session's own earlier search if need be.
    async fn take_place<G: Game>(
        &self,
        order: &Order<G>,
        events: &Outbox<Events>,
    ) -> Result<Opening<G>, Status> {
        loop {
            let position = order.request.line.position.text();
            match self.hub.begin(order.session, position, order.frontier, events.clone()) {
                Ok(opening) => return Ok(opening),
                Err(Busy::Closing) => {
                    return Err(Status::unavailable("the master is shutting down"));
                }
                Err(Busy::Other) => {
                    return Err(Status::resource_exhausted(
                        "another client's search is running; this master runs one at a time",
                    ));
                }
                Err(Busy::Same(earlier)) => {
                    earlier.push(Input::Stop);
                    if !self.hub.search_over(REPLACING).await {
                        return Err(Status::resource_exhausted(
                            "the session's earlier search does not come to its end",
                        ));
                    }
                }
            }
        }
    }
}

#[tonic::async_trait]
impl Analysis for Desk {
    type SearchStream = Hearing;

    async fn search(
        &self,
        request: Request<v1::SearchRequest>,
    ) -> Result<Response<Hearing>, Status> {
        let request = request.into_inner();
        let hearing = match request.game.as_str() {
            Chess::NAME => self.open::<Chess>(request).await,
            Othello::NAME => self.open::<Othello>(request).await,
            other => {
                let other = printable(other, 64);
                let (chess, othello) = (Chess::NAME, Othello::NAME);
                Err(invalid(format!("unknown game {other:?}: there are {chess} and {othello}")))
            }
        };
        hearing.map(Response::new)
    }

    async fn control(
        &self,
        request: Request<v1::ControlRequest>,
    ) -> Result<Response<v1::ControlReply>, Status> {
        let v1::ControlRequest { session, command } = request.into_inner();
        let applied = match command {
            Some(Command::Stop(_)) => self.hub.command(session, Input::Stop),
            Some(Command::PonderHit(_)) => self.hub.command(session, Input::PonderHit),
            Some(Command::NewGame(_)) if self.hub.new_game(session) => true,
            Some(Command::NewGame(_)) => {
                return Err(Status::failed_precondition(
                    "another client's search is running; what it learns cannot be forgotten now",
                ));
            }
            None => return Err(invalid("command is missing or unknown to this master")),
        };
        Ok(Response::new(v1::ControlReply { applied }))
    }

    async fn status(
        &self,
        _: Request<v1::StatusRequest>,
    ) -> Result<Response<v1::StatusReply>, Status> {
        Ok(Response::new(status::report(&self.hub)))
    }

    async fn set_paused(
        &self,
        request: Request<v1::SetPausedRequest>,
    ) -> Result<Response<v1::SetPausedReply>, Status> {
        let (pause, resume) = request::choices(request.into_inner())?;
        let chosen = self
            .hub
            .set_paused(&pause, &resume)
            .map_err(|unknown| Status::not_found(unknown.to_string()))?;
        let workers = chosen.into_iter().map(|Chosen { id, name, paused }| v1::ChosenWorker {
            id,
            name,
            paused,
        });
        Ok(Response::new(v1::SetPausedReply { workers: workers.collect() }))
    }
}

/// The stream a client hears of its search. When the client hangs up, the search stops.
#[derive(Debug)]
pub(crate) struct Hearing {
    outgoing: Outgoing<Events>,
    inbox: Arc<Inbox>,
}

impl Stream for Hearing {
    type Item = Result<v1::SearchEvent, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.outgoing).poll_next(cx)
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        self.inbox.push(Input::HungUp);
    }
}
