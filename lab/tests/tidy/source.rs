//! A Rust file split into what the compiler reads and what people read.

/// A file beside its masked twin. The twin has the same lines and columns, but comments are
/// blank and strings and characters are `_`, quotes and all, so that a search for a word or a
/// brace in it finds code only.
pub struct Source {
    raw: String,
    code: String,
    test: Vec<bool>,
}

/// One line of a [`Source`].
pub struct Line<'a> {
    /// Counted from 1.
    pub number: usize,
    pub raw: &'a str,
    pub code: &'a str,
    /// The line belongs to an item under `#[cfg(test)]`.
    pub test: bool,
}

impl Source {
    pub fn new(text: &str) -> Self {
        let code = mask(text);
        let test = test_lines(&code);
        Self { raw: text.to_owned(), code, test }
    }

    /// The masked text.
    pub fn code(&self) -> &str {
        &self.code
    }

    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let pairs = self.raw.lines().zip(self.code.lines()).zip(&self.test);
        pairs.enumerate().map(|(index, ((raw, code), test))| Line {
            number: index + 1,
            raw,
            code,
            test: *test,
        })
    }
}

/// Blanks comments and fills strings, keeping every line break where it was.
fn mask(text: &str) -> String {
    let mut rest = text;
    let mut code = String::with_capacity(text.len());
    let mut word_before = false;
    while let Some(first) = rest.chars().next() {
        let (length, fill) = token(rest, word_before);
        for symbol in rest[..length].chars() {
            code.push(match fill {
                Fill::Keep => symbol,
                _ if symbol == '\n' => '\n',
                Fill::Blank => ' ',
                Fill::Underscore => '_',
            });
        }
        word_before = matches!(fill, Fill::Keep) && is_word(first);
        rest = &rest[length..];
    }
    code
}

/// What [`mask`] puts in place of a token.
enum Fill {
    Keep,
    Blank,
    Underscore,
}

/// Length in bytes of the comment, string or single character at the start of `text`, which is
/// not empty. `word_before`: the character before it continues a word, so that the `r` of `for"`
/// starts no raw string.
fn token(text: &str, word_before: bool) -> (usize, Fill) {
    if text.starts_with("//") {
        return (text.find('\n').unwrap_or(text.len()), Fill::Blank);
    }
    if text.starts_with("/*") {
        return (block_comment(text), Fill::Blank);
    }
    if !word_before && let Some(length) = raw_string(text) {
        return (length, Fill::Underscore);
    }
    if text.starts_with('"') {
        return (quoted(text, '"'), Fill::Underscore);
    }
    if is_character(text) {
        return (quoted(text, '\''), Fill::Underscore);
    }
    (text.chars().next().map_or(1, char::len_utf8), Fill::Keep)
}

/// Length of the block comment at the start; they nest.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if text[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
        if depth == 0 {
            return at;
        }
    }
    at
}

/// Length of the raw string at the start, if there is one: `r"…"`, `r#"…"#`, `br"…"`, `cr"…"`.
fn raw_string(text: &str) -> Option<usize> {
    let prefix = ["br", "cr", "r"].into_iter().find(|prefix| text.starts_with(prefix))?;
    let after = &text[prefix.len()..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = text.len() - body.len();
    Some(body.find(&end).map_or(text.len(), |found| start + found + end.len()))
}

/// Length of the literal at the start, both quotes included; a backslash hides what follows it.
fn quoted(text: &str, quote: char) -> usize {
    let mut hidden = true; // the opening quote itself
    for (at, symbol) in text.char_indices() {
        match symbol {
            _ if hidden => hidden = false,
            '\\' => hidden = true,
            _ if symbol == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Does a character literal start here, rather than a lifetime?
fn is_character(text: &str) -> bool {
    let mut symbols = text.chars();
    symbols.next() == Some('\'')
        && match symbols.next() {
            Some('\\') => true,
            Some(_) => symbols.next() == Some('\''),
            None => false,
        }
}

/// May this character be part of an identifier?
pub fn is_word(symbol: char) -> bool {
    symbol.is_alphanumeric() || symbol == '_'
}

/// Marks the lines of every item that stands under an attribute naming `cfg(test)`.
fn test_lines(code: &str) -> Vec<bool> {
    let mut marks = vec![false; code.lines().count()];
    for (at, _) in code.match_indices("#[cfg(") {
        let Some(attribute) = code[at..].find(")]").map(|end| &code[at..at + end]) else {
            continue;
        };
        if !names_test(attribute) {
            continue;
        }
        let after = at + attribute.len() + 2;
        let end = item_end(code, after);
        let first = line_of(code, at);
        let last = line_of(code, end);
        marks[first..=last.min(code.lines().count() - 1)].fill(true);
    }
    marks
}

/// Does this `cfg` attribute ask for test builds? `not(test)` does not.
pub fn names_test(attribute: &str) -> bool {
    ["cfg(test", "all(test", "any(test"].iter().any(|form| attribute.contains(form))
}

/// Index of the line that holds this byte, counted from 0.
pub fn line_of(code: &str, byte: usize) -> usize {
    code[..byte].matches('\n').count()
}

/// Byte at which the item that starts at `from` ends: its `;` outside brackets, or the brace
/// that closes its body or what it stands in; the end of the text if neither comes.
pub fn item_end(code: &str, from: usize) -> usize {
    let (mut brackets, mut braces) = (0_i32, 0_i32);
    for (at, symbol) in code[from..].char_indices() {
        match symbol {
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets -= 1,
            '{' => braces += 1,
            '}' => {
                braces -= 1;
                if braces <= 0 && brackets == 0 {
                    return from + at;
                }
            }
            ';' if braces == 0 && brackets == 0 => return from + at,
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_blank_and_strings_are_filled() {
        let cases = [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            (r#"f("a{\"b") + g"#, "f(_______) + g"),
            ("r#\"a\"b\"# + c", "________ + c"),
            ("x = br\"{\\\" + y", "x = ______ + y"),
            ("'{' 'a '\\'' b", "___ 'a ____ b"),
            ("r#type + for_r", "r#type + for_r"),
            ("\"a\nb\" c", "__\n__ c"),
            ("\"open", "_____"),
        ];
        for (text, code) in cases {
            assert_eq!(mask(text), code, "{text}");
        }
    }

    #[test]
    fn test_items_are_marked_to_their_last_line() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n\
                    #[cfg(test)]\nuse d::{\n    e,\n};\n#[cfg(not(test))]\nfn f() {}\n\
                    #[cfg(all(test, unix))]\nmod g;\nfn h() {}\n";
        let marks: Vec<usize> =
            Source::new(text).lines().filter(|line| line.test).map(|line| line.number).collect();
        assert_eq!(marks, [2, 3, 4, 5, 7, 8, 9, 10, 13, 14]);
    }

    #[test]
    fn an_unclosed_test_item_reaches_the_end_of_the_file() {
        let marked =
            Source::new("#[cfg(test)]\nmod a {\n").lines().filter(|line| line.test).count();
        assert_eq!(marked, 2);
    }
}
