//! Reading a client's request: nothing in it is used unchecked.

use std::time::Duration;

use engine_core::aphid::Frontier;
use engine_core::game::Game;
use engine_core::line::Line;
use engine_core::search::Profile;
use engine_core::search::deepen::{MAX_DEPTH, Request};
use proto::v1::worker_choice::Who;
use proto::{limits, printable, v1};
use tonic::Status;

use crate::clock::{Budget, OVERHEAD, TimeControl};
use crate::hub::pause::Choice;

/// Bytes of a position text.
const POSITION_BYTES: usize = 1024;
/// Moves played before the search.
const MOVES: usize = 2048;
/// Moves a search can be restricted to.
const ROOT_MOVES: usize = 256;
/// Bytes of a move text.
const MOVE_BYTES: usize = 16;
/// Lines of play asked for.
const MULTIPV: u32 = 256;
/// Plies of a fixed frontier.
const FRONTIER: u32 = 32;
/// Greatest overhead, ms.
const OVERHEAD_MS: u32 = 10_000;

/// A request that can be carried out.
#[derive(Debug)]
pub(crate) struct Order<G: Game> {
    /// The client's name for its game or run.
    pub session: u64,
    pub request: Request<G>,
    pub profile: Profile,
    pub frontier: Frontier,
    /// Time to spend; none: no limit.
    pub budget: Option<Budget>,
    /// Keep the answer until told to stop.
    pub infinite: bool,
    /// Keep the answer, and let no time pass, until the expected move is played.
    pub ponder: bool,
}

impl<G: Game> Order<G> {
    /// Checks a request.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` with a sentence for the client's user.
    pub fn read(request: v1::SearchRequest) -> Result<Self, Status> {
        let v1::SearchRequest { session, position, moves, limits, options, .. } = request;
        if session == 0 {
            return Err(invalid("session is missing"));
        }
        let (limits, options) = (limits.unwrap_or_default(), options.unwrap_or_default());
        let line = line::<G>(&position, &moves)?;
        let root_moves = root_moves(&line.position, &limits.root_moves)?;
        let depth = in_range("depth", limits.depth.unwrap_or(MAX_DEPTH), 1, MAX_DEPTH)?;
        let nodes = limits.nodes.unwrap_or(u64::MAX);
        if nodes == 0 {
            return Err(invalid("nodes is 0, not at least 1"));
        }
        let unlimited = limits.depth.is_none()
            && limits.nodes.is_none()
            && limits.movetime_ms.is_none()
            && limits.clock.is_none();
        let multipv = in_range("multipv", options.multipv.max(1), 1, MULTIPV)? as usize;
        let profile = proto::profile::decode(options.profile)
            .map_err(|error| invalid(error.to_string()))?
            .unwrap_or_default();
        Ok(Self {
            session,
            request: Request { line, depth, nodes, multipv, root_moves },
            profile,
            frontier: frontier(options.frontier)?,
            budget: budget(&limits, options.move_overhead_ms)?,
            infinite: limits.infinite || (unlimited && !limits.ponder),
            ponder: limits.ponder,
        })
    }
}

/// A refusal with a sentence.
pub(crate) fn invalid(sentence: impl Into<String>) -> Status {
    Status::invalid_argument(sentence)
}

/// Reads who is to be paused, and whose pause is to end.
///
/// # Errors
/// `INVALID_ARGUMENT` with a sentence: nobody is named, or too many, or by no word known here.
pub(crate) fn choices(request: v1::SetPausedRequest) -> Result<(Vec<Choice>, Vec<Choice>), Status> {
    let v1::SetPausedRequest { pause, resume } = request;
    if pause.is_empty() && resume.is_empty() {
        return Err(invalid("nobody is named to be paused or resumed"));
    }
    if pause.len().max(resume.len()) > limits::CHOICES {
        return Err(invalid(format!("more than {} workers named", limits::CHOICES)));
    }
    let read = |named: Vec<v1::WorkerChoice>| -> Result<Vec<Choice>, Status> {
        named.into_iter().map(choice).collect()
    };
    Ok((read(pause)?, read(resume)?))
}

fn choice(named: v1::WorkerChoice) -> Result<Choice, Status> {
    match named.who {
        Some(Who::All(_)) => Ok(Choice::All),
        Some(Who::Id(number)) => Ok(Choice::Number(number)),
        Some(Who::Name(name)) if (1..=limits::NAME_BYTES).contains(&name.len()) => {
            Ok(Choice::Name(name))
        }
        Some(Who::Name(_)) => {
            Err(invalid(format!("a worker's name has 1 to {} bytes", limits::NAME_BYTES)))
        }
        None => Err(invalid("a worker is named by no word known to this master")),
    }
}

fn line<G: Game>(position: &str, moves: &[String]) -> Result<Line<G>, Status> {
    if position.len() > POSITION_BYTES {
        return Err(invalid(format!("position text is longer than {POSITION_BYTES} bytes")));
    }
    if moves.len() > MOVES {
        return Err(invalid(format!("more than {MOVES} moves")));
    }
    if let Some(long) = moves.iter().find(|text| text.len() > MOVE_BYTES) {
        return Err(invalid(format!("no move: {:?}...", printable(long, MOVE_BYTES))));
    }
    let start = if position.is_empty() { Ok(G::start()) } else { G::parse(position) };
    let start = start.map_err(|error| invalid(format!("bad position: {error}")))?;
    Line::from_moves(start, moves.iter().map(String::as_str))
        .map_err(|error| invalid(error.to_string()))
}

