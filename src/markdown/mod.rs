//! The structure of Markdown as change.md part 1 defines it: masked lines, headings, sections, tables, anchors, with
//! byte spans over the original text. Never re-serialises; a `CommonMark` parser is only its oracle in tests.

mod anchor;
mod code_span;
mod fence;
mod nearest;
mod scan;
mod table;
pub mod three_way;

pub use anchor::{Resolution, SectionAnchor};
pub use code_span::{code_spans, without_code};
pub use fence::Fence;
pub use nearest::{loose, nearest, without_number};
pub use table::{Row, Table, cell_spans, cells};

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use crate::text::{Bytes, LineStarts, Span, decode, is_blank_line};

/// Why a line does not count as structure (change.md 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mask {
    None,
    Fence,
    Comment,
    Code,
}

/// A heading in column one (change.md 1.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Index of its line.
    pub line: usize,
    /// Number of hashes, 1 to 6.
    pub level: usize,
    /// As written, closing hashes included, trimmed.
    pub title: String,
    /// The title without code spans, trimmed: what anchors are compared with.
    pub plain: String,
}

/// A text with its lines judged once.
#[derive(Clone, Debug)]
pub struct Document {
    bytes: Bytes,
    lines: LineStarts,
    masks: Vec<Mask>,
    /// The text of lines from which a comment was cut; all others are their own text.
    cut: BTreeMap<usize, String>,
    /// Where the fence or comment begins that nothing ends.
    unclosed: Option<usize>,
    /// Read when they are first asked for.
    headings: OnceLock<Vec<Heading>>,
}

impl Document {
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The line of a fence or comment that is open at the end: what were added there would be part of it.
    pub fn unclosed(&self) -> Option<usize> {
        self.unclosed
    }

    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// A line without its end, as stored.
    pub fn line(&self, line: usize) -> &[u8] {
        self.lines.line(line, &self.bytes).span.of(&self.bytes)
    }

    /// A line as text, whether masked or not.
    pub fn raw(&self, line: usize) -> Cow<'_, str> {
        decode(self.line(line))
    }

    pub fn mask(&self, line: usize) -> Mask {
        self.masks[line]
    }

    /// The line without its comments; none if it is masked.
    pub fn text(&self, line: usize) -> Option<Cow<'_, str>> {
        if self.masks[line] != Mask::None {
            return None;
        }
        Some(
            self.cut
                .get(&line)
                .map_or_else(|| self.raw(line), |cut| Cow::Borrowed(cut.as_str())),
        )
    }

    /// Index and text of every unmasked line of a range.
    pub fn unmasked(&self, lines: Range<usize>) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
        lines.filter_map(|line| self.text(line).map(|text| (line, text)))
    }

    pub fn is_blank(&self, line: usize) -> bool {
        is_blank_line(self.line(line))
    }

    pub fn all_lines(&self) -> Range<usize> {
        0..self.lines.len()
    }

    /// The bytes of whole lines, line ends included.
    pub fn span(&self, lines: Range<usize>) -> Span {
        let at = |line: usize| self.lines.get(line).unwrap_or(self.bytes.len());
        Span::new(at(lines.start), at(lines.end.max(lines.start)))
    }

    pub fn slice(&self, lines: Range<usize>) -> &[u8] {
        self.span(lines).of(&self.bytes)
    }

    pub fn headings(&self) -> &[Heading] {
        self.headings.get_or_init(|| self.find_headings())
    }

    /// The lines of the section of a heading: up to the next one of the same or a smaller number of hashes.
    pub fn section(&self, heading: usize) -> Range<usize> {
        let own = &self.headings()[heading];
        let end = self.headings()[heading + 1..]
            .iter()
            .find(|h| h.level <= own.level);
        own.line..end.map_or(self.lines.len(), |h| h.line)
    }

    /// The headings above one, the nearest first: walking back, each with fewer hashes than the last taken.
    pub fn ancestors(&self, heading: usize) -> impl Iterator<Item = usize> {
        let mut level = self.headings()[heading].level;
        (0..heading).rev().filter(move |&h| {
            let above = self.headings()[h].level < level;
            if above {
                level = self.headings()[h].level;
            }
            above
        })
    }

    /// The titles down to a section, as an anchor that names it.
    pub fn title_path(&self, heading: usize) -> String {
        let mut titles: Vec<&str> = self
            .ancestors(heading)
            .map(|h| self.headings()[h].plain.as_str())
            .collect();
        titles.reverse();
        titles.push(&self.headings()[heading].plain);
        titles.join(" > ")
    }

    /// The last heading that stands before a line, if any.
    pub fn heading_before(&self, line: usize) -> Option<usize> {
        self.headings().partition_point(|h| h.line < line).checked_sub(1)
    }

    /// The headings that lie in a range of lines.
    pub fn headings_in(&self, lines: &Range<usize>) -> Range<usize> {
        self.headings().partition_point(|h| h.line < lines.start)
            ..self.headings().partition_point(|h| h.line < lines.end)
    }

    /// A range of lines without the blank lines at its ends.
    pub fn trimmed(&self, mut lines: Range<usize>) -> Range<usize> {
        while lines.start < lines.end && self.is_blank(lines.start) {
            lines.start += 1;
        }
        while lines.start < lines.end && self.is_blank(lines.end - 1) {
            lines.end -= 1;
        }
        lines
    }
}
