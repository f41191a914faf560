//! A cluster of real processes, and what may happen to them.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::common::{aphid, json_lines};

/// Longer than anything here can take on the slowest machine; reaching it means it hangs.
const PATIENCE: Duration = Duration::from_mins(2);
/// Time between two looks at what cannot be waited for.
const LOOK: Duration = Duration::from_millis(20);

/// JSON lines as a process writes them.
pub struct Lines {
    arriving: Receiver<Value>,
    seen: Vec<Value>,
}

impl Lines {
    fn of(source: impl Read + Send + 'static) -> Self {
        let (sender, arriving) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(source).lines().map_while(Result::ok) {
                // What is no JSON (a panic, say) is worth seeing when something is missed.
                let value = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if sender.send(value).is_err() {
                    return;
                }
            }
        });
        Self { arriving, seen: Vec::new() }
    }

    /// The first line like this, among those seen before or as soon as it arrives.
    pub fn find(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(line) = self.seen.iter().find(|line| wanted(line)) {
            return line.clone();
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = self.arriving.recv_timeout(left) else {
                panic!("it never came; what came was {:#?}", self.seen)
            };
            self.seen.push(line.clone());
            if wanted(&line) {
                return line;
            }
        }
    }

    /// The same in a log for people, in which lines are no JSON.
    pub fn find_text(&mut self, wanted: impl Fn(&str) -> bool) -> String {
        let found = self.find(|line| line.as_str().is_some_and(&wanted));
        found.as_str().unwrap_or_default().to_owned()
    }
}

/// A process of the binary; it does not outlive the test.
pub struct Process {
    child: Child,
}

impl Process {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("the process is there");
    }

    /// Waits for its end and names its exit code.
    pub fn end(mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }

    /// Ends it as a power cut would.
    pub fn kill(mut self) {
        self.child.kill().expect("the process is there");
        self.child.wait().expect("it ends");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail when it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `aphid worker` with two threads that search one leaf together.
pub fn worker(master: &str, name: &str) -> Process {
    worker_with(master, name, &[])
}

/// The same with more arguments.
pub fn worker_with(master: &str, name: &str, more: &[&str]) -> Process {
    let args = ["worker", "--threads", "2", "--hash", "16", "--log", "off"];
    let child = aphid().args(args).args(["--master", master, "--name", name]).args(more).spawn();
    Process { child: child.expect("the binary starts") }
}

/// `aphid` as a service manager starts it that wants to be notified at `socket` and told every
/// `watchdog` that all is well.
pub fn service(args: &[&str], socket: &Path, watchdog: Duration) -> Process {
    let mut command = aphid();
    command.args(args).args(["--log", "off"]).env("NOTIFY_SOCKET", socket);
    command.env("WATCHDOG_USEC", watchdog.as_micros().to_string());
    Process { child: command.spawn().expect("the binary starts") }
}

/// A process as the launch scripts start it, and its log.
pub fn launched(args: &[&str]) -> (Process, Lines) {
    let child = aphid().args(args).env("APHID_LOG", "info").stderr(Stdio::piped()).spawn();
    let mut child = child.expect("the binary starts");
    let log = Lines::of(child.stderr.take().expect("stderr is piped"));
    (Process { child }, log)
}

/// `aphid worker` of a master that is not there, and where it answers health checks.
pub fn lonely_worker() -> (Process, String) {
    let args = ["worker", "--threads", "1", "--hash", "1", "--log-json"];
    let places = ["--master", "127.0.0.1:1", "--health", "127.0.0.1:0"];
    let child = aphid().args(args).args(places).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("the binary starts");
    let mut log = Lines::of(child.stderr.take().expect("stderr is piped"));
    let process = Process { child };
    let up = log.find(|line| line["fields"]["message"] == "answering health checks");
    (process, up["fields"]["address"].as_str().expect("an address").to_owned())
}

/// `aphid master`.
pub struct Master {
    pub process: Process,
    pub address: String,
    pub log: Lines,
}

impl Master {
    /// On a port chosen by the system.
    pub fn start() -> Self {
        Self::listen("127.0.0.1:0")
    }

    pub fn listen(address: &str) -> Self {
        let args = ["master", "--log-json", "--listen", address];
        let child = aphid().args(args).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("the binary starts");
        let mut log = Lines::of(child.stderr.take().expect("stderr is piped"));
        let process = Process { child };
        let up = log.find(|line| line["fields"]["message"] == "master is up");
        let address = up["fields"]["address"].as_str().expect("an address").to_owned();
        Self { process, address, log }
    }

    /// The first line of the log with a message that begins like this, about this worker.
    pub fn logged(&mut self, message: &str, worker: &str) -> Value {
        let label = format!("{worker}#");
        let begins =
            |value: &Value, text: &str| value.as_str().is_some_and(|v| v.starts_with(text));
        self.log.find(|line| {
            let fields = &line["fields"];
            begins(&fields["message"], message) && begins(&fields["worker"], &label)
        })
    }

    /// `aphid status` as soon as it is as wished.
    pub fn status_when(&self, wish: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let lines = json_lines(&["status", "--json", "--master", &self.address]);
            let status = lines.into_iter().next().expect("a line");
            if wish(&status) {
                return status;
            }
            assert!(Instant::now() < deadline, "it never was so; at last it is {status:#}");
            thread::sleep(LOOK);
        }
    }

    /// Waits until workers of these names, and no others, are connected.
    pub fn expect_workers(&self, names: &[&str]) {
        self.status_when(|status| {
            let workers = status["workers"].as_array().expect("an array");
            let here = |name: &&str| workers.iter().any(|worker| worker["name"] == *name);
            workers.len() == names.len() && names.iter().all(here)
        });
    }
}

/// `aphid analyse` with the running master, `exact` and the leaves two plies down.
pub struct Analysis {
    process: Process,
    lines: Lines,
}

impl Analysis {
    pub fn start(master: &str, position: &str, depth: u32) -> Self {
        let args = ["analyse", "--profile", "exact", "--frontier", "2", "--json", position];
        let to = ["--master", master, "--depth", &depth.to_string()];
        let child = aphid().args(args).args(to).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("the binary starts");
        let lines = Lines::of(child.stdout.take().expect("stdout is piped"));
        Self { process: Process { child }, lines }
    }

    /// Waits until the iteration of this depth is done.
    pub fn expect_depth(&mut self, depth: u32) {
        self.lines.find(|line| line["type"] == "info" && line["depth"] == depth);
    }

    /// The last line.
    pub fn result(mut self) -> Value {
        let result = self.lines.find(|line| line["type"] == "result");
        assert!(self.process.child.wait().expect("it ends").success());
        result
    }
}
