//! The answers of `worktree rescue` and its members (git.md 5.6).

use std::io;

use serde::Serialize;

use super::worktree::{shown, text};
use super::{Answer, Screen, Style};
use crate::clock::Timestamp;
use crate::git::{Counts, Rescued};
use crate::say;
use crate::text::escape;
use crate::voice::Voice;
use crate::worktree::Restored;

/// What was kept of work trees, the newest first.
pub struct RescueList(pub Vec<Rescued>);

#[derive(Serialize)]
pub struct ListData {
    rescues: Vec<Entry>,
}

#[derive(Serialize)]
pub struct Entry {
    #[serde(rename = "ref")]
    name: String,
    commit: String,
    change: String,
    time: String,
    branch: Option<String>,
    path: Option<String>,
    head: String,
    counts: CountData,
}

#[derive(Serialize)]
struct CountData {
    staged: usize,
    modified: usize,
    untracked: usize,
    conflicted: usize,
}

impl Entry {
    fn of(rescue: &Rescued) -> Self {
        let Counts {
            staged,
            modified,
            untracked,
            conflicted,
        } = rescue.counts;
        Self {
            name: rescue.name.clone(),
            commit: rescue.commit.to_string(),
            change: rescue.change.clone(),
            time: Timestamp::from_seconds(rescue.time).rfc3339(),
            branch: rescue.branch.clone(),
            path: rescue.path.clone(),
            head: rescue.head.to_string(),
            counts: CountData {
                staged,
                modified,
                untracked,
                conflicted,
            },
        }
    }
}

impl Answer for RescueList {
    type Data = ListData;

    fn data(&self, _: &Voice) -> ListData {
        ListData {
            rescues: self.0.iter().map(Entry::of).collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        if self.0.is_empty() {
            return screen.line(&say!(voice, "there is no rescue", "没有救援"));
        }
        for rescue in &self.0 {
            let name = screen.paint(Style::Bold, &escape(&rescue.name));
            let time = Timestamp::from_seconds(rescue.time).rfc3339();
            screen.line(&format!("{name}  {time}"))?;
            let Counts {
                staged,
                modified,
                untracked,
                conflicted,
            } = rescue.counts;
            screen.line(&say!(
                voice,
                "  {staged} staged, {modified} modified, {untracked} untracked, {conflicted} conflicted",
                "  已暂存 {staged}，已修改 {modified}，未跟踪 {untracked}，冲突 {conflicted}"
            ))?;
            if let Some(branch) = &rescue.branch {
                let branch = escape(branch);
                screen.line(&say!(voice, "  of branch `{branch}`", "  分支 `{branch}`"))?;
            }
        }
        Ok(())
    }
}

/// A rescue that was brought back.
pub struct RescueRestored(pub Restored);

#[derive(Serialize)]
pub struct RestoreData {
    #[serde(rename = "ref")]
    name: String,
    change: String,
    path: String,
    branch: Option<String>,
    head: String,
}

impl Answer for RescueRestored {
    type Data = RestoreData;

    fn data(&self, _: &Voice) -> RestoreData {
        let Restored {
            rescue, path, branch, ..
        } = &self.0;
        RestoreData {
            name: rescue.name.clone(),
            change: rescue.change.clone(),
            path: text(path),
            branch: branch.clone(),
            head: rescue.head.to_string(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        let (name, path) = (escape(&self.0.rescue.name), shown(&self.0.path));
        let done = say!(
            voice,
            "restored `{name}` to `{path}`; the rescue stays",
            "已将 `{name}` 恢复到 `{path}`；救援保留"
        );
        screen.line(&screen.paint(Style::Good, &done))?;
        if self.0.other_head {
            let head = self.0.rescue.head.short();
            screen.warn(&say!(
                voice,
                "warning: HEAD there is another commit; the work was on {head}",
                "警告：那里的 HEAD 是另一个提交；这些工作基于 {head}"
            ))?;
        }
        Ok(())
    }
}

/// A rescue that was let go of.
pub struct RescueDropped(pub Rescued);

#[derive(Serialize)]
pub struct DropData {
    #[serde(rename = "ref")]
    name: String,
    commit: String,
}

impl Answer for RescueDropped {
    type Data = DropData;

    fn data(&self, _: &Voice) -> DropData {
        DropData {
            name: self.0.name.clone(),
            commit: self.0.commit.to_string(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let (name, commit) = (escape(&self.0.name), self.0.commit);
        screen.line(&say!(
            screen.voice,
            "dropped `{name}` ({commit})",
            "已丢弃 `{name}`（{commit}）"
        ))
    }
}
