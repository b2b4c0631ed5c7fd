//! Where work trees lie and what their branches are called: the layout of a project as data.

use std::path::{Path, PathBuf};

use crate::files::RepoPath;
use crate::git::{self, Repository};

/// How the work trees of a kind of project are laid out (git.md 5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// What the name of a change follows in the name of its branch.
    pub branch_prefix: String,
    /// The folder that holds the work trees.
    pub dir: PathBuf,
    /// Paths below a project that never count as work.
    pub uncounted: Vec<RepoPath>,
}

impl Layout {
    /// The layout of a `logos/` project: a sibling of the main work tree's top, unless the configuration says otherwise.
    pub fn beside(repository: &Repository, uncounted: Vec<RepoPath>) -> Result<Self, git::Error> {
        let main = repository
            .worktrees()?
            .into_iter()
            .next()
            .ok_or(git::Error::NotARepository)?;
        let configured = repository
            .question()
            .args(["config", "--type=path", "--get", "spec.worktreeDir"])
            .output()?;
        let configured = configured.stdout.strip_suffix(b"\n").unwrap_or_default();
        let dir = match configured {
            b"" => sibling(&main.path),
            set => main.path.join(bstr::ByteSlice::to_path_lossy(set)),
        };
        Ok(Self {
            branch_prefix: repository
                .setting("spec.branchPrefix")
                .unwrap_or_else(|| "spec/".to_owned()),
            dir,
            uncounted,
        })
    }

    pub fn branch(&self, change: &str) -> String {
        format!("{}{change}", self.branch_prefix)
    }

    pub fn path(&self, change: &str) -> PathBuf {
        self.dir.join(change)
    }

    /// The change whose branch this is; none if it is none of ours.
    pub fn change_of<'b>(&self, branch: &'b str) -> Option<&'b str> {
        branch
            .strip_prefix(&self.branch_prefix)
            .filter(|change| !change.is_empty())
    }
}

/// `<top>.worktrees`; of a bare `x.git`, and of a bare `x/.git`, `x.worktrees`.
fn sibling(main: &Path) -> PathBuf {
    let name = main.file_name().unwrap_or_default().to_os_string();
    if name == ".git"
        && let Some(above) = main.parent()
    {
        return sibling(above);
    }
    let mut name = match main.extension() {
        Some(extension) if extension == "git" => main.file_stem().unwrap_or_default().to_os_string(),
        Some(_) | None => name,
    };
    name.push(".worktrees");
    main.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worktrees_lie_beside_the_top() {
        for (main, dir) in [
            ("/a/b c", "/a/b c.worktrees"),
            ("/a/x.git", "/a/x.worktrees"),
            ("/a/x/.git", "/a/x.worktrees"),
            ("/a/x.y", "/a/x.y.worktrees"),
        ] {
            assert_eq!(sibling(Path::new(main)), PathBuf::from(dir));
        }
    }
}
