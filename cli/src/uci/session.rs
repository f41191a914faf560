//! The conversation with the GUI, without input, output, threads or clocks.
//!
//! Lines and events come in with the time they came at; [`Session::poll`] hands out what is to be
//! done. `uci`, `isready`, `debug`, `stop`, `ponderhit` and `quit` take effect at once. All other
//! commands are carried out one after the other: what arrives during a search waits for its end.
//! A `go` ends a search that would never end by itself. So every `go` is answered exactly once, in
//! order, and a `stop` reaches all searches asked for before it and none after.

use std::collections::VecDeque;
use std::time::Duration;

use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::value::Score;

use super::board::Board;
use super::options::{Effect, Options};
use super::order;
use super::parse::{Command, Go, parse, shown};
use super::print;
use super::search::Search;
use super::throttle::Throttle;
use crate::choice::FrontierChoice;
use crate::think::{Event, Limits, Order, Setup};

/// Commands that may wait for the end of a search.
const MAX_QUEUE: usize = 10_000;

/// Something to do.
#[derive(Debug, PartialEq)]
pub enum Output {
    /// Print this line.
    Print(String),
    /// Have the cluster be like this.
    Configure(Setup),
    /// Forget what was learnt.
    Forget,
    /// Search; in this process without any cluster if `here`.
    Search { id: u64, order: Order, here: bool },
    /// Stop the search; it will answer.
    Stop,
    /// The search's time counts from now.
    PonderHit,
    /// Stop the search; its answer is of no interest.
    Abandon,
    /// Count move sequences, print them, then call [`Session::perft_done`].
    Perft { position: Chess, plies: u32 },
    /// End the program.
    Exit,
}

#[derive(Debug)]
enum Busy {
    No,
    Searching(Box<Search>),
    Counting,
}

/// A command that waits, and whether a `stop` came after it.
#[derive(Debug)]
struct Waiting {
    command: Command,
    stopped: bool,
}

/// The conversation.
#[derive(Debug)]
pub struct Session {
    options: Options,
    frontier: FrontierChoice,
    debug: bool,
    board: Board,
    busy: Busy,
    queue: VecDeque<Waiting>,
    throttle: Throttle,
    searches: u64,
    /// The setup last asked for.
    configured: Option<Setup>,
    exiting: bool,
    output: VecDeque<Output>,
}

impl Session {
    /// At the start position.
    pub fn new(options: Options, frontier: FrontierChoice) -> Self {
        let board = Board::start(options.chess960);
        Self {
            options,
            frontier,
            debug: false,
            board,
            busy: Busy::No,
            queue: VecDeque::new(),
            throttle: Throttle::new(),
            searches: 0,
            configured: None,
            exiting: false,
            output: VecDeque::new(),
        }
    }

    /// The next thing to do.
    pub fn poll(&mut self) -> Option<Output> {
        self.output.pop_front()
    }

    /// When [`timeout`](Self::timeout) is to be called.
    pub fn poll_timeout(&self) -> Option<Duration> {
        match &self.busy {
            Busy::Searching(search) => search.due(),
            _ => None,
        }
    }

    fn say(&mut self, line: impl Into<String>) {
        self.output.push_back(Output::Print(line.into()));
    }

    fn remark(&mut self, remark: impl AsRef<str>) {
        self.say(format!("info string {}", remark.as_ref()));
    }

    /// A line from the GUI.
    pub fn line(&mut self, text: &str, now: Duration) {
        match parse(text) {
            Command::Uci => self.introduce(),
            Command::IsReady => {
                self.say("readyok");
                self.configure();
            }
            Command::Debug(on) => self.debug = on,
            Command::Stop => self.stop(now),
            Command::PonderHit => self.ponder_hit(now),
            Command::Quit => self.end(now),
            Command::Nothing => {}
            Command::Complaint(complaint) => self.remark(complaint),
            command => self.later(command, now),
        }
        self.proceed(now);
    }

    /// The GUI is gone or wants us gone: the running search is stopped and answered, what waits is
    /// dropped.
    pub fn end(&mut self, now: Duration) {
        self.exiting = true;
        self.queue.clear();
        match self.busy {
            Busy::Searching(_) => self.stop(now),
            Busy::No | Busy::Counting => self.output.push_back(Output::Exit),
        }
        self.proceed(now);
    }

    fn introduce(&mut self) {
        self.say(concat!("id name aphid ", env!("CARGO_PKG_VERSION")));
        self.say("id author the aphid developers");
        for line in self.options.declare() {
            self.say(line);
        }
        self.say("uciok");
    }

    fn later(&mut self, command: Command, now: Duration) {
        if self.queue.len() >= MAX_QUEUE {
            return self.remark("too many commands are waiting: one was dropped");
        }
        let endless = matches!(&self.busy, Busy::Searching(search) if search.is_held());
        if endless && matches!(command, Command::Go(_)) {
            self.stop(now);
        }
        self.queue.push_back(Waiting { command, stopped: false });
    }

    fn stop(&mut self, now: Duration) {
        for waiting in &mut self.queue {
            waiting.stopped = true;
        }
        if let Busy::Searching(search) = &mut self.busy {
            search.stop(now);
            if !search.is_ready() {
                self.output.push_back(Output::Stop);
            }
        }
    }

    fn ponder_hit(&mut self, now: Duration) {
        if let Busy::Searching(search) = &mut self.busy
            && search.ponder_hit(now)
        {
            self.output.push_back(Output::PonderHit);
            return;
        }
        let pondering =
            self.queue.iter_mut().rev().find_map(|waiting| match &mut waiting.command {
                Command::Go(go) if go.ponder => Some(go),
                _ => None,
            });
        if let Some(go) = pondering {
            go.ponder = false;
        }
    }

