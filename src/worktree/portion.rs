//! The work of a change as its files against the recorded base, and those files brought into another work tree
//! (silly.md 8): what upstream has made meanwhile is no part of it.

use std::path::Path;

use super::apply::{idle, in_the_way};
use super::taking::take;
use super::{Error, Standing};
use crate::files::{ObjectId, RepoPath};
use crate::git::{Aside, Repository};
use crate::text::Bytes;

/// What stands in a work tree otherwise than in its base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portion {
    pub base: ObjectId,
    head: ObjectId,
    /// From the top level.
    pub paths: Vec<RepoPath>,
    /// As `git apply` takes it.
    pub patch: Bytes,
    uncounted: Vec<RepoPath>,
}

/// Looks at the work of a change: commits, changes and new files, without the paths that do not count.
pub fn portion(
    repository: &Repository,
    standing: &Standing,
    uncounted: &[RepoPath],
) -> Result<Portion, Error> {
    let source = standing.folder()?;
    idle(source)?;
    let [base, head] = ends(standing)?;
    let uncounted = [uncounted, &standing.uncounted].concat();
    let aside = Aside::of(repository)?;
    let work = repository.snapshot_aside(&aside, source, [base, head], &uncounted)?;
    Ok(Portion {
        base,
        head,
        paths: repository.changed_aside(&aside, base, work)?,
        patch: repository.patch_aside(&aside, base, work)?,
        uncounted,
    })
}

/// The base of a work tree's work, and its tip.
pub(super) fn ends(standing: &Standing) -> Result<[ObjectId; 2], Error> {
    let no_base = || Error::NoBase {
        change: standing.change.clone(),
    };
    Ok([
        standing.base.ok_or_else(no_base)?,
        standing.head.ok_or_else(no_base)?,
    ])
}

/// Refuses where files of the portion have changes of their own in the work tree at `here`.
pub fn refuse_dirty(repository: &Repository, here: &Path, portion: &Portion) -> Result<(), Error> {
    let Some(head) = repository.head()? else {
        return Ok(());
    };
    let paths = in_the_way(repository, &idle(here)?, here, head, &portion.paths)?;
    if paths.is_empty() {
        Ok(())
    } else {
        Err(Error::TargetDirty { paths })
    }
}

/// Brings the files of a portion into the work tree at `here`, staged; all of them, or all is put back.
pub fn bring(
    repository: &Repository,
    standing: &Standing,
    here: &Path,
    portion: &Portion,
) -> Result<(), Error> {
    let ours = repository.head()?.ok_or_else(|| Error::NoBase {
        change: standing.change.clone(),
    })?;
    let ends = [portion.base, portion.head];
    let work = repository.snapshot(standing.folder()?, ends, &portion.uncounted)?;
    let tree = repository.tree_with(here, ours, work, &portion.paths)?;
    let taking = repository.taking(here, ours, None, vec![tree], portion.paths.clone())?;
    Ok(take(repository, &taking, || repository.take_over(&taking, tree))?)
}
