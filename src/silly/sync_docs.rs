//! The documents of modules that a change affects, by its `module-impact.md` (silly.md 11): which they are, and what each is
//! to become. Plans only.

use super::impact::{self, Done, MATRIX};
use super::module_doc;
use super::modules::{Module, ModuleMap, named};
use super::sections::Sections;
use super::table::{self, Table, bare, carried, is_nothing};
use crate::files::RepoPath;
use crate::say;
use crate::text::{Bytes, escape};
use crate::voice::{Say, Voice};

/// Why the rows of the document cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error(transparent)]
    Table(#[from] table::Fault),
    #[error("line {line}: no module map has `{}`; correct the row, or add the module to a map", escape(.name))]
    Unknown { line: usize, name: String },
    #[error("line {line}: several projects have `{}`; write it as `<project>/<module>`", escape(.name))]
    Ambiguous { line: usize, name: String },
    #[error("line {line}: `{}` is no name of a file, so it can have no document; rename it in its map", escape(.name))]
    NoDocument { line: usize, name: String },
}

impl Say for Fault {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Table(fault) => fault.say(voice),
            Self::Unknown { line, name } => {
                let name = escape(name);
                say!(
                    voice,
                    "line {line}: no module map has `{name}`; correct the row, or add the module to a map",
                    "第 {line} 行：模块映射中没有 `{name}`；请修正该行，或将模块加入映射"
                )
            }
            Self::Ambiguous { line, name } => {
                let name = escape(name);
                say!(
                    voice,
                    "line {line}: several projects have `{name}`; write it as `<project>/<module>`",
                    "第 {line} 行：多个项目都有 `{name}`；请写成 `<项目>/<模块>`"
                )
            }
            Self::NoDocument { line, name } => {
                let name = escape(name);
                say!(
                    voice,
                    "line {line}: `{name}` is no name of a file, so it can have no document; rename it in its map",
                    "第 {line} 行：`{name}` 不能作为文件名，无法建立文档；请在映射中改名"
                )
            }
        }
    }
}

/// A module by its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affected {
    /// As the row names it.
    pub name: String,
    pub project: String,
    pub module: Module,
    pub path: RepoPath,
    /// The content of a cell; may be empty.
    pub summary: String,
    line: usize,
}

/// The rows of the document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    pub affected: Vec<Affected>,
    /// Modules whose row no longer applies.
    pub left: Vec<String>,
}

/// Reads which modules a change affects.
pub fn rows(impact: &[u8], maps: &[ModuleMap]) -> Result<Rows, Fault> {
    let sections = Sections::of(impact);
    let lines = sections.find(&[MATRIX.title]);
    let found = lines.map(|lines| Table::find(sections.document(), lines, &MATRIX));
    let table = found.transpose()?.flatten();
    let table = table.ok_or(table::Fault::NoTable(MATRIX.title))?;
    let [name, files, summary] = [0, 2, 3].map(|at| table.column(at));
    table.refuse_twice(name)?;
    let mut out = Rows::default();
    for row in table.rows.iter().filter(|row| !row.is_nothing()) {
        let shown = bare(row.cell(name)).to_owned();
        if impact::is_left(row.cell(files)) {
            out.left.push(shown);
            continue;
        }
        let line = row.line.expect("a row that was read has a line");
        let (map, module) = match module_of(maps, row.cell(name)).as_slice() {
            [one] => *one,
            [] => return Err(Fault::Unknown { line, name: shown }),
            _ => return Err(Fault::Ambiguous { line, name: shown }),
        };
        let no_document = || Fault::NoDocument {
            line,
            name: module.id.clone(),
        };
        let path = map.document(&module.id).ok_or_else(no_document)?;
        if let Some(known) = out.affected.iter().find(|known| known.path == path) {
            return Err(table::Fault::Twice {
                first: known.line,
                second: line,
                name: shown,
            }
            .into());
        }
        let summary = Some(row.cell(summary)).filter(|text| !is_nothing(text));
        out.affected.push(Affected {
            name: shown,
            project: map.project.clone(),
            module: module.clone(),
            path,
            summary: summary.map(carried).unwrap_or_default(),
            line,
        });
    }
    Ok(out)
}

