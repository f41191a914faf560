//! Words that must not appear in code, each where it does harm.

use crate::house::{Finding, House, RustFile};
use crate::source::{Line, is_word};

/// Packages whose shipped code meets input from people and machines.
const MEETS_INPUT: [&str; 4] = ["proto/src/", "master/src/", "worker/src/", "cli/src/"];
/// Packages that talk to people.
const TALKS: [&str; 2] = ["cli/", "lab/"];
/// The marker that lets a hash container into engine-core.
const LOOKUP_ONLY: &str = "// lookup only";

/// Left-overs of work in progress, anywhere.
pub fn unfinished(house: &House) -> Vec<Finding> {
    let words = ["todo!", "unimplemented!", "dbg!"];
    find(house, &words, |_, _| true, |word| format!("`{word}` in finished code"))
}

/// Printing outside the outermost layer.
pub fn prints(house: &House) -> Vec<Finding> {
    let words = ["print!", "println!", "eprint!", "eprintln!"];
    let applies = |file: &RustFile, line: &Line| {
        shipped(file, line) && !TALKS.iter().any(|home| file.path.starts_with(home))
    };
    find(house, &words, applies, |word| {
        format!("`{word}` below the outermost layer: hand the data up")
    })
}

/// A place where a word does no harm: path, a piece of the line, and why.
type Exception<'a> = (&'a str, &'a str, &'a str);

/// Panics in code that input can reach.
pub fn panics(house: &House, exceptions: &[Exception]) -> Vec<Finding> {
    let words = [".unwrap()", ".expect(", "panic!"];
    let applies = |file: &RustFile, line: &Line| {
        shipped(file, line) && MEETS_INPUT.iter().any(|home| file.path.starts_with(home))
    };
    find_except(house, &words, exceptions, applies, |word| {
        format!("`{word}` where input arrives: return an error")
    })
}

/// Clocks, threads and containers without an order, in the package that thinks.
pub fn determinism(house: &House, exceptions: &[Exception]) -> Vec<Finding> {
    let thinks = |file: &RustFile, line: &Line| {
        file.path.starts_with("engine-core/src/")
            && !file.path.starts_with("engine-core/src/drive/")
            && shipped(file, line)
    };
    let effects = [
        "Instant::now",
        "SystemTime::now",
        "thread::spawn",
        "thread::scope",
        "thread::sleep",
        "thread::Builder",
    ];
    let mut findings = find_except(house, &effects, exceptions, thinks, |word| {
        format!("`{word}` outside drive/: time and threads come in as arguments")
    });
    let unordered =
        |file: &RustFile, line: &Line| thinks(file, line) && !line.raw.contains(LOOKUP_ONLY);
    findings.extend(find(house, &["HashMap", "HashSet"], unordered, |word| {
        format!("`{word}` has no order: use an ordered container, or mark the line `{LOOKUP_ONLY}`")
    }));
    findings
}

/// Every whole occurrence of one of the words in code, on lines the rule applies to.
fn find(
    house: &House,
    words: &[&str],
    applies: impl Fn(&RustFile, &Line) -> bool,
    message: impl Fn(&str) -> String,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in house.rust() {
        for line in file.source.lines().filter(|line| applies(file, line)) {
            for word in words.iter().filter(|word| holds(line.code, word)) {
                findings.push(Finding::new(&file.path, line.number, message(word)));
            }
        }
    }
    findings
}

/// As [`find`], but without the exceptions; one that excuses nothing is itself a finding.
fn find_except(
    house: &House,
    words: &[&str],
    exceptions: &[Exception],
    applies: impl Fn(&RustFile, &Line) -> bool,
    message: impl Fn(&str) -> String,
) -> Vec<Finding> {
    let excuses = |exception: &Exception, file: &RustFile, line: &Line| {
        file.path == exception.0 && line.raw.contains(exception.1)
    };
    let excused = |file: &RustFile, line: &Line| {
        exceptions.iter().any(|exception| excuses(exception, file, line))
    };
    let counts = |file: &RustFile, line: &Line| applies(file, line) && !excused(file, line);
    let mut findings = find(house, words, counts, message);
    for exception in exceptions {
        let covers =
            |file: &RustFile, line: &Line| applies(file, line) && excuses(exception, file, line);
        if find(house, words, covers, |_| String::new()).is_empty() {
            let message = format!("`{}` excuses nothing: take it off the ratchet", exception.1);
            findings.push(Finding::new(exception.0, 1, message));
        }
    }
    findings
}