fn root_moves<G: Game>(position: &G, texts: &[String]) -> Result<Vec<G::Move>, Status> {
    if texts.len() > ROOT_MOVES {
        return Err(invalid(format!("more than {ROOT_MOVES} root moves")));
    }
    let read = |text: &String| {
        let short = printable(text, MOVE_BYTES);
        position
            .parse_move(&short)
            .map_err(|error| invalid(format!("root move {short:?}: {error}")))
    };
    texts.iter().map(read).collect()
}

fn frontier(plies: Option<u32>) -> Result<Frontier, Status> {
    match plies {
        None => Ok(Frontier::Auto),
        Some(plies) => in_range("frontier", plies, 1, FRONTIER).map(Frontier::Fixed),
    }
}

fn budget(limits: &v1::Limits, overhead_ms: Option<u32>) -> Result<Option<Budget>, Status> {
    let overhead = match overhead_ms {
        None => OVERHEAD,
        Some(ms) => {
            let ms = in_range("move_overhead_ms", ms, 0, OVERHEAD_MS)?;
            Duration::from_millis(ms.into())
        }
    };
    let move_time = limits.movetime_ms.map(|ms| TimeControl::MoveTime(Duration::from_millis(ms)));
    let clock = limits.clock.map(|clock| TimeControl::Clock {
        remaining: Duration::from_millis(clock.remaining_ms.try_into().unwrap_or(0)),
        increment: Duration::from_millis(clock.increment_ms),
        moves_to_go: (clock.moves_to_go > 0).then_some(clock.moves_to_go),
    });
    let budgets = move_time.into_iter().chain(clock).map(|control| control.budget(overhead));
    Ok(budgets.reduce(Budget::and))
}

fn in_range(field: &str, value: u32, min: u32, max: u32) -> Result<u32, Status> {
    if (min..=max).contains(&value) {
        Ok(value)
    } else {
        Err(invalid(format!("{field} is {value}, not {min} to {max}")))
    }
}

#[cfg(test)]
mod tests {
    use engine_core::games::othello::Othello;
    use v1::{Clock, Limits, Options, SearchRequest};

    use super::*;

    fn request() -> SearchRequest {
        SearchRequest { session: 1, game: "othello".to_owned(), ..SearchRequest::default() }
    }

    fn with_limits(limits: Limits) -> SearchRequest {
        SearchRequest { limits: Some(limits), ..request() }
    }

    fn refusal(request: SearchRequest) -> String {
        let status = Order::<Othello>::read(request).expect_err("refused");
        assert_eq!(status.code(), tonic::Code::InvalidArgument);
        status.message().to_owned()
    }

    #[test]
    fn a_bare_request_is_an_infinite_search_of_the_start() {
        let order = Order::<Othello>::read(request()).expect("accepted");
        assert!(order.infinite && !order.ponder);
        assert_eq!(order.request.line.position, Othello::start());
        assert_eq!((order.request.depth, order.request.multipv), (MAX_DEPTH, 1));
        assert_eq!((order.frontier, order.budget), (Frontier::Auto, None));
    }

    #[test]
    fn every_limit_finds_its_place() {
        let clock = Some(Clock { remaining_ms: -5, increment_ms: 10, moves_to_go: 0 });
        let limits =
            Limits { depth: Some(9), movetime_ms: Some(10_000), clock, ..Limits::default() };
        let order = Order::<Othello>::read(with_limits(limits)).expect("accepted");
        assert!(!order.infinite);
        assert_eq!(order.request.depth, 9);
        assert_eq!(order.budget.map(|budget| budget.hard), Some(Duration::ZERO));
    }

    #[test]
    fn what_is_out_of_range_is_refused_with_a_sentence() {
        assert_eq!(refusal(SearchRequest { session: 0, ..request() }), "session is missing");
        let depth = Limits { depth: Some(101), ..Limits::default() };
        assert_eq!(refusal(with_limits(depth)), "depth is 101, not 1 to 100");
        let nodes = Limits { nodes: Some(0), ..Limits::default() };
        assert_eq!(refusal(with_limits(nodes)), "nodes is 0, not at least 1");
        let options = Options { frontier: Some(0), ..Options::default() };
        let frontier = SearchRequest { options: Some(options), ..request() };
        assert_eq!(refusal(frontier), "frontier is 0, not 1 to 32");
        let options = Options { profile: 77, ..Options::default() };
        let profile = SearchRequest { options: Some(options), ..request() };
        assert!(refusal(profile).contains("profile"));
        let root_moves = vec!["a1".to_owned()];
        let root = Limits { root_moves, ..Limits::default() };
        assert!(refusal(with_limits(root)).starts_with("root move \"a1\""));
    }

    #[test]
    fn positions_and_moves_are_named_when_they_are_wrong() {
        let position = "no board".to_owned();
        let bad = refusal(SearchRequest { position, ..request() });
        assert!(bad.starts_with("bad position: "), "{bad}");
        let moves = vec!["d3".to_owned(), "d3".to_owned()];
        let bad = refusal(SearchRequest { moves, ..request() });
        assert!(bad.starts_with("move 2: "), "{bad}");
        let moves = vec!["d".repeat(100_000)];
        assert!(refusal(SearchRequest { moves, ..request() }).len() < 60);
        let position = " ".repeat(100_000);
        assert!(refusal(SearchRequest { position, ..request() }).len() < 60);
    }
}
