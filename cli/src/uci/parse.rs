//! UCI text to commands. Nothing here fails: what cannot be understood becomes a complaint.

use std::time::Duration;

/// One line from the GUI.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    Uci,
    Debug(bool),
    IsReady,
    SetOption {
        name: String,
        value: Option<String>,
    },
    NewGame,
    Position {
        fen: Option<String>,
        moves: Vec<String>,
    },
    Go(Go),
    Stop,
    PonderHit,
    Quit,
    /// Show the position.
    Display,
    /// Show its static value.
    Evaluate,
    /// Count move sequences of this length.
    Perft(u32),
    /// Nothing to do.
    Nothing,
    /// Not understood, for this reason.
    Complaint(String),
}

/// The limits of a `go`, as given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Go {
    pub search_moves: Vec<String>,
    pub ponder: bool,
    pub infinite: bool,
    pub white_time: Option<Duration>,
    pub black_time: Option<Duration>,
    pub white_increment: Duration,
    pub black_increment: Duration,
    /// Moves until the next time control.
    pub moves_left: Option<u32>,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    /// Moves, not plies.
    pub mate: Option<u32>,
    pub move_time: Option<Duration>,
    /// Words that should have been limits.
    pub misread: Vec<String>,
}

/// Longest sequences `perft` counts, in plies.
const MAX_PERFT: u32 = 15;
/// Longest time that makes sense, ms: a month. Keeps sums of times within range.
const MAX_MS: i64 = 31 * 24 * 3_600_000;

/// Reads one line. Unknown words before a command are skipped, as UCI asks.
pub fn parse(line: &str) -> Command {
    let mut words = line.split_whitespace();
    while let Some(word) = words.next() {
        let rest = words.clone();
        return match word {
            "uci" => Command::Uci,
            "isready" => Command::IsReady,
            "ucinewgame" => Command::NewGame,
            "stop" => Command::Stop,
            "ponderhit" => Command::PonderHit,
            "quit" => Command::Quit,
            "d" => Command::Display,
            "eval" => Command::Evaluate,
            "register" => Command::Nothing,
            "debug" => debug(rest),
            "setoption" => set_option(rest),
            "position" => position(rest),
            "go" => go(rest),
            "perft" => perft(rest),
            _ => continue,
        };
    }
    if line.trim().is_empty() { Command::Nothing } else { unknown(line) }
}

fn unknown(line: &str) -> Command {
    Command::Complaint(format!("unknown command: {}", shown(line.trim())))
}

/// The beginning of a text, fit for one line.
pub fn shown(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(60).collect()
}

fn debug<'a>(mut words: impl Iterator<Item = &'a str>) -> Command {
    match words.next() {
        Some("on") => Command::Debug(true),
        Some("off") => Command::Debug(false),
        _ => Command::Complaint("debug is on or off".into()),
    }
}

fn set_option<'a>(words: impl Iterator<Item = &'a str>) -> Command {
    let words: Vec<&str> = words.collect();
    let Some((&"name", words)) = words.split_first() else {
        return Command::Complaint("setoption without a name".into());
    };
    let split = words.iter().position(|&word| word == "value");
    let (name, value) = match split {
        Some(at) => (&words[..at], Some(words[at + 1..].join(" "))),
        None => (words, None),
    };
    Command::SetOption { name: name.join(" "), value }
}

fn position<'a>(words: impl Iterator<Item = &'a str>) -> Command {
    let words: Vec<&str> = words.collect();
    let split = words.iter().position(|&word| word == "moves");
    let (place, moves) = match split {
        Some(at) => (&words[..at], &words[at + 1..]),
        None => (&words[..], &[][..]),
    };
    let fen = match place.split_first() {
        Some((&"startpos", _)) => None,
        Some((&"fen", fields)) => Some(fields.join(" ")),
        _ => return Command::Complaint("position is neither startpos nor fen".into()),
    };
    Command::Position { fen, moves: moves.iter().map(|&mv| mv.to_owned()).collect() }
}

fn perft<'a>(mut words: impl Iterator<Item = &'a str>) -> Command {
    match words.next().and_then(number) {
        Some(plies) if plies >= 1 => Command::Perft(plies.min(MAX_PERFT.into()) as u32),
        _ => Command::Complaint("perft needs a number of plies".into()),
    }
}

