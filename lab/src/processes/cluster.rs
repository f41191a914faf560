//! A cluster of `aphid` processes on this machine, and a UCI engine that asks it.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// How long a process may take to start and to find its master.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time between two looks at what cannot be waited for.
const LOOK: Duration = Duration::from_millis(20);

/// What a cluster is made of: workers × threads of each, such as `2x1`, or `2x1:off` for workers
/// that tell each other nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    workers: usize,
    threads: usize,
    shares: bool,
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (size, shares) = match text.strip_suffix(":off") {
            Some(size) => (size, false),
            None => (text, true),
        };
        let numbers = size.split_once('x').and_then(|(workers, threads)| {
            Some((workers.parse().ok()?, threads.parse().ok()?)).filter(|&(w, t)| w > 0 && t > 0)
        });
        let (workers, threads) = numbers.ok_or("expected workers x threads, such as 2x1")?;
        Ok(Self { workers, threads, shares })
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let share = if self.shares { "" } else { ":off" };
        write!(f, "{}x{}{share}", self.workers, self.threads)
    }
}

/// A process that does not outlive its handle.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail when it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A search to its depth, by the clock.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// From `go` to `bestmove`.
    pub time: Duration,
    /// Nodes of all processes together.
    pub nodes: u64,
    /// Processor time that the workers took.
    pub processor: Duration,
}

/// A master, its workers and an engine.
pub struct Cluster {
    workers: Vec<Process>,
    engine: Engine,
    _master: Process,
}

impl Cluster {
    /// Starts the processes of the program `aphid` and waits until they know each other.
    ///
    /// # Errors
    /// One of them does not start.
    pub fn start(aphid: &Path, shape: Shape, profile: &str, hash: usize) -> Result<Self> {
        let mut master = command(aphid);
        master.args(["master", "--log-json", "--listen", "127.0.0.1:0"]).stderr(Stdio::piped());
        let mut master = spawn(master)?;
        let address = address(&mut master)?;
        let worker = |number: usize| {
            let mut worker = command(aphid);
            worker.args(["worker", "--log", "off", "--nice", "0", "--master", &address]);
            worker.args(["--threads", &shape.threads.to_string(), "--hash", &hash.to_string()]);
            worker.args(["--name", &number.to_string()]);
            worker.args(["--share", if shape.shares { "on" } else { "off" }]);
            spawn(worker)
        };
        let workers = (1..=shape.workers).map(worker).collect::<Result<Vec<_>>>()?;
        await_workers(aphid, &address, shape.workers)?;
        let engine = Engine::start(aphid, &address, profile)?;
        Ok(Self { workers, engine, _master: master })
    }

    /// Searches a position of a new game.
    ///
    /// # Errors
    /// The engine ends, or says what it must not.
    pub fn search(&mut self, fen: &str, depth: u32) -> Result<Search> {
        self.engine.say(&format!("ucinewgame\nposition fen {fen}\nisready"))?;
        self.engine.until("readyok")?;
        let before = self.processor_time()?;
        let began = Instant::now();
        self.engine.say(&format!("go depth {depth}"))?;
        let nodes = self.engine.until("bestmove")?;
        let time = began.elapsed();
        Ok(Search { time, nodes, processor: self.processor_time()?.saturating_sub(before) })
    }

    fn processor_time(&self) -> Result<Duration> {
        self.workers.iter().map(|worker| processor_time(worker.0.id())).sum()
    }
}

/// The program, deaf to the environment of whoever measures.
fn command(aphid: &Path) -> Command {
    let mut command = Command::new(aphid);
    for (name, _) in
        std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("APHID_"))
    {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

fn spawn(mut command: Command) -> Result<Process> {
    let child = command.spawn();
    Ok(Process(child.with_context(|| format!("cannot start {}", command.get_program().display()))?))
}

/// Where a master listens, from its log; which is read on, for it must not block the master.
fn address(master: &mut Process) -> Result<String> {
    let log = BufReader::new(master.0.stderr.take().context("the master has no log")?);
    let mut lines = log.lines();
    let mut said = Vec::new();
    while let Some(Ok(line)) = lines.next() {
        let line: Value = serde_json::from_str(&line).unwrap_or(Value::String(line));
        if let Some(address) = line["fields"]["address"].as_str() {
            let address = address.to_owned();
            thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
            return Ok(address);
        }
        said.push(line);
    }
    bail!("the master did not start: {said:?}")
}

fn await_workers(aphid: &Path, master: &str, workers: usize) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        let status = command(aphid).args(["status", "--json", "--master", master]).output()?;
        let status: Value = serde_json::from_slice(&status.stdout).context("aphid status")?;
        if status["workers"].as_array().is_some_and(|here| here.len() == workers) {
            return Ok(());
        }
        thread::sleep(LOOK);
    }
    bail!("the workers did not find the master at {master}")
}

/// Processor time of all threads of a process, to the nanosecond.
fn processor_time(pid: u32) -> Result<Duration> {
    let mut nanoseconds = 0;
    for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        // A thread may end while one looks.
        let schedule =
            std::fs::read_to_string(thread?.path().join("schedstat")).unwrap_or_default();
        let spent: Option<u64> = schedule.split(' ').next().and_then(|number| number.parse().ok());
        nanoseconds += spent.unwrap_or(0);
    }
    Ok(Duration::from_nanos(nanoseconds))
}

/// `aphid uci` in conversation.
struct Engine {
    _process: Process,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Engine {
    fn start(aphid: &Path, master: &str, profile: &str) -> Result<Self> {
        let mut uci = command(aphid);
        uci.args(["uci", "--log", "off", "--master", master, "--profile", profile]);
        uci.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = spawn(uci)?;
        let input = process.0.stdin.take().context("the engine has no input")?;
        let output = process.0.stdout.take().context("the engine has no output")?;
        let mut engine = Self { _process: process, input, output: BufReader::new(output).lines() };
        engine.say("uci")?;
        engine.until("uciok")?;
        Ok(engine)
    }

    fn say(&mut self, line: &str) -> Result<()> {
        writeln!(self.input, "{line}").context("the engine does not read")
    }

    /// Reads up to the line that begins with `word`; returns the last number of nodes that was told.
    fn until(&mut self, word: &str) -> Result<u64> {
        let mut nodes = 0;
        loop {
            let line =
                self.output.next().with_context(|| format!("the engine never said {word}"))??;
            let mut words = line.split(' ');
            ensure!(!line.starts_with("info string"), "the engine complains: {line}");
            if words.next() == Some(word) {
                return Ok(nodes);
            }
            if words.any(|word| word == "nodes") {
                nodes = words.next().and_then(|number| number.parse().ok()).unwrap_or(nodes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_as_they_are_written() {
        for text in ["1x1", "2x1", "2x1:off", "1x16"] {
            assert_eq!(text.parse::<Shape>().unwrap().to_string(), text);
        }
        for text in ["", "2", "0x1", "2x", "2x1:on", "axb"] {
            assert!(text.parse::<Shape>().is_err(), "{text}");
        }
    }
}
