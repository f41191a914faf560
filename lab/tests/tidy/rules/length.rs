//! Files and functions a reader can hold in mind.

use std::collections::BTreeMap;

use crate::house::{Finding, House};
use crate::scan;

/// A file longer than this needs an entry in the ratchet.
const FILE_COMFORT: usize = 400;
/// A file longer than this needs splitting; no entry helps.
const FILE_LIMIT: usize = 600;
/// Lines of a function, without blank lines and comments.
const FUNCTION_LIMIT: usize = 70;
/// How far a ceiling may stand above what it covers.
const SLACK: usize = 20;

/// Rust files over the limit, or over the comfort without an exception.
pub fn files(house: &House, exceptions: &[(&str, usize)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut measured = Vec::new();
    for file in house.rust() {
        let length = file.source.lines().count();
        if length > FILE_LIMIT {
            let message = format!("{length} lines, over the limit of {FILE_LIMIT}: split it");
            findings.push(Finding::new(&file.path, 1, message));
        } else {
            measured.push((file.path.clone(), file.path.clone(), 1, length));
        }
    }
    findings.extend(ratchet(&measured, FILE_COMFORT, exceptions, "the file"));
    findings
}

/// Functions over the limit without an exception.
pub fn functions(house: &House, exceptions: &[(&str, usize)]) -> Vec<Finding> {
    let measured: Vec<Measure> = house
        .rust()
        .iter()
        .flat_map(|file| {
            scan::functions(&file.source).into_iter().map(|function| {
                let key = format!("{}::{}", file.path, function.name);
                (key, file.path.clone(), function.line, function.length)
            })
        })
        .collect();
    ratchet(&measured, FUNCTION_LIMIT, exceptions, "the function")
}

/// Key in the ratchet, path, line, length.
type Measure = (String, String, usize, usize);

/// Holds every measure to the limit or to its own ceiling, and every ceiling to its measure.
fn ratchet(
    measured: &[Measure],
    limit: usize,
    exceptions: &[(&str, usize)],
    what: &str,
) -> Vec<Finding> {
    let mut ceilings: BTreeMap<&str, usize> = exceptions.iter().copied().collect();
    let mut findings = Vec::new();
    for (key, path, line, length) in measured.iter().filter(|(.., length)| *length > limit) {
        let message = match ceilings.remove(key.as_str()) {
            None => format!("{what} {key} has {length} lines, over {limit}: split it"),
            Some(ceiling) if *length > ceiling => {
                format!("{what} {key} has grown to {length} lines, over its ceiling of {ceiling}")
            }
            Some(ceiling) if length + SLACK < ceiling => {
                format!("{what} {key} has only {length} lines now: lower its ceiling of {ceiling}")
            }
            Some(_) => continue,
        };
        findings.push(Finding::new(path, *line, message));
    }
    let idle = ceilings.into_keys().map(|key| {
        let path = key.split("::").next().unwrap_or(key);
        Finding::new(path, 1, format!("{key} needs no exception any more: take it off the ratchet"))
    });
    findings.extend(idle);
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn house(file_lines: usize, function_lines: usize) -> House {
        let function = format!("fn long() {{\n{}}}\n", "    x();\n".repeat(function_lines - 2));
        let text = format!("{function}{}", "// y\n".repeat(file_lines - function_lines));
        House::of(&[("a.rs", &text)])
    }

    #[test]
    fn file_lengths_are_held() {
        let found = |lines, list: &[(&str, usize)]| files(&house(lines, 10), list).len();
        assert_eq!(found(400, &[]), 0);
        assert_eq!(found(401, &[]), 1, "over the comfort");
        assert_eq!(found(420, &[("a.rs", 430)]), 0);
        assert_eq!(found(431, &[("a.rs", 430)]), 1, "grown over the ceiling");
        assert_eq!(found(409, &[("a.rs", 430)]), 1, "ceiling too high");
        assert_eq!(found(400, &[("a.rs", 430)]), 1, "idle entry");
        assert_eq!(found(601, &[]), 1, "over the limit");
        assert_eq!(found(601, &[("a.rs", 601)]), 2, "no entry excuses that");
    }

    #[test]
    fn function_lengths_are_held() {
        let found = |lines, list: &[(&str, usize)]| functions(&house(200, lines), list).len();
        assert_eq!(found(70, &[]), 0);
        assert_eq!(found(71, &[]), 1);
        assert_eq!(found(71, &[("a.rs::long", 75)]), 0);
        assert_eq!(found(76, &[("a.rs::long", 75)]), 1);
        assert_eq!(found(70, &[("a.rs::long", 75)]), 1);
    }
}
