//! A cluster carries out orders: a running one on the network, or one of our own in this process.
//!
//! Everything that talks runs on one thread with a single-threaded runtime; its methods only leave
//! a note and return. What goes wrong arrives as an event of the search that was wanted.

use std::io;
use std::thread;
use std::time::Duration;

use proto::v1::{self, control_request};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tonic::Streaming;

use super::client::Client;
use super::reach::{Reach, Target};
use super::{Event, Limits, Order, Sink, Trouble, wire};

/// Least and greatest time that a search waits for a master which may be gone.
const PATIENCE: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(6));
/// Between them, this part of its own time.
const HASTE: u32 = 8;

/// A way to a cluster, with at most one search at a time.
pub struct Cluster {
    notes: UnboundedSender<Note>,
}

enum Note {
    Search(Box<Order>, Sink),
    Control(Control),
    Forget,
    Abandon,
}

#[derive(Clone, Copy)]
enum Control {
    Stop,
    PonderHit,
}

impl Cluster {
    /// Sets out to reach or build a cluster; whether that works shows when it is needed. Dropping
    /// the value takes an embedded cluster down.
    ///
    /// # Errors
    /// The system has no thread or no event queue left.
    pub fn new(target: Target) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        // Unbounded, but a person or program writes few notes, and each is read at once.
        let (notes, inbox) = unbounded_channel();
        let talk = move || runtime.block_on(Talk::new(target).run(inbox));
        thread::Builder::new().name("talk".into()).spawn(talk)?;
        Ok(Self { notes })
    }

    /// Begins a search; the one before must have ended or is given up.
    pub fn search(&self, order: Order, sink: Sink) {
        if let Err(unsent) = self.notes.send(Note::Search(Box::new(order), sink))
            && let Note::Search(_, sink) = unsent.0
        {
            sink(Event::Failed(Trouble::Lost("the cluster has ended".into())));
        }
    }

    /// Stops the running search, which then answers.
    pub fn stop(&self) {
        self.note(Note::Control(Control::Stop));
    }

    /// The move pondered on was played.
    pub fn ponder_hit(&self) {
        self.note(Note::Control(Control::PonderHit));
    }

    /// Forgets what was learnt.
    pub fn forget(&self) {
        self.note(Note::Forget);
    }

    /// Gives the running search up without an answer.
    pub fn abandon(&self) {
        self.note(Note::Abandon);
    }

    /// A cluster that has ended needs no telling.
    fn note(&self, note: Note) {
        let _ = self.notes.send(note);
    }
}

/// The thread that talks.
struct Talk {
    reach: Reach,
    /// What was learnt is to be forgotten before the next search.
    forget: bool,
    search: Option<Running>,
}

struct Running {
    controls: UnboundedSender<Control>,
    task: JoinHandle<()>,
}

impl Talk {
    fn new(target: Target) -> Self {
        Self { reach: Reach::new(target), forget: false, search: None }
    }

    async fn run(mut self, mut inbox: UnboundedReceiver<Note>) {
        loop {
            tokio::select! {
                note = inbox.recv() => match note {
                    Some(note) => self.take(note).await,
                    None => break,
                },
                () = self.reach.find(), if !self.reach.is_known() => {}
            }
        }
        self.give_up();
        self.reach.end().await;
    }

    async fn take(&mut self, note: Note) {
        match note {
            Note::Search(order, sink) => {
                self.give_up();
                match self.client(patience(&order.limits)).await {
                    Ok(client) => self.begin(client, *order, sink),
                    Err(trouble) => sink(Event::Failed(trouble)),
                }
            }
            Note::Control(control) => {
                if let Some(running) = &self.search {
                    // A search that has ended takes no orders.
                    let _ = running.controls.send(control);
                }
            }
            Note::Forget => self.forget = true,
            Note::Abandon => self.give_up(),
        }
    }

    /// The way to a master that knows of a new game, if there is one.
    async fn client(&mut self, patience: Duration) -> Result<Client, Trouble> {
        let mut client = self.reach.client(patience).await?;
        if self.forget {
            client.control(control_request::Command::NewGame(v1::NewGame {})).await?;
            self.forget = false;
        }
        Ok(client)
    }

    fn begin(&mut self, client: Client, order: Order, sink: Sink) {
        let (controls, heard) = unbounded_channel();
        let task = tokio::spawn(async move {
            if let Err(trouble) = search(client, &order, heard, &sink).await {
                sink(Event::Failed(trouble));
            }
        });
        self.search = Some(Running { controls, task });
    }

    fn give_up(&mut self) {
        if let Some(running) = self.search.take() {
            running.task.abort();
        }
    }
}

/// How long a search with these limits may wait for its master.
fn patience(limits: &Limits) -> Duration {
    limits.game_time().map_or(PATIENCE.1, |time| (time / HASTE).clamp(PATIENCE.0, PATIENCE.1))
}

/// The whole life of one search.
async fn search(
    mut client: Client,
    order: &Order,
    mut controls: UnboundedReceiver<Control>,
    sink: &Sink,
) -> Result<(), Trouble> {
    let mut events: Streaming<v1::SearchEvent> = client.search(order).await?;
    let mut accepted = false;
    loop {
        tokio::select! {
            event = events.message() => {
                let event = event.map_err(|status| client.trouble(&status))?;
                let lost = || Trouble::Lost("the master broke the search off".into());
                let event = wire::event(event.ok_or_else(lost)?)
                    .map_err(|error| Trouble::Lost(format!("the master talks nonsense: {error}")))?;
                accepted = true;
                let last = matches!(event, Some(Event::Done(_)));
                if let Some(event) = event {
                    sink(event);
                }
                if last {
                    return Ok(());
                }
            }
            // Until it has been accepted there is no search that could be told anything.
            control = controls.recv(), if accepted => match control {
                Some(Control::Stop) => {
                    client.control(control_request::Command::Stop(v1::Stop {})).await?;
                }
                Some(Control::PonderHit) => {
                    client.control(control_request::Command::PonderHit(v1::PonderHit {})).await?;
                }
                None => accepted = false,
            },
        }
    }
}
