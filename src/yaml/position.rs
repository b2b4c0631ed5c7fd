//! From the character positions of the parser to bytes of the file.

use bstr::ByteSlice;

use super::Error;
use crate::text::Span;

/// Every how many characters a byte offset is kept.
const STEP: usize = 32;

const MARK: &[u8] = b"\xef\xbb\xbf";

/// A file as the parser sees it: without byte order mark, bad UTF-8 replaced; and the way back to its bytes.
pub(super) struct Source<'b> {
    bytes: &'b [u8],
    pub(super) text: String,
    /// Byte offset of the first character.
    base: usize,
    /// Byte offset of every [`STEP`]th character; empty when a character is a byte.
    steps: Vec<usize>,
}

impl<'b> Source<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Result<Self, Error> {
        let base = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
        let rest = &bytes[base..];
        // The parser takes a NUL for the end of the file; what stands behind it must not vanish.
        if let Some(at) = rest.find_byte(0) {
            let line_start = rest[..at].rfind_byte(b'\n').map_or(0, |i| i + 1);
            return Err(Error {
                message: "a NUL character is not allowed in YAML".to_owned(),
                line: rest[..at].find_iter("\n").count() + 1,
                column: rest[line_start..at].chars().count() + 1,
            });
        }
        let text = rest.to_str_lossy().into_owned();
        let steps = if rest.is_ascii() {
            Vec::new()
        } else {
            rest.char_indices()
                .step_by(STEP)
                .map(|(start, ..)| start)
                .collect()
        };
        Ok(Self {
            bytes,
            text,
            base,
            steps,
        })
    }

    /// Puts blanks in the place of the tabs that nothing but blanks separates from a colon or dash before them. Returns
    /// their indices.
    pub(super) fn blank_tabs(&mut self) -> Vec<usize> {
        let (mut found, mut behind_mark) = (Vec::new(), false);
        let blanked = |(index, c): (usize, char)| {
            let blank = behind_mark && c == '\t';
            if blank {
                found.push(index);
            }
            behind_mark = matches!(c, ':' | '-') || (behind_mark && matches!(c, ' ' | '\t'));
            if blank { ' ' } else { c }
        };
        self.text = self.text.chars().enumerate().map(blanked).collect();
        found
    }

    /// Takes back what [`Source::blank_tabs`] did at these indices, ascending.
    pub(super) fn put_tabs_back(&mut self, indices: &[usize]) {
        let mut next = indices.iter().peekable();
        let restored = |(index, c)| {
            if next.next_if(|at| **at == index).is_some() {
                '\t'
            } else {
                c
            }
        };
        self.text = self.text.chars().enumerate().map(restored).collect();
    }

    /// The byte at which the character with this index begins; the end of the file behind the last one.
    pub(super) fn byte(&self, index: usize) -> usize {
        let rest = &self.bytes[self.base..];
        if self.steps.is_empty() {
            return self.base + index.min(rest.len());
        }
        let start = self.steps.get(index / STEP).copied().unwrap_or(rest.len());
        let within = rest[start..]
            .char_indices()
            .nth(index % STEP)
            .map_or(rest.len() - start, |(at, ..)| at);
        self.base + start + within
    }

    pub(super) fn span(&self, span: saphyr_parser::Span) -> Span {
        let start = self.byte(span.start.index());
        Span::new(start, self.byte(span.end.index()).max(start))
    }

    pub(super) fn bytes(&self) -> &'b [u8] {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn positions_count_bytes_behind_marks_wide_characters_and_bad_bytes() {
        let bytes = "\u{feff}名: 値".repeat(300).into_bytes();
        let source = Source::new(&bytes).expect("no NUL");
        // The first mark is cut, the others are characters.
        assert_eq!(source.byte(0), 3);
        assert_eq!(source.byte(1), 6);
        assert_eq!(source.byte(4), 11);
        assert_eq!(source.byte(4 + 5 * 100), 11 + 11 * 100);
        let source = Source::new(b"a\xff\xffb").expect("no NUL");
        assert_eq!((source.byte(2), source.byte(3), source.byte(9)), (2, 3, 4));
    }
}
