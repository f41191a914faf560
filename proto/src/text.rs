//! Text from strangers.

use crate::error::WireError;

/// `text` fit for one line of a log: control characters replaced, at most `max` bytes.
pub fn printable(text: &str, max: usize) -> String {
    let mut out = String::new();
    for c in text.chars() {
        let c = if c.is_control() { '\u{fffd}' } else { c };
        if out.len() + c.len_utf8() > max {
            break;
        }
        out.push(c);
    }
    out
}

/// Passes on a text of at most `max` bytes without control characters.
pub(crate) fn checked(text: String, field: &'static str, max: usize) -> Result<String, WireError> {
    if text.len() > max {
        return Err(WireError::TooLong { field, length: text.len(), max });
    }
    if text.chars().any(char::is_control) {
        return Err(WireError::Unprintable(field));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_keeps_a_log_line_one_line() {
        assert_eq!(printable("two\nlines\u{1b}[31m", 100), "two\u{fffd}lines\u{fffd}[31m");
        assert_eq!(printable("ääää", 5), "ää", "cut between characters");
        assert_eq!(printable("", 5), "");
    }

    #[test]
    fn checked_text_is_short_and_printable() {
        assert_eq!(checked("mill-7 é".into(), "name", 9), Ok("mill-7 é".into()));
        let long = WireError::TooLong { field: "name", length: 3, max: 2 };
        assert_eq!(checked("abc".into(), "name", 2), Err(long));
        assert_eq!(checked("a\tb".into(), "name", 9), Err(WireError::Unprintable("name")));
    }
}
