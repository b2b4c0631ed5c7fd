//! Which files a work tree has otherwise than the commit that its work began at, and what was done to each (silly.md 11).
//! Nothing is written: what stands there becomes a commit that lies aside.

use std::collections::BTreeMap;
use std::path::Path;

use bstr::BString;

use super::apply::idle;
use super::catch_up::USUAL;
use super::portion::ends;
use super::{Error, Standing};
use crate::files::{ObjectId, RepoPath};
use crate::git::{self, Aside, Change, Repository, Status};

/// A file that differs. A rename is told at its new path; its old one is a deletion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// From the top level.
    pub path: RepoPath,
    pub status: Status,
    pub from: Option<RepoPath>,
}

/// The files of the work tree of a change against `base`, else against its own base; with that base. Paths that do not
/// count are as the base has them.
pub fn changed_there(
    repository: &Repository,
    standing: &Standing,
    base: Option<ObjectId>,
    uncounted: &[RepoPath],
) -> Result<(ObjectId, Vec<ChangedFile>), Error> {
    let source = standing.folder()?;
    let own = Standing {
        base: base.or(standing.base),
        ..standing.clone()
    };
    let [base, head] = ends(&own)?;
    let uncounted = [uncounted, &standing.uncounted].concat();
    let found = compare(repository, source, [base, head], &uncounted)?;
    Ok((base, by_path(found)?))
}

/// The files of the work tree at `here`, that of `repository`, against `base`; what only the index has is among them: it
/// will be in the next commit.
pub fn changed_here(
    repository: &Repository,
    here: &Path,
    [base, head]: [ObjectId; 2],
    uncounted: &[RepoPath],
) -> Result<Vec<ChangedFile>, Error> {
    let mut found = compare(repository, here, [base, head], uncounted)?;
    for staged in repository.staged(Some(base))? {
        let is_known = |known: &Change| {
            known.path == staged.path || known.old_path.as_ref().is_some_and(|old| *old == staged.path)
        };
        if !found.iter().any(is_known) {
            found.push(staged);
        }
    }
    by_path(found)
}

fn compare(
    repository: &Repository,
    work_tree: &Path,
    ends: [ObjectId; 2],
    uncounted: &[RepoPath],
) -> Result<Vec<Change>, Error> {
    idle(work_tree)?;
    let aside = Aside::of(repository)?;
    let work = repository.snapshot_aside(&aside, work_tree, ends, uncounted)?;
    Ok(repository.compare_aside(&aside, ends[0], work)?)
}

fn by_path(changes: Vec<Change>) -> Result<Vec<ChangedFile>, Error> {
    let read = |path: &BString| {
        RepoPath::new(path).map_err(|e| git::Error::Object {
            what: "a tree of this repository".to_owned(),
            reason: e.to_string(),
        })
    };
    let mut out = BTreeMap::new();
    for change in changes {
        let from = change.old_path.as_ref().map(read).transpose()?;
        if let Some(old) = &from {
            let gone = ChangedFile {
                path: old.clone(),
                status: Status::Deleted,
                from: None,
            };
            out.entry(old.clone()).or_insert(gone);
        }
        let path = read(&change.path)?;
        let changed = ChangedFile {
            path: path.clone(),
            status: change.status,
            from,
        };
        out.insert(path, changed);
    }
    Ok(out.into_values().collect())
}

/// Where the work on `head` left the default branch: the nearest of its merge bases with that branch, here and at the
/// remote. Where nobody says which branch that is, the usual names count; without one of those it is `head` itself. On the
/// default branch only the remote can tell what is new.
pub fn fork_point(repository: &Repository, head: ObjectId) -> Result<ObjectId, git::Error> {
    let told = repository.default_branch()?.map(|name| name.to_string());
    let candidates = told.into_iter().chain(USUAL.map(str::to_owned));
    for branch in candidates {
        let mut tips = repository.tips_named(&branch)?;
        if tips.is_empty() {
            continue;
        }
        if repository.head_branch()?.as_ref() == Some(&branch) && tips.len() > 1 {
            tips.retain(|tip| *tip != head);
        }
        let mut nearest = None;
        for tip in tips {
            let base = repository.merge_bases(head, tip)?[0];
            let is_nearer = match nearest {
                Some(known) => repository.is_ancestor(known, base)?,
                None => true,
            };
            if is_nearer {
                nearest = Some(base);
            }
        }
        return Ok(nearest.unwrap_or(head));
    }
    Ok(head)
}
