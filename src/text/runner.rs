//! Lines that a CI runner would take for its own commands. Runners read what a program prints line by line.

use std::borrow::Cow;

/// Breaks what a runner would obey in a text of ours (git.md 10.2): `::` at the beginning of a line, before which GitHub's
/// cuts blanks off, and `##[`, `##vso[` and the like, which it, its older form and others find anywhere in a line.
pub fn without_runner_commands(text: &str) -> Cow<'_, str> {
    if !text.contains("::") && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut begins = true;
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        if begins && rest.starts_with("::") {
            out.push_str("\\x3A");
        } else if is_marked(rest) {
            out.push_str("\\x23");
        } else {
            out.push(c);
        }
        begins = matches!(c, '\n' | '\r') || (begins && c.is_whitespace());
    }
    Cow::Owned(out)
}

/// Whether a text begins with two `#`, perhaps a word, and `[`.
fn is_marked(text: &str) -> bool {
    let named = text.strip_prefix("##");
    named.is_some_and(|rest| {
        rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric())
            .starts_with('[')
    })
}

#[cfg(test)]
mod tests {
    use super::without_runner_commands as shown;

    #[test]
    fn no_line_begins_with_a_command() {
        assert_eq!(shown("::error::x"), "\\x3A:error::x");
        assert_eq!(
            shown("a\n \u{a0}::error::x\r\t::y"),
            "a\n \u{a0}\\x3A:error::x\r\t\\x3A:y"
        );
        assert_eq!(shown("a ::error::x\n| ::y"), "a ::error::x\n| ::y");
        assert_eq!(shown(" : ::x"), " : ::x");
    }

    #[test]
    fn nor_is_one_found_within() {
        assert_eq!(
            shown("a ##[error] b ###vso[x] c"),
            "a \\x23#[error] b #\\x23#vso[x] c"
        );
        assert_eq!(shown("## [delta] Spec\n## a[b"), "## [delta] Spec\n## a[b");
    }
}
