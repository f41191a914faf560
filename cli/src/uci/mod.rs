//! `aphid uci`: a UCI engine on stdin and stdout, thought for by a cluster.
//!
//! - [`parse`]: text to commands; [`options`]: what a GUI can set
//! - [`board`]: the position set up; [`order`]: what a `go` asks for
//! - [`session`]: the conversation; [`search`]: one `go` of it. Neither reads, prints or waits
//! - [`mod@print`]: what was found, as text; [`throttle`]: how much of it
//!
//! This file is the driver: one thread reads stdin, engines run on theirs, and all they have to say
//! meets in one queue, which the main thread works off.

mod board;
mod options;
mod order;
mod parse;
mod print;
mod search;
mod session;
#[cfg(test)]
mod tests;
mod throttle;

use std::io::{self, BufRead, Read as _};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use engine_core::games::chess::Chess;

use crate::args::UciFlags;
use crate::failure::Failure;
use crate::output::say;
use crate::perft::{Share, divide};
use crate::settings;
use crate::think::engine::Engine;
use crate::think::{Event, Sink};
use options::Options;
use session::{Output, Session};

/// Messages that may wait for the main thread; whoever has more waits too.
const QUEUE: usize = 1_024;
/// Longest line read; a game of a thousand moves has 5,000 bytes.
const MAX_LINE: u64 = 1 << 20;
/// Milliseconds kept back in each move until the GUI says otherwise.
const OVERHEAD_MS: u32 = 20;

/// What the main thread waits for.
enum Input {
    Line(String),
    End,
    Event(u64, Event),
    PerftDone(Vec<String>),
}

/// Runs the command.
///
/// # Errors
/// An address that makes no sense, or no thread to read with. Once the conversation has begun,
/// nothing but its end.
pub fn run(flags: &UciFlags) -> Result<(), Failure> {
    let options = Options {
        setup: settings::setup(&flags.cluster),
        multipv: flags.multipv,
        chess960: false,
        overhead: OVERHEAD_MS,
        profile: flags.search.profile,
    };
    let master = flags.cluster.master.as_deref().map(settings::whereabouts).transpose()?;
    let engine = Engine::new(master, options.setup.machine);
    let (sender, inbox) = mpsc::sync_channel(QUEUE);
    let reader = sender.clone();
    thread::Builder::new()
        .name("stdin".into())
        .spawn(move || read_lines(&reader))
        .map_err(Failure::failed)?;
    let mut driver = Driver {
        session: Session::new(options, flags.search.frontier),
        engine,
        sender,
        begin: Instant::now(),
    };
    let ended = driver.converse(&inbox);
    // A search that has something to say must not wait for us while we wait for its end.
    drop(inbox);
    ended
}

fn read_lines(sender: &SyncSender<Input>) {
    let mut stdin = io::stdin().lock();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = stdin.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes);
        if !matches!(read, Ok(1..)) {
            // The main thread may be gone already; then nobody wants to know.
            let _ = sender.send(Input::End);
            return;
        }
        let line = String::from_utf8_lossy(&bytes).into_owned();
        if sender.send(Input::Line(line)).is_err() {
            return;
        }
    }
}

struct Driver {
    session: Session,
    engine: Engine,
    sender: SyncSender<Input>,
    begin: Instant,
}

impl Driver {
    fn now(&self) -> Duration {
        self.begin.elapsed()
    }

    fn converse(&mut self, inbox: &mpsc::Receiver<Input>) -> Result<(), Failure> {
        loop {
            let input = match self.session.poll_timeout() {
                Some(due) => inbox.recv_timeout(due.saturating_sub(self.now())),
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let now = self.now();
            match input {
                Ok(Input::Line(line)) => self.session.line(&line, now),
                Ok(Input::End) => self.session.end(now),
                Ok(Input::Event(id, event)) => self.session.event(id, event, now),
                Ok(Input::PerftDone(lines)) => self.session.perft_done(lines, now),
                Err(RecvTimeoutError::Timeout) => self.session.timeout(now),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            while let Some(output) = self.session.poll() {
                if output == Output::Exit {
                    return Ok(());
                }
                self.perform(output)?;
            }
        }
    }

    fn perform(&mut self, output: Output) -> Result<(), Failure> {
        match output {
            Output::Print(line) => return say(line),
            Output::Configure(setup) => self.engine.configure(setup),
            Output::Forget => self.engine.forget(),
            Output::Search { id, order, here } => {
                let sender = self.sender.clone();
                // An event for a main thread that has gone has nobody to go to.
                let sink: Sink = Arc::new(move |event| {
                    let _ = sender.send(Input::Event(id, event));
                });
                self.engine.search(order, here, &sink);
            }
            Output::Stop => self.engine.stop(),
            Output::PonderHit => self.engine.ponder_hit(),
            Output::Abandon => self.engine.abandon(),
            Output::Perft { position, plies } => self.count(position, plies),
            Output::Exit => {}
        }
        Ok(())
    }

    /// Counts on a thread of its own, so that the conversation goes on.
    fn count(&mut self, position: Chess, plies: u32) {
        let sender = self.sender.clone();
        let work = move || {
            let mut total = 0;
            let line = |Share { mv, nodes }| {
                total += nodes;
                format!("{mv}: {nodes}")
            };
            let mut lines: Vec<String> = divide(&position, plies).map(line).collect();
            lines.push(String::new());
            lines.push(format!("Nodes searched: {total}"));
            let _ = sender.send(Input::PerftDone(lines));
        };
        if let Err(error) = thread::Builder::new().name("perft".into()).spawn(work) {
            let now = self.now();
            self.session.perft_done(vec![format!("info string perft: {error}")], now);
        }
    }
}
