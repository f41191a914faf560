//! `aphid analyse`: thinks about one position and prints the answer.
//!
//! - [`json`]: for programs; [`people`]: for people

mod json;
mod people;

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use engine_core::game::Game;
use proto::lan::Whereabouts;

use crate::args::AnalyseFlags;
use crate::choice::with_game;
use crate::failure::Failure;
use crate::think::engine::Engine;
use crate::think::{Answer, Event, Found, Limits, Order, Progress, Setup, Sink, Trouble};
use crate::{place, settings, signals};
use json::Json;
use people::People;

/// Messages that may wait to be printed; a search that has more to say waits.
const QUEUE: usize = 256;
/// Time to think when no limit is given.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

/// How an analysis is shown.
trait View {
    /// The search has begun.
    fn begun(&mut self, workers: u32) -> Result<(), Failure>;
    /// A line was found.
    fn line(&mut self, found: &Found) -> Result<(), Failure>;
    /// Time has passed.
    fn progress(&mut self, progress: &Progress) -> Result<(), Failure>;
    /// The answer.
    fn answer(&mut self, answer: &Answer) -> Result<(), Failure>;
}

/// What the main thread waits for.
enum Input {
    Event(Event),
    Interrupt,
}

/// Checked settings of one analysis.
struct Settings {
    order: Order,
    setup: Setup,
    master: Option<Whereabouts>,
}

/// Runs the command.
///
/// # Errors
/// A usage error for a position, move or address that makes no sense; a failure when nobody can
/// search or the answer cannot be printed.
pub fn run(flags: &AnalyseFlags) -> Result<(), Failure> {
    let Settings { order, setup, master } = settings(flags)?;
    let mut view: Box<dyn View> =
        if flags.json { Box::new(Json) } else { Box::new(People::new(&order)) };
    let (sender, inbox) = mpsc::sync_channel(QUEUE);
    let interrupts = sender.clone();
    signals::on_interrupt(move || interrupts.send(Input::Interrupt).is_ok())
        .map_err(Failure::failed)?;
    let mut engine = Engine::new(master, setup.machine);
    engine.configure(setup);
    let sink: Sink = Arc::new(move |event| {
        // Without a main thread there is nobody to tell.
        let _ = sender.send(Input::Event(event));
    });
    engine.search(order, false, &sink);
    let ended = follow(&inbox, &engine, view.as_mut());
    // A search that has something to say must not wait for us while we wait for its end.
    drop(inbox);
    ended
}

/// Shows what comes in until the search ends.
fn follow(
    inbox: &mpsc::Receiver<Input>,
    engine: &Engine,
    view: &mut dyn View,
) -> Result<(), Failure> {
    let mut interrupted = false;
    for input in inbox {
        match input {
            Input::Interrupt if interrupted => {
                return Err(Failure::failed(anyhow::anyhow!(
                    "interrupted before there was an answer"
                )));
            }
            Input::Interrupt => {
                interrupted = true;
                engine.stop();
            }
            Input::Event(Event::Begun { workers }) => view.begun(workers)?,
            Input::Event(Event::Line(found)) => view.line(&found)?,
            Input::Event(Event::Progress(progress)) => view.progress(&progress)?,
            Input::Event(Event::Done(answer)) => return view.answer(&answer),
            Input::Event(Event::Failed(Trouble::Refused(why))) => return Err(Failure::Usage(why)),
            Input::Event(Event::Failed(trouble)) => return Err(Failure::failed(trouble)),
        }
    }
    Err(Failure::failed(anyhow::anyhow!("the search ended without an answer")))
}

fn settings(flags: &AnalyseFlags) -> Result<Settings, Failure> {
    let cluster = &flags.cluster;
    // Reading it here gives mistakes their place in the flags; what is sent stays text.
    let (position, moves) = with_game!(flags.place.game, G => checked::<G>(flags))?;
    let limit = &flags.limit;
    let unlimited = limit.depth.is_none() && limit.nodes.is_none() && limit.movetime.is_none();
    let movetime = limit.movetime.map(Duration::from_millis);
    let limits = Limits {
        depth: limit.depth,
        nodes: limit.nodes,
        movetime: if unlimited { Some(DEFAULT_TIME) } else { movetime },
        overhead: Some(Duration::ZERO),
        ..Limits::default()
    };
    let order = Order {
        game: flags.place.game,
        position,
        moves,
        limits,
        profile: flags.search.profile.profile(),
        multipv: flags.multipv,
        frontier: flags.search.frontier,
    };
    let setup = settings::setup(cluster);
    let master = cluster.master.as_deref().map(settings::whereabouts).transpose()?;
    Ok(Settings { order, setup, master })
}

/// The position in its usual form, and the moves.
fn checked<G: Game>(flags: &AnalyseFlags) -> Result<(String, Vec<String>), Failure> {
    place::read::<G>(&flags.place)?;
    let position = place::position::<G>(&flags.place)?.text();
    Ok((position, flags.place.moves.split_whitespace().map(str::to_owned).collect()))
}
