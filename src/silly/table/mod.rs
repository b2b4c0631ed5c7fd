//! Tables of documents that people write, too: rows read and changed cell by cell, all other bytes as they are
//! (silly.md 9 and 11). Works on bytes; decides nothing about their meaning.

mod cell;
mod fault;
mod row;

pub use cell::{bare, carried, in_cell, is_name, is_nothing};
pub use fault::Fault;
pub use row::Row;

use std::ops::Range;

use super::sections::Sections;
use crate::markdown::Document;
use crate::text::{Bytes, Span, line_end};

/// A section that holds a table, as a document that is made gets it.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub title: &'static str,
    pub columns: &'static [&'static str],
    pub delimiter: &'static str,
}

impl Shape {
    fn frame(&self, end: &str) -> String {
        format!("| {} |{end}{}{end}", self.columns.join(" | "), self.delimiter)
    }

    /// Heading and table without a row.
    pub fn text(&self, end: &str) -> String {
        format!("## {}{end}{}", self.title, self.frame(end))
    }
}

/// A table that is to be changed.
#[derive(Debug)]
pub struct Table {
    columns: Vec<usize>,
    header: usize,
    pub rows: Vec<Row>,
    span: Span,
    /// Whether a line end stands before the rows.
    is_ended: bool,
    end: &'static str,
}

impl Table {
    /// The table of a section with the columns of a shape, wherever they stand in it; none if the section has no table.
    pub fn find(document: &Document, lines: Range<usize>, shape: &Shape) -> Result<Option<Self>, Fault> {
        let missing = |header: &[String]| {
            let mut wanted = shape.columns.iter();
            wanted.find(|column| !header.iter().any(|cell| cell == *column))
        };
        let frames = document.table_frames(lines);
        let Some(first) = frames.first() else {
            return Ok(None);
        };
        let Some(frame) = frames.iter().find(|frame| missing(&frame.header).is_none()) else {
            return Err(Fault::NoColumn {
                line: first.lines.start + 1,
                section: shape.title,
                column: missing(&first.header).expect("no frame has all"),
            });
        };
        let body = frame.lines.start + 2..frame.lines.end;
        let at = |column: &&str| frame.header.iter().position(|cell| cell == *column);
        let whole = document.span(body.clone());
        Ok(Some(Self {
            columns: shape.columns.iter().filter_map(at).collect(),
            header: frame.header.len(),
            rows: body
                .map(|line| Row::read(document, line))
                .collect::<Result<_, Fault>>()?,
            span: whole,
            is_ended: document.bytes()[..whole.start].ends_with(b"\n"),
            end: end_of(document),
        }))
    }

    /// Where a column of the shape stands.
    pub fn column(&self, of_shape: usize) -> usize {
        self.columns[of_shape]
    }

    /// A new row, with the values in the columns of the shape.
    pub fn row(&self, values: &[&str]) -> Row {
        let mut cells = vec![String::new(); self.header];
        for (at, value) in self.columns.iter().zip(values) {
            (*value).clone_into(&mut cells[*at]);
        }
        Row::of(cells, self.end)
    }

    /// Refuses a name that two rows have in a column.
    pub fn refuse_twice(&self, column: usize) -> Result<(), Fault> {
        for (at, row) in self.rows.iter().enumerate() {
            let name = bare(row.cell(column));
            let mut before = self.rows[..at].iter();
            let same = |other: &&Row| !is_nothing(name) && bare(other.cell(column)) == name;
            if let (Some(first), Some(second)) = (before.find(same).and_then(|row| row.line), row.line) {
                return Err(Fault::Twice {
                    first,
                    second,
                    name: name.to_owned(),
                });
            }
        }
        Ok(())
    }

    /// The rows as they are now, in the place of those that were there.
    pub fn edit(&self, document: &Document) -> (Span, Bytes) {
        let mut out = Bytes::new();
        if !self.is_ended {
            out.extend_from_slice(self.end.as_bytes());
        }
        for row in &self.rows {
            out.extend_from_slice(row.text.as_bytes());
            let end = if row.end.is_empty() {
                self.end.as_bytes()
            } else {
                &row.end
            };
            out.extend_from_slice(end);
        }
        // A last line without an end stays one.
        let is_last = self.span.end == document.bytes().len();
        if is_last && !document.bytes().ends_with(b"\n") {
            out.truncate(crate::text::lines(&out).last().map_or(0, |line| line.span.end));
        }
        (self.span, out)
    }
}

/// The line end of a document, as text.
pub fn end_of(document: &Document) -> &'static str {
    if line_end(document.bytes()) == b"\r\n" {
        "\r\n"
    } else {
        "\n"
    }
}

