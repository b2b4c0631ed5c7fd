//! Takes a work tree away so that nothing is lost (git.md 5.4).

use std::path::{Path, PathBuf};

use super::journal::{self, Removing, Step, Stored};
use super::refusal::{Refusal, refusals};
use super::{Error, Standing, State};
use crate::files::ObjectId;
use crate::git::{self, Folder, Repository, RescueNote};

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Removal<'a> {
    pub standing: &'a Standing,
    /// How many times it was said.
    pub force: u8,
    pub keep_branch: bool,
    /// The current folder.
    pub here: &'a Path,
    /// `YYYYMMDDTHHMMSSZ`.
    pub stamp: &'a str,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    pub path: Option<PathBuf>,
    /// The ref of the rescue, and those of repositories inside.
    pub rescues: Vec<String>,
    pub deleted_branch: Option<String>,
    /// A branch that stays because of its commits, or because that was asked for.
    pub kept_branch: Option<String>,
    /// Why git did not delete it.
    pub branch_refused: Option<String>,
    /// Stashes that were made on its branch: they stay.
    pub stashes: Vec<String>,
    /// What was written too late to be known, and stays.
    pub kept: Vec<PathBuf>,
}

/// What of a removal stayed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    pub files: Vec<PathBuf>,
    /// It moved meanwhile, or git refuses to delete it.
    pub branch: Option<String>,
    /// What git said.
    pub why: Option<String>,
}

/// What would be done.
struct Plan {
    refusals: Vec<Refusal>,
    /// To be deleted, with its tip.
    branch: Option<(String, ObjectId)>,
}

/// What speaks against a removal; empty if nothing does.
fn objections(repository: &Repository, removal: Removal<'_>) -> Result<Vec<Refusal>, Error> {
    refuse_in_use(repository, removal)?;
    refusals(repository, removal.standing, removal.keep_branch)
}

/// Removes a work tree, its registration and, where nothing is lost by that, its branch. With `dry` only says what it
/// would do.
pub fn remove(repository: &Repository, removal: Removal<'_>, dry: bool) -> Result<Removed, Error> {
    // Whatever is written from here on is either seen by the look at the work or makes this stop.
    let standing = removal.standing;
    let before = match (standing.state, standing.path()) {
        (State::Ok, Some(path)) if !dry => Some(git::instant_beside(path)?),
        _ => None,
    };
    let found = objections(repository, removal)?;
    let (yielding, standing_firm): (Vec<Refusal>, Vec<Refusal>) = found
        .into_iter()
        .partition(|refusal| refusal.class.yields_to(removal.force));
    if !standing_firm.is_empty() {
        let mut all = [yielding, standing_firm].concat();
        all.sort_by_key(|refusal| refusal.class);
        return Err(Error::NotClean {
            change: standing.change.clone(),
            refusals: all,
        });
    }
    let plan = Plan {
        branch: branch_to_delete(repository, removal)?,
        refusals: yielding,
    };
    let mut removed = Removed {
        path: standing.path().map(Path::to_owned),
        ..Removed::default()
    };
    removed.stashes = repository.stashes_of(&standing.own_branch)?;
    removed.deleted_branch = plan.branch.as_ref().map(|(name, _)| name.clone());
    if removed.deleted_branch.is_none() {
        let tip = repository.branch_tip(&standing.own_branch)?;
        removed.kept_branch = tip.map(|_| standing.own_branch.clone());
    }
    if dry {
        return Ok(removed);
    }
    if plan.refusals.iter().any(|refusal| refusal.class.is_work()) {
        removed.rescues = rescue(repository, removal, &plan)?;
    }
    if let Some(before) = before {
        let kept = take_away(repository, removal, &plan, before)?;
        removed.kept = kept.files;
        if kept.branch.is_some() {
            removed.deleted_branch = None;
            removed.kept_branch = kept.branch;
            removed.branch_refused = kept.why;
        }
        return Ok(removed);
    }
    if let Some(tree) = &standing.registered {
        repository.unregister(tree)?;
    }
    if let Some((branch, tip)) = &plan.branch
        && let Err(error) = repository.delete_branch(branch, *tip)
    {
        removed.deleted_branch = None;
        removed.kept_branch = Some(branch.clone());
        removed.branch_refused = Some(error.to_string());
    }
    Ok(removed)
}

