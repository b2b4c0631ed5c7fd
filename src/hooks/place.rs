//! Where git looks for hooks: in each work tree, by whichever configuration says so (git.md 3.6).

use std::path::{Path, PathBuf};

use bstr::ByteSlice;

use crate::git::{Error, Folder, Git, LITERAL, Repository};

/// Where `core.hooksPath` comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Unset,
    Local,
    Worktree,
    Global,
    System,
    /// The command line of whoever runs us.
    Command,
}

impl Scope {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unset => "unset",
            Self::Local => "local",
            Self::Worktree => "worktree",
            Self::Global => "global",
            Self::System => "system",
            Self::Command => "command",
        }
    }

    fn named(word: &[u8]) -> Self {
        match word {
            b"local" => Self::Local,
            b"worktree" => Self::Worktree,
            b"global" => Self::Global,
            b"system" => Self::System,
            _ => Self::Command,
        }
    }

    /// Whether the folder serves other repositories too.
    pub const fn is_shared(self) -> bool {
        matches!(self, Self::Global | Self::System)
    }
}

/// Where git looks for hooks in one work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    pub worktree: PathBuf,
    pub folder: PathBuf,
    pub scope: Scope,
}

impl Reach {
    fn of(worktree: &Path) -> Result<Self, Error> {
        let git = || Git::there(worktree);
        let asked = git()
            .args(["config", "--show-scope", "--get", "core.hooksPath"])
            .output()?;
        let scope = match asked.code {
            Some(0) => asked.stdout.fields().next().map_or(Scope::Command, Scope::named),
            _ => Scope::Unset,
        };
        let printed = git()
            .args(["rev-parse", "--path-format=absolute", "--git-path", "hooks"])
            .ask()?;
        let folder = printed.strip_suffix(b"\n").unwrap_or(&printed);
        Ok(Self {
            worktree: worktree.to_owned(),
            folder: folder.to_path_lossy().into_owned(),
            scope,
        })
    }

    /// Of the main work tree (in a bare repository its git directory) first, and of every linked one that is there.
    pub fn all(repository: &Repository) -> Result<Vec<Self>, Error> {
        let mut out = Vec::new();
        for tree in repository.worktrees()? {
            if tree.folder() == Folder::Sound {
                out.push(Self::of(&tree.path)?);
            }
        }
        Ok(out)
    }

    /// Whether a file of the folder is in the index of the work tree: then it is the project's, and no place of ours.
    pub fn is_tracked(&self) -> Result<bool, Error> {
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let (top, folder) = (real(&self.worktree), real(&self.folder));
        let Some(inner) = folder
            .strip_prefix(&top)
            .ok()
            .filter(|inner| !inner.as_os_str().is_empty())
        else {
            return Ok(false);
        };
        let mut spec = std::ffi::OsString::from(LITERAL);
        spec.push(inner);
        let asked = Git::there(&self.worktree)
            .args(["ls-files", "-z", "--"])
            .args([spec])
            .output()?;
        // In a git directory there is no index to be asked.
        Ok(asked.success() && !asked.stdout.is_empty())
    }
}
