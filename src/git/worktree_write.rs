//! What changes the set of work trees: one is added, moved aside, taken off the register (git.md 5.1 and 5.4).

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::taking::discard_kept;
use super::worktrees::git_file;
use super::{Error, Git, Registered, Repository};
use crate::fault;

/// Bytes that a name in a folder may have.
pub const LONGEST_NAME: usize = 255;

pub(super) fn failed(what: &Path) -> impl Fn(io::Error) -> Error {
    let what = what.display().to_string();
    move |e| Error::Object {
        what: what.clone(),
        reason: e.to_string(),
    }
}

impl Repository {
    /// Makes a work tree of a branch that is there, with all that git does for it: filters, hooks. Objects that a
    /// partial clone lacks are fetched only if that `may_fetch`.
    pub fn add_worktree(&self, path: &Path, branch: &str, may_fetch: bool) -> Result<(), Error> {
        fault::point().map_err(Error::Spawn)?;
        let mut git = self.change().set("GIT_SPEC_TRANSACTION", "1");
        if !may_fetch {
            git = git.set("GIT_NO_LAZY_FETCH", "1");
        }
        let out = git
            .args(["worktree", "add"])
            .args([path.as_os_str(), branch.as_ref()])
            .output()?;
        let Some(made) = self
            .worktrees()?
            .into_iter()
            .find(|tree| is_same(&tree.path, path))
        else {
            return Err(super::run::refusal("worktree", &out.complaint(), &out));
        };
        // The exit code may be that of the hook after checkout, which can refuse nothing any more; but not of a git that
        // was ended before it was done.
        let is_done =
            out.success() || (out.code.is_some() && made.locked.is_none() && is_checked_out(&made)?);
        if !is_done {
            return Err(super::run::refusal("worktree", &out.complaint(), &out));
        }
        Ok(())
    }

    /// Takes a lock off a work tree.
    pub fn unlock_worktree(&self, path: &Path) -> Result<(), Error> {
        fault::point().map_err(Error::Spawn)?;
        self.change()
            .args(["worktree", "unlock"])
            .args([path.as_os_str()])
            .ask()?;
        Ok(())
    }

    /// Repairs the registrations of all work trees; no work is touched.
    ///
    /// # Errors
    /// What git says.
    pub fn repair_worktrees(&self) -> Result<(), Error> {
        fault::point().map_err(Error::Spawn)?;
        self.change().args(["worktree", "repair"]).ask().map(drop)
    }

    /// Lets the register know where a work tree is after it was moved.
    pub fn repair_worktree(&self, path: &Path) -> Result<(), Error> {
        fault::point().map_err(Error::Spawn)?;
        self.change()
            .args(["worktree", "repair"])
            .args([path.as_os_str()])
            .ask()?;
        Ok(())
    }

    /// Takes over the sparse patterns of this work tree, where every work tree may have its own.
    pub fn share_sparse_patterns(&self, made: &Path) -> Result<bool, Error> {
        let is_on = |key: &str| {
            self.question()
                .args(["config", "--type=bool", "--default=false", "--get", key])
                .ask()
                .map(|value| value.trim_ascii_end() == b"true")
        };
        if !is_on("extensions.worktreeConfig")? || !is_on("core.sparseCheckout")? {
            return Ok(false);
        }
        let patterns = match fs::read(self.git_dir().join("info/sparse-checkout")) {
            Ok(patterns) => patterns,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(e) => return Err(failed(&self.git_dir())(e)),
        };
        let cone = is_on("core.sparseCheckoutCone")?;
        fault::point().map_err(Error::Spawn)?;
        Git::change_there(made)
            .args(["sparse-checkout", "set", "--stdin"])
            .args([if cone { "--cone" } else { "--no-cone" }])
            .input(if cone { cone_folders(self)? } else { patterns })
            .ask()?;
        Ok(true)
    }

    /// What a command that changes the set of work trees notes down before it does, so that the next one can end it.
    pub fn read_worktree_journal(&self) -> Result<Option<Vec<u8>>, Error> {
        let path = self.worktree_journal();
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                // It was never begun by whoever was killed while writing it.
                let _none = fs::remove_file(unfinished(&path));
                discard_kept(&self.kept_dir())?;
                Ok(None)
            }
            Err(e) => Err(failed(&path)(e)),
        }
    }

    pub fn write_worktree_journal(&self, text: &[u8]) -> Result<(), Error> {
        write_whole(&self.worktree_journal(), text)
    }

    pub fn end_worktree_journal(&self) -> Result<(), Error> {
        let path = self.worktree_journal();
        fault::point().map_err(failed(&path))?;
        fs::remove_file(&path).map_err(failed(&path))?;
        discard_kept(&self.kept_dir())?;
        // Still in use while the lock is in it.
        let _in_use = fs::remove_dir(self.shared_spec_dir());
        Ok(())
    }

    pub fn worktree_journal(&self) -> PathBuf {
        self.shared_spec_dir().join("worktree-journal")
    }

    /// Takes a work tree off the register. Nothing but its administrative folder is touched.
    pub fn unregister(&self, tree: &Registered) -> Result<(), Error> {
        let Some(admin) = &tree.admin else { return Ok(()) };
        self.forget_admin(admin)
    }

    /// As [`Repository::unregister`], by the administrative folder. First it is moved out of git's sight as a whole.
    pub fn forget_admin(&self, admin: &Path) -> Result<(), Error> {
        let gone = self.gone_admin(admin);
        if admin.exists() {
            let dir = self.shared_spec_dir();
            fs::create_dir_all(&dir).map_err(failed(&dir))?;
            fault::point().map_err(failed(admin))?;
            fs::rename(admin, &gone).map_err(failed(admin))?;
        }
        if gone.exists() {
            fault::point().map_err(failed(&gone))?;
            fs::remove_dir_all(&gone).map_err(failed(&gone))?;
        }
        // As git does it when the last one goes.
        let _in_use = fs::remove_dir(self.common_dir().join("worktrees"));
        Ok(())
    }

    fn gone_admin(&self, admin: &Path) -> PathBuf {
        let mut name = OsString::from("gone-");
        name.push(admin.file_name().unwrap_or_default());
        self.shared_spec_dir().join(name)
    }
}

