//! Functions and `mod` declarations of a Rust file, found in its masked text.

use crate::source::{Source, is_word, item_end, line_of, names_test};

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// Line of its `fn`, counted from 1.
    pub line: usize,
    /// Lines from `fn` to the closing brace, without blank lines and comments.
    pub length: usize,
}

/// A declaration `mod name;` – the compiler reads another file there.
#[derive(Debug, PartialEq, Eq)]
pub struct Module {
    pub name: String,
    /// From `#[path = "…"]`.
    pub path: Option<String>,
    /// It or its line stands under `#[cfg(test)]`.
    pub test: bool,
}

/// All functions that have a body, nested ones too, in order of their `fn`.
pub fn functions(source: &Source) -> Vec<Function> {
    let code = source.code();
    words(code, "fn")
        .filter_map(|at| {
            let name: String =
                code[at + 2..].trim_start().chars().take_while(|symbol| is_word(*symbol)).collect();
            let end = item_end(code, at);
            if name.is_empty() || !code[end..].starts_with('}') {
                return None; // a pointer type, a macro pattern, or a declaration without body
            }
            let length = code[at..=end].lines().filter(|line| !line.trim().is_empty()).count();
            Some(Function { name, line: line_of(code, at) + 1, length })
        })
        .collect()
}

/// All `mod name;` of the file. Expects rustfmt's layout: one item a line, attributes above it.
pub fn modules(source: &Source) -> Vec<Module> {
    let mut found = Vec::new();
    let mut attributes = String::new();
    for line in source.lines() {
        let code = line.code.trim();
        if code.is_empty() {
            continue;
        }
        if code.starts_with("#[") {
            attributes.push_str(line.raw.trim());
        } else {
            if let Some(name) = module_name(code) {
                let path = attributes
                    .split_once("path = \"")
                    .and_then(|(_, rest)| rest.split_once('"').map(|(path, _)| path.to_owned()));
                let test = line.test || names_test(&attributes);
                found.push(Module { name: name.to_owned(), path, test });
            }
            attributes.clear();
        }
    }
    found
}

/// Paths of the files this one pulls in with `include!("…")`.
pub fn includes(source: &Source) -> Vec<String> {
    source
        .lines()
        .filter(|line| line.code.contains("include!(_"))
        .filter_map(|line| line.raw.split_once("include!(\"")?.1.split_once('"'))
        .map(|(path, _)| path.to_owned())
        .collect()
}

/// The name in `mod name;`, with any visibility before it.
fn module_name(code: &str) -> Option<&str> {
    let name = code.strip_suffix(';')?.rsplit_once("mod ")?;
    let visible = name.0.trim();
    let plain = visible.is_empty() || visible == "pub" || visible.starts_with("pub(");
    (plain && name.1.chars().all(is_word)).then_some(name.1)
}

/// Byte positions of a whole word.
pub fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = code[..*at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(text: &str) -> Vec<(String, usize, usize)> {
        functions(&Source::new(text))
            .into_iter()
            .map(|found| (found.name, found.line, found.length))
            .collect()
    }

    #[test]
    fn a_function_is_measured_without_blank_lines_and_comments() {
        let text = "fn a(x: [u8; 4]) -> u8 {\n\n    // why\n    let s = \"}\";\n    x[0]\n}\n";
        assert_eq!(lengths(text), [("a".into(), 1, 4)]);
    }

    #[test]
    fn nested_functions_are_found_and_bodiless_ones_are_not() {
        let text = "trait T {\n    fn a();\n    fn b() {\n        fn c() {}\n    }\n}\n\
                    type F = fn(u8) -> u8;\nconst G: u8 = 1;\nstruct S {\n    h: fn(),\n}\n";
        assert_eq!(lengths(text), [("b".into(), 3, 3), ("c".into(), 4, 1)]);
    }

    #[test]
    fn a_line_of_a_long_string_counts() {
        assert_eq!(lengths("fn a() {\n    \"\n    b\n    \"\n}\n"), [("a".into(), 1, 5)]);
    }

    #[test]
    fn module_declarations_keep_their_attributes() {
        let text = "pub mod a;\n/// doc\n#[cfg(test)]\nmod b;\npub(crate) mod c;\nmod d {}\n\
                    #[path = \"x/e.rs\"]\nmod e;\n// mod f;\nlet g = \"mod h;\";\nuse i::mod j;\n";
        let found = modules(&Source::new(text));
        let names: Vec<(&str, Option<&str>, bool)> = found
            .iter()
            .map(|module| (module.name.as_str(), module.path.as_deref(), module.test))
            .collect();
        assert_eq!(
            names,
            [
                ("a", None, false),
                ("b", None, true),
                ("c", None, false),
                ("e", Some("x/e.rs"), false)
            ]
        );
    }

    #[test]
    fn includes_are_found_in_code_only() {
        let text = "include!(\"a.rs\");\n// include!(\"b.rs\");\n";
        assert_eq!(includes(&Source::new(text)), ["a.rs"]);
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(words("fn fnord _fn (fn)", "fn").collect::<Vec<_>>(), [0, 14]);
    }
}
