//! A body cut into units, and the merge of three bodies by them (change.md 6.7, "Body").

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::common::subsequence;
use super::part::{Part, choose_blanks, key};
use super::{Clash, ClashKind, Merged, Three, rows};
use crate::markdown::{Document, Mask, Table};
use crate::text::js;

static ITEM: LazyLock<Regex> = LazyLock::new(|| js(r"^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)"));

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Masked,
    Table,
    Item,
    Paragraph,
}

/// One unit: a masked run, a table, a list item with its indented continuation, a paragraph.
pub(super) struct Unit<'d> {
    pub(super) doc: &'d Document,
    pub(super) lines: Range<usize>,
    pub(super) kind: Kind,
    pub(super) table: Option<Table>,
    /// Number of blank lines before it.
    pub(super) blanks: usize,
    /// What it is found again by: a table by its header, anything else by its text.
    pub(super) identity: Vec<u8>,
    /// What decides whether it was changed.
    pub(super) content: Vec<u8>,
}

impl<'d> Unit<'d> {
    pub(super) fn text(&self) -> &'d [u8] {
        self.doc.slice(self.lines.clone())
    }
}

/// Cuts lines into units.
pub(super) fn cut(doc: &Document, lines: Range<usize>) -> Vec<Unit<'_>> {
    let mut tables = doc.tables(lines.clone()).into_iter().peekable();
    let mut headers: Vec<Vec<String>> = Vec::new();
    let mut out = Vec::new();
    let mut at = lines.start;
    let mut blanks = 0;
    while at < lines.end {
        let masked = doc.mask(at) != Mask::None;
        if !masked && doc.is_blank(at) {
            blanks += 1;
            at += 1;
            continue;
        }
        // A table in the continuation of a list item is part of the item.
        while tables.next_if(|t| t.lines.start < at).is_some() {}
        let table = tables.next_if(|t| t.lines.start == at);
        let next_table = tables.peek().map_or(lines.end, |t| t.lines.start);
        let (kind, end) = match &table {
            Some(table) => (Kind::Table, table.lines.end),
            None if masked => (Kind::Masked, run(at, lines.end, |l| doc.mask(l) != Mask::None)),
            None if is_item(doc, at) => (Kind::Item, run(at + 1, lines.end, |l| continues(doc, l))),
            None => {
                let goes_on = |l| doc.mask(l) == Mask::None && !doc.is_blank(l) && !is_item(doc, l);
                (Kind::Paragraph, run(at + 1, next_table, goes_on))
            }
        };
        let content = key(doc, at..end);
        let identity = match &table {
            Some(table) => {
                headers.push(table.header.clone());
                let nth = headers.iter().filter(|h| **h == table.header).count();
                format!("table {nth} {:?}", table.header).into_bytes()
            }
            None => [b"text ", content.as_slice()].concat(),
        };
        out.push(Unit {
            doc,
            lines: at..end,
            kind,
            table,
            blanks,
            identity,
            content,
        });
        blanks = 0;
        at = end;
    }
    out
}

fn run(from: usize, end: usize, goes_on: impl Fn(usize) -> bool) -> usize {
    (from..end).find(|line| !goes_on(*line)).unwrap_or(end)
}

fn is_item(doc: &Document, line: usize) -> bool {
    doc.text(line).is_some_and(|text| ITEM.is_match(&text))
}

fn continues(doc: &Document, line: usize) -> bool {
    let indented = matches!(doc.line(line).first(), Some(b' ' | b'\t'));
    indented && !doc.is_blank(line) && matches!(doc.mask(line), Mask::None | Mask::Code)
}

/// A stretch of base units that one side replaced by its own.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hunk {
    base: Range<usize>,
    side: Range<usize>,
}

impl Hunk {
    /// They replace a common unit, or one inserts inside or at an end of the other.
    fn touches(&self, other: &Self) -> bool {
        let (a, b) = (&self.base, &other.base);
        if a.is_empty() || b.is_empty() {
            a.start <= b.end && b.start <= a.end
        } else {
            a.start < b.end && b.start < a.end
        }
    }
}

