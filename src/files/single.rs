//! Lists of files written: one at a time, for a protocol with a journal of its own, or all together.

use std::fs;
use std::io::Write;

use super::plan::contained;
use super::write::{WriteError, Writer, on_disk, remove_if_there, sync_dir};
use super::{RepoPath, WorkTree};
use crate::fault;
use crate::text::Bytes;

/// What the name of a file that is being written ends with; the next write to the same place takes it over.
const UNFINISHED: &str = ".git-spec-new";

impl Writer {
    /// Writes files (none: removes) one after the other. What is written before an error stays.
    ///
    /// # Errors
    /// If a path is no regular file or leaves the project, or the disk refuses.
    pub fn apply(&self, edits: &[(RepoPath, Option<Bytes>)]) -> Result<(), WriteError> {
        edits
            .iter()
            .try_for_each(|(path, new)| self.write_one(path, new.as_deref()))
    }

    /// Writes files (none: removes) all together or not at all, whatever they hold now.
    ///
    /// # Errors
    /// As [`super::Transaction::commit`].
    pub fn apply_together(&self, edits: &[(RepoPath, Option<Bytes>)]) -> Result<(), WriteError> {
        let mut transaction = self.begin();
        for (path, new) in edits {
            let seen = on_disk(self.root(), path)?;
            match (seen, new) {
                (_, Some(new)) => transaction.replace(path, seen, new.clone()),
                (Some(seen), None) => transaction.remove(path, seen),
                (None, None) => {}
            }
        }
        transaction.commit().map(drop)
    }

    /// Removes what a run that was killed has left beside a file.
    pub fn tidy(&self, path: &RepoPath) -> Result<(), WriteError> {
        let unfinished = unfinished(path).on_disk(self.root());
        remove_if_there(&unfinished).map_err(|source| WriteError::Io {
            path: unfinished.clone(),
            source,
        })
    }

    fn write_one(&self, path: &RepoPath, new: Option<&[u8]>) -> Result<(), WriteError> {
        contained(&WorkTree::new(self.root()), path)?;
        on_disk(self.root(), path)?;
        let (target, temporary) = (path.on_disk(self.root()), unfinished(path).on_disk(self.root()));
        let folder = target.parent().unwrap_or(self.root());
        let io = |source| WriteError::Io {
            path: target.clone(),
            source,
        };
        fault::point().map_err(io)?;
        let Some(new) = new else {
            remove_if_there(&target).map_err(io)?;
            sync_dir(folder);
            return Ok(());
        };
        fs::create_dir_all(folder).map_err(io)?;
        let prepared = fs::File::create(&temporary).and_then(|mut file| {
            file.write_all(new)?;
            if let Ok(meta) = fs::metadata(&target) {
                file.set_permissions(meta.permissions())?;
            }
            file.sync_all()?;
            fault::point()?;
            fs::rename(&temporary, &target)
        });
        if let Err(error) = prepared {
            // The first error is the one to tell.
            let _left = remove_if_there(&temporary);
            return Err(io(error));
        }
        sync_dir(folder);
        Ok(())
    }
}

fn unfinished(path: &RepoPath) -> RepoPath {
    let name = format!(".{}{UNFINISHED}", path.name());
    path.parent().unwrap_or_default().join(name)
}
