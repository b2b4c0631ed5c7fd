//! Bytes, lines, spans and the character classes of change.md 1.1. Decodes a line at a time, never a file as a whole.

mod near;
mod order;
mod pattern;
mod runner;

pub use near::{edit_distance, near_names, nearest_name};
pub use order::{natural_cmp, utf16_cmp};
pub use pattern::js;
pub use runner::without_runner_commands;

use std::borrow::Cow;

/// The content of a file, as stored.
pub type Bytes = Vec<u8>;

/// A range of bytes of an original text; `start <= end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// The bytes of `text` that this span covers.
    pub fn of(self, text: &[u8]) -> &[u8] {
        &text[self.start..self.end]
    }
}

/// One line: its content without the line end, and where the next line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub span: Span,
    pub next: usize,
}

/// Cuts `text` into lines at LF, with an optional CR before it. A lone CR ends no line (change.md 1.1).
/// Text after the last LF is a line of its own, if there is any.
pub fn lines(text: &[u8]) -> Vec<Line> {
    let mut out = Vec::with_capacity(text.len() / 32 + 1);
    out.extend(each_line(text));
    out
}

/// As [`lines`], one after the other.
pub fn each_line(text: &[u8]) -> impl Iterator<Item = Line> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let line = (start < text.len()).then(|| line_at(text, start))?;
        start = line.next;
        Some(line)
    })
}

/// The line that begins at a byte.
fn line_at(text: &[u8], start: usize) -> Line {
    let (end, next) = match bstr::ByteSlice::find_byte(&text[start..], b'\n') {
        Some(at) => (start + at, start + at + 1),
        None => (text.len(), text.len()),
    };
    let content = if next > end && end > start && text[end - 1] == b'\r' {
        end - 1
    } else {
        end
    };
    Line {
        span: Span::new(start, content),
        next,
    }
}

/// Where the lines of a text begin: a few bytes each, however short they are.
#[derive(Clone, Debug, Default)]
pub struct LineStarts {
    /// As far as 32 bits reach.
    near: Vec<u32>,
    far: Vec<usize>,
}

impl LineStarts {
    pub fn push(&mut self, start: usize) {
        match u32::try_from(start) {
            Ok(start) => self.near.push(start),
            Err(_) => self.far.push(start),
        }
    }

    pub fn len(&self) -> usize {
        self.near.len() + self.far.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where a line begins; none behind the last one.
    pub fn get(&self, line: usize) -> Option<usize> {
        match self.near.get(line) {
            Some(start) => usize::try_from(*start).ok(),
            None => self.far.get(line - self.near.len()).copied(),
        }
    }

    /// A line of the text that these are the lines of.
    ///
    /// # Panics
    /// Behind the last line.
    pub fn line(&self, line: usize, text: &[u8]) -> Line {
        line_at(text, self.get(line).expect("the line is there"))
    }
}

/// Decodes UTF-8 with U+FFFD for bad sequences, as change.md 1.1 has it.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Whether `c` is white space in the ECMAScript sense: U+FEFF is, U+0085 is not.
pub const fn is_space(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

/// A text without the byte order mark in front.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

/// Cuts white space from both ends.
pub fn trim(s: &str) -> &str {
    s.trim_matches(is_space)
}

/// Whether nothing but white space is in `s`.
pub fn is_blank(s: &str) -> bool {
    s.chars().all(is_space)
}

/// Whether nothing but white space is in the line.
pub fn is_blank_line(line: &[u8]) -> bool {
    line.iter()
        .all(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0xb | 0xc))
        || is_blank(&decode(line))
}

/// The line end that new lines of a document get: its first one, LF if it has none (change.md 6.6).
pub fn line_end(text: &[u8]) -> &'static [u8] {
    match bstr::ByteSlice::find_byte(text, b'\n') {
        Some(at) if at > 0 && text[at - 1] == b'\r' => b"\r\n",
        _ => b"\n",
    }
}

/// Text with every line end turned into `end`.
pub fn with_line_ends(text: &[u8], end: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(text.len() + 16);
    for line in lines(text) {
        out.extend_from_slice(line.span.of(text));
        if line.next > line.span.end {
            out.extend_from_slice(end);
        }
    }
    out
}

/// Replaces spans of `text`, given in ascending order without overlap, by other bytes.
pub fn splice(text: &[u8], edits: &[(Span, Bytes)]) -> Bytes {
    let mut out = Vec::with_capacity(text.len() + edits.iter().map(|(_, new)| new.len()).sum::<usize>());
    let mut at = 0;
    for (span, new) in edits {
        debug_assert!(span.start >= at, "edits overlap or are out of order");
        out.extend_from_slice(&text[at..span.start]);
        out.extend_from_slice(new);
        at = span.end;
    }
    out.extend_from_slice(&text[at..]);
    out
}

/// Shows text of a stranger: control, bidirectional and zero-width characters become `\n`, `\t`, `\xHH` or `\u{…}`
/// (git.md 10.2), so that nothing of it can act on a terminal or open a line of its own.
pub fn escape(s: &str) -> Cow<'_, str> {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    if !s.chars().any(hidden) {
        return Cow::Borrowed(s);
    }
    let mut out = String::with_capacity(s.len() + 8);
    for c in s.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if hidden(c) && (c as u32) < 0x100 => out.push_str(&format!("\\x{:02X}", c as u32)),
            c if hidden(c) => out.push_str(&format!("\\u{{{:X}}}", c as u32)),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// As [`escape`], for bytes: what is not UTF-8 becomes `\xHH`.
pub fn escape_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(&escape(chunk.valid()));
        for b in chunk.invalid() {
            out.push_str(&format!("\\x{b:02X}"));
        }
    }
    out
}

/// Bytes as text for JSON, which escapes by itself: only what is not UTF-8 becomes `\xHH`.
pub fn escape_invalid(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for b in chunk.invalid() {
            out.push_str(&format!("\\x{b:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_cr_ends_no_line_and_the_last_line_needs_no_end() {
        let text = b"a\r\nb\rc\n\nd";
        let got: Vec<&[u8]> = lines(text).iter().map(|l| l.span.of(text)).collect();
        assert_eq!(got, [&b"a"[..], b"b\rc", b"", b"d"]);
    }

    #[test]
    fn byte_order_mark_is_blank_and_next_line_is_not() {
        assert!(is_blank("\u{feff}\u{3000} \t"));
        assert!(!is_blank("\u{85}"));
    }

    #[test]
    fn foreign_text_cannot_act_on_a_terminal() {
        assert_eq!(
            escape("a\n::error::\u{1b}[31m\u{202e}"),
            "a\\n::error::\\x1B[31m\\u{202E}"
        );
        assert_eq!(escape_bytes(b"\xff\x41"), "\\xFFA");
        assert_eq!(escape_invalid(b"\n\xff\x41"), "\n\\xFFA");
    }

    #[test]
    fn splice_keeps_what_lies_between() {
        assert_eq!(
            splice(
                b"abcdef",
                &[
                    (Span::new(1, 2), b"XX".to_vec()),
                    (Span::new(4, 4), b"-".to_vec())
                ]
            ),
            b"aXXcd-ef"
        );
    }
}
