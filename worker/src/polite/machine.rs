//! What the files of a Linux machine say about its use. All of them lie below a root folder, which
//! is `/` but in tests.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Processor time since the machine started, in the system's ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processors {
    /// Used by programs of normal priority other than this one, the system's work for them
    /// included.
    pub others: u64,
    /// All there was.
    pub all: u64,
}

/// What can be seen at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Readings {
    /// Nothing: it cannot be read.
    pub processors: Option<Processors>,
    /// When the last key was typed on a terminal; nothing: there is no terminal.
    pub typed: Option<SystemTime>,
    /// The machine runs on battery.
    pub on_battery: bool,
}

/// The files.
#[derive(Debug)]
pub struct Machine {
    root: PathBuf,
    /// Our own search threads are of normal priority.
    searches_unniced: bool,
}

impl Machine {
    /// The machine whose files are below `root`.
    pub fn new(root: PathBuf, searches_unniced: bool) -> Self {
        Self { root, searches_unniced }
    }

    /// Looks at everything.
    pub fn read(&self) -> Readings {
        Readings {
            processors: self.processors().ok(),
            typed: self.typed(),
            on_battery: self.on_battery(),
        }
    }

    // --- processors ----------------------------------------------------------------------------

    /// Where the use of the processors stands.
    pub fn statistics(&self) -> PathBuf {
        self.root.join("proc/stat")
    }

    /// The use of the processors. What niced programs have used, search threads usually among
    /// them, is not counted as used; with threads of normal priority their time is subtracted.
    ///
    /// # Errors
    /// The file cannot be read or has another form than proc(5) says.
    pub fn processors(&self) -> io::Result<Processors> {
        let text = fs::read_to_string(self.statistics())?;
        let first = text.lines().next().and_then(|line| line.strip_prefix("cpu "));
        let ticks = first.map(|line| line.split_ascii_whitespace().map(str::parse).collect());
        let ticks: Vec<u64> = ticks.transpose().ok().flatten().unwrap_or_default();
        // user nice system idle iowait irq softirq steal; guests are counted in the first two.
        let &[user, _nice, system, _idle, ..] = ticks.as_slice() else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not as proc(5) has it"));
        };
        let own = self.own_ticks().unwrap_or(0);
        Ok(Processors {
            others: (user + system).saturating_sub(own),
            all: ticks.iter().take(8).sum(),
        })
    }

    /// What this process has of that: what the system did for it, and its own work too unless that
    /// is niced.
    fn own_ticks(&self) -> Option<u64> {
        let text = fs::read_to_string(self.root.join("proc/self/stat")).ok()?;
        // The second field is a name in brackets, which may contain anything.
        let (_, rest) = text.rsplit_once(')')?;
        let mut fields = rest.split_ascii_whitespace().skip(11);
        let mut next = || fields.next()?.parse::<u64>().ok();
        let (user, system) = (next()?, next()?);
        Some(if self.searches_unniced { user + system } else { system })
    }

    // --- terminals -----------------------------------------------------------------------------

    /// The last key typed on any terminal: a program reads it, and the system notes the time (to
    /// eight seconds, lest it tell the rhythm of typing).
    fn typed(&self) -> Option<SystemTime> {
        let windows = numbered(&self.root.join("dev/pts"), "");
        let consoles = numbered(&self.root.join("dev"), "tty");
        let accessed = |path: PathBuf| fs::metadata(path).and_then(|file| file.accessed()).ok();
        windows.chain(consoles).filter_map(accessed).max()
    }

    // --- power ---------------------------------------------------------------------------------

    /// A battery that feeds the machine, and not one of its mice, is being discharged, and there
    /// is no current from the mains.
    fn on_battery(&self) -> bool {
        let mut discharging = false;
        for supply in entries(&self.root.join("sys/class/power_supply")) {
            let says = |file: &str| fs::read_to_string(supply.join(file)).unwrap_or_default();
            match says("type").trim() {
                "Mains" if says("online").trim() == "1" => return false,
                "Battery" | "UPS" if says("scope").trim() != "Device" => {
                    discharging |= says("status").trim() == "Discharging";
                }
                _ => {}
            }
        }
        discharging
    }
}