    /// Answers what can be answered and carries out what waits, until something takes time.
    fn proceed(&mut self, now: Duration) {
        loop {
            match &self.busy {
                Busy::Searching(search) if search.is_ready() => self.finish(now),
                Busy::Searching(_) | Busy::Counting => return,
                Busy::No if self.exiting => return,
                Busy::No => match self.queue.pop_front() {
                    Some(Waiting { command, stopped }) => self.carry_out(command, stopped, now),
                    None => return,
                },
            }
        }
    }

    fn finish(&mut self, now: Duration) {
        if let Busy::Searching(search) = std::mem::replace(&mut self.busy, Busy::No) {
            for line in search.finish(now) {
                self.say(line);
            }
        }
        if self.exiting {
            self.output.push_back(Output::Exit);
        }
    }

    fn carry_out(&mut self, command: Command, stopped: bool, now: Duration) {
        match command {
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::NewGame => {
                self.configure();
                self.output.push_back(Output::Forget);
            }
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), moves),
            Command::Go(go) => self.go(&go, stopped, now),
            Command::Perft(plies) => {
                self.busy = Busy::Counting;
                let position = self.board.line.position.clone();
                self.output.push_back(Output::Perft { position, plies });
            }
            Command::Display => {
                for line in self.board.picture() {
                    self.say(line);
                }
            }
            Command::Evaluate => {
                let value = self.board.line.position.evaluate();
                self.remark(format!("static value {value} centipawns for the side to move"));
            }
            // Carried out on arrival.
            Command::Uci
            | Command::Debug(_)
            | Command::IsReady
            | Command::Stop
            | Command::PonderHit
            | Command::Quit
            | Command::Nothing
            | Command::Complaint(_) => {}
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        match self.options.set(name, value) {
            Err(complaint) => return self.remark(complaint),
            Ok(Effect::Notation) => self.board.write_chess960(self.options.chess960),
            Ok(Effect::Forget) => self.output.push_back(Output::Forget),
            Ok(Effect::None | Effect::Setup) => {}
        }
        if self.debug {
            self.remark(format!("{} is set", shown(name)));
        }
    }

    /// Has the cluster set up as the options say; several options make one change.
    fn configure(&mut self) {
        let setup = self.options.setup;
        if self.configured != Some(setup) {
            self.configured = Some(setup);
            self.output.push_back(Output::Configure(setup));
        }
    }

    fn set_position(&mut self, fen: Option<&str>, moves: Vec<String>) {
        if let Err(error) = self.board.set(fen, moves, self.options.chess960) {
            self.remark(format!("position refused: {}", shown(&error.to_string())));
        }
    }

    fn go(&mut self, go: &Go, stopped: bool, now: Duration) {
        self.configure();
        if !go.misread.is_empty() {
            self.remark(format!("not understood in go: {}", go.misread.join(" ")));
        }
        self.searches += 1;
        let mate = go.mate;
        let mut order = order::order(go, &self.board, &self.options, self.frontier);
        if stopped {
            let root_moves = order.limits.root_moves;
            order.limits = Limits { depth: Some(1), root_moves, ..Limits::default() };
        }
        let (id, root) = (self.searches, self.board.line.clone());
        if root.position.moves().is_empty() {
            let score =
                if root.position.in_check() { Score::Mate(0) } else { Score::Centipawns(0) };
            self.say(format!("info depth 0 score {}", print::score(score)));
            self.busy = Busy::Searching(Box::new(Search::answered(id, order, root, now)));
            return;
        }
        let search = Search::new(id, order.clone(), root, mate, now);
        self.busy = Busy::Searching(Box::new(search));
        self.output.push_back(Output::Search { id, order, here: false });
    }

    /// Something happened in search `id`.
    pub fn event(&mut self, id: u64, event: Event, now: Duration) {
        let Busy::Searching(search) = &mut self.busy else { return };
        if search.id != id {
            return;
        }
        let mut lines = Vec::new();
        match event {
            Event::Begun { workers } if self.debug => {
                lines.push(format!("info string {workers} workers"));
            }
            Event::Begun { .. } => {}
            Event::Line(found) => {
                if search.line(found, now) {
                    search.stop(now);
                    self.output.push_back(Output::Stop);
                }
                lines = search.flush(&mut self.throttle, now);
            }
            Event::Progress(progress) => {
                lines = search.flush(&mut self.throttle, now);
                if self.throttle.allow(1, now) {
                    lines.push(search.progress(&progress, now));
                }
            }
            Event::Done(answer) => search.done(answer),
            Event::Failed(trouble) => {
                lines.push(format!("info string {}", shown_whole(&trouble.to_string())));
                if search.fallen_back {
                    self.output.extend(lines.drain(..).map(Output::Print));
                    return self.finish_and_proceed(now);
                }
                let order = search.fall_back(now);
                self.output.push_back(Output::Search { id, order, here: true });
            }
        }
        self.output.extend(lines.into_iter().map(Output::Print));
        self.proceed(now);
    }

    /// Nobody could carry out the order: the answer is what is known.
    fn finish_and_proceed(&mut self, now: Duration) {
        self.finish(now);
        self.proceed(now);
    }

    /// Time has passed.
    pub fn timeout(&mut self, now: Duration) {
        if let Busy::Searching(search) = &self.busy
            && search.is_overdue(now)
        {
            self.output.push_back(Output::Abandon);
            self.finish_and_proceed(now);
        }
    }

    /// A [`Output::Perft`] is complete; these lines tell the result.
    pub fn perft_done(&mut self, lines: Vec<String>, now: Duration) {
        self.busy = Busy::No;
        for line in lines {
            self.say(line);
        }
        self.proceed(now);
    }
}

/// A message as one line.
fn shown_whole(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(300).collect()
}
