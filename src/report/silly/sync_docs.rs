//! The answer of `silly sync-docs` (silly.md 11).

use std::io;

use serde::Serialize;

use super::super::{Answer, Screen};
use crate::files::RepoPath;
use crate::say;
use crate::silly::impact::Done;
use crate::silly::sync_docs::Affected;
use crate::text::escape;
use crate::voice::Voice;

/// The document of a module, and what was done to it.
pub struct Document {
    pub affected: Affected,
    pub done: Done,
}

/// The documents of the modules that a change affects.
pub struct SyncDocs {
    pub change: String,
    pub documents: Vec<Document>,
    /// Modules whose row no longer applies.
    pub left: Vec<String>,
    pub written: Vec<RepoPath>,
}

#[derive(Serialize)]
pub struct Data {
    change: String,
    documents: Vec<OneDocument>,
    left: Vec<String>,
    written: Vec<String>,
}

#[derive(Serialize)]
struct OneDocument {
    module: String,
    project: String,
    path: String,
    state: &'static str,
    summary: String,
}

const fn state(done: Done) -> &'static str {
    match done {
        Done::Made => "created",
        Done::Updated => "updated",
        Done::Nothing => "unchanged",
    }
}

impl Answer for SyncDocs {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        let documents = self.documents.iter().map(|document| OneDocument {
            module: document.affected.module.id.clone(),
            project: document.affected.project.clone(),
            path: document.affected.path.text().into_owned(),
            state: state(document.done),
            summary: document.affected.summary.clone(),
        });
        Data {
            change: self.change.clone(),
            documents: documents.collect(),
            left: self.left.clone(),
            written: self.written.iter().map(|path| path.text().into_owned()).collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        for name in &self.left {
            let name = escape(name);
            screen.warn(&say!(
                voice,
                "warning: the row of `{name}` no longer applies; its document is left alone",
                "警告：`{name}` 的行不再适用；其文档不作改动"
            ))?;
        }
        if self.documents.is_empty() {
            screen.line(&say!(voice, "no module is affected", "没有受影响的模块"))?;
        }
        for document in &self.documents {
            let path = &document.affected.path;
            screen.line(&match document.done {
                Done::Made => say!(voice, "made: `{path}`", "已新建：`{path}`"),
                Done::Updated => say!(voice, "updated: `{path}`", "已更新：`{path}`"),
                Done::Nothing => say!(voice, "`{path}` is up to date", "`{path}` 已是最新"),
            })?;
            if document.affected.summary.is_empty() {
                let name = escape(&document.affected.name).into_owned();
                screen.warn(&say!(
                    voice,
                    "warning: the row of `{name}` has no summary; once it has one, the index gets it",
                    "警告：`{name}` 的行没有摘要；补上后会写入变更索引"
                ))?;
            }
        }
        Ok(())
    }
}
