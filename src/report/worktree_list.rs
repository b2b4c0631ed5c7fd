//! The answers of `worktree list` and `worktree status` (git.md 5.3).

use std::io;

use serde::Serialize;

use super::worktree::{shown, text, texts};
use super::{Answer, Screen, Style};
use crate::files::RepoPath;
use crate::flow::Step;
use crate::git::{Condition, Merged, Operation, Subject};
use crate::say;
use crate::text::escape;
use crate::voice::{Say, Voice};
use crate::worktree::{Standing, State, Work};

/// How many paths of a class are told.
const MOST_PATHS: usize = 100;

/// One work tree, or the branch of a change without one.
pub struct Row {
    pub standing: Standing,
    /// Or why it is not known.
    pub work: Result<Work, String>,
    pub step: Option<Step>,
    /// What is not merged; only for the full answer.
    pub commits: Vec<Subject>,
}

/// The work trees of changes.
pub struct WorktreeList {
    rows: Vec<Row>,
    full: bool,
}

impl WorktreeList {
    /// The answer of `worktree list`.
    pub fn brief(rows: Vec<Row>) -> Self {
        Self { rows, full: false }
    }

    /// The answer of `worktree status`.
    pub fn full(rows: Vec<Row>) -> Self {
        Self { rows, full: true }
    }
}

#[derive(Serialize)]
pub struct Data {
    worktrees: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    change: String,
    project: String,
    path: Option<String>,
    branch: Option<String>,
    head: Option<String>,
    base_branch: Option<String>,
    base: Option<String>,
    created_at: Option<String>,
    state: &'static str,
    locked: Option<String>,
    dirty: Option<Dirty>,
    ahead: Option<u64>,
    behind: Option<u64>,
    merged: Option<&'static str>,
    step: Option<&'static str>,
    operation: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    paths: Option<Paths>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commits: Option<Vec<Commit>>,
}

#[derive(Serialize)]
struct Dirty {
    staged: usize,
    modified: usize,
    untracked: usize,
    conflicted: usize,
    submodules: usize,
}

#[derive(Serialize)]
struct Paths {
    staged: Vec<String>,
    modified: Vec<String>,
    untracked: Vec<String>,
    conflicted: Vec<String>,
    submodules: Vec<String>,
    /// A class has more.
    truncated: bool,
}

#[derive(Serialize)]
struct Commit {
    id: String,
    subject: String,
}

impl Dirty {
    fn of(condition: &Condition) -> Self {
        Self {
            staged: condition.staged.len(),
            modified: condition.modified.len(),
            untracked: condition.untracked.len(),
            conflicted: condition.conflicted.len(),
            submodules: condition.submodules.len(),
        }
    }
}

impl Paths {
    fn of(condition: &Condition) -> Self {
        let mut truncated = false;
        let mut first = |paths: &[RepoPath]| -> Vec<String> {
            truncated |= paths.len() > MOST_PATHS;
            texts(paths.iter().take(MOST_PATHS))
        };
        Self {
            staged: first(&condition.staged),
            modified: first(&condition.modified),
            untracked: first(&condition.untracked),
            conflicted: first(&condition.conflicted),
            submodules: first(&condition.submodules),
            truncated,
        }
    }
}

impl Row {
    /// One whose work cannot be looked at is broken, whatever its folder looks like.
    fn state(&self) -> State {
        match (&self.work, self.standing.state) {
            (Err(_), State::Ok) => State::Broken,
            (_, state) => state,
        }
    }

    fn work(&self) -> Option<&Work> {
        self.work.as_ref().ok()
    }

    fn condition(&self) -> Option<&Condition> {
        self.work()?.condition.as_ref()
    }

