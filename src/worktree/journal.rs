//! What a command is about to do to the set of work trees, noted before it begins, and how the next one ends it: a new
//! work tree is made whole or taken back, one that was not yet found without work is put back, else its removal ended;
//! files that were coming into one are all in it, or none.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::meta::META;
use super::record::Record;
use super::taking::Begun;
use super::{Error, Kept};
use crate::files::{ObjectId, RepoPath};
use crate::git::{self, Folder, INITIALIZING, Registered, Repository};

const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Journal {
    version: u32,
    #[serde(flatten)]
    step: Step,
}

/// What was begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(super) enum Step {
    Add(Adding),
    Remove(Removing),
    Take(Begun),
}

/// A work tree that was begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Adding {
    pub(super) path: Stored,
    /// The highest folder above it that was not there.
    pub(super) above: Option<Stored>,
    pub(super) record: Record,
    /// The branch was made for it.
    pub(super) created_branch: bool,
}

/// A removal that was begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Removing {
    pub(super) change: String,
    pub(super) path: Stored,
    pub(super) aside: Stored,
    pub(super) admin: Stored,
    /// From here on only what was written before goes; none while it is not known whether work is in it.
    pub(super) instant: Option<u64>,
    /// To be deleted, if it still is where it was.
    pub(super) branch: Option<(String, String)>,
}

/// A path in JSON: what is not UTF-8 survives as bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Stored {
    Text(String),
    Bytes(Vec<u8>),
}

impl Stored {
    pub(super) fn new(path: &Path) -> Self {
        use bstr::ByteVec;
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(Vec::from_path_lossy(path).into_owned()),
        }
    }

    pub(super) fn path(&self) -> PathBuf {
        use bstr::ByteSlice;
        match self {
            Self::Text(text) => PathBuf::from(text),
            Self::Bytes(bytes) => bytes.to_path_lossy().into_owned(),
        }
    }
}

/// What an earlier run had begun, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The new work tree is whole.
    Added { path: PathBuf, record: Record },
    /// What was begun is taken back.
    AddTakenBack,
    /// The removal is done, but for what was written meanwhile.
    Removed { change: String, kept: Kept },
    /// The folder is where it was.
    PutBack,
    /// It could not be put back where it was: something else is there.
    SetAside { path: PathBuf, aside: PathBuf },
    /// The files that were to come into a work tree are all in it, or none.
    Taken,
}

pub(super) fn begin(repository: &Repository, step: Step) -> Result<(), git::Error> {
    let journal = Journal {
        version: VERSION,
        step,
    };
    let mut text = serde_json::to_vec(&journal).expect("paths, texts and numbers are always JSON");
    text.push(b'\n');
    repository.write_worktree_journal(&text)
}

/// Ends what an earlier run has left. To be called under the lock.
pub fn settle(repository: &Repository) -> Result<Option<Ended>, Error> {
    let Some(bytes) = repository.read_worktree_journal()? else {
        return Ok(None);
    };
    let bad = |reason: String| Error::Journal {
        path: repository.worktree_journal(),
        reason,
    };
    let journal: Journal = serde_json::from_slice(&bytes).map_err(|e| bad(e.to_string()))?;
    if journal.version != VERSION {
        return Err(bad(format!("version {}", journal.version)));
    }
    let ended = match journal.step {
        Step::Add(adding) => end_add(repository, adding)?,
        Step::Remove(removing) => end_removal(repository, &removing)?,
        Step::Take(begun) => {
            begun.end(repository)?;
            Ended::Taken
        }
    };
    repository.end_worktree_journal()?;
    if let Ended::SetAside { path, aside } = ended {
        return Err(Error::SetAside { path, aside });
    }
    Ok(Some(ended))
}

fn registered_at(repository: &Repository, path: &Path) -> Result<Option<Registered>, git::Error> {
    let trees = repository.worktrees()?;
    Ok(trees.into_iter().find(|tree| git::is_same(&tree.path, path)))
}

fn end_add(repository: &Repository, adding: Adding) -> Result<Ended, Error> {
    let (path, record) = (&adding.path.path(), &adding.record);
    if let Some(tree) = registered_at(repository, path)? {
        let recorded = record.is_written(&tree);
        if tree.folder() == Folder::Sound && (recorded || !was_git_killed(&tree)?) {
            if tree.locked.as_deref() == Some(INITIALIZING) {
                repository.unlock_worktree(&tree.path)?;
            }
            record.write(repository, &tree)?;
            return Ok(Ended::Added {
                path: tree.path,
                record: adding.record,
            });
        }
        if tree.folder() == Folder::Broken && !git::is_bare_beginning(path)? {
            return Ok(Ended::AddTakenBack);
        }
    }
    undo_add(repository, &adding)?;
    Ok(Ended::AddTakenBack)
}

