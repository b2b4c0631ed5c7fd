//! The answer of `silly impact` (silly.md 11).

use std::io;
use std::path::PathBuf;

use serde::Serialize;

use super::super::{Answer, Screen};
use crate::files::{ObjectId, RepoPath};
use crate::say;
use crate::silly::impact::{File, Impact as Judged, Left, Row};
use crate::text::escape;
use crate::voice::{Voice, quoted_list};

/// What a change does to the modules, and what was written.
pub struct Impact {
    pub change: String,
    pub base: ObjectId,
    /// That of the change, if it has one of its own.
    pub work_tree: Option<PathBuf>,
    pub impact: Judged,
    /// Those of the modules, in their order.
    pub rows: Vec<Row>,
    pub left: Vec<Left>,
    pub has_maps: bool,
    pub path: RepoPath,
    pub written: Vec<RepoPath>,
}

#[derive(Serialize)]
pub struct Data {
    change: String,
    base: String,
    worktree: Option<String>,
    files: Vec<OneFile>,
    modules: Vec<OneModule>,
    unmatched: Vec<String>,
    undeclared: Vec<String>,
    declared_not_changed: Vec<String>,
    planned_not_changed: Vec<String>,
    /// Rows that no longer apply.
    left: Vec<OneLeft>,
    written: Vec<String>,
}

#[derive(Serialize)]
struct OneFile {
    path: String,
    operation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    module: Option<String>,
    project: Option<String>,
    declared: bool,
    planned: bool,
}

#[derive(Serialize)]
struct OneModule {
    module: String,
    project: String,
    kind: String,
    files: Vec<String>,
    summary: String,
    document: Option<String>,
}

#[derive(Serialize)]
struct OneLeft {
    table: &'static str,
    name: String,
    kept: bool,
}

impl Answer for Impact {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        let file = |file: &File| OneFile {
            path: file.path.clone(),
            operation: file.operation.as_str(),
            from: file.from.clone(),
            module: file.module.clone(),
            project: file.project.clone(),
            declared: file.declared,
            planned: file.planned,
        };
        let modules = self.impact.modules.iter().zip(&self.rows);
        let modules = modules.map(|(module, row)| OneModule {
            module: module.id.clone(),
            project: module.project.clone(),
            kind: row.kind.clone(),
            files: module.files.clone(),
            summary: row.summary.clone(),
            document: module.document.as_ref().map(|(path, _)| path.text().into_owned()),
        });
        let left = self.left.iter().map(|left| OneLeft {
            table: left.table,
            name: left.name.clone(),
            kept: left.kept,
        });
        Data {
            change: self.change.clone(),
            base: self.base.to_string(),
            worktree: self
                .work_tree
                .as_ref()
                .map(|path| path.to_string_lossy().into_owned()),
            files: self.impact.files.iter().map(file).collect(),
            modules: modules.collect(),
            unmatched: self.impact.unmatched.clone(),
            undeclared: self.impact.undeclared.clone(),
            declared_not_changed: self.impact.declared_not_changed.clone(),
            planned_not_changed: self.impact.planned_not_changed.clone(),
            left: left.collect(),
            written: self.written.iter().map(|path| path.text().into_owned()).collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        let (base, found) = (self.base.short(), &self.impact);
        let place = self.work_tree.as_ref().map(|path| path.to_string_lossy());
        screen.line(&match place.as_deref().map(escape) {
            Some(place) => say!(
                voice,
                "compared: `{place}` with {base}",
                "比较：`{place}` 与 {base}"
            ),
            None => say!(voice, "compared with {base}", "与 {base} 比较"),
        })?;
        if found.files.is_empty() {
            screen.line(&say!(voice, "nothing has changed", "没有改动"))?;
        }
        for (module, row) in found.modules.iter().zip(&self.rows) {
            let (name, kind) = (escape(&module.name), escape(&row.kind).into_owned());
            let files = quoted_list(&module.files);
            screen.line(&format!("{name}  {kind}  {files}"))?;
        }
        if !found.unmatched.is_empty() {
            let files = quoted_list(&found.unmatched);
            screen.line(&say!(voice, "of no module: {files}", "未匹配模块：{files}"))?;
        }
        if !self.has_maps && !found.files.is_empty() {
            screen.warn(&say!(
                voice,
                "warning: there is no module map; `.sillyspec/docs/<project>/modules/_module-map.yaml` would be one",
                "警告：没有模块映射；可建立 `.sillyspec/docs/<project>/modules/_module-map.yaml`"
            ))?;
        }
        self.print_comparison(screen)?;
        self.print_rows(screen)?;
        let path = &self.path;
        screen.line(&match self.written.is_empty() {
            false => say!(voice, "written: `{path}`", "已写入：`{path}`"),
            true => say!(voice, "`{path}` is up to date", "`{path}` 已是最新"),
        })
    }
}

impl Impact {
    /// Where design, tasks and difference disagree.
    fn print_comparison(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        for path in &self.impact.undeclared {
            let path = escape(path);
            screen.warn(&say!(
                voice,
                "warning: `{path}` has changed, and the design does not list it",
                "警告：`{path}` 已改动，但设计的文件变更清单中没有它"
            ))?;
        }
        for path in &self.impact.declared_not_changed {
            let path = escape(path);
            screen.line(&say!(
                voice,
                "note: the design lists `{path}`, which has not changed",
                "提示：设计列出的 `{path}` 没有改动"
            ))?;
        }
        for path in &self.impact.planned_not_changed {
            let path = escape(path);
            screen.line(&say!(
                voice,
                "note: a task names `{path}`, which has not changed",
                "提示：任务指定的 `{path}` 没有改动"
            ))?;
        }
        Ok(())
    }

    /// What became of rows that no longer apply, and what is yet to be written.
    fn print_rows(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        for left in &self.left {
            let (table, name) = (left.table, escape(&left.name));
            if left.kept {
                screen.warn(&say!(
                    voice,
                    "warning: the row `{name}` of {table} no longer applies; what was written into it is kept, marked",
                    "警告：{table} 中的 `{name}` 不再适用；已写的内容予以保留并加标记"
                ))?;
            } else {
                screen.line(&say!(
                    voice,
                    "the row `{name}` of {table} no longer applies, and is gone",
                    "{table} 中的 `{name}` 不再适用，已移除"
                ))?;
            }
        }
        let rows = self.impact.modules.iter().zip(&self.rows);
        let bare: Vec<String> = rows
            .filter(|(_, row)| row.summary.is_empty())
            .map(|(module, _)| module.name.clone())
            .collect();
        if !bare.is_empty() {
            let names = quoted_list(&bare);
            screen.line(&say!(
                voice,
                "still without a summary: {names}",
                "尚无更新内容摘要：{names}"
            ))?;
        }
        Ok(())
    }
}