    fn entry(&self, full: bool) -> Entry {
        let standing = &self.standing;
        let work = self.work();
        let counts = work.and_then(|work| work.ahead_behind);
        let commit = |commit: &Subject| Commit {
            id: commit.id.to_string(),
            subject: commit.subject.clone(),
        };
        Entry {
            change: standing.change.clone(),
            project: standing.project.clone(),
            path: standing.path().map(text),
            branch: standing.branch.clone(),
            head: standing.head.map(|id| id.to_string()),
            base_branch: standing.base_branch.clone(),
            base: standing.base.map(|id| id.to_string()),
            created_at: standing.created_at.clone(),
            state: self.state().as_str(),
            locked: standing.locked().map(str::to_owned),
            dirty: self.condition().map(Dirty::of),
            ahead: counts.map(|(ahead, _)| ahead),
            behind: counts.map(|(_, behind)| behind),
            merged: work.and_then(|work| work.merged).map(Merged::as_str),
            step: self.step.map(Step::as_str),
            operation: work.and_then(|work| work.operation).map(Operation::as_str),
            paths: if full {
                self.condition().map(Paths::of)
            } else {
                None
            },
            commits: full.then(|| self.commits.iter().map(commit).collect()),
        }
    }

    /// What is worth telling beside name and branch.
    fn remarks(&self, voice: &Voice) -> Vec<String> {
        let mut out = Vec::new();
        if self.state() != State::Ok {
            out.push(self.state().say(voice));
        }
        if let Err(why) = &self.work {
            out.push(escape(why).into_owned());
        }
        if let Some(reason) = self.standing.locked() {
            let reason = escape(reason);
            out.push(say!(voice, "locked ({reason})", "已锁定（{reason}）"));
        }
        if let Some(operation) = self.work().and_then(|work| work.operation) {
            let operation = operation.as_str();
            out.push(say!(voice, "{operation} under way", "正在进行 {operation}"));
        }
        if let Some(condition) = self.condition() {
            for (count, english, chinese) in [
                (condition.staged.len(), "staged", "已暂存"),
                (condition.modified.len(), "modified", "已修改"),
                (condition.untracked.len(), "untracked", "未跟踪"),
                (condition.conflicted.len(), "conflicted", "冲突"),
                (condition.submodules.len(), "submodules", "子模块"),
            ] {
                if count > 0 {
                    out.push(say!(voice, "{count} {english}", "{chinese} {count}"));
                }
            }
        }
        if let Some((ahead, behind)) = self.work().and_then(|work| work.ahead_behind)
            && (ahead, behind) != (0, 0)
        {
            out.push(say!(
                voice,
                "{ahead} ahead, {behind} behind",
                "领先 {ahead}，落后 {behind}"
            ));
        }
        if let Some(merged) = self.work().and_then(|work| work.merged) {
            let how = merged.as_str();
            out.push(say!(voice, "merged ({how})", "已合并（{how}）"));
        }
        out.extend(self.step.map(|step| step.as_str().to_owned()));
        out
    }
}

impl Answer for WorktreeList {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        Data {
            worktrees: self.rows.iter().map(|row| row.entry(self.full)).collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        if self.rows.is_empty() {
            return screen.line(&say!(voice, "no change has a work tree", "没有任何变更有工作树"));
        }
        for row in &self.rows {
            let standing = &row.standing;
            let name = screen.paint(Style::Bold, &escape(&standing.change));
            let branch = match &standing.branch {
                Some(branch) => escape(branch).into_owned(),
                None => say!(voice, "(detached)", "（游离）"),
            };
            let remarks = row.remarks(voice).join(", ");
            let separator = if remarks.is_empty() { "" } else { ": " };
            screen.line(&format!("{name}  {branch}{separator}{remarks}"))?;
            if let Some(path) = standing.path() {
                screen.line(&format!("  {}", shown(path)))?;
            }
            if self.full {
                print_paths(row, screen)?;
                for commit in &row.commits {
                    screen.line(&format!("  {} {}", commit.id.short(), escape(&commit.subject)))?;
                }
            }
        }
        Ok(())
    }
}

fn print_paths(row: &Row, screen: &mut Screen<'_>) -> io::Result<()> {
    let Some(condition) = row.condition() else {
        return Ok(());
    };
    for (class, paths) in [
        ("staged", &condition.staged),
        ("modified", &condition.modified),
        ("untracked", &condition.untracked),
        ("conflicted", &condition.conflicted),
        ("submodule", &condition.submodules),
    ] {
        for path in paths.iter().take(MOST_PATHS) {
            screen.line(&format!("  {class}: {path}"))?;
        }
        if paths.len() > MOST_PATHS {
            screen.line("  …")?;
        }
    }
    Ok(())
}
