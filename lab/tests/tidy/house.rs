//! The tree in memory.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use crate::modules;
use crate::source::Source;

/// Folders that hold no source of ours, by name, anywhere in the tree.
const SKIPPED: [&str; 2] = ["target", ".git"];

/// One violation, printed as `path:line: message`.
#[derive(Debug, PartialEq, Eq)]
pub struct Finding {
    pub path: String,
    /// Counted from 1.
    pub line: usize,
    pub message: String,
}

impl Finding {
    pub fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Every file of the tree: path from the root (with `/`) to text. A file that is not UTF-8 is
/// present with an empty text, so that links to it resolve.
pub struct House {
    files: BTreeMap<String, String>,
    rust: Vec<RustFile>,
}

/// One Rust file as the rules see it.
pub struct RustFile {
    pub path: String,
    pub source: Source,
    /// Only tests, benches or examples compile this file.
    pub only_tests: bool,
    /// Some crate compiles this file.
    pub reached: bool,
}

impl House {
    /// Reads the working tree this test was compiled from.
    pub fn load() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut files = BTreeMap::new();
        walk(&root, "", &mut files);
        Self::new(files)
    }

    /// A house of strings, for the tests of the rules.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        Self::new(files.iter().map(|(path, text)| ((*path).into(), (*text).into())).collect())
    }

    fn new(files: BTreeMap<String, String>) -> Self {
        let sources: BTreeMap<String, Source> = files
            .iter()
            .filter(|(path, _)| has_extension(path, "rs"))
            .map(|(path, text)| (path.clone(), Source::new(text)))
            .collect();
        let reach = modules::reach(&files, &sources);
        let rust = sources
            .into_iter()
            .map(|(path, source)| {
                let only_tests = reach.get(&path).is_none_or(|reached| reached.only_tests);
                let reached = reach.contains_key(&path);
                RustFile { path, source, only_tests, reached }
            })
            .collect();
        Self { files, rust }
    }

    pub fn rust(&self) -> &[RustFile] {
        &self.rust
    }

    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Is there such a file, or a folder with files in it? The empty path is the root.
    pub fn exists(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        path.is_empty()
            || self.files.contains_key(path)
            || self.paths().any(|file| file.starts_with(&folder))
    }
}

/// Does the path end in `.extension`?
pub fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

fn walk(root: &Path, folder: &str, files: &mut BTreeMap<String, String>) {
    let entries = fs::read_dir(root.join(folder)).expect("a folder of the tree is readable");
    for entry in entries {
        let entry = entry.expect("a folder of the tree is readable");
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let kind = entry.file_type().expect("the file system tells file types");
        if kind.is_dir() && !SKIPPED.contains(&name.as_str()) {
            walk(root, &path, files);
        } else if kind.is_file() && !SKIPPED.contains(&name.as_str()) {
            let bytes = fs::read(entry.path()).expect("a file of the tree is readable");
            files.insert(path, String::from_utf8(bytes).unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_a_place_an_editor_can_open() {
        assert_eq!(Finding::new("a/b.rs", 7, "no").to_string(), "a/b.rs:7: no");
    }

    #[test]
    fn folders_exist_through_their_files() {
        let house = House::of(&[("docs/a.md", "")]);
        assert!(house.exists("docs") && house.exists("docs/a.md") && house.exists(""));
        assert!(!house.exists("doc") && !house.exists("docs/b.md"));
    }
}
