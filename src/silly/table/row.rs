//! One row of a table, changed cell by cell.

use super::cell::is_nothing;
use super::fault::Fault;
use crate::markdown::{Document, cell_spans, cells};
use crate::text::{Bytes, is_space, trim};

/// One row: its line as it is or is to be, and what its cells hold.
#[derive(Clone, Debug)]
pub struct Row {
    pub(super) text: String,
    cells: Vec<String>,
    /// Its line end.
    pub(super) end: Bytes,
    /// From 1; none of a new one.
    pub line: Option<usize>,
}

impl Row {
    /// A row that is there.
    pub(super) fn read(document: &Document, line: usize) -> Result<Self, Fault> {
        let text = std::str::from_utf8(document.line(line)).map_err(|_| Fault::NotText { line: line + 1 })?;
        let whole = document.slice(line..line + 1);
        Ok(Self {
            text: text.to_owned(),
            cells: cells(text),
            end: whole[text.len()..].to_vec(),
            line: Some(line + 1),
        })
    }

    /// A new row.
    pub(super) fn of(cells: Vec<String>, end: &str) -> Self {
        let text = cells.iter().fold("|".to_owned(), |text, cell| {
            if cell.is_empty() {
                text + "  |"
            } else {
                format!("{text} {cell} |")
            }
        });
        Self {
            text,
            cells,
            end: end.as_bytes().to_vec(),
            line: None,
        }
    }

    /// A cell as it is written, trimmed.
    pub fn cell(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", String::as_str)
    }

    /// The cells but for some.
    pub fn others<'r>(&'r self, columns: &'r [usize]) -> impl Iterator<Item = &'r str> {
        let all = self.cells.iter().enumerate();
        all.filter(|(at, _)| !columns.contains(at))
            .map(|(_, cell)| cell.as_str())
    }

    /// Puts text that is safe in a cell into one; the others stay.
    pub fn set(&mut self, column: usize, new: &str) {
        if self.cell(column) == new {
            return;
        }
        let spans = cell_spans(&self.text);
        if let Some(span) = spans.get(column) {
            let old = &self.text[span.clone()];
            let inner = trim(old);
            let replaced = match (inner, new) {
                ("", _) => format!(" {new} "),
                (inner, new) => old.replacen(inner, new, 1),
            };
            self.text.replace_range(span.clone(), &replaced);
        } else {
            let last = spans.last().map_or(0, |span| span.end);
            let mut text = self.text[..last].trim_end_matches(is_space).to_owned();
            for at in spans.len()..=column {
                text.push_str(" | ");
                text.push_str(if at == column { new } else { "" });
            }
            text.push_str(" |");
            self.text = text;
        }
        self.cells = cells(&self.text);
    }

    /// Whether it says nothing: every cell is empty or a word for nothing.
    pub fn is_nothing(&self) -> bool {
        self.cells.iter().all(|cell| is_nothing(cell))
    }
}