fn refuse_in_use(repository: &Repository, removal: Removal<'_>) -> Result<(), Error> {
    let Some(path) = removal.standing.path() else {
        return Ok(());
    };
    let own = repository.work_dir();
    let is_own = own.is_some_and(|own| git::is_same(&own, path));
    let is_in = removal.standing.state != State::Missing
        && removal.here.ancestors().any(|above| git::is_same(above, path));
    if is_own || is_in {
        let main = repository.worktrees()?.into_iter().next();
        return Err(Error::InUse {
            path: path.to_owned(),
            go_to: main.map_or_else(PathBuf::new, |main| main.path),
        });
    }
    // Git ignores such a folder often enough, and then does not tell of the work in it.
    let inner = repository
        .worktrees()?
        .into_iter()
        .find(|tree| tree.path != path && tree.path.starts_with(path) && tree.folder() != Folder::Missing);
    match inner {
        Some(inner) => Err(Error::HoldsAnother {
            path: path.to_owned(),
            inner: inner.path,
        }),
        None => Ok(()),
    }
}

/// The branch goes if its commits are elsewhere, or in a rescue that is made of its work tree.
fn branch_to_delete(
    repository: &Repository,
    removal: Removal<'_>,
) -> Result<Option<(String, ObjectId)>, Error> {
    let standing = removal.standing;
    let branch = &standing.own_branch;
    let Some(tip) = repository.branch_tip(branch)? else {
        return Ok(None);
    };
    let own_folder = standing.path();
    let elsewhere = repository.worktrees()?.iter().any(|tree| {
        tree.branch.as_deref() == Some(branch) && own_folder.is_none_or(|own| !git::is_same(own, &tree.path))
    });
    if removal.keep_branch || elsewhere {
        return Ok(None);
    }
    let merged = standing.merged(repository, tip, &standing.targets(repository)?)?;
    let rescued = removal.force > 0 && standing.state == State::Ok;
    Ok((merged.is_some() || rescued).then(|| (branch.clone(), tip)))
}

fn rescue(repository: &Repository, removal: Removal<'_>, plan: &Plan) -> Result<Vec<String>, Error> {
    let standing = removal.standing;
    let note = RescueNote {
        change: standing.change.clone(),
        stamp: removal.stamp.to_owned(),
        branch: plan.branch.clone(),
        uncounted: standing.uncounted.clone(),
    };
    let made = match (standing.state, standing.path()) {
        (State::Ok, Some(path)) => repository.rescue(path, &note),
        _ => repository.rescue_left(standing.admin().map(PathBuf::as_path), standing.head, &note),
    };
    made.map_err(|e| Error::RescueFailed(e.to_string()))
}

/// Moves the folder aside, makes sure that nobody has written into it, and only then lets go of it.
fn take_away(repository: &Repository, removal: Removal<'_>, plan: &Plan, before: u64) -> Result<Kept, Error> {
    let standing = removal.standing;
    let (Some(path), Some(admin)) = (standing.path(), standing.admin()) else {
        return Ok(Kept::default());
    };
    let ignored = git::ignored_below(path)?;
    let state = git::administrative_state(admin)?;
    let aside = git::free_beside(path, &format!("removing-{}", removal.stamp));
    let mut removing = Removing {
        change: standing.change.clone(),
        path: Stored::new(path),
        aside: Stored::new(&aside),
        admin: Stored::new(admin),
        instant: None,
        branch: plan
            .branch
            .as_ref()
            .map(|(name, tip)| (name.clone(), tip.to_string())),
    };
    journal::begin(repository, Step::Remove(removing.clone()))?;
    let verified = git::rename_folder(path, &aside).and_then(|()| {
        let instant = git::instant_beside(&aside)?;
        let is_ignored = |at: &Path| {
            let below = at.strip_prefix(&aside).unwrap_or(at);
            ignored.contains(below)
        };
        let written = git::changed_since(&aside, before, &is_ignored)?;
        let touched = git::administrative_state(admin)? != state;
        Ok((written.is_none() && !touched).then_some(instant))
    });
    let Ok(Some(instant)) = verified else {
        // It was not known to be without work, so that is put back, now or by the next command.
        journal::settle(repository)?;
        return match verified {
            Ok(_) => Err(Error::Meanwhile {
                path: path.to_owned(),
            }),
            Err(error) => Err(error.into()),
        };
    };
    removing.instant = Some(instant);
    journal::begin(repository, Step::Remove(removing.clone()))?;
    let kept = journal::finish_removal(repository, &removing, instant)?;
    repository.end_worktree_journal()?;
    Ok(kept)
}
