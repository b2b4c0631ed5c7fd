//! Files come into a work tree all together or not at all. What stood in their places is kept beside until they are in; git
//! works with an index of its own, which takes the place of the user's as the last step (git.md 5.7).

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;

use super::bring::refresh;
use super::commit::{nul_list, nul_paths};
use super::condition::{copy_with_time, git_dir_of};
use super::nested::commit_of;
use super::worktree_write::failed;
use super::{Error, Git, LITERAL, Repository, free_beside, highest_missing_above, remove_empty_above};
use crate::fault;
use crate::files::{ObjectId, RepoPath};

/// Files that are about to come into a work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taking {
    /// The top of the work tree.
    pub top: PathBuf,
    /// What its HEAD was before.
    pub head: ObjectId,
    /// The commit that is merged, where one is.
    pub merged: Option<ObjectId>,
    /// Trees that have the files as they come.
    pub trees: Vec<ObjectId>,
    /// Where something changes, in byte order.
    pub paths: Vec<RepoPath>,
    /// The highest folders that are made for them.
    pub made: Vec<PathBuf>,
    git_dir: PathBuf,
    kept: PathBuf,
}

impl Repository {
    /// Files that are to come into the work tree at `top`.
    pub fn taking(
        &self,
        top: &Path,
        head: ObjectId,
        merged: Option<ObjectId>,
        trees: Vec<ObjectId>,
        mut paths: Vec<RepoPath>,
    ) -> Result<Taking, Error> {
        paths.sort();
        paths.dedup();
        let places = paths.iter().map(|path| path.on_disk(top));
        let made: BTreeSet<PathBuf> = places
            .filter_map(|place| highest_missing_above(&place).map(Path::to_owned))
            .collect();
        Ok(Taking {
            git_dir: git_dir_of(top)?,
            kept: self.kept_dir(),
            made: made.into_iter().collect(),
            top: top.to_owned(),
            head,
            merged,
            trees,
            paths,
        })
    }

    /// Where things are kept while files come in.
    pub(super) fn kept_dir(&self) -> PathBuf {
        self.shared_spec_dir().join("kept")
    }
}

impl Taking {
    /// The index that git is to work with.
    pub fn index(&self) -> PathBuf {
        self.kept.join("work-index")
    }

    /// What takes the user's place once it is complete.
    fn new_index(&self) -> PathBuf {
        self.kept.join("new-index")
    }

    fn old_index(&self) -> PathBuf {
        self.kept.join("old-index")
    }

    fn place_of_kept(&self, n: usize) -> PathBuf {
        self.kept.join(n.to_string())
    }

    /// Keeps what stands in the places now.
    pub fn keep(&self) -> Result<(), Error> {
        self.discard()?;
        fs::create_dir_all(&self.kept).map_err(failed(&self.kept))?;
        let index = self.git_dir.join("index");
        for copy in [self.old_index(), self.index()] {
            fault::point().map_err(failed(&copy))?;
            match copy_with_time(&index, &copy) {
                // A work tree in which nothing was ever added has none.
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                copied => copied.map_err(failed(&index))?,
            }
        }
        for (n, path) in self.paths.iter().enumerate() {
            copy(&path.on_disk(&self.top), &self.place_of_kept(n))?;
        }
        refresh(&|| Git::change_there(&self.top).index(&self.index()))
    }