/// Writes a file of ours below a git directory, complete or not at all; its folder is made.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<(), Error> {
    let new = unfinished(path);
    let written = || -> io::Result<()> {
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        fault::point()?;
        let mut file = fs::File::create(&new)?;
        file.write_all(content)?;
        file.sync_all()?;
        fault::point()?;
        fs::rename(&new, path)
    };
    written().map_err(|error| {
        // The first error is the one to tell.
        let _left = fs::remove_file(&new);
        failed(path)(error)
    })
}

/// Where a file is written before it gets its name.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    path.with_file_name(name)
}

/// The folders of a cone, as `sparse-checkout set` takes them.
fn cone_folders(repository: &Repository) -> Result<Vec<u8>, Error> {
    repository.question().args(["sparse-checkout", "list"]).ask()
}

/// The reason that git locks a work tree for while it makes it.
pub const INITIALIZING: &str = "initializing";

/// Whether all files of a new work tree are there.
fn is_checked_out(made: &Registered) -> Result<bool, Error> {
    let at_work = made
        .admin
        .as_ref()
        .is_some_and(|admin| admin.join("index.lock").exists());
    let condition = super::condition(&made.path)?;
    Ok(!at_work && condition.staged.is_empty() && condition.modified.is_empty())
}

/// A name beside a file or folder that nothing has yet: with `mark` behind it, and a number if need be.
pub fn free_beside(path: &Path, mark: &str) -> PathBuf {
    let name = |n: usize| {
        let mut mark = format!(".{mark}");
        if n > 1 {
            mark.push_str(&format!("-{n}"));
        }
        let mut name = OsString::from(path.file_name().unwrap_or_default());
        if name.len() + mark.len() > LONGEST_NAME {
            name = OsString::new();
        }
        name.push(mark);
        path.with_file_name(name)
    };
    let mut n = 1;
    while name(n).symlink_metadata().is_ok() {
        n += 1;
    }
    name(n)
}

/// Whether two paths are one place.
pub fn is_same(one: &Path, other: &Path) -> bool {
    one == other || super::absolute(one) == super::absolute(other)
}

/// Whether a place, which need not be there, is a folder or below it.
pub fn is_inside(place: &Path, folder: &Path) -> bool {
    let there = place.ancestors().find(|above| above.symlink_metadata().is_ok());
    let Some(there) = there else { return false };
    let rest = place.strip_prefix(there).unwrap_or(Path::new(""));
    super::absolute(there)
        .join(rest)
        .starts_with(super::absolute(folder))
}

/// Whether a folder is absent, or holds nothing but what git puts into an empty work tree.
pub fn is_bare_beginning(folder: &Path) -> Result<bool, Error> {
    match fs::read_dir(folder) {
        Ok(entries) => {
            for entry in entries {
                if entry.map_err(failed(folder))?.file_name() != ".git" {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(e) => Err(failed(folder)(e)),
    }
}

/// Whether nothing is at a path, or an empty folder.
pub fn is_free(path: &Path) -> Result<bool, Error> {
    match fs::symlink_metadata(path) {
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound) => Ok(true),
        Err(e) => Err(failed(path)(e)),
        Ok(meta) if meta.is_dir() => Ok(fs::read_dir(path).map_err(failed(path))?.next().is_none()),
        Ok(_) => Ok(false),
    }
}

/// Removes a folder that is empty, or holds only a `.git` file that leads to nothing that is there.
pub fn remove_bare_beginning(folder: &Path) -> Result<(), Error> {
    if !folder.exists() {
        return Ok(());
    }
    if let Some(target) = git_file(folder) {
        if target.exists() {
            return Ok(());
        }
        fault::point().map_err(failed(folder))?;
        fs::remove_file(folder.join(".git")).map_err(failed(folder))?;
    }
    fault::point().map_err(failed(folder))?;
    fs::remove_dir(folder).map_err(failed(folder))
}

/// The highest folder above a place that is not there, and is made with it; none if the one above it is there.
pub fn highest_missing_above(place: &Path) -> Option<&Path> {
    let is_missing = |dir: &&Path| dir.symlink_metadata().is_err();
    place.ancestors().skip(1).take_while(is_missing).last()
}

/// Removes the empty folders above a place, up to one of them.
pub fn remove_empty_above(place: &Path, highest: &Path) -> Result<(), Error> {
    for folder in place
        .ancestors()
        .skip(1)
        .take_while(|dir| dir.starts_with(highest))
    {
        if !folder.exists() {
            continue;
        }
        fault::point().map_err(failed(folder))?;
        match fs::remove_dir(folder) {
            // Whoever has put something into it meanwhile keeps it.
            Err(e) if e.kind() == io::ErrorKind::DirectoryNotEmpty => break,
            removed => removed.map_err(failed(folder))?,
        }
    }
    Ok(())
}

/// Renames a folder; refused where something is in its way.
pub fn rename_folder(from: &Path, to: &Path) -> Result<(), Error> {
    if to.symlink_metadata().is_ok() {
        return Err(failed(to)(io::Error::from(io::ErrorKind::AlreadyExists)));
    }
    fault::point().map_err(failed(from))?;
    fs::rename(from, to).map_err(failed(from))
}
