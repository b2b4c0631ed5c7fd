//! Files that come into a work tree, noted before they do, so that the next command ends what was begun (git.md 5.7).

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Error;
use super::journal::{self, Step, Stored};
use crate::files::{ObjectId, RepoPath};
use crate::git::{self, Repository, Taking};

/// A [`Taking`] as it is written down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Begun {
    top: Stored,
    head: String,
    merged: Option<String>,
    trees: Vec<String>,
    paths: Vec<Stored>,
    made: Vec<Stored>,
}

impl Begun {
    fn of(taking: &Taking) -> Self {
        Self {
            top: Stored::new(&taking.top),
            head: taking.head.to_string(),
            merged: taking.merged.map(|id| id.to_string()),
            trees: taking.trees.iter().map(ToString::to_string).collect(),
            paths: taking
                .paths
                .iter()
                .map(|path| Stored::new(&path.on_disk(Path::new(""))))
                .collect(),
            made: taking.made.iter().map(|made| Stored::new(made)).collect(),
        }
    }

    /// None if it is no such thing.
    fn read(&self, repository: &Repository) -> Result<Option<Taking>, git::Error> {
        let id = |text: &String| ObjectId::from_hex(text);
        let paths: Option<Vec<RepoPath>> = self
            .paths
            .iter()
            .map(|path| RepoPath::from_disk(&path.path()))
            .collect();
        let trees: Option<Vec<ObjectId>> = self.trees.iter().map(id).collect();
        let (Some(head), Some(trees), Some(paths)) = (id(&self.head), trees, paths) else {
            return Ok(None);
        };
        let merged = self.merged.as_ref().and_then(id);
        let mut taking = repository.taking(&self.top.path(), head, merged, trees, paths)?;
        taking.made = self.made.iter().map(Stored::path).collect();
        Ok(Some(taking))
    }

    /// Ends it: what is in stays, else all goes back. Without its work tree nothing is left to be done.
    pub(super) fn end(&self, repository: &Repository) -> Result<(), Error> {
        if !self.top.path().is_dir() {
            return Ok(());
        }
        let taking = self.read(repository)?.ok_or_else(|| Error::Journal {
            path: repository.worktree_journal(),
            reason: "ids or paths are none".to_owned(),
        })?;
        taking.settle()?;
        Ok(())
    }
}

/// Lets files come in by `last`, which works with the index of `taking`; all of them, or all is put back.
pub(super) fn take(
    repository: &Repository,
    taking: &Taking,
    last: impl FnOnce() -> Result<(), git::Error>,
) -> Result<(), git::Error> {
    if let Err(error) = taking.keep() {
        // The first error is the one to tell.
        let _litter = taking.discard();
        return Err(error);
    }
    journal::begin(repository, Step::Take(Begun::of(taking)))?;
    let taken = last().and_then(|()| taking.install());
    if let Err(error) = taken {
        // As long as that cannot be ended, the note stays, and the next command ends it.
        let is_in = taking.settle()?;
        repository.end_worktree_journal()?;
        return if is_in { Ok(()) } else { Err(error) };
    }
    repository.end_worktree_journal()
}
