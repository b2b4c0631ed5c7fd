//! A section as a tree: heading, body of units, sub-sections; with the blank lines before each.

use std::cell::OnceCell;
use std::ops::Range;

use super::Three;
use super::keyed::Item;
use super::units::{Unit, cut};
use crate::markdown::{Document, cells};

/// A section. Its text ends with its last line that is not blank.
pub(super) struct Part<'d> {
    doc: &'d Document,
    /// Blank lines before it.
    before: Range<usize>,
    lines: Range<usize>,
    /// Lines of the heading: one, or none for a text without.
    heading: Range<usize>,
    /// Lines from the heading to the first sub-section, without blank lines at the end.
    body: Range<usize>,
    pub(super) level: usize,
    pub(super) title: String,
    pub(super) children: Vec<Part<'d>>,
    content: OnceCell<Vec<u8>>,
    body_key: OnceCell<Vec<u8>>,
}

impl<'d> Part<'d> {
    /// The whole of a document as one section.
    pub(super) fn of(doc: &'d Document) -> Self {
        let first = doc.headings().first().filter(|h| h.line == 0).map(|_| 0);
        Self::build(doc, 0..0, 0..doc.line_count(), first)
    }

    fn build(doc: &'d Document, before: Range<usize>, lines: Range<usize>, heading: Option<usize>) -> Self {
        let trim_end = |lines: Range<usize>| {
            let mut end = lines.end;
            while end > lines.start && doc.is_blank(end - 1) {
                end -= 1;
            }
            lines.start..end
        };
        let lines = trim_end(lines);
        let head =
            lines.start..(lines.start + usize::from(heading.is_some())).min(lines.end.max(lines.start));
        let inner = doc.headings_in(&lines);
        let mut next = heading.map_or(inner.start, |h| h + 1);
        let body_end = if next < inner.end {
            doc.headings()[next].line
        } else {
            lines.end
        };
        let body = trim_end(head.end..body_end);
        let mut children = Vec::new();
        let mut end_before = body.end;
        while next < inner.end {
            let section = doc.section(next);
            let section = section.start..section.end.min(lines.end);
            let child = Self::build(doc, end_before..section.start, section.clone(), Some(next));
            end_before = child.lines.end;
            children.push(child);
            next = doc.headings_in(&(0..section.end)).end;
        }
        let (level, title) = heading.map_or((0, String::new()), |h| {
            (doc.headings()[h].level, doc.headings()[h].title.clone())
        });
        Self {
            doc,
            before,
            lines,
            heading: head,
            body,
            level,
            title,
            children,
            content: OnceCell::new(),
            body_key: OnceCell::new(),
        }
    }

    pub(super) fn text(&self) -> &'d [u8] {
        self.doc.slice(self.lines.clone())
    }

    pub(super) fn heading_text(&self) -> &'d [u8] {
        self.doc.slice(self.heading.clone())
    }

    /// All that stands below the heading, blank lines between included.
    pub(super) fn below_heading(&self) -> &'d [u8] {
        self.doc.slice(self.heading.end..self.lines.end)
    }

    pub(super) fn body_text(&self) -> &'d [u8] {
        self.doc.slice(self.body.clone())
    }

    pub(super) fn children_text(&self) -> Vec<u8> {
        self.doc.slice(self.body.end..self.lines.end).to_vec()
    }

    /// Number of blank lines before it.
    pub(super) fn blanks(&self) -> usize {
        self.before.len()
    }

    pub(super) fn body_key(&self) -> &[u8] {
        self.body_key.get_or_init(|| key(self.doc, self.body.clone()))
    }

    /// What is below the heading, as it is compared.
    pub(super) fn content(&self) -> &[u8] {
        self.content
            .get_or_init(|| key(self.doc, self.heading.end..self.lines.end))
    }

    pub(super) fn units(&self) -> Vec<Unit<'d>> {
        cut(self.doc, self.body.clone())
    }

    pub(super) fn as_item(&self) -> Item {
        let mut content = format!("{} ", self.level).into_bytes();
        content.extend(self.content());
        Item {
            key: self.title.clone(),
            content,
        }
    }
}

/// Lines as they are compared: without blank lines, and of table rows the cells without the blanks around them.
pub(super) fn key(doc: &Document, lines: Range<usize>) -> Vec<u8> {
    let mut tables = doc.tables(lines.clone()).into_iter().peekable();
    let mut out = Vec::new();
    for line in lines {
        while tables.next_if(|table| table.lines.end <= line).is_some() {}
        if doc.is_blank(line) {
            continue;
        }
        match tables.peek().filter(|table| table.lines.contains(&line)) {
            Some(table) if line == table.lines.start => out.extend(row_key(&table.header)),
            Some(table) if line > table.lines.start + 1 => {
                out.extend(row_key(&table.rows[line - table.lines.start - 2].cells));
            }
            Some(_) => out.extend(row_key(&cells(&doc.text(line).unwrap_or_default()))),
            None => out.extend_from_slice(doc.line(line)),
        }
        out.push(b'\n');
    }
    out
}

pub(super) fn row_key(cells: &[String]) -> Vec<u8> {
    format!("|{}|", cells.join("\u{0}|\u{0}")).into_bytes()
}

/// How many blank lines stand before something: those of the side that changed their number; both differently, the
/// larger; what is on one side only brings its own.
pub(super) fn choose_blanks(three: Three<Option<usize>>) -> usize {
    match (three.base, three.ours, three.theirs) {
        (_, Some(o), None) => o,
        (_, None, Some(t)) => t,
        (Some(b), Some(o), Some(t)) if o == b => t,
        (Some(b), Some(o), Some(t)) if t == b => o,
        (_, Some(o), Some(t)) => o.max(t),
        (b, None, None) => b.unwrap_or(0),
    }
}
