//! The patterns of the specification, written as it writes them: ECMAScript white space, ASCII `\d` and `\b`.

use regex::Regex;

const SPACE: &str =
    r"\t\n\x0b\x0c\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";

/// Compiles a pattern in which `\s`, `\S`, `\d`, `\b` and `.` mean what change.md 1.1 says they mean.
///
/// # Panics
/// If the pattern is not a valid regular expression: patterns are constants of this program.
pub fn js(pattern: &str) -> Regex {
    let mut out = String::with_capacity(pattern.len() * 2);
    let mut chars = pattern.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('s') if in_class => out.push_str(SPACE),
                Some('s') => out.push_str(&format!("[{SPACE}]")),
                Some('S') => out.push_str(&format!("[^{SPACE}]")),
                Some('d') if in_class => out.push_str("0-9"),
                Some('d') => out.push_str("[0-9]"),
                Some('b') => out.push_str(r"(?-u:\b)"),
                Some(other) => out.extend(['\\', other]),
                None => out.push('\\'),
            },
            '.' if !in_class => out.push_str(r"[^\n\r\u{2028}\u{2029}]"),
            '[' => {
                in_class = true;
                out.push(c);
            }
            ']' => {
                in_class = false;
                out.push(c);
            }
            c => out.push(c),
        }
    }
    Regex::new(&out).expect("patterns are constants of the program")
}

#[cfg(test)]
mod tests {
    use super::js;

    #[test]
    fn white_space_is_that_of_ecmascript() {
        let p = js(r"^a\s+(\S+)$");
        assert!(p.is_match("a\u{feff}b"));
        assert!(!p.is_match("a\u{85}b"));
    }

    #[test]
    fn dot_stops_at_every_line_end_and_digits_are_ascii() {
        assert!(!js("^a.b$").is_match("a\u{2028}b"));
        assert!(!js(r"^\d$").is_match("\u{0663}"));
    }
}
