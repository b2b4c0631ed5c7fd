//! The answer of `renumber` (git.md 7.2).

use std::io;

use serde::Serialize;

use super::{Answer, Screen, print_committed, print_recovered, unified_diff};
use crate::files::{Recovered, RepoPath};
use crate::git::Committed;
use crate::radar::renumber;
use crate::say;
use crate::text::escape;
use crate::voice::{Invocation, Say, Voice};

/// What was renumbered, or would be.
pub struct Renumbered {
    pub change: String,
    pub project: RepoPath,
    pub from: String,
    pub to: String,
    pub dry_run: bool,
    /// From the project.
    pub files: Vec<renumber::Renumbered>,
    /// From the top level.
    pub also_in: Vec<Mention>,
    pub committed: Option<Committed>,
    /// What git ignores: written, not committed.
    pub ignored: Vec<RepoPath>,
    pub recovered: Recovered,
}

/// A line on which the id stays.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mention {
    pub path: RepoPath,
    pub line: usize,
}

#[derive(Serialize)]
pub struct Data {
    schema_version: &'static str,
    change: String,
    project: String,
    from: String,
    to: String,
    dry_run: bool,
    files: Vec<FileData>,
    also_in: Vec<MentionData>,
    commit: Option<String>,
}

#[derive(Serialize)]
struct FileData {
    path: String,
    old_path: Option<String>,
    mentions: usize,
}

#[derive(Serialize)]
struct MentionData {
    path: String,
    line: usize,
}

impl Answer for Renumbered {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        let from_top = |path: &RepoPath| path.below(&self.project).text().into_owned();
        let committed = self.committed.as_ref().and_then(|committed| committed.id);
        Data {
            schema_version: "git-spec-renumber.v1",
            change: self.change.clone(),
            project: self.project.text().into_owned(),
            from: self.from.clone(),
            to: self.to.clone(),
            dry_run: self.dry_run,
            files: self
                .files
                .iter()
                .map(|file| FileData {
                    path: from_top(&file.path),
                    old_path: file.from.as_ref().map(from_top),
                    mentions: file.mentions,
                })
                .collect(),
            also_in: self
                .also_in
                .iter()
                .map(|mention| MentionData {
                    path: mention.path.text().into_owned(),
                    line: mention.line,
                })
                .collect(),
            commit: committed.map(|id| id.to_string()),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        print_recovered(self.recovered, screen)?;
        let slug = escape(&self.change);
        let (from, to) = (escape(&self.from), escape(&self.to));
        if self.dry_run {
            let edits: Vec<_> = self.files.iter().map(renumber::Renumbered::as_edit).collect();
            for file in &self.files {
                if let Some(old) = &file.from {
                    let new = &file.path;
                    screen.line(&say!(
                        voice,
                        "would move `{old}` to `{new}`",
                        "将把 `{old}` 移至 `{new}`"
                    ))?;
                }
            }
            unified_diff(&edits, screen)?;
        } else {
            screen.line(&say!(
                voice,
                "renumbered `{from}` to `{to}` in `{slug}`",
                "已在 `{slug}` 中将 `{from}` 改为 `{to}`"
            ))?;
            for file in &self.files {
                match &file.from {
                    Some(old) => screen.line(&format!("  R {old} -> {}", file.path))?,
                    None => screen.line(&format!("  M {}", file.path))?,
                }
            }
        }
        if !self.also_in.is_empty() {
            screen.line(&say!(
                voice,
                "also mentioned in (left as it is):",
                "以下各处也提到它（未改动）："
            ))?;
            for Mention { path, line } in &self.also_in {
                screen.line(&format!("  {path}:{line}"))?;
            }
        }
        for path in &self.ignored {
            screen.warn(&say!(
                voice,
                "warning: `{path}` is ignored by git and not in the commit",
                "警告：`{path}` 被 git 忽略，未进入提交"
            ))?;
        }
        if let Some(committed) = &self.committed {
            print_committed(committed, screen)?;
            let next = Invocation::new("radar", &["--change", &self.change]).say(voice);
            let next = escape(&next);
            screen.line(&say!(voice, "next: {next}", "下一步：{next}"))?;
        }
        Ok(())
    }
}