/// Does the code hold this word, not as the tail or head of a longer one?
fn holds(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        let open_head = word.starts_with(is_word) && before.is_some_and(is_word);
        let open_tail = word.ends_with(is_word) && after.is_some_and(is_word);
        !open_head && !open_tail
    })
}

/// Code that reaches users: not a test, bench, example or build script.
fn shipped(file: &RustFile, line: &Line) -> bool {
    !file.only_tests && !line.test
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A house with this text as a shipped file of every package, and again as a test file.
    fn house(text: &str) -> House {
        House::of(&[
            ("engine-core/Cargo.toml", ""),
            ("engine-core/src/lib.rs", "mod drive;\nmod a;\n#[cfg(test)]\nmod t;\n"),
            ("engine-core/src/a.rs", text),
            ("engine-core/src/t.rs", text),
            ("engine-core/src/drive/mod.rs", text),
            ("engine-core/benches/b.rs", text),
            ("master/Cargo.toml", ""),
            ("master/src/lib.rs", text),
            ("master/build.rs", text),
            ("cli/Cargo.toml", ""),
            ("cli/src/main.rs", text),
        ])
    }

    fn paths(findings: &[Finding]) -> Vec<&str> {
        findings.iter().map(|finding| finding.path.as_str()).collect()
    }

    #[test]
    fn unfinished_work_is_found_everywhere() {
        for text in ["fn a() { todo!() }", "fn a() { unimplemented!() }", "fn a() { dbg!(1); }"] {
            assert_eq!(unfinished(&house(text)).len(), 7, "{text}");
        }
        assert!(unfinished(&house("// todo!\nconst A: &str = \"dbg!\";")).is_empty());
    }

    #[test]
    fn prints_are_found_in_libraries() {
        for text in ["fn a() { println!(); }", "fn a() { eprint!(\"\"); }"] {
            let expected =
                ["engine-core/src/a.rs", "engine-core/src/drive/mod.rs", "master/src/lib.rs"];
            assert_eq!(paths(&prints(&house(text))), expected, "{text}");
        }
        assert!(
            prints(&house("#[cfg(test)]\nmod tests {\n    fn a() { print!(); }\n}")).is_empty()
        );
    }

    #[test]
    fn panics_are_found_where_input_arrives() {
        for text in ["fn a() { b.unwrap(); }", "fn a() { b.expect(\"\"); }", "fn a() { panic!(); }"]
        {
            let expected = ["cli/src/main.rs", "master/src/lib.rs"];
            assert_eq!(paths(&panics(&house(text), &[])), expected, "{text}");
        }
        assert!(panics(&house("fn a() { b.unwrap_or(c).expected(); }"), &[]).is_empty());
    }

    #[test]
    fn a_panic_is_excused_by_name_and_an_idle_excuse_is_found() {
        let text = "fn a() { lock.unwrap(); }";
        let master = ("master/src/lib.rs", "lock.unwrap()", "nobody panics while holding it");
        assert_eq!(paths(&panics(&house(text), &[master])), ["cli/src/main.rs"]);
        let idle = ("master/src/lib.rs", "other.unwrap()", "gone");
        assert_eq!(panics(&house(text), &[idle]).len(), 3);
    }

    #[test]
    fn clocks_threads_and_unordered_containers_are_found_in_what_thinks() {
        let texts = [
            "fn a() { Instant::now(); }",
            "fn a() { std::time::SystemTime::now(); }",
            "fn a() { std::thread::spawn(b); }",
            "fn a(b: HashMap<u8, u8>) {}",
            "use std::collections::HashSet;",
        ];
        for text in texts {
            assert_eq!(paths(&determinism(&house(text), &[])), ["engine-core/src/a.rs"], "{text}");
        }
        let marked = house("fn a(b: HashMap<u8, u8>) {} // lookup only");
        assert!(determinism(&marked, &[]).is_empty());
        let scoped = ("engine-core/src/a.rs", "thread::scope", "ends here");
        assert!(determinism(&house("fn a() { thread::scope(b); }"), &[scoped]).is_empty());
    }
}