/// One side against the base: which of its units is which of the base, and the hunks between.
struct Matching {
    of_base: Vec<Option<usize>>,
    hunks: Vec<Hunk>,
}

fn matching(base: &[Unit<'_>], side: &[Unit<'_>]) -> Matching {
    let keys = |units: &'_ [Unit<'_>]| units.iter().map(|u| u.identity.clone()).collect::<Vec<_>>();
    let of_base = subsequence(&keys(base), &keys(side));
    let mut hunks = Vec::new();
    let (mut from_i, mut from_j) = (0, 0);
    let ends = std::iter::once((base.len(), side.len()));
    let pairs = of_base.iter().enumerate().filter_map(|(i, j)| Some((i, (*j)?)));
    for (i, j) in pairs.chain(ends) {
        if from_i < i || from_j < j {
            hunks.push(Hunk {
                base: from_i..i,
                side: from_j..j,
            });
        }
        (from_i, from_j) = (i + 1, j + 1);
    }
    Matching { of_base, hunks }
}

/// Merges three bodies that all differ.
pub(super) fn merge(three: Three<&Part<'_>>, item: Option<&str>, line_end: &[u8], out: &mut Merged) {
    let units = Three {
        base: three.base.units(),
        ours: three.ours.units(),
        theirs: three.theirs.units(),
    };
    let ours = matching(&units.base, &units.ours);
    let theirs = matching(&units.base, &units.theirs);
    let mut body = Body {
        units: &units,
        item,
        line_end,
        out,
        last: None,
    };
    let mut at = 0;
    let (mut a, mut b) = (ours.hunks.iter().peekable(), theirs.hunks.iter().peekable());
    loop {
        let mut cluster = (Vec::new(), Vec::new());
        let first = match (a.peek(), b.peek()) {
            (None, None) => break,
            (Some(x), Some(y)) if (x.base.start, x.base.end) <= (y.base.start, y.base.end) => true,
            (Some(_) | None, Some(_)) => false,
            (Some(_), None) => true,
        };
        if first {
            cluster.0.extend(a.next());
        } else {
            cluster.1.extend(b.next());
        }
        loop {
            let before = cluster.0.len() + cluster.1.len();
            while let Some(hunk) = a.next_if(|h| cluster.1.iter().any(|o: &&Hunk| h.touches(o))) {
                cluster.0.push(hunk);
            }
            while let Some(hunk) = b.next_if(|h| cluster.0.iter().any(|o: &&Hunk| h.touches(o))) {
                cluster.1.push(hunk);
            }
            if cluster.0.len() + cluster.1.len() == before {
                break;
            }
        }
        let all = || cluster.0.iter().chain(&cluster.1);
        let start = all().map(|h| h.base.start).min().expect("a cluster has a hunk");
        let end = all().map(|h| h.base.end).max().expect("a cluster has a hunk");
        body.common(at..start, &ours, &theirs);
        body.cluster(start..end, (&ours, &cluster.0), (&theirs, &cluster.1));
        at = at.max(end);
    }
    body.common(at..units.base.len(), &ours, &theirs);
}

struct Body<'a, 'd> {
    units: &'a Three<Vec<Unit<'d>>>,
    item: Option<&'a str>,
    line_end: &'a [u8],
    out: &'a mut Merged,
    last: Option<Kind>,
}

