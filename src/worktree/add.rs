//! A new work tree for a change: what speaks against it, and how it is made (git.md 5.1).

use std::path::{Path, PathBuf};

use super::journal::{self, Adding, Step, Stored};
use super::layout::Records;
use super::record::{Inside, Record};
use super::refusal::{Class, Refusal, names};
use super::{Error, Layout};
use crate::files::{ObjectId, RepoPath};
use crate::git::{self, Folder, Registered, Repository};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Wanted<'a> {
    pub change: &'a str,
    /// The project's folder from the top level.
    pub project: &'a RepoPath,
    pub base: Option<&'a str>,
    pub branch: Option<&'a str>,
    /// Absolute.
    pub path: Option<PathBuf>,
    /// Look at the remote first, and base it on what is newer there.
    pub sync: bool,
    /// RFC 3339.
    pub created_at: String,
}

/// A work tree to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub path: PathBuf,
    pub record: Record,
    pub base: ObjectId,
    creates_branch: bool,
    may_fetch: bool,
    pub notes: Vec<Note>,
}

impl Plan {
    /// What is noted down before it is made.
    pub(super) fn adding(&self) -> Adding {
        Adding {
            path: Stored::new(&self.path),
            above: git::highest_missing_above(&self.path).map(Stored::new),
            record: self.record.clone(),
            created_branch: self.creates_branch,
        }
    }
}

/// What is worth telling about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The branch was there.
    BranchUsed(String),
    /// The remote's tip is the base.
    Synced(String),
    SyncFailed(String),
    SparsePatternsTaken,
    SubmodulesLeft,
    /// An earlier run had begun it.
    Finished,
    /// No guard file could be laid down, so the change has to be named with `--slug`.
    NoGuard,
}

/// A work tree that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    pub path: PathBuf,
    pub record: Record,
    pub base: Option<ObjectId>,
    pub created_branch: bool,
    pub notes: Vec<Note>,
}

/// Plans a work tree: every refusal is said here, before anything is made. With `sync` the remote is asked.
pub fn plan(repository: &Repository, layout: &Layout, wanted: &Wanted<'_>) -> Result<Plan, Error> {
    let branch = wanted
        .branch
        .map_or_else(|| layout.branch(wanted.change), str::to_owned);
    // What looks like an object id is taken for one by git.
    if !git::is_branch_name(branch.as_bytes()) || ObjectId::from_hex(&branch).is_some() {
        return Err(Error::BranchInvalid(branch));
    }
    let path = wanted.path.clone().unwrap_or_else(|| layout.path(wanted.change));
    refuse_name(&path)?;
    if git::is_inside(&path, &repository.common_dir()) {
        return Err(Error::PathInvalid {
            path,
            reason: "it is inside the git directory".to_owned(),
        });
    }
    let project = wanted.project.text();
    prune_own(repository, layout, wanted.change, &project, &branch, &path)?;
    let registered = repository.worktrees()?;
    for tree in registered.iter().skip(1) {
        if is_own(repository, layout, &registered[0], tree, wanted.change, &project)? {
            return Err(Error::Exists {
                change: wanted.change.to_owned(),
                path: tree.path.clone(),
            });
        }
    }
    refuse_place(&registered, &path)?;
    if let Some(tree) = registered
        .iter()
        .find(|tree| tree.branch.as_deref() == Some(&branch))
    {
        return Err(Error::BranchInUse {
            branch,
            path: tree.path.clone(),
        });
    }
    let mut notes = Vec::new();
    let (mut base, base_branch) = find_base(repository, wanted.base)?;
    let mut base_before = base;
    if wanted.sync {
        match newer_upstream(repository, base, base_branch.as_deref()) {
            Ok(Some((name, tip))) => {
                base = tip;
                notes.push(Note::Synced(name));
            }
            Ok(None) => {}
            Err(error) => notes.push(Note::SyncFailed(error.to_string())),
        }
    }
    let tip = repository.branch_tip(&branch)?;
    match tip {
        Some(tip) if wanted.base.is_some() && tip != base => {
            return Err(Error::BranchExists { branch, tip });
        }
        Some(tip) => {
            base = branch_base(repository, tip, base);
            base_before = base;
            notes.push(Note::BranchUsed(branch.clone()));
        }
        None => {}
    }
    let named = base_branch.as_deref().or(wanted.base).map(str::to_owned);
    // What is on its own branch has not come anywhere by that.
    let base_branch = base_branch.filter(|base| *base != branch);
    let inside = (layout.records == Records::Inside).then(|| Inside {
        base_branch: named.unwrap_or_else(|| base_before.to_string()),
        base_hash: base_before.to_string(),
    });
    let mut record = Record::new(
        wanted.change,
        &project,
        &branch,
        base_branch,
        base,
        wanted.created_at.clone(),
    );
    record.inside = inside;
    Ok(Plan {
        record,
        path,
        base,
        creates_branch: tip.is_none(),
        may_fetch: wanted.sync,
        notes,
    })
}

