//! The answer of `worktree add`, and what the answers of its family share (git.md 5).

use std::io;
use std::path::Path;

use bstr::ByteVec;
use serde::Serialize;

use super::{Answer, Screen, Style};
use crate::files::RepoPath;
use crate::say;
use crate::text::{escape, escape_bytes, escape_invalid};
use crate::voice::{Invocation, Say, Voice};
use crate::worktree::{Added, Note};

/// A work tree that was made.
pub struct WorktreeAdded(pub Added);

#[derive(Serialize)]
pub struct Data {
    change: String,
    project: String,
    path: String,
    branch: String,
    base_branch: Option<String>,
    base: Option<String>,
    created_branch: bool,
}

/// A path as JSON has it; bytes that are not UTF-8 as `\xHH`.
pub(super) fn text(path: &Path) -> String {
    escape_invalid(&Vec::from_path_lossy(path))
}

/// The same of paths inside a repository.
pub(super) fn texts<'p>(paths: impl IntoIterator<Item = &'p RepoPath>) -> Vec<String> {
    let text = |path: &RepoPath| escape_invalid(path.as_bytes());
    paths.into_iter().map(text).collect()
}

/// A path as it is shown.
pub(super) fn shown(path: &Path) -> String {
    escape_bytes(&Vec::from_path_lossy(path))
}

impl Data {
    pub(super) fn of(added: &Added) -> Self {
        let record = &added.record;
        Self {
            change: record.change.clone(),
            project: record.project.clone(),
            path: text(&added.path),
            branch: record.branch.clone(),
            base_branch: record.base_branch.clone(),
            base: added.base.map(|id| id.to_string()),
            created_branch: added.created_branch,
        }
    }
}

impl Answer for WorktreeAdded {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        Data::of(&self.0)
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        print(&self.0, screen)
    }
}

/// Tells of a work tree that was made.
pub(super) fn print(added: &Added, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    let record = &added.record;
    let (change, branch) = (escape(&record.change), escape(&record.branch));
    let done = say!(
        voice,
        "work tree of `{change}` made on branch `{branch}`",
        "已在分支 `{branch}` 上建立 `{change}` 的工作树"
    );
    screen.line(&screen.paint(Style::Good, &done))?;
    screen.line(&format!("  {}", shown(&added.path)))?;
    if let Some(base) = added.base {
        let base = base.short();
        let from = record.base_branch.as_deref();
        let from = from.map_or_else(String::new, |branch| format!(" ({})", escape(branch)));
        screen.line(&say!(voice, "  from {base}{from}", "  起点 {base}{from}"))?;
    }
    for note in &added.notes {
        let words = note_of(note, record.change.as_str(), voice);
        if matches!(note, Note::SyncFailed(_)) {
            screen.warn(&words)?;
        } else {
            screen.line(&words)?;
        }
    }
    Ok(())
}

fn note_of(note: &Note, change: &str, voice: &Voice) -> String {
    match note {
        Note::BranchUsed(branch) => {
            let branch = escape(branch);
            say!(
                voice,
                "note: branch `{branch}` was there and is used as it is",
                "提示：分支 `{branch}` 已存在，按原样使用"
            )
        }
        Note::Synced(name) => {
            let name = escape(name);
            say!(
                voice,
                "note: `{name}` is ahead, so it is the base",
                "提示：`{name}` 更新，因此作为起点"
            )
        }
        Note::SyncFailed(why) => {
            let why = escape(why);
            say!(
                voice,
                "warning: the remote could not be asked, the base is what is here: {why}",
                "警告：无法询问远程仓库，起点为本地已有的：{why}"
            )
        }
        Note::SparsePatternsTaken => say!(
            voice,
            "note: it is a sparse checkout with the patterns of this one",
            "提示：沿用此处的稀疏检出模式"
        ),
        Note::SubmodulesLeft => say!(
            voice,
            "note: submodules are not initialised; `git submodule update --init` there does it",
            "提示：子模块未初始化；请在其中执行 `git submodule update --init`"
        ),
        Note::Finished => say!(
            voice,
            "note: an earlier run had begun it; it is finished now",
            "提示：先前的运行已开始建立，现已完成"
        ),
        Note::NoGuard => {
            let lint = Invocation::new("change-lint", &["--slug", change]).say(voice);
            say!(
                voice,
                "note: no change is active there; name it, as in `{lint}`",
                "提示：那里没有活动的变更；请指明，例如 `{lint}`"
            )
        }
    }
}
