//! What can be put right of work trees without losing anything (silly.md 8, "Orphans").

use std::path::Path;

use super::record::Inside;
use super::{Error, Record, Removal, Standing, State, remove};
use crate::files::ObjectId;
use crate::git::Repository;

/// Writes down whose a work tree is that nobody has recorded: its base is where it left the default branch.
///
/// # Errors
/// If it cannot be worked in, or has no base, or the record cannot be written.
pub fn record_again(repository: &Repository, standing: &Standing, now: &str) -> Result<(), Error> {
    standing.folder()?;
    let (Some(base), Some(tree)) = (standing.base, &standing.registered) else {
        return Err(Error::NoBase {
            change: standing.change.clone(),
        });
    };
    let mut record = Record::new(
        &standing.change,
        &standing.project,
        &standing.own_branch,
        standing.base_branch.clone(),
        base,
        standing.created_at.clone().unwrap_or_else(|| now.to_owned()),
    );
    record.inside = Some(Inside {
        base_branch: standing.base_branch.clone().unwrap_or_else(|| base.to_string()),
        base_hash: base.to_string(),
    });
    Ok(record.write(repository, tree)?)
}

/// Lets git forget a work tree whose folder is gone; its branch stays.
///
/// # Errors
/// As [`remove`]: if commits of a detached HEAD would be lost with it, or it is locked.
pub fn forget_missing(repository: &Repository, standing: &Standing, stamp: &str) -> Result<(), Error> {
    let removal = Removal {
        standing,
        force: 0,
        keep_branch: true,
        here: Path::new(""),
        stamp,
    };
    remove(repository, removal, false).map(|_| ())
}

/// Deletes the branch of a change that has no work tree, if HEAD has all its commits; whether it did.
pub fn delete_reached(repository: &Repository, standing: &Standing) -> Result<bool, Error> {
    let (State::BranchOnly, Some(tip), Some(head)) = (standing.state, standing.head, repository.head()?)
    else {
        return Ok(false);
    };
    if !is_reached(repository, tip, head)? {
        return Ok(false);
    }
    repository.delete_branch(&standing.own_branch, tip)?;
    Ok(true)
}

fn is_reached(repository: &Repository, tip: ObjectId, head: ObjectId) -> Result<bool, Error> {
    Ok(tip == head || repository.commits_beyond(tip, &[head])?.is_empty())
}
