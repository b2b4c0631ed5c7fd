//! Brings a rescue back into a work tree, or lets go of it (git.md 5.6).

use std::path::{Path, PathBuf};

use super::add::{self, Wanted};
use super::journal::{self, Step};
use super::taking::take;
use super::{Error, Layout, Standing, survey};
use crate::files::RepoPath;
use crate::git::{self, RESCUES, Repository, Rescued};

/// Where a rescue came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    pub rescue: Rescued,
    pub path: PathBuf,
    /// Of a work tree that was made for it.
    pub branch: Option<String>,
    /// HEAD of the work tree, where it is not what it was when the work was rescued.
    pub other_head: bool,
}

fn named(repository: &Repository, name: &str) -> Result<Rescued, Error> {
    let full = if name.starts_with(RESCUES) {
        name.to_owned()
    } else {
        format!("{RESCUES}{name}")
    };
    let found = repository
        .rescues(None)?
        .into_iter()
        .find(|rescue| rescue.name == full);
    found.ok_or_else(|| Error::RescueUnknown(name.to_owned()))
}

/// Restores a rescue into a clean work tree at `to`, or into a new one.
pub fn restore(
    repository: &Repository,
    layout: &Layout,
    name: &str,
    to: Option<PathBuf>,
    project: &RepoPath,
    created_at: String,
) -> Result<Restored, Error> {
    let rescue = named(repository, name)?;
    if let Some(to) = &to
        && let Some(path) = repository.work_tree_at(to)?
    {
        let head = refuse_unclean(repository, layout, &path)?;
        let in_the_way = repository.in_the_way(&rescue, &path, head)?;
        if !in_the_way.is_empty() {
            return Err(Error::InTheWay { paths: in_the_way });
        }
        let taking = repository.taking_of_rescue(&rescue, &path, head)?;
        take(repository, &taking, || repository.restore(&rescue, &taking))?;
        return Ok(Restored {
            other_head: head != rescue.head,
            branch: None,
            rescue,
            path,
        });
    }
    let change = free_name(repository, layout, &rescue, to.as_deref(), project)?;
    let base = rescue.head.to_string();
    let wanted = Wanted {
        change: &change,
        project,
        base: Some(&base),
        branch: None,
        path: to,
        sync: false,
        created_at,
    };
    let plan = add::plan(repository, layout, &wanted)?;
    let begun = plan.adding();
    let added = add::add(repository, plan, |_| -> Result<bool, Error> { Ok(true) })?;
    let taking = repository.taking_of_rescue(&rescue, &added.path, rescue.head)?;
    let restored = take(repository, &taking, || repository.restore(&rescue, &taking));
    if let Err(error) = restored {
        // The first error is the one to tell; what cannot be taken back now, the next command ends.
        let _later = journal::begin(repository, Step::Add(begun.clone()))
            .map_err(Error::from)
            .and_then(|()| journal::take_back(repository, &begun));
        return Err(error.into());
    }
    Ok(Restored {
        rescue,
        path: added.path,
        branch: Some(added.record.branch),
        other_head: false,
    })
}

/// The first of `<change>-rescue`, `<change>-rescue-2`, … that no work tree has yet, nor a branch with other commits.
fn free_name(
    repository: &Repository,
    layout: &Layout,
    rescue: &Rescued,
    to: Option<&Path>,
    project: &RepoPath,
) -> Result<String, Error> {
    let all = survey(repository, layout, &project.text())?;
    let is_taken = |name: &str| -> Result<bool, Error> {
        let has_it = |standing: &Standing| {
            let is_other = standing.registered.is_some() || standing.head != Some(rescue.head);
            standing.change == name && is_other
        };
        let is_there = to.is_none() && !git::is_free(&layout.path(name))?;
        Ok(is_there || all.iter().any(has_it))
    };
    let first = format!("{}-rescue", rescue.change);
    let mut name = first.clone();
    let mut n = 1;
    while is_taken(&name)? {
        n += 1;
        name = format!("{first}-{n}");
    }
    Ok(name)
}

/// HEAD of a work tree that holds no work of its own.
fn refuse_unclean(
    repository: &Repository,
    layout: &Layout,
    path: &Path,
) -> Result<crate::files::ObjectId, Error> {
    let refused = || Error::RestoreTarget {
        path: path.to_owned(),
    };
    let tree = repository
        .worktrees()?
        .into_iter()
        .find(|tree| git::is_same(&tree.path, path))
        .ok_or_else(refused)?;
    let head = tree.head.ok_or_else(refused)?;
    let git_dir = git::git_dir_of(path)?;
    let condition = git::condition(path)?.without(&layout.uncounted_in(&tree));
    if !condition.is_clean() || git::Operation::of(&git_dir).is_some() {
        return Err(refused());
    }
    Ok(head)
}

/// Deletes a rescue. Its objects go when git next collects garbage.
pub fn drop_rescue(repository: &Repository, name: &str) -> Result<Rescued, Error> {
    let rescue = named(repository, name)?;
    repository.delete_ref(&rescue.name, rescue.commit)?;
    Ok(rescue)
}
