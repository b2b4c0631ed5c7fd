//! Brings the work of a change's work tree into the branch of this one (git.md 5.7).

use std::path::Path;

use super::taking::take;
use super::{Error, Layout, Standing};
use crate::files::{ObjectId, RepoPath};
use crate::git::{self, Aside, Condition, Operation, Repository};

/// What is brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The commits, by a merge.
    Commits,
    /// The files, staged.
    Patch,
}

impl Mode {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Commits => "commits",
            Self::Patch => "patch",
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Apply<'a> {
    pub standing: &'a Standing,
    pub layout: &'a Layout,
    /// The top of the work tree it goes into.
    pub here: &'a Path,
    /// None: commits of a clean work tree, else files.
    pub mode: Option<Mode>,
    pub no_commit: bool,
    /// Only say whether it can be done.
    pub check: bool,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    pub mode: Mode,
    pub base: ObjectId,
    /// The paths that change here; empty if there was nothing to bring.
    pub paths: Vec<RepoPath>,
    /// HEAD afterwards, where a merge has moved it.
    pub head: Option<ObjectId>,
    pub checked_only: bool,
}

/// Brings the work, or nothing at all.
pub fn apply(repository: &Repository, asked: Apply<'_>) -> Result<Applied, Error> {
    let standing = asked.standing;
    let source = standing.folder()?;
    if git::is_same(source, asked.here) {
        return Err(Error::InUse {
            path: source.to_owned(),
            go_to: main_path(repository)?,
        });
    }
    let uncounted: Vec<RepoPath> = asked
        .layout
        .uncounted
        .iter()
        .map(|path| path.below(&project_of(standing)))
        .chain(standing.uncounted.iter().cloned())
        .collect();
    let condition = idle(source)?.without(&uncounted);
    let here = idle(asked.here)?;
    let change = || standing.change.clone();
    let no_base = |error: git::Error| {
        if matches!(error, git::Error::NoMergeBase { .. }) {
            Error::NoBase { change: change() }
        } else {
            error.into()
        }
    };
    let theirs = standing.head.ok_or_else(|| Error::NoBase { change: change() })?;
    let ours = repository
        .head()?
        .ok_or_else(|| Error::NoBase { change: change() })?;
    let base = repository.merge_bases(ours, theirs).map_err(no_base)?[0];
    let committed = repository.changed_paths(base, theirs)?;
    let brings_record = standing.uncounted.iter().any(|own| committed.contains(own));
    let mode = match asked.mode {
        Some(Mode::Commits) if brings_record => return Err(Error::RecordCommitted { change: change() }),
        Some(mode) => mode,
        // A commit cannot come without a file that is in it.
        None if condition.is_clean() && !brings_record => Mode::Commits,
        None => Mode::Patch,
    };
    if mode == Mode::Commits && repository.head_branch()?.is_none() {
        return Err(Error::Detached);
    }

    let aside = Aside::of(repository)?;
    let brought = match mode {
        Mode::Commits => theirs,
        Mode::Patch => repository.snapshot_aside(&aside, source, [base, theirs], &uncounted)?,
    };
    let trial = repository.merge_aside(&aside, ours, brought)?;
    // Documents are merged by structure where git knows our driver: it asks it here, too.
    if !trial.conflicts.is_empty() {
        return Err(Error::Conflict {
            change: change(),
            paths: trial.conflicts,
        });
    }
    let paths = repository.changed_aside(&aside, ours, trial.tree)?;
    let dirty = in_the_way(repository, &here, asked.here, ours, &paths)?;
    if !dirty.is_empty() {
        return Err(Error::TargetDirty { paths: dirty });
    }
    let is_new = mode == Mode::Commits && !repository.is_ancestor(theirs, ours)?;
    let mut applied = Applied {
        mode,
        base,
        paths,
        head: None,
        checked_only: asked.check,
    };
    if asked.check || (applied.paths.is_empty() && !is_new) {
        return Ok(applied);
    }
    match mode {
        Mode::Commits => {
            let name = match &standing.branch {
                Some(branch) => format!("refs/heads/{branch}"),
                None => theirs.to_string(),
            };
            let message = merge_message(standing);
            let tree = repository.merge_tree(ours, theirs)?;
            let paths = applied.paths.clone();
            let taking = repository.taking(asked.here, ours, Some(theirs), vec![tree], paths)?;
            let last = || repository.merge(&taking, [&name, &message], asked.no_commit, &here.staged);
            take(repository, &taking, last).map_err(|e| Error::MergeRefused(e.to_string()))?;
            applied.head = repository.head()?;
        }
        Mode::Patch => {
            // The same once more, this time with objects that stay.
            let brought = repository.snapshot(source, [base, theirs], &uncounted)?;
            let tree = repository.merge_tree(ours, brought)?;
            let paths = applied.paths.clone();
            let taking = repository.taking(asked.here, ours, None, vec![tree], paths)?;
            take(repository, &taking, || repository.take_over(&taking, tree))?;
        }
    }
    Ok(applied)
}

fn project_of(standing: &Standing) -> RepoPath {
    // A record that names no path inside the repository names no project.
    RepoPath::new(&standing.project).unwrap_or_default()
}

fn merge_message(standing: &Standing) -> String {
    let subject = match &standing.branch {
        Some(branch) => format!("Merge branch '{branch}'"),
        None => format!("Merge the work of {}", standing.change),
    };
    let trailers = git::operation_trailers(&standing.change, "apply").concat();
    format!("{subject}\n\n{trailers}")
}

fn main_path(repository: &Repository) -> Result<std::path::PathBuf, git::Error> {
    let main = repository.worktrees()?.into_iter().next();
    Ok(main.map(|main| main.path).unwrap_or_default())
}

/// The condition of a work tree in which nothing is under way.
pub(super) fn idle(path: &Path) -> Result<Condition, Error> {
    if let Some(operation) = Operation::of(&git::git_dir_of(path)?) {
        return Err(Error::Busy {
            path: path.to_owned(),
            operation: operation.as_str().to_owned(),
        });
    }
    let condition = git::condition(path)?;
    if !condition.conflicted.is_empty() {
        return Err(Error::Unsettled {
            path: path.to_owned(),
            paths: condition.conflicted,
        });
    }
    Ok(condition)
}

/// The paths that would change although they have changes of their own here, or something stands where they would come.
pub(super) fn in_the_way(
    repository: &Repository,
    condition: &Condition,
    here: &Path,
    head: ObjectId,
    paths: &[RepoPath],
) -> Result<Vec<RepoPath>, git::Error> {
    let occupied = repository.occupied(here, head, paths)?;
    let is_dirty = |path: &&RepoPath| {
        let changed = condition
            .paths()
            .any(|own| path.starts_with(own) || own.starts_with(path));
        changed || occupied.contains(path)
    };
    Ok(paths.iter().filter(is_dirty).cloned().collect())
}