impl<'a, 'd> Body<'a, 'd> {
    /// Units that all three have.
    fn common(&mut self, base: Range<usize>, ours: &Matching, theirs: &Matching) {
        for i in base {
            let (Some(o), Some(t)) = (ours.of_base[i], theirs.of_base[i]) else {
                unreachable!("outside hunks every base unit is on both sides")
            };
            let three = Three {
                base: &self.units.base[i],
                ours: &self.units.ours[o],
                theirs: &self.units.theirs[t],
            };
            let blanks = choose_blanks(Three {
                base: Some(three.base.blanks),
                ours: Some(three.ours.blanks),
                theirs: Some(three.theirs.blanks),
            });
            self.space(blanks, three.ours.kind);
            let Three { base, ours, theirs } = three;
            if ours.content == theirs.content || theirs.content == base.content {
                self.out.push(ours.text());
            } else if ours.content == base.content {
                self.out.push(theirs.text());
            } else {
                rows::merge(three, self.item, self.line_end, self.out);
            }
        }
    }

    /// Hunks that touch each other: one side's alone, the same on both, or a clash.
    fn cluster(
        &mut self,
        base: Range<usize>,
        (ours, our_hunks): (&Matching, &[&Hunk]),
        (theirs, their_hunks): (&Matching, &[&Hunk]),
    ) {
        let o = side_units(&base, ours, our_hunks);
        let t = side_units(&base, theirs, their_hunks);
        let our_units = || o.iter().map(|i| &self.units.ours[*i]);
        let their_units = || t.iter().map(|i| &self.units.theirs[*i]);
        // A table is found again by its header: the other side may have changed its rows where this one takes it out.
        let rows_changed = |units: &[Unit<'_>], side: &Matching| {
            let changed =
                |i: usize| side.of_base[i].is_some_and(|j| units[j].content != self.units.base[i].content);
            base.clone().any(changed)
        };
        let alone = (our_hunks.is_empty() && !rows_changed(&self.units.ours, ours))
            || (their_hunks.is_empty() && !rows_changed(&self.units.theirs, theirs));
        if alone {
            let chosen: Vec<&'a Unit<'d>> = if their_hunks.is_empty() {
                o.iter().map(|i| &self.units.ours[*i]).collect()
            } else {
                t.iter().map(|i| &self.units.theirs[*i]).collect()
            };
            for unit in chosen {
                self.space(unit.blanks, unit.kind);
                self.out.push(unit.text());
            }
            return;
        }
        let identical = our_units()
            .map(|u| &u.content)
            .eq(their_units().map(|u| &u.content));
        if identical {
            for (i, j) in o.iter().zip(&t) {
                let (unit, twin) = (&self.units.ours[*i], &self.units.theirs[*j]);
                self.space(unit.blanks.max(twin.blanks), unit.kind);
                self.out.push(unit.text());
            }
            return;
        }
        let joined = |units: &mut dyn Iterator<Item = &'a Unit<'d>>| {
            let mut text = Vec::new();
            for unit in units {
                if !text.is_empty() {
                    (0..unit.blanks).for_each(|_| text.extend_from_slice(self.line_end));
                }
                text.extend_from_slice(unit.text());
            }
            text
        };
        let clash = Clash {
            kind: ClashKind::BothChanged,
            item: self.item.map(str::to_owned),
            base: joined(&mut self.units.base[base].iter()),
            ours: joined(&mut o.iter().map(|i| &self.units.ours[*i])),
            theirs: joined(&mut t.iter().map(|i| &self.units.theirs[*i])),
        };
        let first = o
            .first()
            .map(|i| &self.units.ours[*i])
            .or_else(|| t.first().map(|i| &self.units.theirs[*i]));
        let (blanks, kind) = first.map_or((0, Kind::Paragraph), |u| (u.blanks, u.kind));
        self.space(blanks, kind);
        self.out.clash(clash);
    }

    fn space(&mut self, blanks: usize, kind: Kind) {
        let blanks = blanks_between(self.last, kind, blanks);
        super::push_blanks(blanks, self.line_end, self.out);
        self.last = Some(kind);
    }
}

/// Blank lines before a unit; where there are none one is put in, but between list items and between a paragraph and a
/// list or table.
pub(super) fn blanks_between(last: Option<Kind>, kind: Kind, blanks: usize) -> usize {
    let close = match (last, kind) {
        (None, _)
        | (Some(Kind::Item), Kind::Item | Kind::Paragraph)
        | (Some(Kind::Paragraph), Kind::Item | Kind::Table)
        | (Some(Kind::Table), Kind::Paragraph) => true,
        (Some(_), _) => false,
    };
    if blanks == 0 && !close { 1 } else { blanks }
}

