//! Applies the edits of sections to a document together; all else stays byte for byte (change.md 6.6).

use std::ops::Range;

use crate::markdown::Document;
use crate::text::{Bytes, is_blank_line, line_end};

/// Edits of one document, in lines of the document as it is. None overlaps another.
#[derive(Debug, Default)]
pub(super) struct Edits {
    /// A section without the blank lines after it, and its new text.
    pub(super) replaced: Vec<(Range<usize>, Bytes)>,
    /// Whole sections, blank lines after them included.
    pub(super) removed: Vec<Range<usize>>,
    /// New sections: behind which line, below a parent of which level (0 for the document).
    pub(super) inserted: Vec<(usize, usize, Bytes)>,
}

enum Step<'e> {
    Cut(Range<usize>, &'e [u8]),
    Insert(usize, &'e [u8]),
}

impl Step<'_> {
    /// At one line: what ends there, then what is put there, then what begins there.
    fn order(&self) -> (usize, usize, usize) {
        match self {
            Self::Cut(lines, _) => (lines.start, 1, lines.end),
            Self::Insert(line, _) => (*line, 0, 0),
        }
    }
}

impl Edits {
    pub(super) fn is_empty(&self) -> bool {
        self.replaced.is_empty() && self.removed.is_empty() && self.inserted.is_empty()
    }

    /// The new document; none if nothing but blank lines is left of it.
    pub(super) fn apply(mut self, document: &Document) -> Option<Bytes> {
        let eol = line_end(document.bytes());
        // Additions that end at one place: those of the deeper parent first, else one would fall into another.
        self.inserted
            .sort_by_key(|(line, level, _)| (*line, usize::MAX - level));
        let mut steps: Vec<Step<'_>> = self
            .replaced
            .iter()
            .map(|(lines, new)| Step::Cut(lines.clone(), new))
            .collect();
        for lines in &self.removed {
            let text = document.trimmed(lines.clone());
            // What is added where the removed section ended keeps the blank lines that followed it.
            let taken = self.inserted.iter().any(|(line, ..)| *line == text.end);
            steps.push(Step::Cut(
                if taken {
                    lines.start..text.end
                } else {
                    lines.clone()
                },
                b"",
            ));
        }
        let within = |line: usize, steps: &[Step<'_>]| {
            steps.iter().find_map(|s| match s {
                Step::Cut(lines, _) if lines.start < line && line <= lines.end => Some(lines.start),
                Step::Cut(..) | Step::Insert(..) => None,
            })
        };
        // An insertion at the end of a cut comes right after it: it is told by the line where the cut begins.
        let mut ordered: Vec<((usize, usize, usize), Step<'_>)> = Vec::new();
        let inserts: Vec<Step<'_>> = self
            .inserted
            .iter()
            .map(|(line, _, new)| Step::Insert(*line, new))
            .collect();
        for step in inserts {
            let key = match &step {
                Step::Insert(line, _) => match within(*line, &steps) {
                    Some(start) => (start, 2, *line),
                    None => step.order(),
                },
                Step::Cut(..) => step.order(),
            };
            ordered.push((key, step));
        }
        ordered.extend(steps.into_iter().map(|s| (s.order(), s)));
        ordered.sort_by_key(|(key, _)| *key);

        let mut out = Output {
            bytes: Bytes::with_capacity(document.bytes().len() + 256),
            eol,
        };
        let mut at = 0;
        let last = document.line_count();
        let mut tail_cut = false;
        for (_, step) in ordered {
            match step {
                Step::Cut(lines, new) => {
                    out.copy(document, at..lines.start);
                    out.bytes.extend_from_slice(new);
                    at = lines.end;
                    tail_cut = lines.end == last && new.is_empty();
                }
                Step::Insert(line, new) => {
                    out.copy(document, at..line.max(at));
                    at = line.max(at);
                    out.section(new);
                    tail_cut = false;
                }
            }
        }
        out.copy(document, at..last);
        if tail_cut {
            out.trim_blank_lines();
        }
        if document.bytes().last().is_some_and(|b| *b != b'\n') {
            out.drop_final_line_end();
        }
        let blank = out.bytes.iter().all(u8::is_ascii_whitespace) || is_blank_line(&out.bytes);
        (!blank).then_some(out.bytes)
    }
}

struct Output {
    bytes: Bytes,
    eol: &'static [u8],
}

impl Output {
    fn copy(&mut self, document: &Document, lines: Range<usize>) {
        if lines.is_empty() {
            return;
        }
        self.bytes.extend_from_slice(document.slice(lines));
        if !self.bytes.ends_with(b"\n") {
            self.bytes.extend_from_slice(self.eol);
        }
    }

    /// A new section after one empty line.
    fn section(&mut self, text: &[u8]) {
        self.trim_blank_lines();
        if !self.bytes.is_empty() && self.bytes != "\u{feff}".as_bytes() {
            self.bytes.extend_from_slice(self.eol);
        }
        self.bytes.extend_from_slice(text);
    }

    fn trim_blank_lines(&mut self) {
        loop {
            let end = self.bytes.len();
            let Some(body) = self.bytes.strip_suffix(b"\n") else {
                return;
            };
            let start = body.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
            let line = &self.bytes[start..end];
            // The byte-order mark is a character of the first line and stays.
            if !is_blank_line(line) || line.starts_with("\u{feff}".as_bytes()) {
                return;
            }
            self.bytes.truncate(start);
        }
    }

    fn drop_final_line_end(&mut self) {
        if self.bytes.ends_with(b"\n") {
            self.bytes.pop();
            if self.bytes.ends_with(b"\r") {
                self.bytes.pop();
            }
        }
    }
}