/// Whether git was killed while it made a work tree, and nobody has put anything into it since: what is there so far is
/// in the commit, but not all that is in the commit is there.
fn was_git_killed(tree: &Registered) -> Result<bool, git::Error> {
    if git::is_bare_beginning(&tree.path)? {
        return Ok(true);
    }
    let left_locked = tree
        .admin
        .as_ref()
        .is_some_and(|admin| admin.join("index.lock").exists());
    let half_made = left_locked || tree.locked.as_deref() == Some(INITIALIZING);
    let whole = !half_made && git::condition(&tree.path)?.is_clean();
    Ok(!whole && git::holds_only_its_commit(&tree.path, &[])?)
}

/// Takes back a work tree that could not be made, and the note of it. What somebody has put into it stays.
pub(super) fn take_back(repository: &Repository, adding: &Adding) -> Result<(), Error> {
    undo_add(repository, adding)?;
    repository.end_worktree_journal()?;
    Ok(())
}

fn undo_add(repository: &Repository, adding: &Adding) -> Result<(), Error> {
    let (path, record) = (&adding.path.path(), &adding.record);
    if let Some(tree) = registered_at(repository, path)? {
        match tree.folder() {
            Folder::Sound => {
                let instant = git::instant_beside(path)?;
                let meta = RepoPath::of(META);
                let begun = |text: &Vec<u8>| git::is_begun(path, &meta, text);
                let own = record.text_inside(&tree.path).filter(begun);
                let uncounted: Vec<RepoPath> = own.iter().map(|_| meta.clone()).collect();
                // Before the first file git may not yet have written its HEAD.
                if !git::is_bare_beginning(path)? && !git::holds_only_its_commit(path, &uncounted)? {
                    return Err(Error::PathOccupied { path: tree.path });
                }
                if let Some(text) = own {
                    git::take_up(path, &meta, &text)?;
                }
                repository.unregister(&tree)?;
                git::remove_folder_as_of(path, instant)?;
            }
            Folder::Broken if !git::is_bare_beginning(path)? => {
                return Err(Error::PathOccupied { path: tree.path });
            }
            Folder::Broken | Folder::Missing => repository.unregister(&tree)?,
        }
    }
    if git::is_bare_beginning(path)? {
        git::remove_bare_beginning(path)?;
    }
    if let Some(above) = &adding.above {
        git::remove_empty_above(path, &above.path())?;
    }
    let in_use = repository
        .worktrees()?
        .iter()
        .any(|tree| tree.branch.as_deref() == Some(record.branch.as_str()));
    if adding.created_branch
        && !in_use
        && let Some(tip) = repository.branch_tip(&record.branch)?
        && record.base() == Some(tip)
    {
        repository.delete_branch(&record.branch, tip)?;
    }
    Ok(())
}

fn end_removal(repository: &Repository, removing: &Removing) -> Result<Ended, Error> {
    let (path, aside) = (removing.path.path(), removing.aside.path());
    let Some(instant) = removing.instant else {
        if aside.symlink_metadata().is_err() {
            return Ok(Ended::PutBack);
        }
        if path.symlink_metadata().is_err() {
            git::rename_folder(&aside, &path)?;
            return Ok(Ended::PutBack);
        }
        let free = git::free_beside(&path, "kept");
        git::rename_folder(&aside, &free)?;
        repository.repair_worktree(&free)?;
        return Ok(Ended::SetAside { path, aside: free });
    };
    let kept = finish_removal(repository, removing, instant)?;
    Ok(Ended::Removed {
        change: removing.change.clone(),
        kept,
    })
}

/// The part of a removal that nothing speaks against any more: registration, folder, branch.
pub(super) fn finish_removal(
    repository: &Repository,
    removing: &Removing,
    instant: u64,
) -> Result<Kept, Error> {
    repository.forget_admin(&removing.admin.path())?;
    let files = git::remove_folder_as_of(&removing.aside.path(), instant)?;
    let mut kept = Kept {
        files,
        ..Kept::default()
    };
    if let Some((branch, tip)) = &removing.branch
        && let Some(seen) = ObjectId::from_hex(tip)
        && let Some(now) = repository.branch_tip(branch)?
    {
        if now != seen {
            kept.branch = Some(branch.clone());
        } else if let Err(error) = repository.delete_branch(branch, seen) {
            // Nothing is lost by a branch, and a note of this would hold up every command.
            kept.branch = Some(branch.clone());
            kept.why = Some(error.to_string());
        }
    }
    Ok(kept)
}
