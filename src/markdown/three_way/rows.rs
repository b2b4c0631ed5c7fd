//! Merge of three versions of one table, row by row (change.md 6.7, "Rows").

use super::keyed::{self, Fate, Item};
use super::part::row_key;
use super::units::Unit;
use super::{Clash, ClashKind, Merged, Three};
use crate::markdown::Table;

/// Merges tables with the same header; `item` is the sub-section they are in.
pub(super) fn merge(three: Three<&Unit<'_>>, item: Option<&str>, line_end: &[u8], out: &mut Merged) {
    let Three { base, ours, theirs } = three;
    let whole = || Clash {
        kind: ClashKind::BothChanged,
        item: item.map(str::to_owned),
        base: base.text().to_vec(),
        ours: ours.text().to_vec(),
        theirs: theirs.text().to_vec(),
    };
    let (Some(tb), Some(to), Some(tt)) = (&base.table, &ours.table, &theirs.table) else {
        unreachable!("only tables are merged by rows")
    };
    let lists = Three {
        base: items(tb),
        ours: items(to),
        theirs: items(tt),
    };
    let entries = keyed::merge(Three {
        base: &lists.base,
        ours: &lists.ours,
        theirs: &lists.theirs,
    });
    let (Some(entries), Some(head)) = (entries, head(three)) else {
        out.clash(whole());
        return;
    };
    out.push(&head);
    for entry in entries {
        let row = |unit: &Unit<'_>, table: &Table, at: Option<usize>| {
            at.map_or(Vec::new(), |i| {
                unit.doc
                    .slice(table.rows[i].line..table.rows[i].line + 1)
                    .to_vec()
            })
        };
        let rows = Three {
            base: row(base, tb, entry.base),
            ours: row(ours, to, entry.ours),
            theirs: row(theirs, tt, entry.theirs),
        };
        let clash = |kind| Clash {
            kind,
            item: Some(entry.key.clone()),
            base: rows.base.clone(),
            ours: rows.ours.clone(),
            theirs: rows.theirs.clone(),
        };
        match entry.fate {
            Fate::Ours => out.push(&rows.ours),
            Fate::Theirs => out.push(&rows.theirs),
            Fate::Clash(kind) => out.clash(clash(kind)),
            Fate::Both => {
                let cells = |table: &Table, at: Option<usize>| at.map(|i| table.rows[i].cells.clone());
                let merged = (|| {
                    let (b, o, t) = (
                        cells(tb, entry.base)?,
                        cells(to, entry.ours)?,
                        cells(tt, entry.theirs)?,
                    );
                    merge_cells(&b, &o, &t)
                })();
                match merged {
                    Some(cells) => {
                        out.push(format!("| {} |", cells.join(" | ")).as_bytes());
                        out.push(line_end);
                    }
                    None => out.clash(clash(ClashKind::BothChanged)),
                }
            }
        }
    }
}

fn items(table: &Table) -> Vec<Item> {
    let item = |cells: &[String]| Item {
        key: cells.first().cloned().unwrap_or_default(),
        content: row_key(cells),
    };
    table.rows.iter().map(|row| item(&row.cells)).collect()
}

/// Header and delimiter row: that of the side that changed it; none if both did, differently.
fn head(three: Three<&Unit<'_>>) -> Option<Vec<u8>> {
    let line = |unit: &Unit<'_>, offset: usize| {
        let at = unit.lines.start + offset;
        (
            unit.doc.slice(at..at + 1).to_vec(),
            super::part::key(unit.doc, at..at + 1),
        )
    };
    let mut out = Vec::new();
    for offset in 0..2 {
        let (b, o, t) = (
            line(three.base, offset),
            line(three.ours, offset),
            line(three.theirs, offset),
        );
        if o.1 == t.1 || t.1 == b.1 || offset == 0 {
            out.extend(o.0);
        } else if o.1 == b.1 {
            out.extend(t.0);
        } else {
            return None;
        }
    }
    Some(out)
}

/// Cell by cell; none if the numbers differ or one cell was changed in two ways.
fn merge_cells(base: &[String], ours: &[String], theirs: &[String]) -> Option<Vec<String>> {
    if base.len() != ours.len() || base.len() != theirs.len() {
        return None;
    }
    let cell = |((b, o), t): ((&String, &String), &String)| {
        if o == t || t == b {
            Some(o.clone())
        } else if o == b {
            Some(t.clone())
        } else {
            None
        }
    };
    base.iter().zip(ours).zip(theirs).map(cell).collect()
}
