//! How far a long experiment is: a bar on a terminal, elsewhere a line now and then.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

/// Time between two lines where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Counts searches on stderr.
pub struct Progress {
    bar: ProgressBar,
    /// When the next line is due; nobody writes lines beside a bar.
    next_line: Option<Mutex<Instant>>,
}

impl Progress {
    /// Before the first of so many `searches`.
    pub fn new(searches: usize) -> Self {
        let bar = ProgressBar::new(searches as u64);
        let style = "{bar:40} {pos}/{len} searches, {elapsed} elapsed, {eta} to go";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        let plain = !io::stderr().is_terminal();
        let next_line = plain.then(|| Mutex::new(Instant::now() + BETWEEN_LINES));
        Self { bar, next_line }
    }

    /// One more is done.
    pub fn one_more(&self) {
        self.bar.inc(1);
        let now = Instant::now();
        if let Some(next) = &self.next_line
            && let Ok(mut next) = next.lock()
            && now >= *next
        {
            *next = now + BETWEEN_LINES;
            let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
            eprintln!("{done} of {all} searches, {} elapsed", HumanDuration(self.bar.elapsed()));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
