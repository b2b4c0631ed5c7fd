//! Tables (change.md 1.5).

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Document, code_spans};
use crate::text::{is_space, js, trim};

static DELIMITER: LazyLock<Regex> = LazyLock::new(|| js(r"^:?-{3,}:?$"));
static ANY_DELIMITER: LazyLock<Regex> = LazyLock::new(|| js(r"^:?-+:?$"));

/// One row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub line: usize,
    pub cells: Vec<String>,
}

/// A header, a delimiter row and at least one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub lines: Range<usize>,
    pub header: Vec<String>,
    /// Whether the delimiter row has as many cells as the header.
    pub fits: bool,
    pub rows: Vec<Row>,
}

/// The cells of a line: cut at `|` outside code spans unless a backslash stands before it, trimmed, without the empty
/// ones outside the outer bars.
pub fn cells(line: &str) -> Vec<String> {
    let spans = cell_spans(line);
    spans
        .into_iter()
        .map(|span| trim(&line[span]).to_owned())
        .collect()
}

/// Where the [`cells`] of a line stand in it, with the white space around each.
pub fn cell_spans(whole: &str) -> Vec<Range<usize>> {
    let line = trim(whole);
    let shift = whole.len() - whole.trim_start_matches(is_space).len();
    // Most lines have no code, and most bytes are no bar.
    let code = if line.contains('`') {
        code_spans(line)
    } else {
        Vec::new()
    };
    let mut code = code.into_iter().peekable();
    let bytes = line.as_bytes();
    let mut out = Vec::new();
    let mut start = 0;
    for (at, _) in line.match_indices('|') {
        while code.next_if(|span| span.end <= at).is_some() {}
        let in_code = code.peek().is_some_and(|span| span.start <= at);
        if (at == 0 || bytes[at - 1] != b'\\') && !in_code {
            out.push(start..at);
            start = at + 1;
        }
    }
    let closed = start == bytes.len() && start > 0;
    out.push(start..bytes.len());
    if bytes.first() == Some(&b'|') {
        out.remove(0);
    }
    if closed && !out.is_empty() {
        out.pop();
    }
    out.into_iter()
        .map(|span| span.start + shift..span.end + shift)
        .collect()
}

fn is_delimiter(text: &str, delimiter: &Regex) -> Option<usize> {
    if !text.contains('|') {
        return None;
    }
    let cells = cells(text);
    (!cells.is_empty() && cells.iter().all(|c| delimiter.is_match(c))).then_some(cells.len())
}

impl Document {
    /// The tables whose lines lie in a range, in order.
    pub fn tables(&self, lines: Range<usize>) -> Vec<Table> {
        self.tables_of(lines, 3, &DELIMITER)
    }

    /// The tables as they are shown on the web: one dash makes a delimiter, and there may be no row yet.
    pub fn table_frames(&self, lines: Range<usize>) -> Vec<Table> {
        self.tables_of(lines, 2, &ANY_DELIMITER)
    }

    fn tables_of(&self, lines: Range<usize>, least: usize, delimiter: &Regex) -> Vec<Table> {
        let mut out = Vec::new();
        let mut at = lines.start;
        while at < lines.end {
            let len = (at..lines.end).take_while(|l| self.has_bar(*l)).count();
            if len >= least {
                out.extend(self.table(at..at + len, delimiter));
            }
            at += len.max(1);
        }
        out
    }

    fn has_bar(&self, line: usize) -> bool {
        self.line(line).contains(&b'|') && self.text(line).is_some_and(|t| t.contains('|'))
    }

    fn table(&self, lines: Range<usize>, delimiter: &Regex) -> Option<Table> {
        let text = |line: usize| self.text(line).expect("lines of a table block are unmasked");
        let columns = is_delimiter(&text(lines.start + 1), delimiter)?;
        let header = cells(&text(lines.start));
        let rows = (lines.start + 2..lines.end)
            .map(|line| Row {
                line,
                cells: cells(&text(line)),
            })
            .collect();
        Some(Table {
            fits: header.len() == columns,
            lines,
            header,
            rows,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_in_code_and_behind_a_backslash_do_not_split() {
        assert_eq!(cells(r"| a \| b | `c | d` | |"), [r"a \| b", "`c | d`", ""]);
        assert_eq!(cells("a | b"), ["a", "b"]);
        assert_eq!(cells(r"| a | b \|"), ["a", r"b \|"]);
    }

    #[test]
    fn cells_stand_where_they_are_told() {
        let line = "  | a |  | `x|y`\u{a0}|é ";
        let found: Vec<&str> = cell_spans(line).into_iter().map(|span| &line[span]).collect();
        assert_eq!(found, [" a ", "  ", " `x|y`\u{a0}", "é"]);
        assert_eq!(cell_spans("|"), Vec::<Range<usize>>::new());
        assert_eq!(cells(""), [""]);
    }

    #[test]
    fn a_frame_may_have_no_row() {
        let doc = Document::scan("| a |\n|-|\n\n| b |\n|---|\n| 1 |\n");
        let rows: Vec<usize> = doc
            .table_frames(doc.all_lines())
            .iter()
            .map(|table| table.rows.len())
            .collect();
        assert_eq!((rows, doc.tables(doc.all_lines()).len()), (vec![0, 1], 1));
    }

    #[test]
    fn a_table_needs_a_delimiter_row_and_one_more() {
        let doc = Document::scan("| a | b |\n|---|---|\n\n| a | b |\n|:--:|---|\n| 1 |\n");
        let tables = doc.tables(doc.all_lines());
        assert!(
            tables.is_empty(),
            "`:--:` has two dashes, and the first has no row: {tables:?}"
        );
        let doc = Document::scan("| a | b |\n|:---:|---|\n| 1 |\n");
        let tables = doc.tables(doc.all_lines());
        assert_eq!(
            (tables.len(), tables[0].fits, tables[0].rows[0].cells.len()),
            (1, true, 1)
        );
    }
}