/// The units that a side has for a stretch of the base.
fn side_units(base: &Range<usize>, side: &Matching, hunks: &[&Hunk]) -> Vec<usize> {
    let mut out = Vec::new();
    let mut at = base.start;
    for hunk in hunks {
        out.extend((at..hunk.base.start).filter_map(|i| side.of_base[i]));
        out.extend(hunk.side.clone());
        at = hunk.base.end;
    }
    out.extend((at..base.end).filter_map(|i| side.of_base[i]));
    out
}

#[cfg(test)]
mod tests {
    use super::super::merge_sections;

    use proptest::prelude::*;

    use super::*;
    use crate::markdown::Document;

    proptest! {
        #[test]
        fn every_line_that_is_not_blank_is_in_one_unit(
            lines in prop::collection::vec(
                prop::sample::select(vec![
                    "- a", "  b", "  | x | y |", "  |---|---|", "| x | y |", "|---|---|", "| 1 | 2 |", "text", "", "    code",
                    "```", "1. c", "<!--", "-->",
                ]),
                0..24,
            ),
        ) {
            let doc = Document::scan(lines.join("\n"));
            let mut at = 0;
            for unit in cut(&doc, doc.all_lines()) {
                prop_assert!(unit.lines.start >= at && !unit.lines.is_empty(), "{:?} after line {at}", unit.lines);
                prop_assert!((at..unit.lines.start).all(|line| doc.is_blank(line)));
                at = unit.lines.end;
            }
            prop_assert!((at..doc.line_count()).all(|line| doc.is_blank(line)));
        }
    }

    #[test]
    fn a_table_within_a_list_item_stays_in_it() {
        let text = "## A\n\nx\n\n- item\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n\ny\n";
        let (ours, theirs) = (text.replace("\ny", "\nyy"), text.replace("\nx", "\nxx"));
        let clean = merge_sections(text.as_bytes(), ours.as_bytes(), theirs.as_bytes(), b"\n").clean();
        assert_eq!(clean, Some(ours.replace("\nx", "\nxx").into_bytes()));
    }

    const TABLE: &str = "## A\n\nText.\n\n| ID | x |\n|---|---|\n| 1 | a |\n| 2 | b |\n";

    fn merged(ours: &str, theirs: &str) -> Option<String> {
        let clean = merge_sections(TABLE.as_bytes(), ours.as_bytes(), theirs.as_bytes(), b"\n").clean()?;
        Some(String::from_utf8(clean).expect("made of text"))
    }

    #[test]
    fn a_table_taken_out_where_the_other_side_changed_a_row_is_a_conflict() {
        let (without, changed) = ("## A\n\nText.\n", TABLE.replace("| b |", "| c |"));
        assert_eq!(merged(without, &changed), None);
        assert_eq!(merged(&changed, without), None);
        assert_eq!(merged(TABLE, without).as_deref(), Some(without));
    }

    #[test]
    fn blank_lines_before_a_sub_section_are_those_of_the_side_that_changed_them() {
        let base = "## A\n\nx\n\n\n### B\n\nb\n";
        let (ours, theirs) = (
            "## A\n\nx\n\n\n### B\n\nb\n\n### C\n",
            "## A\n\ny\n\n### B\n\nb\n",
        );
        let both = |ours: &str, theirs: &str| {
            merge_sections(base.as_bytes(), ours.as_bytes(), theirs.as_bytes(), b"\n").clean()
        };
        assert_eq!(both(ours, theirs), both(theirs, ours));
        assert_eq!(
            both(ours, theirs),
            Some(b"## A\n\ny\n\n### B\n\nb\n\n### C\n".to_vec())
        );
    }
}
