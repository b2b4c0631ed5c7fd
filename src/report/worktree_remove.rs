//! The answers of `worktree remove` and `worktree prune` (git.md 5.4).

use std::io;

use serde::Serialize;

use super::worktree::{shown, text};
use super::{Answer, Exit, Screen, Style};
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Invocation, Say, Voice};
use crate::worktree::{Error, Removed, Standing};

/// A work tree that was taken away, or would be.
pub struct WorktreeRemoved {
    pub change: String,
    pub removed: Removed,
    pub dry_run: bool,
}

#[derive(Serialize)]
pub struct Data {
    change: String,
    path: Option<String>,
    rescues: Vec<String>,
    deleted_branch: Option<String>,
    kept_branch: Option<String>,
    kept: Vec<String>,
    stashes: Vec<String>,
    dry_run: bool,
}

impl Answer for WorktreeRemoved {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        let removed = &self.removed;
        Data {
            change: self.change.clone(),
            path: removed.path.as_deref().map(text),
            rescues: removed.rescues.clone(),
            deleted_branch: removed.deleted_branch.clone(),
            kept_branch: removed.kept_branch.clone(),
            kept: removed.kept.iter().map(|path| text(path)).collect(),
            stashes: removed.stashes.clone(),
            dry_run: self.dry_run,
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        let change = escape(&self.change);
        let done = match self.dry_run {
            true => say!(
                voice,
                "would remove the work tree of `{change}`",
                "将移除 `{change}` 的工作树"
            ),
            false => say!(
                voice,
                "removed the work tree of `{change}`",
                "已移除 `{change}` 的工作树"
            ),
        };
        screen.line(&screen.paint(Style::Good, &done))?;
        details(&self.removed, screen)
    }

    /// What stays because somebody wrote it meanwhile is not done with.
    fn exit(&self) -> Exit {
        if self.removed.kept.is_empty() {
            Exit::Done
        } else {
            Exit::Failed
        }
    }
}

fn details(removed: &Removed, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    if let Some(path) = &removed.path {
        screen.line(&format!("  {}", shown(path)))?;
    }
    if let Some(branch) = &removed.deleted_branch {
        let branch = escape(branch);
        screen.line(&say!(
            voice,
            "  branch `{branch}` goes with it",
            "  分支 `{branch}` 一并删除"
        ))?;
    }
    if let Some(branch) = &removed.kept_branch {
        let branch = escape(branch);
        screen.line(&say!(
            voice,
            "  branch `{branch}` stays, with its commits",
            "  分支 `{branch}` 及其提交保留"
        ))?;
    }
    if let Some(why) = &removed.branch_refused {
        let why = escape(why);
        screen.warn(&say!(
            voice,
            "warning: git does not delete the branch: {why}",
            "警告：git 未删除该分支：{why}"
        ))?;
    }
    for name in &removed.rescues {
        screen.line(&say!(voice, "  kept in `{name}`", "  已保存于 `{name}`"))?;
    }
    if let Some(name) = removed.rescues.first() {
        let restore = Invocation::new("worktree rescue restore", &[name]).say(voice);
        screen.line(&say!(
            voice,
            "  `{restore}` brings it back",
            "  用 `{restore}` 恢复"
        ))?;
    }
    for stash in &removed.stashes {
        let stash = escape(stash);
        screen.line(&say!(
            voice,
            "  `{stash}` was made on its branch, and stays",
            "  `{stash}` 在其分支上建立，予以保留"
        ))?;
    }
    for path in &removed.kept {
        let path = shown(path);
        screen.warn(&say!(
            voice,
            "warning: `{path}` was written meanwhile or cannot be removed, and stays",
            "警告：`{path}` 在此期间被写入或无法移除，予以保留"
        ))?;
    }
    Ok(())
}

/// What `worktree prune` did with one work tree.
pub enum Pruned {
    Removed(Removed),
    Refused(Box<Error>),
    /// Its change is neither archived nor merged.
    Unfinished,
}

/// What `worktree prune` did with each work tree.
pub struct WorktreesPruned {
    pub results: Vec<(Standing, Pruned)>,
    pub dry_run: bool,
}

#[derive(Serialize)]
pub struct PruneData {
    worktrees: Vec<PruneEntry>,
    dry_run: bool,
}

#[derive(Serialize)]
struct PruneEntry {
    change: String,
    path: Option<String>,
    result: &'static str,
    code: Option<&'static str>,
}

impl Pruned {
    const fn as_str(&self) -> &'static str {
        match self {
            Self::Removed(_) => "removed",
            Self::Refused(_) => "refused",
            Self::Unfinished => "unfinished",
        }
    }
}

impl Answer for WorktreesPruned {
    type Data = PruneData;

    fn data(&self, _: &Voice) -> PruneData {
        let entry = |(standing, pruned): &(Standing, Pruned)| PruneEntry {
            change: standing.change.clone(),
            path: standing.path().map(text),
            result: pruned.as_str(),
            code: match pruned {
                Pruned::Refused(error) => Some(error.code()),
                Pruned::Removed(_) | Pruned::Unfinished => None,
            },
        };
        PruneData {
            worktrees: self.results.iter().map(entry).collect(),
            dry_run: self.dry_run,
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        for (standing, pruned) in &self.results {
            let change = escape(&standing.change);
            match pruned {
                Pruned::Removed(removed) => {
                    let line = match self.dry_run {
                        true => say!(voice, "would remove `{change}`", "将移除 `{change}`"),
                        false => say!(voice, "removed `{change}`", "已移除 `{change}`"),
                    };
                    screen.line(&screen.paint(Style::Good, &line))?;
                    details(removed, screen)?;
                }
                Pruned::Refused(error) => {
                    let why = error.say(voice);
                    screen.line(&say!(voice, "kept `{change}`: {why}", "保留 `{change}`：{why}"))?;
                }
                Pruned::Unfinished => screen.line(&say!(
                    voice,
                    "kept `{change}`: it is neither archived nor merged",
                    "保留 `{change}`：既未归档也未合并"
                ))?,
            }
        }
        if self.results.is_empty() {
            screen.line(&say!(voice, "no change has a work tree", "没有任何变更有工作树"))?;
        }
        Ok(())
    }
}
