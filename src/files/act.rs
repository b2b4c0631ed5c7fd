//! One step of a transaction on the disk: on which side of it a file is, taking it, and taking it back.

use std::fs;
use std::io;
use std::path::Path;

use super::RepoPath;
use super::journal::{Step, saved_dir};
use super::write::{Digest, WriteError, on_disk, remove_if_there, restore_file, sync_dir};
use crate::fault;

/// Whether a step was taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Old,
    New,
}

/// A step with its paths read.
pub(super) enum Act {
    Write {
        path: RepoPath,
        temporary: RepoPath,
        old: Option<Digest>,
        new: Digest,
        saved: Option<String>,
        exclusive: bool,
    },
    Remove {
        path: RepoPath,
        old: Digest,
        saved: String,
    },
    MoveDir {
        from: RepoPath,
        to: RepoPath,
    },
    MakeDir {
        path: RepoPath,
    },
    RemoveDir {
        path: RepoPath,
    },
}

impl Act {
    pub(super) fn of(step: &Step) -> Result<Self, String> {
        Ok(match step {
            Step::Write {
                path,
                temporary,
                old,
                new,
                saved,
                exclusive,
            } => Self::Write {
                path: path.path()?,
                temporary: temporary.path()?,
                old: *old,
                new: *new,
                saved: saved.clone(),
                exclusive: *exclusive,
            },
            Step::Remove { path, old, saved } => Self::Remove {
                path: path.path()?,
                old: *old,
                saved: saved.clone(),
            },
            Step::MoveDir { from, to } => Self::MoveDir {
                from: from.path()?,
                to: to.path()?,
            },
            Step::MakeDir { path } => Self::MakeDir { path: path.path()? },
            Step::RemoveDir { path } => Self::RemoveDir { path: path.path()? },
        })
    }

    pub(super) fn side(&self, root: &Path) -> Result<Side, WriteError> {
        match self {
            Self::Write { path, old, new, .. } => match on_disk(root, path)? {
                now if now == Some(*new) => Ok(Side::New),
                now if now == *old => Ok(Side::Old),
                _ => Err(WriteError::Foreign { path: path.clone() }),
            },
            Self::Remove { path, old, .. } => match on_disk(root, path)? {
                None => Ok(Side::New),
                Some(now) if now == *old => Ok(Side::Old),
                Some(_) => Err(WriteError::Foreign { path: path.clone() }),
            },
            Self::MoveDir { from, to } => match (from.on_disk(root).exists(), to.on_disk(root).exists()) {
                (false, true) => Ok(Side::New),
                (true, false) => Ok(Side::Old),
                _ => Err(WriteError::Foreign { path: from.clone() }),
            },
            Self::MakeDir { .. } | Self::RemoveDir { .. } => Ok(Side::New),
        }
    }

    /// Whether what is missing of this step is still there to be done.
    pub(super) fn can_finish(&self, root: &Path) -> bool {
        match self {
            Self::Write { temporary, new, .. } => {
                matches!(on_disk(root, temporary), Ok(Some(d)) if d == *new)
            }
            Self::Remove { .. } | Self::MoveDir { .. } | Self::MakeDir { .. } | Self::RemoveDir { .. } => {
                true
            }
        }
    }

    /// Takes the step, unless it is taken already.
    pub(super) fn apply(&self, root: &Path) -> Result<(), WriteError> {
        let path = match self {
            Self::Write { path, .. }
            | Self::Remove { path, .. }
            | Self::MakeDir { path }
            | Self::RemoveDir { path } => path,
            Self::MoveDir { from, .. } => from,
        };
        let io = |source| WriteError::Io {
            path: path.on_disk(root),
            source,
        };
        let target = path.on_disk(root);
        match self {
            Self::Write {
                temporary,
                new,
                exclusive,
                ..
            } => {
                let temporary = temporary.on_disk(root);
                if on_disk(root, path)? == Some(*new) {
                    return remove_if_there(&temporary).map_err(io);
                }
                fault::point().map_err(io)?;
                if *exclusive {
                    match fs::hard_link(&temporary, &target) {
                        Ok(()) => fs::remove_file(&temporary).map_err(io)?,
                        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                            return Err(WriteError::Changed { path: path.clone() });
                        }
                        // File systems without hard links: the project lock is what is left.
                        Err(_) => fs::rename(&temporary, &target).map_err(io)?,
                    }
                } else {
                    fs::rename(&temporary, &target).map_err(io)?;
                }
            }
            Self::Remove { .. } => {
                fault::point().map_err(io)?;
                remove_if_there(&target).map_err(io)?;
            }
            Self::MoveDir { from, to } => {
                if from.on_disk(root).exists() {
                    fault::point().map_err(io)?;
                    fs::rename(from.on_disk(root), to.on_disk(root)).map_err(io)?;
                    if let Some(dir) = to.on_disk(root).parent() {
                        sync_dir(dir);
                    }
                }
            }
            Self::MakeDir { .. } => fs::create_dir_all(&target).map_err(io)?,
            // Only an empty folder goes; what came into it meanwhile stays.
            Self::RemoveDir { .. } => drop(fs::remove_dir(&target)),
        }
        if let Some(dir) = target.parent() {
            sync_dir(dir);
        }
        Ok(())
    }

    /// Puts back what was there before.
    fn undo(&self, root: &Path, dir: &Path) -> Result<(), WriteError> {
        match self {
            Self::Write {
                path,
                temporary,
                old,
                new,
                saved,
                ..
            } => {
                let io = |source| WriteError::Io {
                    path: path.on_disk(root),
                    source,
                };
                remove_if_there(&temporary.on_disk(root)).map_err(io)?;
                if on_disk(root, path)? != Some(*new) || *old == Some(*new) {
                    return Ok(());
                }
                fault::point().map_err(io)?;
                match saved {
                    Some(name) => restore_file(&saved_dir(dir).join(name), &path.on_disk(root)).map_err(io),
                    None => fs::remove_file(path.on_disk(root)).map_err(io),
                }
            }
            Self::Remove { path, saved, .. } => {
                let io = |source| WriteError::Io {
                    path: path.on_disk(root),
                    source,
                };
                if on_disk(root, path)?.is_some() {
                    return Ok(());
                }
                if let Some(parent) = path.on_disk(root).parent() {
                    fs::create_dir_all(parent).map_err(io)?;
                }
                fault::point().map_err(io)?;
                restore_file(&saved_dir(dir).join(saved), &path.on_disk(root)).map_err(io)
            }
            Self::MoveDir { from, to } => {
                let io = |source| WriteError::Io {
                    path: from.on_disk(root),
                    source,
                };
                if to.on_disk(root).exists() && !from.on_disk(root).exists() {
                    fault::point().map_err(io)?;
                    fs::rename(to.on_disk(root), from.on_disk(root)).map_err(io)?;
                }
                Ok(())
            }
            // Only if it is empty again: a folder that was there before, or is in use, stays.
            Self::MakeDir { path } => {
                let _in_use = fs::remove_dir(path.on_disk(root));
                Ok(())
            }
            Self::RemoveDir { path } => {
                fs::create_dir_all(path.on_disk(root)).map_err(|source| WriteError::Io {
                    path: path.on_disk(root),
                    source,
                })
            }
        }
    }
}

/// Undoes steps, the last one first.
pub(super) fn undo(root: &Path, dir: &Path, steps: &[Act]) -> Result<(), WriteError> {
    steps.iter().rev().try_for_each(|step| step.undo(root, dir))
}
