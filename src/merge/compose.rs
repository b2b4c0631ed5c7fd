//! Makes the text of sections out of delta blocks: whose heading it is, at which level, with which line ends (change.md 6.6).

use crate::change::delta::{Block, SectionDelta};
use crate::markdown::{Document, Heading};
use crate::text::{Bytes, with_line_ends};

/// The body of a block without the blank lines at its ends, and its first heading if it begins with one.
pub(super) struct Content<'d> {
    delta: &'d SectionDelta,
    lines: std::ops::Range<usize>,
    /// Index of the heading on its first line.
    first: Option<usize>,
}

impl<'d> Content<'d> {
    pub(super) fn of(delta: &'d SectionDelta, block: &Block) -> Self {
        let lines = delta.document.trimmed(block.body.clone());
        let at_start = |&h: &usize| delta.document.headings()[h].line == lines.start;
        let first = delta.document.headings_in(&lines).next().filter(at_start);
        Self { delta, lines, first }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn own_heading(&self) -> Option<&'d Heading> {
        self.first.map(|h| &self.delta.document.headings()[h])
    }

    /// Whether a heading beyond `skip_first` stands at `level` or above: it would end the section it is put into.
    pub(super) fn escapes(&self, level: usize, skip_first: bool) -> bool {
        let headings = self.delta.document.headings_in(&self.lines);
        headings
            .skip(usize::from(skip_first))
            .any(|h| self.delta.document.headings()[h].level <= level)
    }

    /// Whether lines of conflict marks are left outside code.
    pub(super) fn has_conflict_marks(&self) -> bool {
        self.delta.document.unmasked(self.lines.clone()).any(|(_, text)| {
            text.starts_with("<<<<<<< ") || text.starts_with(">>>>>>> ") || text.trim_end() == "======="
        })
    }

    fn text(&self, lines: std::ops::Range<usize>, line_end: &[u8]) -> Bytes {
        let mut out = with_line_ends(self.delta.document.slice(lines), line_end);
        if !out.is_empty() && !out.ends_with(b"\n") {
            out.extend_from_slice(line_end);
        }
        out
    }

    /// All of it, with the document's line ends.
    pub(super) fn whole(&self, line_end: &[u8]) -> Bytes {
        self.text(self.lines.clone(), line_end)
    }

    /// A heading line, then the content as written if it began with that heading, else after an empty line.
    fn under(&self, heading: &[u8], starts_with_it: bool, line_end: &[u8]) -> Bytes {
        let mut out = heading.to_vec();
        out.extend_from_slice(line_end);
        if starts_with_it {
            out.extend(self.text(self.lines.start + 1..self.lines.end, line_end));
        } else if !self.is_empty() {
            out.extend_from_slice(line_end);
            out.extend(self.whole(line_end));
        }
        out
    }

    /// The first line with another number of hashes.
    fn own_heading_line(&self, level: usize) -> Bytes {
        let line = self.delta.document.line(self.lines.start);
        // Comments may stand before the hashes, and hold some of their own.
        let begins = |at: &usize| line[*at] == b'#' && (*at == 0 || line[..*at].ends_with(b"-->"));
        let at = (0..line.len()).find(begins).unwrap_or(0);
        let rest = &line[at..];
        let hashes = rest.iter().take_while(|b| **b == b'#').count();
        [&line[..at], "#".repeat(level).as_bytes(), &rest[hashes..]].concat()
    }

    /// The new text of a section whose heading stands in `document`; none if the block would leave the section.
    pub(super) fn modified(&self, document: &Document, heading: usize, line_end: &[u8]) -> Option<Bytes> {
        let section = &document.headings()[heading];
        let own = self
            .own_heading()
            .filter(|h| h.level <= section.level || h.title == section.title);
        if self.escapes(section.level, own.is_some()) {
            return None;
        }
        let kept = document.line(section.line);
        Some(match own {
            Some(own) if own.title != section.title => {
                self.under(&self.own_heading_line(section.level), true, line_end)
            }
            Some(_) => self.under(kept, true, line_end),
            None => self.under(kept, false, line_end),
        })
    }

    /// The text of a new section.
    pub(super) fn added(&self, title: &str, level: usize, line_end: &[u8]) -> Bytes {
        match self.own_heading() {
            Some(_) => self.under(&self.own_heading_line(level), true, line_end),
            None => self.under(
                format!("{} {title}", "#".repeat(level)).as_bytes(),
                false,
                line_end,
            ),
        }
    }
}
