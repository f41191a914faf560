//! Other processes that use the table: this program again, doing as it is told line by line.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use engine_core::table::Origin;

use super::{Place, entry_of, key, present, stress};

/// Tells the process which table to use.
const PLACE: &str = "SHARED_TABLE_TEST_PLACE";

/// Does as it is told, if it was started by another test. Answers begin with `= `.
#[test]
#[ignore = "part of other tests"]
fn another_process() {
    let Some(path) = std::env::var_os(PLACE) else { return };
    // The file is the parent's.
    let place = std::mem::ManuallyDrop::new(Place(path.into()));
    let mut table = None;
    let mut lock = None;
    for order in io::stdin().lines() {
        let order = order.expect("text");
        let words: Vec<&str> = order.split(' ').collect();
        let number = words.get(1).map_or(0, |word| word.parse().expect("a number"));
        let answer = match words[0] {
            "open" => {
                let (opened, origin) = place.open(number);
                let answer = usize::from(origin == Origin::Created) * 1000 + opened.size_mb();
                table = Some(opened);
                answer as u64
            }
            "lock" => {
                let file = File::options().read(true).write(true).open(&place.0).expect("a file");
                file.lock().expect("nobody else");
                lock = Some(file);
                0
            }
            "store" => {
                let table = table.as_ref().expect("opened before");
                (0..number as u64).for_each(|index| table.store(key(index), entry_of(key(index))));
                0
            }
            "present" => present(table.as_ref().expect("opened before"), number as u64),
            "stress" => stress(&place, 2, number as u64),
            "hammer" => {
                // Until it is killed; the answer comes when it is well under way.
                let table = table.as_ref().expect("opened before");
                for index in 0_u64.. {
                    let key = key(index & 0xffff);
                    table.store(key, entry_of(key));
                    if index == 100_000 {
                        say(0);
                    }
                }
                0
            }
            other => panic!("{other}?"),
        };
        say(answer);
    }
    drop(lock);
}

/// The test runner writes into the same line.
fn say(answer: u64) {
    println!("\n= {answer}");
    io::stdout().flush().expect("somebody listens");
}

/// The other end of [`another_process`]; killed when dropped.
struct Other {
    child: Child,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Other {
    fn start(place: &Place) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", "processes::another_process"])
            .env(PLACE, &place.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, answers }
    }

    fn tell(&mut self, order: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        writeln!(input, "{order}").unwrap();
        input.flush().unwrap();
    }

    fn answer(&mut self) -> u64 {
        let answer = |line: io::Result<String>| line.unwrap().strip_prefix("= ")?.parse().ok();
        self.answers.by_ref().find_map(answer).expect("an answer")
    }

    fn ask(&mut self, order: &str) -> u64 {
        self.tell(order);
        self.answer()
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        // By SIGKILL. Both fail if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn processes_find_what_others_stored() {
    let place = Place::new("exchange");
    let (mut one, mut two) = (Other::start(&place), Other::start(&place));
    assert_eq!(one.ask("open 2"), 1002);
    assert_eq!(two.ask("open 9"), 2);
    one.ask("store 1000");
    assert_eq!(two.ask("present 1000"), 1000);
    let table = place.table();
    assert_eq!(present(&table, 2000), 1000);
    (0..2000).for_each(|index| table.store(key(index), entry_of(key(index))));
    assert_eq!([one.ask("present 2000"), two.ask("present 2000")], [2000, 2000]);
}

#[test]
fn processes_that_open_it_at_the_same_time_agree() {
    let place = Place::new("race");
    let mut others: Vec<Other> = (0..3).map(|_| Other::start(&place)).collect();
    for _ in 0..20 {
        for (other, size) in others.iter_mut().zip(2..) {
            other.tell(&format!("open {size}"));
        }
        let answers: Vec<u64> = others.iter_mut().map(Other::answer).collect();
        let made: Vec<u64> = answers.iter().filter(|&&answer| answer > 1000).copied().collect();
        assert_eq!(made.len(), 1, "{answers:?}");
        assert!(answers.iter().all(|answer| answer % 1000 == made[0] % 1000), "{answers:?}");
        others[0].ask("store 500");
        assert_eq!(others[2].ask("present 500"), 500);
        fs::remove_file(&place.0).unwrap();
    }
}

#[test]
fn a_killed_process_leaves_the_table_usable() {
    let place = Place::new("killed");
    let table = place.table();
    for _ in 0..10 {
        let mut other = Other::start(&place);
        other.ask("open 1");
        other.ask("hammer");
        drop(other);
        // Nothing but whole entries, and room for more.
        assert!(present(&table, 0x1_0000) > 0x6000);
        table.new_search();
        table.store(7, entry_of(7));
        let mut next = Other::start(&place);
        assert_eq!(next.ask("open 1"), 1);
        assert!(next.ask("present 65536") > 0x6000);
        assert_eq!(place.table().probe(7), Some(entry_of(7)));
    }
}

#[test]
fn a_process_killed_while_it_holds_the_lock_holds_up_nobody() {
    let place = Place::new("locked");
    drop(place.table());
    let mut other = Other::start(&place);
    other.ask("lock");
    // Waits for the lock, until its holder is gone.
    let mut waiting = Other::start(&place);
    waiting.tell("open 1");
    drop(other);
    assert_eq!(waiting.answer(), 1);
    assert_eq!(place.open(1).1, Origin::Found);
}

#[test]
fn processes_at_once_find_only_what_was_stored() {
    let place = Place::new("stress-processes");
    let mut others = [Other::start(&place), Other::start(&place)];
    for other in &mut others {
        other.ask("open 1");
        other.tell("stress 500000");
    }
    assert!(stress(&place, 2, 500_000) > 250_000);
    for other in &mut others {
        assert!(other.answer() > 250_000);
    }
}
