//! The answers of `silly worktree` (silly.md 8).

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::super::{Answer, Screen};
use crate::files::{ObjectId, RepoPath};
use crate::say;
use crate::text::escape;
use crate::voice::Voice;
use crate::worktree::{Note, Removed};

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A work tree that was made.
pub struct Created {
    pub change: String,
    pub branch: String,
    pub path: PathBuf,
    pub base: Option<ObjectId>,
    pub note: Option<Note>,
}

#[derive(Serialize)]
pub struct CreatedData {
    change: String,
    branch: String,
    path: String,
    base: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sync: Option<String>,
}

impl Created {
    fn sync(&self) -> Option<String> {
        match &self.note {
            Some(Note::Synced(name)) => Some(name.clone()),
            _ => None,
        }
    }
}

impl Answer for Created {
    type Data = CreatedData;

    fn data(&self, _: &Voice) -> CreatedData {
        CreatedData {
            change: self.change.clone(),
            branch: self.branch.clone(),
            path: shown(&self.path),
            base: self.base.map(|id| id.to_string()),
            sync: self.sync(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        if let Some(Note::SyncFailed(why)) = &self.note {
            let why = escape(why);
            screen.warn(&say!(
                voice,
                "warning: the remote was not reached: {why}",
                "警告：未能连接远程：{why}"
            ))?;
        }
        let base = self.base.map(|id| id.short()[..8].to_owned());
        let (branch, path) = (escape(&self.branch), escape(&shown(&self.path)).into_owned());
        screen.line(&say!(voice, "branch: {branch}", "分支：{branch}"))?;
        screen.line(&say!(voice, "path: {path}", "路径：{path}"))?;
        let base = base.unwrap_or_default();
        screen.line(&say!(voice, "base: {base}", "基准：{base}"))
    }
}

/// The work trees of changes.
pub struct Listed(pub Vec<Tree>);

/// One of them.
pub struct Tree {
    pub change: String,
    pub branch: Option<String>,
    pub path: Option<PathBuf>,
    pub base: Option<ObjectId>,
    pub base_branch: Option<String>,
    pub created_at: Option<String>,
}

#[derive(Serialize)]
pub struct ListedData {
    worktrees: Vec<OneTree>,
}

#[derive(Serialize)]
struct OneTree {
    change: String,
    branch: Option<String>,
    path: Option<String>,
    base: Option<String>,
    base_branch: Option<String>,
    created_at: Option<String>,
}

impl Answer for Listed {
    type Data = ListedData;

    fn data(&self, _: &Voice) -> ListedData {
        let worktrees = self.0.iter().map(|tree| OneTree {
            change: tree.change.clone(),
            branch: tree.branch.clone(),
            path: tree.path.as_deref().map(shown),
            base: tree.base.map(|id| id.to_string()),
            base_branch: tree.base_branch.clone(),
            created_at: tree.created_at.clone(),
        });
        ListedData {
            worktrees: worktrees.collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        if self.0.is_empty() {
            return screen.line(&say!(voice, "there are no work trees", "没有工作树"));
        }
        for tree in &self.0 {
            let path = tree.path.as_deref().map(shown).unwrap_or_default();
            screen.line(&format!(
                "{}  {}  {}",
                escape(&tree.change),
                escape(tree.branch.as_deref().unwrap_or("-")),
                escape(&path)
            ))?;
        }
        Ok(())
    }
}

/// A work tree that was taken away.
pub struct Cleaned {
    pub change: String,
    pub removed: Removed,
    pub patch: Option<PathBuf>,
    /// Where its files are, if git did not know it.
    pub kept: Option<PathBuf>,
}

#[derive(Serialize)]
pub struct CleanedData {
    change: String,
    rescues: Vec<String>,
    patch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
}

impl Answer for Cleaned {
    type Data = CleanedData;

    fn data(&self, _: &Voice) -> CleanedData {
        CleanedData {
            change: self.change.clone(),
            rescues: self.removed.rescues.clone(),
            patch: self.patch.as_deref().map(shown),
            kept: self.kept.as_deref().map(shown),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        let change = escape(&self.change);
        screen.line(&say!(
            voice,
            "the work tree of `{change}` is gone",
            "`{change}` 的工作树已移除"
        ))?;
        for kept in &self.removed.rescues {
            let kept = escape(kept);
            screen.line(&say!(voice, "kept in `{kept}`", "已存入 `{kept}`"))?;
        }
        if let Some(patch) = &self.patch {
            let patch = escape(&shown(patch)).into_owned();
            screen.line(&say!(voice, "as a patch: `{patch}`", "补丁：`{patch}`"))?;
        }
        if let Some(kept) = &self.kept {
            let kept = escape(&shown(kept)).into_owned();
            screen.line(&say!(
                voice,
                "git did not know it; its files are in `{kept}`",
                "git 不认识它；其文件在 `{kept}`"
            ))?;
        }
        if let Some(branch) = &self.removed.kept_branch {
            let branch = escape(branch);
            screen.line(&say!(
                voice,
                "branch `{branch}` stays: nothing else holds its commits",
                "保留分支 `{branch}`：其提交别处没有"
            ))?;
        }
        Ok(())
    }
}

/// The work of a change that was brought over.
pub struct Applied {
    pub change: String,
    pub paths: Vec<RepoPath>,
    pub checked_only: bool,
}

#[derive(Serialize)]
pub struct AppliedData {
    change: String,
    files: Vec<String>,
    checked_only: bool,
}

impl Answer for Applied {
    type Data = AppliedData;

    fn data(&self, _: &Voice) -> AppliedData {
        AppliedData {
            change: self.change.clone(),
            files: self.paths.iter().map(|path| path.text().into_owned()).collect(),
            checked_only: self.checked_only,
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        if self.paths.is_empty() {
            return screen.line(&say!(voice, "nothing has changed", "没有改动"));
        }
        screen.line(&match self.checked_only {
            true => say!(voice, "can be applied:", "可以应用："),
            false => say!(voice, "applied:", "已应用："),
        })?;
        self.paths
            .iter()
            .try_for_each(|path| screen.line(&format!("  {path}")))
    }
}
