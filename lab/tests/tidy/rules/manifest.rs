//! The walls between packages stand in their manifests.

use crate::house::{Finding, House};

/// What a package must not name among its dependencies. The first entry is the whole point of
/// engine-core: what thinks does not talk.
const WALLS: [(&str, &[&str]); 4] = [
    (
        "engine-core/Cargo.toml",
        &["tokio", "tonic", "prost", "clap", "proto", "master", "worker", "cli", "lab"],
    ),
    ("proto/Cargo.toml", &["master", "worker", "cli", "lab"]),
    ("master/Cargo.toml", &["worker", "cli", "lab"]),
    ("worker/Cargo.toml", &["master", "cli", "lab"]),
];

/// Dependencies that cross a wall. Packages but engine-core may use others in their tests.
pub fn walls(house: &House) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (manifest, forbidden) in WALLS {
        let Some(text) = house.text(manifest) else {
            findings.push(Finding::new(
                manifest,
                1,
                "a wall stands here, but there is no manifest",
            ));
            continue;
        };
        let tests_too = manifest.starts_with("engine-core/");
        for (line, name) in dependencies(text, tests_too) {
            // `tonic` also means `tonic-health`.
            let crosses = |word: &&&str| name == **word || name.starts_with(&format!("{word}-"));
            if let Some(word) = forbidden.iter().find(crosses) {
                let message = format!("`{name}` crosses the wall: no `{word}` here");
                findings.push(Finding::new(manifest, line, message));
            }
        }
    }
    findings
}

/// Line and name of every dependency; those of `[dev-dependencies]` only if asked.
fn dependencies(text: &str, tests_too: bool) -> Vec<(usize, &str)> {
    let mut section = "";
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']');
            // `[dependencies.name]` is a dependency by itself.
            if let Some((table, name)) = section.rsplit_once('.')
                && counts(table, tests_too)
            {
                found.push((index + 1, name));
            }
        } else if counts(section, tests_too)
            && let Some((key, _)) = line.split_once('=')
        {
            found.push((index + 1, key.trim().split('.').next().unwrap_or(key).trim_matches('"')));
        }
    }
    found
}

/// Is this table one of dependencies, on any target?
fn counts(section: &str, tests_too: bool) -> bool {
    section.ends_with("dependencies") && (tests_too || !section.ends_with("dev-dependencies"))
}

/// Every member is on the map, and keeps the common lints.
pub fn members(house: &House) -> Vec<Finding> {
    let Some(members) = house.text("Cargo.toml").and_then(members_of) else {
        return vec![Finding::new("Cargo.toml", 1, "no `members = [...]` line to read")];
    };
    let map = house.text("ARCHITECTURE.md").unwrap_or_default();
    let mut findings = Vec::new();
    for member in members {
        if !map.contains(&format!("{member}/")) {
            let message = format!("workspace member `{member}/` is not on the map");
            findings.push(Finding::new("ARCHITECTURE.md", 1, message));
        }
        let manifest = format!("{member}/Cargo.toml");
        if !house.text(&manifest).is_some_and(|text| text.contains("[lints]\nworkspace = true")) {
            findings.push(Finding::new(&manifest, 1, "no `[lints] workspace = true`"));
        }
    }
    if house.exists("rust-toolchain") || house.exists("rust-toolchain.toml") {
        let message = "the house builds on any recent stable compiler: pin none";
        findings.push(Finding::new("rust-toolchain.toml", 1, message));
    }
    findings
}

/// The names in `members = ["a", "b"]`, on one line or several.
fn members_of(manifest: &str) -> Option<Vec<&str>> {
    let (_, rest) = manifest.split_once("\nmembers = [")?;
    let (list, _) = rest.split_once(']')?;
    Some(list.split('"').skip(1).step_by(2).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crossing(manifest: &str, text: &str) -> Vec<usize> {
        let mut files = WALLS.map(|(path, _)| (path, ""));
        for file in files.iter_mut().filter(|file| file.0 == manifest) {
            file.1 = text;
        }
        walls(&House::of(&files)).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_crossed_wall_is_found() {
        let core = "engine-core/Cargo.toml";
        assert_eq!(crossing(core, "[dependencies]\ntokio.workspace = true\n"), [2]);
        assert_eq!(crossing(core, "[dependencies]\n\"tonic-health\" = \"0.14\"\n"), [2]);
        assert_eq!(crossing(core, "[dev-dependencies]\nclap = \"4\"\n"), [2]);
        assert_eq!(crossing(core, "[target.'cfg(unix)'.dependencies]\nprost = \"1\"\n"), [2]);
        assert_eq!(crossing(core, "[dependencies.proto]\npath = \"../proto\"\n"), [1]);
        assert_eq!(crossing("master/Cargo.toml", "[dependencies]\nworker.workspace = true\n"), [2]);
    }

    #[test]
    fn what_stays_inside_the_walls_passes() {
        let core = "engine-core/Cargo.toml";
        let text =
            "# no tokio\n[package]\ndescription = \"tokio\"\n[dependencies]\nrustix = \"1\"\n";
        assert!(crossing(core, text).is_empty());
        let master = "[dependencies]\nproto = \"1\"\n[dev-dependencies]\nworker = \"1\"\n";
        assert!(crossing("master/Cargo.toml", master).is_empty());
    }

    #[test]
    fn a_missing_manifest_is_found() {
        assert_eq!(walls(&House::of(&[])).len(), WALLS.len());
    }

    #[test]
    fn a_member_off_the_map_is_found() {
        let root = "[workspace]\nmembers = [\n  \"a\",\n  \"b\",\n]\n";
        let lints = "[lints]\nworkspace = true\n";
        let found = |map: &str, other: &str| {
            let files = [("Cargo.toml", root), ("ARCHITECTURE.md", map), ("a/Cargo.toml", lints)];
            members(&House::of(&[files[0], files[1], files[2], ("b/Cargo.toml", other)])).len()
        };
        assert_eq!(found("a/ b/", lints), 0);
        assert_eq!(found("a/", lints), 1);
        assert_eq!(found("a/ b/", ""), 1);
        assert_eq!(members(&House::of(&[])).len(), 1);
    }

    #[test]
    fn a_pinned_compiler_is_found() {
        let root = ("Cargo.toml", "[workspace]\nmembers = []\n");
        assert_eq!(members(&House::of(&[root, ("rust-toolchain.toml", "")])).len(), 1);
    }
}