    /// Lets the user's index be what git has made of ours; refused if the user's was changed meanwhile.
    pub fn install(&self) -> Result<(), Error> {
        let (index, lock, new) = (self.git_dir.join("index"), self.lock(), self.new_index());
        fault::point().map_err(failed(&new))?;
        fs::rename(self.index(), &new).map_err(failed(&new))?;
        fault::point().map_err(failed(&lock))?;
        match fs::hard_link(&new, &lock) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Err(failed(&lock)(e)),
            // A file system without hard links.
            Err(_) => {
                let mut made = fs::File::create_new(&lock).map_err(failed(&lock))?;
                let mut from = fs::File::open(&new).map_err(failed(&new))?;
                io::copy(&mut from, &mut made).map_err(failed(&lock))?;
            }
        }
        if read(&index)? != read(&self.old_index())? {
            fs::remove_file(&lock).map_err(failed(&lock))?;
            return Err(failed(&index)(io::Error::other("it was written to meanwhile")));
        }
        fault::point().map_err(failed(&index))?;
        fs::rename(&lock, &index).map_err(failed(&index))?;
        // What is done is done: whoever is told of a failure takes it for undone.
        let _done = fault::point();
        Ok(())
    }

    fn lock(&self) -> PathBuf {
        self.git_dir.join("index.lock")
    }

    /// Ends what was begun: completes it if the files are in, else puts all back. Says which.
    pub fn settle(&self) -> Result<bool, Error> {
        if read(&self.lock())?.is_some_and(|lock| read(&self.new_index()).is_ok_and(|new| new == Some(lock)))
        {
            fault::point().map_err(failed(&self.lock()))?;
            fs::remove_file(self.lock()).map_err(failed(&self.lock()))?;
        }
        let head = commit_of(&|| Git::there(&self.top), "HEAD")?;
        if let (Some(merged), Some(head)) = (self.merged, head)
            && head != self.head
            && self.has(merged, head)?
        {
            self.index_as_head()?;
            return Ok(true);
        }
        let new = read(&self.new_index())?;
        if new.is_some() && new == read(&self.git_dir.join("index"))? || !self.staged()?.is_empty() {
            return Ok(true);
        }
        self.put_back()?;
        self.forget_merge()?;
        Ok(false)
    }

    fn has(&self, merged: ObjectId, head: ObjectId) -> Result<bool, Error> {
        Git::there(&self.top)
            .args([
                "merge-base",
                "--is-ancestor",
                &merged.to_string(),
                &head.to_string(),
            ])
            .ask_whether()
    }

    /// Those of the places at which the user's index is not as HEAD was.
    fn staged(&self) -> Result<Vec<RepoPath>, Error> {
        let listed = Git::there(&self.top)
            .args(["diff-index", "--cached", "--name-only", "--no-renames", "-z"])
            .args([self.head.to_string()])
            .ask()?;
        let mut staged = nul_paths(&listed)?;
        staged.retain(|path| self.paths.binary_search(path).is_ok());
        Ok(staged)
    }

    /// After a merge: where the index is as HEAD was, it becomes as HEAD is.
    fn index_as_head(&self) -> Result<(), Error> {
        let staged = self.staged()?;
        let behind = self.paths.iter().filter(|path| !staged.contains(path));
        let list = nul_list(behind, LITERAL);
        if list.is_empty() {
            return Ok(());
        }
        fault::point().map_err(Error::Spawn)?;
        Git::change_there(&self.top)
            .args([
                "reset",
                "--quiet",
                "--pathspec-from-file=-",
                "--pathspec-file-nul",
            ])
            .args(["HEAD"])
            .input(list)
            .ask()?;
        Ok(())
    }

    /// What git keeps of a merge that did not come to its end.
    fn forget_merge(&self) -> Result<(), Error> {
        let head = self.git_dir.join("MERGE_HEAD");
        let named = read(&head)?.and_then(|text| ObjectId::from_hex(&text.trim().to_str_lossy()));
        if self.merged.is_none() || named != self.merged {
            return Ok(());
        }
        for name in ["MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "MERGE_HEAD"] {
            let path = self.git_dir.join(name);
            match fs::remove_file(&path) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                removed => removed.map_err(failed(&path))?,
            }
        }
        Ok(())
    }

    fn put_back(&self) -> Result<(), Error> {
        let mut files = Vec::new();
        for (n, path) in self.paths.iter().enumerate() {
            let (place, kept) = (path.on_disk(&self.top), self.place_of_kept(n));
            match kept.symlink_metadata() {
                Ok(meta) if !meta.is_dir() => {
                    files.push((path, place, kept));
                    continue;
                }
                Ok(_) | Err(_) => {}
            }
            match place.symlink_metadata() {
                // It stays if anything is in it.
                Ok(meta) if meta.is_dir() => {
                    if kept.symlink_metadata().is_err() {
                        let _in_use = fs::remove_dir(&place);
                    }
                }
                Ok(_) => self.clear(path, &place, None)?,
                Err(_) => {}
            }
            if let Some(highest) = self.made.iter().find(|made| place.starts_with(made)) {
                remove_empty_above(&place, highest)?;
            }
        }
        for (path, place, kept) in files {
            if is_alike(&place, &kept)? {
                continue;
            }
            self.clear(path, &place, Some(&kept))?;
            if let Some(above) = place.parent() {
                fs::create_dir_all(above).map_err(failed(above))?;
            }
            copy(&kept, &place)?;
        }
        Ok(())
    }

    /// Takes away what stands in a place if it came by this. What somebody has made of it since is kept beside it.
    fn clear(&self, path: &RepoPath, place: &Path, kept: Option<&Path>) -> Result<(), Error> {
        let Ok(meta) = place.symlink_metadata() else {
            return Ok(());
        };
        if meta.is_dir() && fs::remove_dir(place).is_ok() {
            return Ok(());
        }
        fault::point().map_err(failed(place))?;
        if !meta.is_dir() && self.is_begun(path, &content(place)?, kept)? {
            return fs::remove_file(place).map_err(failed(place));
        }
        let free = free_beside(place, "kept");
        fs::rename(place, &free).map_err(failed(place))
    }

    /// Whether a file is what was to come, or what is put back, or the beginning of either.
    fn is_begun(&self, path: &RepoPath, now: &[u8], kept: Option<&Path>) -> Result<bool, Error> {
        if let Some(kept) = kept
            && content(kept)?.starts_with(now)
        {
            return Ok(true);
        }
        for tree in &self.trees {
            let named = [tree.to_string().as_bytes(), b":", path.as_bytes()].concat();
            // One that has no such file, or whose filter fails, has nothing to compare with.
            let whole = Git::there(&self.top)
                .args(["cat-file", "--filters"])
                .args([named.to_os_str_lossy()])
                .output()?;
            if whole.success() && whole.stdout.starts_with(now) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Lets go of what was kept.
    pub fn discard(&self) -> Result<(), Error> {
        discard_kept(&self.kept)
    }
}

pub(super) fn discard_kept(kept: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(kept) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(kept)(e)),
        _ => Ok(()),
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(failed(path)(e)),
    }
}

