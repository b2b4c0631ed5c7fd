//! What a text is like apart from its lines: byte-order mark, line ends, final newline. Each is of the side that changed
//! it (git.md 6).

use crate::text::{Bytes, with_line_ends};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnds {
    Lf,
    CrLf,
    Mixed,
}

/// The shape of one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    bom: bool,
    /// None without a line end.
    ends: Option<LineEnds>,
    final_newline: bool,
    /// Blank lines at the end.
    blanks: usize,
    is_empty: bool,
}

const BOM: &[u8] = b"\xef\xbb\xbf";

/// How many lines of a text end in LF.
fn ended_lines(text: &[u8]) -> usize {
    text.split(|b| *b == b'\n').count() - 1
}

impl Shape {
    pub(super) fn of(text: &[u8]) -> Self {
        let lines = ended_lines(text);
        let with_cr = text.windows(2).filter(|pair| *pair == b"\r\n").count();
        let ends = match (lines, with_cr) {
            (0, _) => None,
            (_, 0) => Some(LineEnds::Lf),
            (lines, with_cr) if lines == with_cr => Some(LineEnds::CrLf),
            _ => Some(LineEnds::Mixed),
        };
        let body = text.strip_prefix(BOM).unwrap_or(text);
        let content = body.trim_ascii_end();
        let behind = ended_lines(&body[content.len()..]);
        Self {
            bom: text.starts_with(BOM),
            ends,
            final_newline: text.ends_with(b"\n"),
            blanks: behind.saturating_sub(1),
            is_empty: text.is_empty(),
        }
    }
}

pub(super) struct Shapes {
    pub(super) base: Shape,
    pub(super) ours: Shape,
    pub(super) theirs: Shape,
}

/// The shape of the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    bom: bool,
    ends: LineEnds,
    final_newline: bool,
    blanks: usize,
}

impl Shapes {
    fn pick<T: PartialEq + Copy>(&self, of: impl Fn(&Shape) -> T, both: impl Fn(T, T) -> T) -> T {
        let (base, ours, theirs) = (of(&self.base), of(&self.ours), of(&self.theirs));
        if ours == theirs {
            ours
        } else if self.base.is_empty {
            both(ours, theirs)
        } else if ours == base {
            theirs
        } else if theirs == base {
            ours
        } else {
            both(ours, theirs)
        }
    }

    pub(super) fn choose(&self) -> Chosen {
        let ends = self.pick(
            |shape| shape.ends,
            |one, other| one.xor(other).or(Some(LineEnds::Lf)),
        );
        Chosen {
            bom: self.pick(|shape| shape.bom, |one, other| one && other),
            ends: ends.unwrap_or(LineEnds::Lf),
            final_newline: self.pick(|shape| shape.final_newline, |one, other| one || other),
            blanks: self.pick(|shape| shape.blanks, usize::max),
        }
    }
}

impl Chosen {
    /// A text as lines that end in LF, without mark and without blank lines at its end. Mixed line ends stay.
    pub(super) fn plain(&self, text: &[u8]) -> Bytes {
        let text = text.strip_prefix(BOM).unwrap_or(text);
        let mut plain = match self.ends {
            LineEnds::Mixed => text.to_vec(),
            LineEnds::Lf | LineEnds::CrLf => with_line_ends(text, b"\n"),
        };
        let is_end = |b: &&u8| matches!(b, b'\n' | b'\r' | b' ' | b'\t');
        let behind = plain.iter().rev().take_while(is_end).count();
        // A line's own blanks stay; only whole lines of blanks go.
        let content = plain.len() - behind;
        let line_end = plain[content..].iter().position(|b| *b == b'\n');
        match line_end {
            Some(at) => plain.truncate(content + at + 1),
            None if plain.is_empty() => {}
            None => plain.push(b'\n'),
        }
        if plain.trim_ascii().is_empty() {
            plain.clear();
        }
        plain
    }

    /// The text in the shape of the result.
    pub(super) fn dress(&self, text: &[u8]) -> Bytes {
        let mut out = if self.bom { BOM.to_vec() } else { Bytes::new() };
        out.extend_from_slice(text);
        if !text.is_empty() {
            out.resize(out.len() + self.blanks, b'\n');
        }
        if !self.final_newline && out.ends_with(b"\n") {
            out.pop();
        }
        match self.ends {
            LineEnds::CrLf => with_line_ends(&out, b"\r\n"),
            LineEnds::Lf | LineEnds::Mixed => out,
        }
    }
}
