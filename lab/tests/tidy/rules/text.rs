//! Rules on text of any kind: white space, names of places, links.

use crate::house::{Finding, House, has_extension};
use crate::modules::{join, parent};

/// Kinds of files that people write.
const WRITTEN: [&str; 8] = ["rs", "toml", "md", "proto", "py", "sh", "yaml", "yml"];

/// Tabs, spaces at line ends, and a missing line end at the end of the file.
pub fn whitespace(house: &House) -> Vec<Finding> {
    let mut findings = Vec::new();
    let written = |path: &str| {
        path.starts_with(".ci/") || WRITTEN.iter().any(|kind| has_extension(path, kind))
    };
    for (path, text) in house.files().filter(|(path, _)| written(path)) {
        for (index, line) in text.split('\n').enumerate() {
            if line.contains('\t') {
                findings.push(Finding::new(path, index + 1, "a tab: use spaces"));
            }
            if line.ends_with(char::is_whitespace) {
                findings.push(Finding::new(path, index + 1, "white space at the end of the line"));
            }
        }
        if !text.is_empty() && !text.ends_with('\n') {
            findings.push(Finding::new(path, text.lines().count(), "no line end at the end"));
        }
    }
    findings
}

/// Names of places that mean nothing outside one machine: folders of a workplace, and hosts of
/// package registries, which every client knows by itself. Written in halves, so that this file
/// does not hold them.
const PLACES: [(&str, &str); 6] = [
    ("/wo", "rk/"),
    ("/fa", "rm/"),
    ("crates", ".io"),
    ("pypi", ".org"),
    ("deb.deb", "ian"),
    ("npm", "js"),
];

/// Such names in any file but the lock file, which cargo writes.
pub fn places(house: &House) -> Vec<Finding> {
    let places = PLACES.map(|(head, tail)| format!("{head}{tail}"));
    let mut findings = Vec::new();
    for (path, text) in house.files().filter(|(path, _)| *path != "Cargo.lock") {
        for place in places.iter().filter(|place| text.contains(place.as_str())) {
            for (index, _) in text.lines().enumerate().filter(|(_, line)| line.contains(place)) {
                let message = format!("`{place}` names a place outside the project");
                findings.push(Finding::new(path, index + 1, message));
            }
        }
    }
    findings
}

/// Relative links in Markdown that lead nowhere.
pub fn links(house: &House) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in house.files().filter(|(path, _)| has_extension(path, "md")) {
        for (line, target) in link_targets(text) {
            let file = target.split('#').next().unwrap_or(target);
            let elsewhere = file.is_empty() || file.contains("://") || file.starts_with("mailto:");
            if !elsewhere && !house.exists(&join(parent(path), file)) {
                findings.push(Finding::new(
                    path,
                    line,
                    format!("the link `{target}` leads nowhere"),
                ));
            }
        }
    }
    findings
}

/// Line and target of every `](target)` outside code blocks and code spans.
fn link_targets(text: &str) -> Vec<(usize, &str)> {
    let mut targets = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        for (at, _) in line.match_indices("](") {
            let in_span = line[..at].matches('`').count() % 2 == 1;
            let target = line[at + 2..].split([')', ' ']).next().unwrap_or_default();
            if !in_span {
                targets.push((index + 1, target));
            }
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(findings: &[Finding]) -> Vec<usize> {
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn stray_white_space_is_found() {
        let text = "a\nb \n\tc\nd";
        assert_eq!(lines(&whitespace(&House::of(&[("a.md", text)]))), [2, 3, 4]);
        assert_eq!(lines(&whitespace(&House::of(&[(".ci/run", text)]))), [2, 3, 4]);
        assert!(whitespace(&House::of(&[("a.tsv", text), ("b.rs", "a\n\nb\n")])).is_empty());
    }

    #[test]
    fn places_of_one_machine_are_found() {
        for (head, tail) in PLACES {
            let text = format!("a\nsee {head}{tail}x\n");
            let found = places(&House::of(&[("a/b.sh", &text), ("Cargo.lock", &text)]));
            assert_eq!(lines(&found), [2], "{head}…{tail}");
        }
        assert!(places(&House::of(&[("a.md", "work/ farm crates pypi worker/\n")])).is_empty());
    }

    #[test]
    fn broken_links_are_found() {
        let text = "[a](b.md) [c](../x/y.rs#l)\n[d](gone.md)\n```\n[e](f.md)\n```\n`[g](h.md)` [i](../j)\n\
                    [k](#k) [l](https://example.org/m) [n](../x)\n";
        let house = House::of(&[("docs/a.md", text), ("docs/b.md", ""), ("x/y.rs", "")]);
        assert_eq!(lines(&links(&house)), [2, 6]);
    }
}
