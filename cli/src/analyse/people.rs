//! An analysis for people: lines as they are found, a sign of life in between, the answer as a
//! block.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressStyle};

use super::View;
use crate::failure::Failure;
use crate::output::{remark, say};
use crate::sharing;
use crate::speed::per_second;
use crate::think::{Answer, Effort, Found, Order, Progress};

/// Time between two plain lines about progress.
const PLAIN_PROGRESS: Duration = Duration::from_secs(1);
/// Time between two turns of the spinner.
const TURN: Duration = Duration::from_millis(120);

/// Prints lines to stdout, and to stderr a spinner (on a terminal) or a line now and then.
pub struct People {
    sign_of_life: SignOfLife,
}

enum SignOfLife {
    Spinner(ProgressBar),
    Plain { next: Duration },
}

impl People {
    /// For the analysis that `order` asks for.
    pub fn new(order: &Order) -> Self {
        let sign_of_life = if io::stderr().is_terminal() {
            let spinner = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                spinner.set_style(style);
            }
            spinner.set_message(format!("starting: {}", order.position));
            spinner.enable_steady_tick(TURN);
            SignOfLife::Spinner(spinner)
        } else {
            SignOfLife::Plain { next: Duration::ZERO }
        };
        Self { sign_of_life }
    }

    /// Prints to stdout without tearing the spinner.
    fn print(&self, line: &str) -> Result<(), Failure> {
        match &self.sign_of_life {
            SignOfLife::Spinner(spinner) => spinner.suspend(|| say(line)),
            SignOfLife::Plain { .. } => say(line),
        }
    }
}

impl View for People {
    fn begun(&mut self, workers: u32) -> Result<(), Failure> {
        let message = match workers {
            0 => "thinking".to_owned(),
            1 => "thinking with 1 worker".to_owned(),
            many => format!("thinking with {many} workers"),
        };
        match &self.sign_of_life {
            SignOfLife::Spinner(spinner) => spinner.set_message(message),
            SignOfLife::Plain { .. } => remark(message),
        }
        Ok(())
    }

    fn line(&mut self, found: &Found) -> Result<(), Failure> {
        let rank = if found.rank == 1 { String::new() } else { format!("{}. ", found.rank) };
        self.print(&format!(
            "depth {:2}/{:<2}  {rank}{:<9}  {:>13} nodes  {:>8.2} s  {}",
            found.depth,
            found.deepest.max(found.depth),
            found.score.to_string(),
            HumanCount(found.effort.nodes).to_string(),
            found.effort.time.as_secs_f64(),
            found.pv.join(" "),
        ))
    }

    fn progress(&mut self, progress: &Progress) -> Result<(), Failure> {
        let Effort { nodes, time, workers, .. } = progress.effort;
        let mut message = format!(
            "depth {}  {} nodes  {}/s  {:.1} s",
            progress.depth,
            HumanCount(nodes),
            HumanCount(per_second(nodes, time)),
            time.as_secs_f64(),
        );
        if workers > 0 {
            let (open, leaves) = (progress.leaves_open, progress.leaves);
            // Writing to a string cannot fail.
            let _ = write!(message, "  workers {workers}  leaves {open} of {leaves} open");
        }
        match &mut self.sign_of_life {
            SignOfLife::Spinner(spinner) => spinner.set_message(message),
            SignOfLife::Plain { next } if time >= *next => {
                *next = time + PLAIN_PROGRESS;
                remark(message);
            }
            SignOfLife::Plain { .. } => {}
        }
        Ok(())
    }

    fn answer(&mut self, answer: &Answer) -> Result<(), Failure> {
        if let SignOfLife::Spinner(spinner) = &self.sign_of_life {
            spinner.finish_and_clear();
        }
        let Effort { nodes, time, workers, passes } = answer.effort;
        let best = answer.best.as_deref().unwrap_or("none, the game is over");
        let certain = if answer.certain { "" } else { " (stopped before it was proved)" };
        let rows = [
            ("best move", best.to_owned()),
            ("ponder", answer.ponder.clone().unwrap_or_else(|| "-".into())),
            ("score", format!("{}{certain}", answer.score)),
            ("depth", answer.depth.to_string()),
            ("nodes", HumanCount(nodes).to_string()),
            ("time", format!("{:.3} s", time.as_secs_f64())),
            ("speed", format!("{} nodes/s", HumanCount(per_second(nodes, time)))),
            ("workers", workers.to_string()),
            ("passes", HumanCount(passes).to_string()),
            ("line", answer.pv.join(" ")),
        ];
        let shared = answer.sharing.as_ref().filter(|sharing| sharing.sent > 0);
        let shared = shared.map(|sharing| ("shared", sharing::describe(sharing)));
        say("")?;
        rows.iter().chain(&shared).try_for_each(|(name, value)| say(format!("{name:<10}{value}")))
    }
}