/// The bytes of a file, or where a link leads.
fn content(place: &Path) -> Result<Vec<u8>, Error> {
    let meta = place.symlink_metadata().map_err(failed(place))?;
    if meta.is_symlink() {
        let target = fs::read_link(place).map_err(failed(place))?;
        return Ok(target.into_os_string().into_encoded_bytes());
    }
    fs::read(place).map_err(failed(place))
}

fn is_alike(one: &Path, other: &Path) -> Result<bool, Error> {
    let (Ok(a), Ok(b)) = (one.symlink_metadata(), other.symlink_metadata()) else {
        return Ok(false);
    };
    let same_kind = a.file_type() == b.file_type() && a.permissions() == b.permissions();
    Ok(same_kind && !a.is_dir() && content(one)? == content(other)?)
}

/// Copies a file with its mode and time, a link as a link, of a folder only that it is one; nothing where nothing is.
fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    let meta = match from.symlink_metadata() {
        Ok(meta) => meta,
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(()),
        Err(e) => return Err(failed(from)(e)),
    };
    fault::point().map_err(failed(to))?;
    let copied = || -> io::Result<()> {
        if meta.is_dir() {
            return fs::create_dir(to);
        }
        if meta.is_symlink() {
            return copy_link(from, to);
        }
        copy_with_time(from, to)
    };
    copied().map_err(failed(from))
}

#[cfg(unix)]
fn copy_link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(fs::read_link(from)?, to)
}

#[cfg(windows)]
fn copy_link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(fs::read_link(from)?, to)
}
