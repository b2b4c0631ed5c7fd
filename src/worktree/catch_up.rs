//! A new work tree catches up with the remote (silly.md 8, "sync"): only when its base is the remote's default branch, as
//! anything else would change the base behind the user's back.

use std::path::Path;

use super::Error;
use super::add::Note;
use super::meta::Meta;
use crate::git::{self, Repository};

/// Without a default branch that the remote tells, these are looked for.
pub(super) const USUAL: [&str; 2] = ["main", "master"];

/// Fetches and fast-forwards, and writes down the base that came of it. What fails is a note and no error.
pub fn catch_up(work_tree: &Path) -> Result<Option<Note>, Error> {
    let Some(mut meta) = Meta::at(work_tree) else {
        return Ok(None);
    };
    let repository = Repository::discover(work_tree, false)?.ok_or(git::Error::NotARepository)?;
    if repository.main_remote()?.is_none_or(|remote| remote != "origin") {
        return Ok(None);
    }
    match forward(&repository, meta.base_branch.as_deref()) {
        Ok(None) => Ok(None),
        Ok(Some((name, base))) => {
            meta.set_base(base);
            meta.rewrite(work_tree)?;
            Ok(Some(Note::Synced(name)))
        }
        Err(error) => Ok(Some(Note::SyncFailed(error.to_string()))),
    }
}

fn forward(
    repository: &Repository,
    base_branch: Option<&str>,
) -> Result<Option<(String, crate::files::ObjectId)>, git::Error> {
    repository.fetch("origin")?;
    let told = repository.default_branch()?.map(|name| name.to_string());
    let candidates = told.into_iter().chain(USUAL.map(str::to_owned));
    for branch in candidates {
        let name = format!("refs/remotes/origin/{branch}");
        let Some(tip) = repository.ref_target(&name)? else {
            continue;
        };
        let head = repository.head()?;
        let is_behind = match head {
            Some(head) if head != tip && base_branch == Some(branch.as_str()) => {
                repository.is_ancestor(head, tip)?
            }
            Some(_) | None => false,
        };
        if !is_behind {
            return Ok(None);
        }
        repository.fast_forward(tip)?;
        return Ok(Some((format!("origin/{branch}"), tip)));
    }
    Ok(None)
}
