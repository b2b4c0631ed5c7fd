//! From what a transaction is told to the steps of its journal, checked against the disk as it is.

use std::path::Path;

use super::act::Act;
use super::journal::{Step, Stored};
use super::write::{Digest, WriteError, Written, on_disk};
use super::{Kind, RepoPath, Resolved, Tree, WorkTree};
use crate::text::Bytes;

pub(super) enum Op {
    Write {
        path: RepoPath,
        seen: Option<Digest>,
        new: Bytes,
        exclusive: bool,
        /// The file whose mode it gets; none is the one that it replaces.
        like: Option<RepoPath>,
    },
    Remove {
        path: RepoPath,
        seen: Digest,
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

/// Steps with the folders they need, checked against the disk as it is.
pub(super) struct Plan<'a> {
    root: &'a Path,
    tree: WorkTree,
    pub(super) steps: Vec<Step>,
    pub(super) acts: Vec<Act>,
    pub(super) temporaries: Vec<(RepoPath, RepoPath, Bytes)>,
    pub(super) saves: Vec<(String, RepoPath)>,
    made: Vec<RepoPath>,
    pub(super) written: Written,
}

impl<'a> Plan<'a> {
    pub(super) fn new(root: &'a Path) -> Self {
        Self {
            root,
            tree: WorkTree::new(root),
            steps: Vec::new(),
            acts: Vec::new(),
            temporaries: Vec::new(),
            saves: Vec::new(),
            made: Vec::new(),
            written: Written::default(),
        }
    }

    pub(super) fn add(&mut self, n: usize, op: Op) -> Result<(), WriteError> {
        match op {
            Op::Write {
                path,
                seen,
                new,
                exclusive,
                like,
            } => {
                contained(&self.tree, &path)?;
                let old = on_disk(self.root, &path)?;
                if old != seen {
                    return Err(WriteError::Changed { path });
                }
                if let Some(parent) = path.parent() {
                    self.make_dirs(&parent);
                }
                let name = format!(".git-spec-{}-{n}.tmp", std::process::id());
                let temporary = path.parent().unwrap_or_default().join(name);
                let digest = Digest::of(&new);
                let saved = self.save(n, old.is_some(), &path);
                self.push(Step::Write {
                    path: Stored::new(&path),
                    temporary: Stored::new(&temporary),
                    old,
                    new: digest,
                    saved,
                    exclusive,
                });
                self.temporaries
                    .push((temporary, like.unwrap_or_else(|| path.clone()), new));
                self.written.paths.push(path);
            }
            Op::Remove { path, seen } => {
                contained(&self.tree, &path)?;
                if on_disk(self.root, &path)? != Some(seen) {
                    return Err(WriteError::Changed { path });
                }
                let saved = self.save(n, true, &path).unwrap_or_default();
                self.push(Step::Remove {
                    path: Stored::new(&path),
                    old: seen,
                    saved,
                });
                self.written.paths.push(path);
            }
            Op::MoveDir { from, to } => {
                contained(&self.tree, &from)?;
                contained(&self.tree, &to)?;
                if to.on_disk(self.root).symlink_metadata().is_ok() {
                    return Err(WriteError::Changed { path: to });
                }
                if let Some(parent) = to.parent() {
                    self.make_dirs(&parent);
                }
                self.push(Step::MoveDir {
                    from: Stored::new(&from),
                    to: Stored::new(&to),
                });
                self.written.paths.extend([from, to]);
            }
            Op::MakeDir { path } => {
                contained(&self.tree, &path)?;
                self.make_dirs(&path);
            }
            Op::RemoveDir { path } => self.push(Step::RemoveDir {
                path: Stored::new(&path),
            }),
        }
        Ok(())
    }

    fn push(&mut self, step: Step) {
        self.acts
            .push(Act::of(&step).expect("a step's paths were just made from paths"));
        self.steps.push(step);
    }

    fn save(&mut self, n: usize, needed: bool, path: &RepoPath) -> Option<String> {
        needed.then(|| {
            self.saves.push((n.to_string(), path.clone()));
            n.to_string()
        })
    }

    /// The missing folders down to `dir`, as steps of their own, so that undoing removes them.
    fn make_dirs(&mut self, dir: &RepoPath) {
        let mut missing = Vec::new();
        let mut at = Some(dir.clone());
        while let Some(path) = at {
            if path.is_root() || self.made.contains(&path) || path.on_disk(self.root).exists() {
                break;
            }
            at = path.parent();
            missing.push(path);
        }
        for path in missing.into_iter().rev() {
            self.made.push(path.clone());
            self.push(Step::MakeDir {
                path: Stored::new(&path),
            });
        }
    }
}

/// A target is a regular file or nothing, and its folder lies below the root, links followed.
pub(super) fn contained(tree: &WorkTree, path: &RepoPath) -> Result<(), WriteError> {
    let refuse = || WriteError::NotAFile { path: path.clone() };
    let mut at = path.parent();
    while let Some(dir) = at {
        match tree.resolve(&dir).map_err(|_| refuse())? {
            Resolved::Inside { kind: Kind::Dir, .. } => break,
            Resolved::Dangling if tree.entry(&dir).map_err(|_| refuse())?.is_none() => {
                at = dir.parent();
            }
            Resolved::Inside { .. } | Resolved::Outside { .. } | Resolved::Dangling => {
                return Err(refuse());
            }
        }
    }
    Ok(())
}
