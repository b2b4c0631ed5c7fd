//! Why a work tree is not taken away: what would be lost, by class (git.md 5.4).

use std::path::{Path, PathBuf};

use bstr::ByteVec;

use super::{Error, Standing, State};
use crate::files::{ObjectId, RepoPath};
use crate::git::{self, Nested, Operation, Repository, Subject};

/// The classes of reasons. The names are contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Modified,
    Staged,
    Untracked,
    Conflicted,
    UnmergedCommits,
    SubmoduleChanges,
    OperationInProgress,
    Locked,
    Unreadable,
}

impl Class {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Modified => "modified",
            Self::Staged => "staged",
            Self::Untracked => "untracked",
            Self::Conflicted => "conflicted",
            Self::UnmergedCommits => "unmerged_commits",
            Self::SubmoduleChanges => "submodule_changes",
            Self::OperationInProgress => "operation_in_progress",
            Self::Locked => "locked",
            Self::Unreadable => "unreadable",
        }
    }

    /// How many `--force` it takes; none is never.
    pub(super) const fn force(self) -> Option<u8> {
        match self {
            Self::Modified
            | Self::Staged
            | Self::Untracked
            | Self::Conflicted
            | Self::UnmergedCommits
            | Self::SubmoduleChanges
            | Self::OperationInProgress => Some(1),
            Self::Locked => Some(2),
            Self::Unreadable => None,
        }
    }

    pub fn yields_to(self, force: u8) -> bool {
        self.force().is_some_and(|needed| force >= needed)
    }

    /// Whether there is something to rescue.
    pub const fn is_work(self) -> bool {
        !matches!(self, Self::Locked | Self::Unreadable)
    }
}

/// One class, and what is in it: paths, commits, or a reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub class: Class,
    pub what: Vec<String>,
}

/// Everything that speaks against taking a work tree away, by class.
pub(super) fn refusals(
    repository: &Repository,
    standing: &Standing,
    keep_branch: bool,
) -> Result<Vec<Refusal>, Error> {
    let mut out = Vec::new();
    let mut add = |class: Class, what: Vec<String>| {
        if !what.is_empty() {
            out.push(Refusal { class, what });
        }
    };
    if let Some(reason) = standing.locked() {
        add(Class::Locked, vec![reason.to_owned()]);
    }
    match standing.state {
        State::Broken => {
            let path = standing.path().map(place);
            add(Class::Unreadable, path.into_iter().collect());
        }
        State::Ok => match look(standing) {
            Ok(found) => {
                for (class, what) in found {
                    add(class, what);
                }
            }
            Err(error) => add(Class::Unreadable, vec![error.to_string()]),
        },
        // Nothing is left that could be lost but commits. Those of its own stay with the branch.
        State::Missing => {
            if let Some(admin) = standing.admin() {
                match git::modules_with_work(admin) {
                    Ok(modules) => add(Class::SubmoduleChanges, names(&modules, None, Some(admin))),
                    Err(error) => add(Class::Unreadable, vec![error.to_string()]),
                }
            }
        }
        State::BranchOnly => {}
    }
    let commits = unmerged(repository, standing, keep_branch)?;
    add(Class::UnmergedCommits, commits.iter().map(shown).collect());
    out.sort_by_key(|refusal| refusal.class);
    Ok(out)
}

fn place(path: &Path) -> String {
    crate::text::escape_bytes(&Vec::from_path_lossy(path))
}

fn shown(commit: &Subject) -> String {
    format!("{} {}", commit.id.short(), commit.subject)
}

fn look(standing: &Standing) -> Result<Vec<(Class, Vec<String>)>, Error> {
    let path = standing.folder()?;
    let condition = git::condition(path)?.without(&standing.uncounted);
    let texts = |paths: &[RepoPath]| -> Vec<String> { paths.iter().map(ToString::to_string).collect() };
    let mut submodules = texts(&condition.submodules);
    let admin = standing.admin().map(PathBuf::as_path);
    for name in names(&git::nested_with_work(path)?, Some(path), admin) {
        // A repository that is no submodule is told as untracked.
        let untracked = condition.untracked.iter().any(|path| path.to_string() == name);
        if !untracked && !submodules.contains(&name) {
            submodules.push(name);
        }
    }
    submodules.sort();
    let operation = standing.admin().and_then(|admin| Operation::of(admin));
    Ok(vec![
        (Class::Modified, texts(&condition.modified)),
        (Class::Staged, texts(&condition.staged)),
        (Class::Untracked, texts(&condition.untracked)),
        (Class::Conflicted, texts(&condition.conflicted)),
        (Class::SubmoduleChanges, submodules),
        (
            Class::OperationInProgress,
            operation.into_iter().map(|o| o.as_str().to_owned()).collect(),
        ),
    ])
}

/// Repositories inside by their paths; those of submodules without files by the names that git knows them by.
pub(super) fn names(inside: &[Nested], work_tree: Option<&Path>, admin: Option<&Path>) -> Vec<String> {
    let modules = admin.map(|admin| admin.join("modules"));
    let name = |nested: &Nested| {
        let above = [work_tree, modules.as_deref()].into_iter().flatten();
        let below = above
            .filter_map(|above| nested.place.strip_prefix(above).ok())
            .find_map(RepoPath::from_disk);
        below.map_or_else(|| place(&nested.place), |path| path.to_string())
    };
    inside.iter().map(name).collect()
}

/// Commits of the branch or a detached HEAD that are nowhere else and have not come into the target.
fn unmerged(
    repository: &Repository,
    standing: &Standing,
    keep_branch: bool,
) -> Result<Vec<Subject>, git::Error> {
    let targets = standing.targets(repository)?;
    let keeps_branch = keep_branch || matches!(standing.state, State::Missing | State::BranchOnly);
    let own = (!keeps_branch).then_some(standing.own_branch.as_str());
    let mut tips: Vec<ObjectId> = Vec::new();
    for tip in standing.tips(repository)? {
        if standing.merged(repository, tip, &targets)?.is_none() {
            tips.push(tip);
        }
    }
    if tips.is_empty() {
        return Ok(Vec::new());
    }
    repository.commits_of_no_other_ref(&tips, own)
}