/// The document with a table for each shape: a section without one gets it below its own text, a missing section comes to
/// the end.
pub fn with_tables(bytes: &[u8], shapes: &[&Shape]) -> Result<Bytes, Fault> {
    let mut bytes = bytes.to_vec();
    for shape in shapes {
        let sections = Sections::of(&bytes);
        let document = sections.document();
        let end = end_of(document);
        let Some(lines) = sections.find(&[shape.title]) else {
            if let Some(line) = document.unclosed() {
                return Err(Fault::Unclosed { line: line + 1 });
            }
            let gap = match bytes.as_slice() {
                [] => "",
                full if full.ends_with(b"\n") => end,
                _ => &[end, end].concat(),
            };
            bytes.extend_from_slice(format!("{gap}{}", shape.text(end)).as_bytes());
            continue;
        };
        if !document.table_frames(lines.clone()).is_empty() {
            continue;
        }
        let own_end = document
            .headings()
            .iter()
            .map(|heading| heading.line)
            .find(|line| *line > lines.start)
            .unwrap_or(document.line_count());
        let body = document.trimmed(lines.start + 1..own_end);
        let (at, gap) = if body.is_empty() {
            (lines.start + 1, "")
        } else {
            (body.end, end)
        };
        if let Some(line) = document.unclosed().filter(|line| *line < at) {
            return Err(Fault::Unclosed { line: line + 1 });
        }
        let span = document.span(at..at);
        let open = if bytes[..span.start].ends_with(b"\n") {
            ""
        } else {
            end
        };
        let after = if at < document.line_count() && !document.is_blank(at) {
            end
        } else {
            ""
        };
        let text = format!("{open}{gap}{}{after}", shape.frame(end));
        bytes.splice(span.start..span.start, text.into_bytes());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        title: "索引",
        columns: &["日期", "变更"],
        delimiter: "|---|---|",
    };

    fn table(text: &str) -> (Document, Table) {
        let sections = Sections::of(text.as_bytes());
        let lines = sections.find(&["索引"]).expect("a section");
        let document = sections.document().clone();
        let found = Table::find(&document, lines, &SHAPE).expect("sound");
        (document, found.expect("a table"))
    }

    fn changed(text: &str, change: impl FnOnce(&mut Table)) -> String {
        let (document, mut table) = table(text);
        change(&mut table);
        let edit = table.edit(&document);
        String::from_utf8(crate::text::splice(text.as_bytes(), &[edit])).expect("text")
    }

    #[test]
    fn a_cell_is_changed_and_all_else_stays() {
        let text = "## 索引\r\n| 变更 | x | 日期 |\r\n|---|---|---|\r\n|  a |`b|c`|   |\n| short |\r\nend";
        let out = changed(text, |table| {
            let (day, change) = (table.column(0), table.column(1));
            table.rows[0].set(day, "today");
            table.rows[0].set(change, "A");
            table.rows[1].set(day, "now");
        });
        assert_eq!(
            out,
            "## 索引\r\n| 变更 | x | 日期 |\r\n|---|---|---|\r\n|  A |`b|c`| today |\n| short |  | now |\r\nend"
        );
        assert_eq!(
            changed("## 索引\n| 日期 | 变更 |\n|---|---|\n| a \\|\n", |table| {
                table.rows[0].set(1, "b");
            }),
            "## 索引\n| 日期 | 变更 |\n|---|---|\n| a \\| | b |\n"
        );
        assert_eq!(changed(text, |_| {}), text);
    }

    #[test]
    fn rows_are_added_whether_or_not_the_last_line_ends() {
        let add = |table: &mut Table| {
            let row = table.row(&["d", "c"]);
            table.rows.push(row);
        };
        let frame = "## 索引\n| 日期 | 变更 |\n|---|---|";
        assert_eq!(changed(frame, add), format!("{frame}\n| d | c |"));
        assert_eq!(
            changed(&format!("{frame}\n\nx\n"), add),
            format!("{frame}\n| d | c |\n\nx\n")
        );
        assert_eq!(
            changed(&format!("{frame}\n| a | b |"), add),
            format!("{frame}\n| a | b |\n| d | c |")
        );
    }

    #[test]
    fn missing_tables_are_put_where_they_belong() {
        let made = |text: &str| {
            with_tables(text.as_bytes(), &[&SHAPE]).map(|bytes| String::from_utf8(bytes).expect("text"))
        };
        let frame = "| 日期 | 变更 |\n|---|---|\n";
        assert_eq!(made("# A"), Ok(format!("# A\n\n## 索引\n{frame}")));
        assert_eq!(made("# A\n"), Ok(format!("# A\n\n## 索引\n{frame}")));
        assert_eq!(
            made("## 索引\n\nwords\n\n### B\n"),
            Ok(format!("## 索引\n\nwords\n\n{frame}\n### B\n"))
        );
        assert_eq!(made("## 索引\n## B\n"), Ok(format!("## 索引\n{frame}\n## B\n")));
        assert_eq!(made("## 索引"), Ok(format!("## 索引\n{frame}")));
        assert_eq!(made("a\n```\n## 索引\n"), Err(Fault::Unclosed { line: 2 }));
        assert_eq!(made("## 索引\n```\nx\n"), Err(Fault::Unclosed { line: 2 }));
    }

    #[test]
    fn a_table_without_its_columns_and_a_name_twice_are_faults() {
        let sections = Sections::of("## 索引\n| 日期 | x |\n|---|---|\n".as_bytes());
        let lines = sections.find(&["索引"]).expect("a section");
        let found = Table::find(sections.document(), lines, &SHAPE);
        assert_eq!(
            found.err(),
            Some(Fault::NoColumn {
                line: 2,
                section: "索引",
                column: "变更"
            })
        );
        let (_, twice) = table("## 索引\n| 日期 | 变更 |\n|---|---|\n| x | a |\n| y | `a` |\n");
        assert_eq!(
            twice.refuse_twice(1),
            Err(Fault::Twice {
                first: 4,
                second: 5,
                name: "a".to_owned()
            })
        );
    }
}
