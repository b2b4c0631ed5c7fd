//! Where work trees lie and what their branches are called: the layout of a project as data.

use std::path::{Path, PathBuf};

use crate::files::RepoPath;
use crate::git::{self, Registered, Repository};

/// The folder that makes a project without `logos/` (silly.md 2).
pub const SILLY: &str = ".sillyspec";
/// What the programs that work there keep for themselves; not tracked.
const SILLY_RUNTIME: &str = ".sillyspec/.runtime";
/// One work tree per change (silly.md 8).
pub const SILLY_TREES: &str = ".sillyspec/.runtime/worktrees";
/// What their branches begin with.
pub(super) const SILLY_BRANCHES: &str = "sillyspec/";

/// How the work trees of a kind of project are laid out (git.md 5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// What the name of a change follows in the name of its branch.
    pub branch_prefix: String,
    /// The folder that holds the work trees.
    pub dir: PathBuf,
    /// Paths below a project that never count as work.
    pub uncounted: Vec<RepoPath>,
    pub records: Records,
}

/// Where it is written down whose a work tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Records {
    /// In its administrative folder, as `spec.json` (git.md 5.2).
    Administrative,
    /// At its top, as `meta.json` (silly.md 8).
    Inside,
}

impl Layout {
    /// The layout of a `logos/` project: a sibling of the main work tree's top, unless the configuration says otherwise.
    pub fn beside(repository: &Repository, uncounted: Vec<RepoPath>) -> Result<Self, git::Error> {
        let main = main_of(repository)?;
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
            records: Records::Administrative,
        })
    }

    /// The layout of a `.sillyspec/` project, which other programs know, so that nothing of it can be configured: inside
    /// the project in the main work tree; a bare repository, which has none, has them beside it.
    pub fn inside(repository: &Repository, project: &RepoPath) -> Result<Self, git::Error> {
        let main = main_of(repository)?;
        let dir = if git::is_same(&main.path, &repository.common_dir()) {
            sibling(&main.path)
        } else {
            RepoPath::of(SILLY_TREES).below(project).on_disk(&main.path)
        };
        Ok(Self {
            branch_prefix: SILLY_BRANCHES.to_owned(),
            dir,
            uncounted: vec![RepoPath::of(SILLY_RUNTIME)],
            records: Records::Inside,
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

fn main_of(repository: &Repository) -> Result<Registered, git::Error> {
    let main = repository.worktrees()?.into_iter().next();
    main.ok_or(git::Error::NotARepository)
}

/// The project and the change that the place of a work tree tells, where it lies inside a `.sillyspec/` project of the
/// main work tree.
pub fn told_by_place(main: &Path, tree: &Path) -> Option<(RepoPath, String)> {
    let change = tree.file_name()?.to_str()?.to_owned();
    let holder = tree.parent()?;
    if !holder.ends_with(SILLY_TREES) {
        return None;
    }
    let root = holder
        .ancestors()
        .nth(Path::new(SILLY_TREES).components().count())?;
    let below = root.strip_prefix(main).ok()?;
    Some((RepoPath::from_disk(below)?, change))
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

    #[test]
    fn a_place_inside_a_project_tells_project_and_change() {
        let told = |tree: &str| {
            told_by_place(Path::new("/a/main"), Path::new(tree))
                .map(|(project, change)| (project.text().into_owned(), change))
        };
        let own = |project: &str, change: &str| Some((project.to_owned(), change.to_owned()));
        assert_eq!(
            told("/a/main/.sillyspec/.runtime/worktrees/导出"),
            own("", "导出")
        );
        assert_eq!(
            told("/a/main/apps/x/.sillyspec/.runtime/worktrees/c1"),
            own("apps/x", "c1")
        );
        for elsewhere in [
            "/a/other/.sillyspec/.runtime/worktrees/c1",
            "/a/main/.sillyspec/.runtime/worktrees",
            "/a/main/.sillyspec/.runtime/worktrees/c1/sub",
            "/a/main.worktrees/c1",
        ] {
            assert_eq!(told(elsewhere), None, "{elsewhere}");
        }
    }
}
