//! One step of a transaction on the disk: on which side of it a file is, taking it, and taking it back.

use std::fs;
use std::io;
use std::path::Path;

use super::RepoPath;
use super::WorkTree;
use super::journal::{Step, journal_path, saved_dir};
use super::plan::contained;
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

    /// Refuses a step that would reach out of the root through a link, or copies from elsewhere: a journal is only a file.
    pub(super) fn stays_inside(&self, tree: &WorkTree) -> Result<(), WriteError> {
        let (paths, saved): (Vec<&RepoPath>, Option<&String>) = match self {
            Self::Write {
                path,
                temporary,
                saved,
                ..
            } => (vec![path, temporary], saved.as_ref()),
            Self::Remove { path, saved, .. } => (vec![path], Some(saved)),
            Self::MoveDir { from, to } => (vec![from, to], None),
            Self::MakeDir { path } | Self::RemoveDir { path } => (vec![path], None),
        };
        let is_name = |name: &String| !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
        if !saved.is_none_or(is_name) {
            return Err(WriteError::NotAFile {
                path: paths[0].clone(),
            });
        }
        paths.into_iter().try_for_each(|path| contained(tree, path))
    }

    pub(super) fn side(&self, root: &Path, dir: &Path) -> Result<Side, WriteError> {
        let foreign = |path: &RepoPath| WriteError::Foreign {
            path: path.clone(),
            journal: journal_path(dir),
        };
        match self {
            Self::Write { path, old, new, .. } => match on_disk(root, path)? {
                now if now == Some(*new) => Ok(Side::New),
                now if now == *old => Ok(Side::Old),
                _ => Err(foreign(path)),
            },
            Self::Remove { path, old, .. } => match on_disk(root, path)? {
                None => Ok(Side::New),
                Some(now) if now == *old => Ok(Side::Old),
                Some(_) => Err(foreign(path)),
            },
            Self::MoveDir { from, to } => match (from.on_disk(root).exists(), to.on_disk(root).exists()) {
                (false, true) => Ok(Side::New),
                (true, false) => Ok(Side::Old),
                _ => Err(foreign(from)),
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

    /// Takes the step, unless it is taken already. Refused if the file is no longer what the step was planned for.
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
                old,
                new,
                exclusive,
                ..
            } => {
                let temporary = temporary.on_disk(root);
                match on_disk(root, path)? {
                    now if now == Some(*new) => return remove_if_there(&temporary).map_err(io),
                    now if now != *old => return Err(WriteError::Changed { path: path.clone() }),
                    _ => {}
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
            Self::Remove { old, .. } => {
                if on_disk(root, path)?.is_some_and(|now| now != *old) {
                    return Err(WriteError::Changed { path: path.clone() });
                }
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

    /// Puts back what was there before. What someone else has made of the file since is left alone; but if the step was
    /// `taken` by this very run, that goes out of the way first, and the place where it is kept is returned.
    fn undo(&self, root: &Path, dir: &Path, taken: bool) -> Result<Option<Kept>, WriteError> {
        match self {
            Self::Write {
                path,
                temporary,
                old,
                new,
                saved,
                ..
            } => {
                let temporary = temporary.on_disk(root);
                remove_if_there(&temporary).map_err(|source| WriteError::Io {
                    path: temporary.clone(),
                    source,
                })?;
                let now = on_disk(root, path)?;
                if now == *old || (now != Some(*new) && !taken) {
                    return Ok(None);
                }
                let kept = keep_foreign(root, path, now, Some(*new))?;
                put_back(root, dir, path, saved.as_ref())?;
                Ok(kept)
            }
            Self::Remove { path, old, saved } => {
                let now = on_disk(root, path)?;
                if now == Some(*old) || (now.is_some() && !taken) {
                    return Ok(None);
                }
                let kept = keep_foreign(root, path, now, None)?;
                put_back(root, dir, path, Some(saved))?;
                Ok(kept)
            }
            Self::MoveDir { from, to } => {
                let io = |source| WriteError::Io {
                    path: from.on_disk(root),
                    source,
                };
                match (to.on_disk(root).exists(), from.on_disk(root).exists()) {
                    (true, false) => {
                        fault::point().map_err(io)?;
                        fs::rename(to.on_disk(root), from.on_disk(root)).map_err(io)?;
                    }
                    (true, true) if taken => {
                        return Err(WriteError::Foreign {
                            path: from.clone(),
                            journal: journal_path(dir),
                        });
                    }
                    _ => {}
                }
                Ok(None)
            }
            // Only if it is empty again: a folder that was there before, or is in use, stays.
            Self::MakeDir { path } => {
                let _in_use = fs::remove_dir(path.on_disk(root));
                Ok(None)
            }
            Self::RemoveDir { path } => {
                fs::create_dir_all(path.on_disk(root))
                    .map(|()| None)
                    .map_err(|source| WriteError::Io {
                        path: path.on_disk(root),
                        source,
                    })
            }
        }
    }
}

/// A file that someone else wrote where a step of ours had been, and where it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub path: RepoPath,
    pub kept: RepoPath,
}

/// Copies what is neither old nor new beside its place.
fn keep_foreign(
    root: &Path,
    path: &RepoPath,
    now: Option<Digest>,
    new: Option<Digest>,
) -> Result<Option<Kept>, WriteError> {
    if now.is_none() || now == new {
        return Ok(None);
    }
    let beside = |n: usize| {
        let number = if n == 1 { String::new() } else { format!("-{n}") };
        // Hidden, so that it is neither delta nor document.
        let name = format!(".git-spec-kept{number}");
        let name = [&b"."[..], path.name(), name.as_bytes()].concat();
        path.parent().unwrap_or_default().join(name)
    };
    let is_free = |kept: &RepoPath| kept.on_disk(root).symlink_metadata().is_err();
    let kept = (1..1000)
        .map(beside)
        .find(is_free)
        .ok_or_else(|| WriteError::Changed { path: path.clone() })?;
    restore_file(&path.on_disk(root), &kept.on_disk(root)).map_err(|source| WriteError::Io {
        path: kept.on_disk(root),
        source,
    })?;
    Ok(Some(Kept {
        path: path.clone(),
        kept,
    }))
}

/// The saved content; without one there was no file.
fn put_back(root: &Path, dir: &Path, path: &RepoPath, saved: Option<&String>) -> Result<(), WriteError> {
    let target = path.on_disk(root);
    let io = |source| WriteError::Io {
        path: target.clone(),
        source,
    };
    fault::point().map_err(io)?;
    match saved {
        Some(name) => {
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent).map_err(io)?;
            }
            restore_file(&saved_dir(dir).join(name), &target).map_err(io)
        }
        None => remove_if_there(&target).map_err(io),
    }
}

/// Undoes steps, the last one first; the first `taken` of them were taken by this run. Returns what was in the way.
pub(super) fn undo(root: &Path, dir: &Path, steps: &[Act], taken: usize) -> Result<Vec<Kept>, WriteError> {
    let mut kept = Vec::new();
    for (n, step) in steps.iter().enumerate().rev() {
        kept.extend(step.undo(root, dir, n < taken)?);
    }
    Ok(kept)
}
