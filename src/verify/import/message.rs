//! What a ledger may hold of a framework's words: one line, without control characters and escapes.

use crate::text::{is_blank, trim};

/// Characters of an error, as it stands in a row (verify.md 15).
pub(super) const LONGEST: usize = 2000;

/// The first line of a message that says something, cut to [`LONGEST`] characters.
pub(super) fn first_line(message: &str) -> String {
    let lines = message.split(['\n', '\r']).map(plain);
    let line = lines.into_iter().find(|line| !is_blank(line)).unwrap_or_default();
    trim(&line).chars().take(LONGEST).collect()
}

/// A line without escape sequences and control characters; a tab is a blank.
fn plain(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars();
    // More than can be kept need not be looked at.
    while let (true, Some(c)) = (out.len() < 8 * LONGEST, chars.next()) {
        match c {
            '\u{1b}' => match chars.next() {
                Some('[') => skip_control(&mut chars),
                // A title or a link: to the bell, or to the terminator.
                Some(']') => {
                    while let Some(c) = chars.next() {
                        if c == '\u{7}' {
                            break;
                        }
                        if c == '\u{1b}' {
                            chars.next();
                            break;
                        }
                    }
                }
                Some(_) | None => {}
            },
            '\u{9b}' => skip_control(&mut chars),
            '\t' => out.push(' '),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

fn skip_control(chars: &mut std::str::Chars<'_>) {
    let _final = chars.find(|c| ('\u{40}'..='\u{7e}').contains(c));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_says_something_is_left_without_escapes() {
        for (given, line) in [
            ("\n \r\n  a\tb \nc", "a b"),
            ("\u{1b}[31;1mred\u{1b}[0m\u{0} x", "red x"),
            ("\u{1b}[0m\n\u{9b}1mgot 1", "got 1"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{7}!", "link!"),
            ("\u{1b}", ""),
            (" \n\u{7}", ""),
        ] {
            assert_eq!(first_line(given), line, "{given:?}");
        }
        assert_eq!(first_line(&"用".repeat(2001)), "用".repeat(2000));
    }
}