/// Where a branch that was there before has left its base; without common history that is known, its own tip.
fn branch_base(repository: &Repository, tip: ObjectId, base: ObjectId) -> ObjectId {
    repository.merge_bases(tip, base).map_or(tip, |bases| bases[0])
}

/// Whether a registered work tree is that of a change in a project.
fn is_own(
    repository: &Repository,
    layout: &Layout,
    main: &Registered,
    tree: &Registered,
    change: &str,
    project: &str,
) -> Result<bool, git::Error> {
    let known = layout.known(repository, &main.path, tree)?;
    Ok(known
        .is_some_and(|known| known.change == change && known.project.is_none_or(|known| known == project)))
}

/// A registration of this very work tree whose folder is gone stands in the way of a new one; so does an empty folder.
fn prune_own(
    repository: &Repository,
    layout: &Layout,
    change: &str,
    project: &str,
    branch: &str,
    path: &Path,
) -> Result<(), Error> {
    let registered = repository.worktrees()?;
    for tree in registered.iter().skip(1) {
        // A detached HEAD may be all that holds its commits.
        let is_safe = tree.branch.is_some() && tree.locked.is_none();
        if !is_safe || tree.folder() != Folder::Missing {
            continue;
        }
        let is_recorded = tree.admin.as_deref().and_then(Record::read).is_some();
        let is_asked_for = !is_recorded && tree.branch.as_deref() == Some(branch);
        if is_asked_for || is_own(repository, layout, &registered[0], tree, change, project)? {
            refuse_work_in_modules(tree, change)?;
            repository.unregister(tree)?;
        }
    }
    if git::is_bare_beginning(path)? {
        git::remove_bare_beginning(path)?;
    }
    Ok(())
}

/// Commits of submodules go with the registration.
fn refuse_work_in_modules(tree: &Registered, change: &str) -> Result<(), Error> {
    let Some(admin) = &tree.admin else { return Ok(()) };
    let modules = git::modules_with_work(admin)?;
    if modules.is_empty() {
        return Ok(());
    }
    Err(Error::NotClean {
        change: change.to_owned(),
        refusals: vec![Refusal {
            class: Class::SubmoduleChanges,
            what: names(&modules, None, Some(admin)),
        }],
    })
}

fn refuse_name(path: &Path) -> Result<(), Error> {
    let invalid = |reason: &str| Error::PathInvalid {
        path: path.to_owned(),
        reason: reason.to_owned(),
    };
    // Git keeps the path on a line of its own.
    if path.as_os_str().to_string_lossy().contains(['\n', '\r']) {
        return Err(invalid("a line break is in its name"));
    }
    if path.file_name().is_none_or(|name| name.len() > git::LONGEST_NAME) {
        return Err(invalid("its name is none, or too long"));
    }
    Ok(())
}

fn refuse_place(registered: &[Registered], path: &Path) -> Result<(), Error> {
    if !git::is_free(path)? || registered.iter().any(|tree| git::is_same(&tree.path, path)) {
        return Err(Error::PathOccupied {
            path: path.to_owned(),
        });
    }
    Ok(())
}