/// What is in a folder; nothing if there is none.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// Those named `prefix` and a number.
fn numbered(folder: &Path, prefix: &'static str) -> impl Iterator<Item = PathBuf> + use<> {
    entries(folder).filter(move |path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let number = name.strip_prefix(prefix).unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use std::fs::{File, FileTimes};
    use std::time::Duration;

    use super::*;

    /// A folder of its own, which goes with it.
    struct Root(PathBuf);

    impl Root {
        fn new(name: &str) -> Self {
            let folder = format!("aphid-machine-{name}-{}", std::process::id());
            let root = Self(std::env::temp_dir().join(folder));
            fs::create_dir(&root.0).expect("a new folder");
            root
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.0.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("room");
            fs::write(path, text).expect("room");
        }

        fn typed(&self, path: &str, seconds: u64) {
            self.write(path, "");
            let times = FileTimes::new().set_accessed(clock(seconds));
            let file = File::options().write(true).open(self.0.join(path)).expect("it is there");
            file.set_times(times).expect("our own file");
        }

        fn machine(&self, searches_unniced: bool) -> Machine {
            Machine::new(self.0.clone(), searches_unniced)
        }
    }

    impl Drop for Root {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn clock(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn niced_programs_and_our_own_work_are_not_others() {
        let root = Root::new("processors");
        root.write("proc/stat", "cpu  100 2000 30 400 5 6 7 8 90 900\ncpu0 1 2 3 4\nintr 5\n");
        let read = |unniced| root.machine(unniced).processors().expect("it is there");
        assert_eq!(read(false), Processors { others: 130, all: 2556 });
        let name = "1 (a) b (c)) R 1 1 1 0 -1 4194560 9 0 0 0";
        root.write("proc/self/stat", &format!("{name} 40 12 0 0 39 19 2 0 77 1 2\n"));
        assert_eq!(read(false), Processors { others: 118, all: 2556 });
        assert_eq!(read(true), Processors { others: 78, all: 2556 });
        for odd in ["", "cpu\n", "cpu  1 2 x 4\n", "intr 5\n"] {
            root.write("proc/stat", odd);
            let error = root.machine(false).processors().expect_err(odd);
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            assert_eq!(root.machine(false).read().processors, None);
        }
    }

    #[test]
    fn the_newest_key_on_any_terminal_counts() {
        let root = Root::new("terminals");
        assert_eq!(root.machine(false).read(), Readings::default());
        root.typed("dev/tty1", 100);
        assert_eq!(root.machine(false).typed(), Some(clock(100)));
        root.typed("dev/pts/12", 300);
        root.typed("dev/pts/3", 200);
        // Not terminals that anybody types on.
        for other in ["dev/pts/ptmx", "dev/tty", "dev/ttyS0", "dev/ttyprintk", "dev/null"] {
            root.typed(other, 999);
        }
        assert_eq!(root.machine(false).typed(), Some(clock(300)));
    }

    #[test]
    fn a_battery_counts_when_it_feeds_the_machine() {
        let root = Root::new("power");
        let is_on_battery = || root.machine(false).read().on_battery;
        let supply = |name: &str, file: &str, text: &str| {
            root.write(&format!("sys/class/power_supply/{name}/{file}"), text);
        };
        assert!(!is_on_battery(), "a machine without power supplies");
        supply("hidpp_battery_0", "type", "Battery\n");
        supply("hidpp_battery_0", "scope", "Device\n");
        supply("hidpp_battery_0", "status", "Discharging\n");
        assert!(!is_on_battery(), "the battery of a mouse");
        supply("BAT0", "type", "Battery\n");
        for (status, expected) in [
            ("Charging\n", false),
            ("Not charging\n", false),
            ("Full\n", false),
            ("Discharging\n", true),
        ] {
            supply("BAT0", "status", status);
            assert_eq!(is_on_battery(), expected, "{status}");
        }
        supply("AC", "type", "Mains\n");
        supply("AC", "online", "1\n");
        assert!(!is_on_battery(), "it draws from both");
        supply("AC", "online", "0\n");
        assert!(is_on_battery());
        supply("BAT0", "status", "Unknown\n");
        supply("ups", "type", "UPS\n");
        assert!(!is_on_battery());
        supply("ups", "status", "Discharging\n");
        assert!(is_on_battery(), "a power cut");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_can_be_read() {
        let machine = Machine::new("/".into(), true);
        let before = machine.processors().expect("Linux has it");
        assert!(before.all > 0 && before.others <= before.all);
        assert!(machine.own_ticks().is_some());
    }
}
