//! One value on a line (state.md 2.2, 2.3).

use std::borrow::Cow;

use crate::text::trim;

/// Reads a value: escapes count between double quotes only; else one quote at either end is dropped.
pub(super) fn read(text: &str) -> String {
    let text = trim(text);
    match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => unescape(inner),
        None => unquote(text).to_owned(),
    }
}

fn unquote(text: &str) -> &str {
    const QUOTES: [char; 2] = ['"', '\''];
    let text = text.strip_prefix(QUOTES).unwrap_or(text);
    text.strip_suffix(QUOTES).unwrap_or(text)
}

/// An escape that is none stays as it is.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (escaped, length) = match rest.as_bytes().get(1) {
            Some(b'\\') => ('\\', 2),
            Some(b'"') => ('"', 2),
            Some(b'n') => ('\n', 2),
            Some(b't') => ('\t', 2),
            Some(b'r') => ('\r', 2),
            Some(b'x') => match rest.get(2..4).and_then(hex) {
                Some(byte) => (char::from(byte), 4),
                None => ('\\', 1),
            },
            _ => ('\\', 1),
        };
        out.push(escaped);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// A byte in two hex digits; a sign is none.
fn hex(digits: &str) -> Option<u8> {
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

/// The items between the brackets of a list: commas inside quotes do not split, empty items do not count.
pub(super) fn items(inner: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut quote = None;
    let mut start = 0;
    let mut escaped = false;
    let mut add = |item: &str| {
        let item = trim(item);
        if !item.is_empty() {
            items.push(read(item));
        }
    };
    for (at, c) in inner.char_indices() {
        match (quote, c) {
            (Some('"'), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(open), c) if c == open && !escaped => quote = None,
            (None, '"' | '\'') if trim(&inner[start..at]).is_empty() => quote = Some(c),
            (None, ',') => {
                add(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        escaped = false;
    }
    add(&inner[start..]);
    items
}

/// Writes a value, quoted only where it must be.
pub(super) fn write(text: &str) -> Cow<'_, str> {
    if !needs_quotes(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_ascii_control() => {
                out.push_str("\\x");
                for shift in [4, 0] {
                    let digit = (u32::from(c) >> shift) & 15;
                    out.push(char::from_digit(digit, 16).unwrap_or('0'));
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
    Cow::Owned(out)
}

fn needs_quotes(text: &str) -> bool {
    const FIRST: &str = "[{,]}&*!|>'\"%@`";
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return true };
    let indicator = matches!(first, '-' | '?' | ':') && chars.next().is_none_or(crate::text::is_space);
    indicator
        || FIRST.contains(first)
        || trim(text) != text
        || text.ends_with('\'')
        || text
            .chars()
            .any(|c| matches!(c, ':' | '#' | '"' | '\\') || c.is_ascii_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_escapes() {
        for (written, value) in [
            ("plain words", "plain words"),
            ("'single'", "single"),
            ("\"half", "half"),
            ("half'", "half"),
            ("''two''", "'two'"),
            (r#""a\tb\"c\\d\x41\q""#, "a\tb\"c\\d\u{41}\\q"),
            ("null", "null"),
            ("executing # not a comment", "executing # not a comment"),
            ("\"", ""),
            (r#""\x4""#, "\\x4"),
            (r#""\xé""#, "\\xé"),
            (r#""\x+f""#, "\\x+f"),
        ] {
            assert_eq!(read(written), value, "{written}");
        }
    }

    #[test]
    fn a_list_on_a_line() {
        assert_eq!(items("a, \"b, c\",, 'd,e' "), ["a", "b, c", "d,e"]);
        assert_eq!(items(r#""a \" , b", c"#), ["a \" , b", "c"]);
        assert_eq!(items(" it's, its"), ["it's", "its"]);
        assert_eq!(items(""), [""; 0]);
    }

    #[test]
    fn what_is_written_reads_the_same() {
        for value in [
            "plain",
            "a: b",
            "#x",
            "[x",
            "'",
            "it's",
            "ends'",
            "\"",
            "- x",
            "-",
            "-x",
            "? y",
            "",
            " pad ",
            "a\u{1}b",
            "tab\there",
            "back\\slash",
            "null",
            "日本 🌊",
            "x,y",
            ",x",
            "@y",
            "%",
            "`",
            "2026-06-01",
        ] {
            let written = write(value);
            assert_eq!(read(&written), value, "{written}");
        }
        assert_eq!(write("2026-06-01"), "2026-06-01");
        assert_eq!(write("x: y"), "\"x: y\"");
        assert_eq!(write("-x"), "-x");
        assert_eq!(write("- x"), "\"- x\"");
    }
}
