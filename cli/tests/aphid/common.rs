//! Running the built binary.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use serde_json::Value;

/// The binary, deaf to the environment of whoever runs the tests.
pub fn aphid() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aphid"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("APHID_")) {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

/// Runs it to its end.
pub fn run(args: &[&str]) -> Output {
    aphid().args(args).output().expect("the binary starts")
}

/// The standard output of a run that succeeds.
pub fn stdout(args: &[&str]) -> String {
    let output = run(args);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {stderr}");
    String::from_utf8(output.stdout).expect("text")
}

/// Its lines as JSON objects.
pub fn json_lines(args: &[&str]) -> Vec<Value> {
    stdout(args).lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// `aphid uci`, line by line.
pub struct Uci {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Uci {
    /// Starts it with these arguments after `uci`.
    pub fn start(args: &[&str]) -> Self {
        let mut child = aphid()
            .arg("uci")
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Self { child, input, output }
    }

    /// Sends lines (or any bytes).
    pub fn send(&mut self, text: impl AsRef<[u8]>) {
        let input = self.input.as_mut().expect("input is open");
        input.write_all(text.as_ref()).expect("the engine reads");
        input.write_all(b"\n").expect("the engine reads");
    }

    /// Everything up to and including the first line that begins with `prefix`.
    pub fn until(&mut self, prefix: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.line().unwrap_or_else(|| panic!("no {prefix:?} after {lines:#?}"));
            let last = line.starts_with(prefix);
            lines.push(line);
            if last {
                return lines;
            }
        }
    }

    /// Sends `isready` and returns everything said up to the answer, without it.
    pub fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Sends `go` and what follows, and waits for the answer.
    pub fn go(&mut self, limits: &str) -> Vec<String> {
        self.send(format!("go {limits}"));
        self.until("bestmove")
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.output.read_line(&mut line).expect("output is text");
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// Closes its input, returns everything it still says, and insists on a clean exit.
    pub fn end(mut self) -> Vec<String> {
        self.input = None;
        let rest = std::iter::from_fn(|| self.line()).collect();
        assert!(self.child.wait().expect("it ends").success());
        rest
    }
}

/// The move after `bestmove`.
pub fn best(lines: &[String]) -> &str {
    let last = lines.last().expect("lines");
    last.strip_prefix("bestmove ").and_then(|rest| rest.split(' ').next()).expect(last)
}
