//! `module-impact.md` (silly.md 9 and 11): made from what a change does, or brought up to it.
//!
//! Of a document that is there only rows of the three tables change, and lines that lint asks for are added. In a row
//! that still applies the files are those of the difference; what kind of change it is, the summary, an explanation and a
//! result stay as they are once somebody has said something, and so do further columns. A row that no longer applies goes
//! only if nobody has written into it; else it stays with a mark in front of its files or its explanation, which goes
//! when the row applies again. A result that was reached stays without a mark: it did happen. Whatever stays or goes that
//! way is told in [`Outcome::left`]. Two runs with the same difference leave the same bytes.

use std::collections::BTreeSet;

use super::results::merge_results;
use super::{Module, NEW, USUAL};
use crate::silly::authorship;
use crate::silly::sections::Sections;
use crate::silly::table::{Fault, Shape, Table, bare, in_cell, is_name, is_nothing, with_tables};
use crate::text::{Bytes, splice};

/// The table of modules.
pub const MATRIX: Shape = Shape {
    title: "模块影响矩阵",
    columns: &["模块", "影响类型", "相关文件", "更新内容摘要"],
    delimiter: "|------|----------|----------|-------------|",
};
/// The table of files that belong to no module.
pub const UNMATCHED: Shape = Shape {
    title: "未匹配文件",
    columns: &["文件路径", "说明"],
    delimiter: "|----------|------|",
};
/// The table of documents of modules.
pub const RESULTS: Shape = Shape {
    title: "更新结果",
    columns: &["模块文档", "操作", "状态"],
    delimiter: "|----------|------|------|",
};

/// In front of the files, or the explanation, of a row that no longer applies.
const LEFT: &str = "（不再适用）";
const NOTHING: &str = "无";

/// What the document is about.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'f> {
    pub change: &'f str,
    pub author: &'f str,
    /// As `YYYY-MM-DD HH:mm:ss`.
    pub created_at: &'f str,
    pub modules: &'f [Module],
    pub unmatched: &'f [String],
}

/// A row that no longer applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The title of its table.
    pub table: &'static str,
    pub name: String,
    /// Whether it is still there; else nobody had written into it.
    pub kept: bool,
}

/// The row of a module as it is written now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub kind: String,
    /// Empty where nobody has written one.
    pub summary: String,
}

/// The document as it is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub bytes: Bytes,
    /// Those of the modules, in their order.
    pub rows: Vec<Row>,
    pub left: Vec<Left>,
}

/// Whether a row of the matrix is one that no longer applies, by the cell of its files.
pub fn is_left(files: &str) -> bool {
    files.starts_with(LEFT)
}

/// Plans the document; `existing` is what is there.
pub fn plan(existing: Option<&[u8]>, facts: &Facts<'_>) -> Result<Outcome, Fault> {
    let made;
    let start = if let Some(existing) = existing {
        existing
    } else {
        made = skeleton(facts);
        made.as_bytes()
    };
    let bytes = authorship::completed(start, facts.author, facts.created_at);
    let bytes = with_tables(&bytes, &[&MATRIX, &UNMATCHED, &RESULTS])?;
    let sections = Sections::of(&bytes);
    let mut left = Vec::new();
    let mut matrix = find(&sections, &MATRIX)?;
    let rows = merge_modules(&mut matrix, facts.modules, &mut left)?;
    let mut unmatched = find(&sections, &UNMATCHED)?;
    merge_unmatched(&mut unmatched, facts.unmatched, &mut left)?;
    let mut results = find(&sections, &RESULTS)?;
    merge_results(&mut results, facts.modules, &mut left)?;
    let mut edits = Vec::new();
    for mut table in [matrix, unmatched, results] {
        if table.rows.is_empty() {
            // A table without a row is none (silly.md 9).
            let row = table.row(&[NOTHING]);
            table.rows.push(row);
        }
        edits.push(table.edit(sections.document()));
    }
    edits.sort_by_key(|(span, _)| span.start);
    Ok(Outcome {
        bytes: splice(&bytes, &edits),
        rows,
        left,
    })
}

fn skeleton(facts: &Facts<'_>) -> String {
    format!(
        "# 模块影响分析\n\nauthor: {}\ncreated_at: {}\n\n## 变更：{}\n\n{}\n{}\n{}",
        facts.author,
        facts.created_at,
        in_cell(facts.change),
        MATRIX.text("\n"),
        UNMATCHED.text("\n"),
        RESULTS.text("\n")
    )
}