/// The base, and the branch that it is the tip of.
fn find_base(repository: &Repository, named: Option<&str>) -> Result<(ObjectId, Option<String>), Error> {
    let unknown = |revision: &str, reason: String| Error::BaseUnknown {
        revision: revision.to_owned(),
        reason,
    };
    let Some(named) = named else {
        let head = repository.head()?;
        let head = head.ok_or_else(|| unknown("HEAD", "there is no commit yet".to_owned()))?;
        return Ok((head, repository.head_branch()?));
    };
    let base = repository
        .commit_id(named)
        .map_err(|e| unknown(named, e.to_string()))?;
    if repository.branch_tip(named)? == Some(base) {
        return Ok((base, Some(named.to_owned())));
    }
    let remote = repository.main_remote()?.map(|remote| remote.to_string());
    let branch = remote.and_then(|remote| named.strip_prefix(&format!("{remote}/")).map(str::to_owned));
    match branch {
        Some(branch) if repository.tips_named(&branch)?.contains(&base) => Ok((base, Some(branch))),
        _ if named == "HEAD" => Ok((base, repository.head_branch()?)),
        _ => Ok((base, None)),
    }
}

/// Fetches; the upstream of the base's branch, if it is strictly ahead.
fn newer_upstream(
    repository: &Repository,
    base: ObjectId,
    base_branch: Option<&str>,
) -> Result<Option<(String, ObjectId)>, git::Error> {
    let Some(remote) = repository.main_remote()?.map(|remote| remote.to_string()) else {
        return Ok(None);
    };
    repository.fetch(&remote)?;
    let Some(branch) = base_branch else {
        return Ok(None);
    };
    let Some(upstream) = repository.upstream(branch)? else {
        return Ok(None);
    };
    let tip = repository.ref_target(&upstream)?;
    Ok(match tip {
        Some(tip) if tip != base && repository.is_ancestor(base, tip)? => Some((upstream, tip)),
        Some(_) | None => None,
    })
}

/// Makes the work tree, then does `last` in it, which says whether it laid down a guard file. If that fails nothing is
/// left behind; if it is killed the next command ends it.
pub fn add<E: From<Error>>(
    repository: &Repository,
    plan: Plan,
    last: impl FnOnce(&Path) -> Result<bool, E>,
) -> Result<Added, E> {
    let adding = plan.adding();
    let Plan {
        path,
        record,
        base,
        creates_branch,
        may_fetch,
        mut notes,
    } = plan;
    journal::begin(repository, Step::Add(adding.clone())).map_err(Error::from)?;
    let made = make(repository, &path, &record, base, creates_branch, may_fetch)
        .and_then(|()| repository.share_sparse_patterns(&path))
        .map_err(|e| E::from(e.into()))
        .and_then(|sparse| Ok((sparse, last(&path)?)));
    match made {
        Ok((sparse, has_guard)) => {
            notes.extend(sparse.then_some(Note::SparsePatternsTaken));
            notes.extend((!has_guard).then_some(Note::NoGuard));
        }
        Err(error) => {
            // The first error is the one to tell; what cannot be taken back now, the next command ends.
            let _later = journal::take_back(repository, &adding);
            return Err(error);
        }
    }
    repository.end_worktree_journal().map_err(Error::from)?;
    if path.join(".gitmodules").exists() {
        notes.push(Note::SubmodulesLeft);
    }
    Ok(Added {
        path,
        base: record.base(),
        record,
        created_branch: creates_branch,
        notes,
    })
}

fn make(
    repository: &Repository,
    path: &Path,
    record: &Record,
    base: ObjectId,
    creates_branch: bool,
    may_fetch: bool,
) -> Result<(), git::Error> {
    if creates_branch {
        repository.create_branch(&record.branch, base)?;
    }
    repository.add_worktree(path, &record.branch, may_fetch)?;
    let made = repository.worktrees()?;
    match made.iter().find(|tree| git::is_same(&tree.path, path)) {
        Some(tree) => record.write(repository, tree),
        None => Err(git::Error::Git {
            command: "worktree".to_owned(),
            complaint: "the new work tree is not registered".to_owned(),
        }),
    }
}