/// A cell is compared as it would be written, as names of modules may hold what a cell cannot.
fn module_of<'m>(maps: &'m [ModuleMap], cell: &str) -> Vec<(&'m ModuleMap, &'m Module)> {
    let as_written = maps.iter().flat_map(|map| {
        let modules = map.modules.iter();
        modules.flat_map(|module| [module.id.clone(), format!("{}/{}", map.project, module.id)])
    });
    let meant = as_written
        .filter(|name| table::is_name(cell, &table::in_cell(name)))
        .max_by_key(String::len);
    meant.map_or_else(Vec::new, |name| named(maps, &name))
}

/// What one document is to become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    pub bytes: Bytes,
    pub done: Done,
}

/// Plans the document of a module; `existing` is what is there, `today` like `YYYY-MM-DD`.
pub fn plan(
    existing: Option<&[u8]>,
    affected: &Affected,
    change: &str,
    today: &str,
) -> Result<Planned, table::Fault> {
    let facts = module_doc::Facts {
        module: &affected.module.id,
        description: affected.module.description.as_deref(),
        paths: &affected.module.paths,
        change,
        today,
        summary: &affected.summary,
    };
    let bytes = module_doc::plan(existing, &facts)?;
    let done = match existing {
        None => Done::Made,
        Some(existing) if existing == bytes => Done::Nothing,
        Some(_) => Done::Updated,
    };
    Ok(Planned { bytes, done })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;
    use crate::silly::modules;

    fn maps() -> Vec<ModuleMap> {
        let tree = MemoryTree::new([
            (
                ".sillyspec/docs/p/modules/_module-map.yaml",
                "modules:\n  core: {paths: [a]}\n  \"x|y\": {paths: [b]}\n  ../z: {paths: [c]}\n",
            ),
            (
                ".sillyspec/docs/q/modules/_module-map.yaml",
                "modules:\n  core: {paths: [d]}\n",
            ),
        ]);
        modules::load(&tree).expect("maps")
    }

    fn read(lines: &str) -> Result<Rows, Fault> {
        let head = "## 模块影响矩阵\n| 模块 | 影响类型 | 相关文件 | 更新内容摘要 |\n|---|---|---|---|\n";
        rows(format!("{head}{lines}").as_bytes(), &maps())
    }

    #[test]
    fn rows_lead_to_documents() {
        let found = read("| q/core | 新增 | d | did |\n| `x\\|y` | 新增 | b | 无 |\n| gone | 新增 | （不再适用）e | s |\n| 无 | | | |\n")
            .expect("sound");
        let all: Vec<_> = found
            .affected
            .iter()
            .map(|one| (one.path.to_string(), one.summary.as_str()))
            .collect();
        assert_eq!(
            all,
            [
                (".sillyspec/docs/q/modules/core.md".to_owned(), "did"),
                (".sillyspec/docs/p/modules/x|y.md".to_owned(), "")
            ]
        );
        assert_eq!(found.left, ["gone"]);
    }

    #[test]
    fn rows_that_lead_nowhere_are_refused() {
        let fault = |line: &str| read(line).expect_err("refused");
        let name = |name: &str| name.to_owned();
        assert_eq!(
            fault("| none | | f | |\n"),
            Fault::Unknown {
                line: 4,
                name: name("none")
            }
        );
        assert_eq!(
            fault("| core | | f | |\n"),
            Fault::Ambiguous {
                line: 4,
                name: name("core")
            }
        );
        assert_eq!(
            fault("| ../z | | f | |\n"),
            Fault::NoDocument {
                line: 4,
                name: name("../z")
            }
        );
        assert_eq!(
            rows(b"# x\n", &maps()),
            Err(table::Fault::NoTable("模块影响矩阵").into())
        );
    }
}