/// The table of a section that was added where it was missing.
pub(super) fn find(sections: &Sections, shape: &Shape) -> Result<Table, Fault> {
    let lines = sections.find(&[shape.title]);
    let found = lines.map(|lines| Table::find(sections.document(), lines, shape));
    found.transpose()?.flatten().ok_or(Fault::NoTable(shape.title))
}

fn merge_modules(table: &mut Table, modules: &[Module], left: &mut Vec<Left>) -> Result<Vec<Row>, Fault> {
    let [name, kind, files, summary] = [0, 1, 2, 3].map(|at| table.column(at));
    table.rows.retain(|row| !row.is_nothing());
    table.refuse_twice(name)?;
    let is_it = |module: &Module, cell: &str| {
        let whole = format!("{}/{}", module.project, module.id);
        is_name(cell, &in_cell(&module.name)) || is_name(cell, &in_cell(&whole))
    };
    let mut found = vec![false; modules.len()];
    let mut rows = Vec::new();
    for mut row in std::mem::take(&mut table.rows) {
        let at = modules.iter().position(|module| is_it(module, row.cell(name)));
        let is_derived = ["", NEW, USUAL].contains(&bare(row.cell(kind)))
            && is_nothing(row.cell(summary))
            && row.others(&[name, kind, files, summary]).all(is_nothing);
        if let Some(at) = at.filter(|at| !found[*at]) {
            found[at] = true;
            if row.cell(kind).is_empty() {
                row.set(kind, modules[at].kind);
            }
            row.set(files, &joined(&modules[at]));
        } else {
            left.push(Left {
                table: MATRIX.title,
                name: bare(row.cell(name)).to_owned(),
                kept: !is_derived,
            });
            if is_derived {
                continue;
            }
            if !is_left(row.cell(files)) {
                let marked = format!("{LEFT}{}", row.cell(files));
                row.set(files, &marked);
            }
        }
        rows.push(row);
    }
    for (module, _) in modules.iter().zip(&found).filter(|(_, found)| !**found) {
        rows.push(table.row(&[&in_cell(&module.name), module.kind, &joined(module)]));
    }
    rows.sort_by(|a, b| bare(a.cell(name)).cmp(bare(b.cell(name))));
    let written = modules.iter().map(|module| {
        let row = rows
            .iter()
            .find(|row| is_it(module, row.cell(name)) && !is_left(row.cell(files)));
        let cell = |column: usize| row.map_or("", |row| row.cell(column)).to_owned();
        Row {
            kind: cell(kind),
            summary: Some(cell(summary))
                .filter(|text| !is_nothing(text))
                .unwrap_or_default(),
        }
    });
    let written = written.collect();
    table.rows = rows;
    Ok(written)
}

fn joined(module: &Module) -> String {
    let cells: Vec<String> = module.files.iter().map(|path| in_cell(path)).collect();
    cells.join(", ")
}

fn merge_unmatched(table: &mut Table, paths: &[String], left: &mut Vec<Left>) -> Result<(), Fault> {
    let [path, why] = [0, 1].map(|at| table.column(at));
    table.rows.retain(|row| !row.is_nothing());
    table.refuse_twice(path)?;
    // Two paths that only signs without a shape tell apart have one row.
    let mut missing: BTreeSet<String> = paths.iter().map(|path| in_cell(path)).collect();
    let mut rows = Vec::new();
    for mut row in std::mem::take(&mut table.rows) {
        let name = missing.iter().find(|name| is_name(row.cell(path), name)).cloned();
        let said = row.cell(why).strip_prefix(LEFT).map(str::to_owned);
        if let Some(name) = name {
            missing.remove(&name);
            if let Some(said) = said {
                row.set(why, &said);
            }
        } else {
            let kept = !is_nothing(row.cell(why)) || !row.others(&[path, why]).all(is_nothing);
            left.push(Left {
                table: UNMATCHED.title,
                name: bare(row.cell(path)).to_owned(),
                kept,
            });
            if !kept {
                continue;
            }
            if said.is_none() {
                let marked = format!("{LEFT}{}", row.cell(why));
                row.set(why, &marked);
            }
        }
        rows.push(row);
    }
    rows.extend(missing.iter().map(|name| table.row(&[name])));
    rows.sort_by(|a, b| bare(a.cell(path)).cmp(bare(b.cell(path))));
    table.rows = rows;
    Ok(())
}

#[cfg(test)]
mod tests;
