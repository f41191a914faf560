//! Which files the compiler reaches from the roots that cargo knows.

use std::collections::BTreeMap;

use crate::house::has_extension;
use crate::scan;
use crate::source::Source;

/// How a file is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Only from tests, benches, examples, or under `#[cfg(test)]`.
    pub only_tests: bool,
}

/// Walks `mod` and `include!` from every crate root. Files missing in the answer are dead.
pub fn reach(
    files: &BTreeMap<String, String>,
    sources: &BTreeMap<String, Source>,
) -> BTreeMap<String, Reached> {
    let mut reached: BTreeMap<String, Reached> = BTreeMap::new();
    let mut open = roots(files);
    while let Some((path, only_tests)) = open.pop() {
        let Some(source) = sources.get(&path) else { continue };
        // A second visit matters only if it brings a test file into shipped code.
        if reached.get(&path).is_some_and(|before| only_tests || !before.only_tests) {
            continue;
        }
        reached.insert(path.clone(), Reached { only_tests });
        for module in scan::modules(source) {
            for child in candidates(&path, &module, files) {
                open.push((child, only_tests || module.test));
            }
        }
        let folder = parent(&path);
        open.extend(scan::includes(source).iter().map(|file| (join(folder, file), only_tests)));
    }
    reached
}

/// Crate roots by cargo's conventions and by `path = "….rs"` in a manifest, each with whether it
/// is test code.
fn roots(files: &BTreeMap<String, String>) -> Vec<(String, bool)> {
    let mut roots = Vec::new();
    for (manifest, text) in files.iter().filter(|(path, _)| is_manifest(path)) {
        let folder = parent(manifest);
        let named = text.lines().filter_map(|line| line.trim().strip_prefix("path = \""));
        let named = named.filter_map(|rest| rest.strip_suffix("\"").map(|file| join(folder, file)));
        let named: Vec<String> = named.collect();
        for path in files.keys() {
            let Some(inside) = path.strip_prefix(folder) else { continue };
            let inside = inside.trim_start_matches('/');
            if let Some(tests) = conventional(inside) {
                roots.push((path.clone(), tests));
            } else if named.contains(path) {
                roots.push((path.clone(), !inside.starts_with("src/")));
            }
        }
    }
    roots
}

fn is_manifest(path: &str) -> bool {
    path == "Cargo.toml" || path.ends_with("/Cargo.toml")
}

/// Is this path inside a package a crate root that cargo finds by itself? If so: a test one?
fn conventional(inside: &str) -> Option<bool> {
    if ["src/lib.rs", "src/main.rs"].contains(&inside) {
        return Some(false);
    }
    if inside == "build.rs" {
        return Some(true);
    }
    let homes = [("src/bin/", false), ("tests/", true), ("benches/", true), ("examples/", true)];
    homes.into_iter().find_map(|(home, tests)| {
        let file = inside.strip_prefix(home)?;
        let is_root = match file.split_once('/') {
            None => has_extension(file, "rs"),
            Some((_, rest)) => rest == "main.rs",
        };
        is_root.then_some(tests)
    })
}

/// The files that may hold this module of the file `path`: `name.rs` or `name/mod.rs`, beside it
/// for a root or `mod.rs`, in the folder of its own name for others. Both places are tried for all.
fn candidates(
    path: &str,
    module: &scan::Module,
    files: &BTreeMap<String, String>,
) -> impl Iterator<Item = String> {
    let folder = parent(path);
    let stem = path.rsplit('/').next().and_then(|file| file.strip_suffix(".rs")).unwrap_or(path);
    let own = join(folder, stem);
    let name = &module.name;
    let paths = match &module.path {
        Some(file) => vec![join(folder, file)],
        None => [folder, own.as_str()]
            .iter()
            .flat_map(|home| {
                [join(home, &format!("{name}.rs")), join(home, &format!("{name}/mod.rs"))]
            })
            .collect(),
    };
    paths.into_iter().filter(|path| files.contains_key(path)).collect::<Vec<_>>().into_iter()
}

/// Folder of a path, without a slash at the end; empty for a file in the root.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins and resolves `.` and `..`.
pub fn join(folder: &str, file: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(file.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(texts: &[(&str, &str)]) -> Vec<(String, bool)> {
        let files: BTreeMap<String, String> =
            texts.iter().map(|(path, text)| ((*path).into(), (*text).into())).collect();
        let sources = files.iter().map(|(path, text)| (path.clone(), Source::new(text))).collect();
        reach(&files, &sources).into_iter().map(|(path, how)| (path, how.only_tests)).collect()
    }

    #[test]
    fn modules_are_followed_into_both_layouts() {
        let found = reached(&[
            ("a/Cargo.toml", ""),
            ("a/src/lib.rs", "mod b;\nmod c;\n#[cfg(test)]\nmod t;\n"),
            ("a/src/b.rs", "mod d;\n"),
            ("a/src/b/d.rs", ""),
            ("a/src/c/mod.rs", "mod e;\n"),
            ("a/src/c/e.rs", ""),
            ("a/src/t.rs", ""),
            ("a/src/dead.rs", ""),
        ]);
        let expected = [
            ("a/src/b.rs", false),
            ("a/src/b/d.rs", false),
            ("a/src/c/e.rs", false),
            ("a/src/c/mod.rs", false),
            ("a/src/lib.rs", false),
            ("a/src/t.rs", true),
        ];
        assert_eq!(found, expected.map(|(path, tests)| (path.to_owned(), tests)));
    }

    #[test]
    fn roots_are_found_by_convention_and_by_manifest() {
        let found = reached(&[
            ("a/Cargo.toml", "[[bench]]\npath = \"benches/x/y.rs\"\n"),
            ("a/benches/x/y.rs", "#[path = \"../../z.rs\"]\nmod z;\n"),
            ("a/z.rs", ""),
            ("a/tests/one/main.rs", "include!(\"two.rs\");\n"),
            ("a/tests/one/two.rs", ""),
            ("a/tests/three.rs", ""),
            ("a/src/bin/tool.rs", ""),
        ]);
        let expected = [
            ("a/benches/x/y.rs", true),
            ("a/src/bin/tool.rs", false),
            ("a/tests/one/main.rs", true),
            ("a/tests/one/two.rs", true),
            ("a/tests/three.rs", true),
            ("a/z.rs", true),
        ];
        assert_eq!(found, expected.map(|(path, tests)| (path.to_owned(), tests)));
    }

    #[test]
    fn a_file_shared_with_tests_is_shipped_code() {
        let found = reached(&[
            ("a/Cargo.toml", ""),
            ("a/src/lib.rs", "mod b;\n"),
            ("a/src/b.rs", ""),
            ("a/tests/t.rs", "#[path = \"../src/b.rs\"]\nmod b;\n"),
        ]);
        assert!(found.contains(&("a/src/b.rs".to_owned(), false)));
    }

    #[test]
    fn paths_resolve() {
        assert_eq!(join("a/b", "../c/./d.md"), "a/c/d.md");
        assert_eq!(parent("a/b/c.rs"), "a/b");
        assert_eq!(parent("c.rs"), "");
    }
}