fn go<'a>(words: impl Iterator<Item = &'a str>) -> Command {
    let mut words = words.peekable();
    if words.peek() == Some(&"perft") {
        return perft(words.skip(1));
    }
    let mut go = Go::default();
    let mut in_moves = false;
    while let Some(word) = words.next() {
        match word {
            "searchmoves" => {
                in_moves = true;
                continue;
            }
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            _ if LIMITS.contains(&word) => match words.peek().copied().and_then(number) {
                Some(value) => {
                    words.next();
                    go.limit(word, value);
                }
                None => go.misread.push(word.to_owned()),
            },
            _ if in_moves => {
                go.search_moves.push(word.to_owned());
                continue;
            }
            _ => go.misread.push(shown(word)),
        }
        in_moves = false;
    }
    Command::Go(go)
}

/// Words of `go` that a number follows.
const LIMITS: [&str; 9] =
    ["wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime"];

impl Go {
    /// Takes in a limit; what is out of range becomes the nearest that makes sense.
    fn limit(&mut self, word: &str, value: i64) {
        let time = Duration::from_millis(value.clamp(0, MAX_MS) as u64);
        let count = value.clamp(1, u32::MAX.into()) as u32;
        match word {
            "wtime" => self.white_time = Some(time),
            "btime" => self.black_time = Some(time),
            "winc" => self.white_increment = time,
            "binc" => self.black_increment = time,
            "movestogo" => self.moves_left = (value > 0).then_some(count),
            "depth" => self.depth = Some(count),
            "nodes" => self.nodes = Some(value.max(1) as u64),
            "mate" => self.mate = Some(count),
            _ => self.move_time = Some(time),
        }
    }
}

/// A whole number, however long; beyond 64 bits it is the greatest or least there is.
pub fn number(word: &str) -> Option<i64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let beyond = if word.starts_with('-') { i64::MIN } else { i64::MAX };
    Some(word.parse().unwrap_or(beyond))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go_of(line: &str) -> Go {
        match parse(line) {
            Command::Go(go) => go,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn any_white_space_will_do() {
        let canonical = parse("position startpos moves e2e4 e7e5");
        assert_eq!(parse("\tposition \t startpos   moves  e2e4   e7e5  \r\n"), canonical);
        assert_eq!(parse("go   depth  1 \r\n"), parse("go depth 1"));
        let fen = "r4rk1/pppnbppp/8/3P4/2PP2b1/P3KN2/1P2B1PP/RN5R w - - 1 1";
        let expected = Command::Position { fen: Some(fen.into()), moves: Vec::new() };
        assert_eq!(parse(&format!("position fen {fen} moves")), expected);
    }

    #[test]
    fn unknown_words_are_skipped_and_unknown_lines_are_harmless() {
        assert_eq!(parse("joho debug on"), Command::Debug(true));
        assert_eq!(parse(""), Command::Nothing);
        assert_eq!(parse("\t"), Command::Nothing);
        assert!(matches!(parse("uci2"), Command::Complaint(_)));
        match parse(&"x".repeat(65_536)) {
            Command::Complaint(text) => assert!(text.len() < 100),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn keywords_after_the_list_of_moves_still_count() {
        let go = go_of("go depth 3 searchmoves e2e4 e2e5 wtime 1000 btime 2000");
        assert_eq!(go.search_moves, ["e2e4", "e2e5"]);
        assert_eq!((go.depth, go.white_time), (Some(3), Some(Duration::from_secs(1))));
        assert_eq!(go_of("go searchmoves").search_moves, [""; 0]);
        assert_eq!(go_of("go searchmoves a2a3 infinite d2d4").misread, ["d2d4"]);
    }

    #[test]
    fn numbers_out_of_range_become_the_nearest_sensible_ones() {
        let go = go_of("go wtime -50 movestogo 0 depth 99999999999999999999999 nodes 0");
        assert_eq!(go.white_time, Some(Duration::ZERO));
        assert_eq!((go.moves_left, go.depth, go.nodes), (None, Some(u32::MAX), Some(1)));
        assert!(go.misread.is_empty());
        assert_eq!(go_of("go depth abc").misread, ["depth", "abc"]);
        assert_eq!(go_of("go depth infinite").misread, ["depth"]);
        assert_eq!(parse("go perft 99"), Command::Perft(MAX_PERFT));
        assert!(matches!(parse("go perft"), Command::Complaint(_)));
    }

    #[test]
    fn option_names_and_values_may_have_several_words() {
        let expected = |name: &str, value: Option<&str>| Command::SetOption {
            name: name.into(),
            value: value.map(str::to_owned),
        };
        assert_eq!(parse("setoption name Clear  Hash"), expected("Clear Hash", None));
        let overhead = parse("setoption name Move Overhead value 30");
        assert_eq!(overhead, expected("Move Overhead", Some("30")));
        assert_eq!(parse("setoption name X value"), expected("X", Some("")));
        assert!(matches!(parse("setoption"), Command::Complaint(_)));
    }
}
