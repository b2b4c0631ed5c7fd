//! What of a document stands for itself in its history: headings, rows, and the units that bodies are cut into; each with
//! what it is compared by (change.md 6.7): neither blank lines nor blanks around cells count.

use std::ops::Range;

use super::part::{key, row_key};
use super::units::cut;
use crate::markdown::{Document, cells};

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PieceKind {
    Heading,
    /// A row of a table; the header is one with its delimiter row.
    Row,
    /// A paragraph, a list item, or lines that are no structure.
    Paragraph,
}

impl PieceKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Heading => "heading",
            Self::Row => "row",
            Self::Paragraph => "paragraph",
        }
    }
}

/// One piece of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub kind: PieceKind,
    pub lines: Range<usize>,
    /// Equal for pieces that say the same.
    pub content: Vec<u8>,
}

/// Cuts whole lines of a document into pieces, in their order; blank lines are in none.
pub fn pieces(doc: &Document, lines: Range<usize>) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut at = lines.start;
    for heading in &doc.headings()[doc.headings_in(&lines)] {
        body(doc, at..heading.line, &mut out);
        out.push(Piece {
            kind: PieceKind::Heading,
            lines: heading.line..heading.line + 1,
            content: format!("{} {}", heading.level, heading.title).into_bytes(),
        });
        at = heading.line + 1;
    }
    body(doc, at..lines.end, &mut out);
    out
}

fn body(doc: &Document, lines: Range<usize>, out: &mut Vec<Piece>) {
    for unit in cut(doc, lines) {
        let Some(table) = &unit.table else {
            out.push(Piece {
                kind: PieceKind::Paragraph,
                content: key(doc, unit.lines.clone()),
                lines: unit.lines,
            });
            continue;
        };
        out.push(Piece {
            kind: PieceKind::Row,
            lines: table.lines.start..table.lines.start + 2,
            content: [row_key(&table.header), row_content(doc, table.lines.start + 1)].concat(),
        });
        out.extend(table.rows.iter().map(|row| Piece {
            kind: PieceKind::Row,
            lines: row.line..row.line + 1,
            content: row_key(&row.cells),
        }));
    }
}

/// What a row of a table is compared by.
pub fn row_content(doc: &Document, line: usize) -> Vec<u8> {
    row_key(&cells(&doc.text(line).unwrap_or_default()))
}

/// What a section is compared by: its title and all that is below, as [`super::same_section`] does it.
pub fn section_content(doc: &Document, heading: usize) -> Vec<u8> {
    let section = doc.section(heading);
    let mut out = doc.headings()[heading].title.clone().into_bytes();
    out.push(b'\n');
    out.extend(key(doc, section.start + 1..section.end));
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::same_section;
    use super::*;

    const TEXT: &str = "intro\n\n# A\ntext\nmore\n\n- item\n  goes on\n\n| a | b |\n|---|---|\n| 1 | x |\n|2|y|\n```\ncode\n```\n## B\n";

    #[test]
    fn a_table_is_cut_into_rows_and_the_rest_into_units() {
        let doc = Document::scan(TEXT);
        let found: Vec<_> = pieces(&doc, doc.all_lines())
            .into_iter()
            .map(|piece| (piece.kind.as_str(), piece.lines))
            .collect();
        assert_eq!(
            found,
            [
                ("paragraph", 0..1),
                ("heading", 2..3),
                ("paragraph", 3..5),
                ("paragraph", 6..8),
                ("row", 9..11),
                ("row", 11..12),
                ("row", 12..13),
                ("paragraph", 13..16),
                ("heading", 16..17),
            ]
        );
    }

    proptest! {
        #[test]
        fn every_line_that_is_not_blank_is_in_one_piece(lines in prop::collection::vec(
            prop::sample::select(vec!["# A", "## B", "- a", "  b", "| x | y |", "|---|---|", "| 1 | 2 |", "text", "", "```", "<!--", "-->"]),
            0..30,
        )) {
            let doc = Document::scan(lines.join("\n"));
            let mut at = 0;
            for piece in pieces(&doc, doc.all_lines()) {
                prop_assert!(piece.lines.start >= at && !piece.lines.is_empty());
                prop_assert!((at..piece.lines.start).all(|line| doc.is_blank(line)));
                at = piece.lines.end;
            }
            prop_assert!((at..doc.line_count()).all(|line| doc.is_blank(line)));
        }

        #[test]
        fn sections_are_equal_by_content_if_they_say_the_same(
            one in prop::collection::vec(prop::sample::select(vec!["## B", "| x | y |", "|x|y |", "|---|---|", "| 1 | 2 |", "text", ""]), 0..8),
            other in prop::collection::vec(prop::sample::select(vec!["## B", "| x | y |", "|x|y |", "|---|---|", "| 1 | 2 |", "text", ""]), 0..8),
        ) {
            let text = |lines: Vec<&str>| format!("# A\n{}\n", lines.join("\n"));
            let (one, other) = (text(one), text(other));
            let content = |text: &str| section_content(&Document::scan(text), 0);
            prop_assert_eq!(content(&one) == content(&other), same_section(one.as_bytes(), other.as_bytes()));
        }
    }
}
