//! A private copy of a project: made, compared with what it was, brought back from, removed (verify.md 7.2).

use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes, Metadata};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use crate::files::RepoPath;

/// Folders whose content is no part of what is judged.
const EXEMPT: &str = "node_modules";

/// The copy, removed when it is dropped.
#[derive(Debug)]
pub(super) struct Copy {
    real: PathBuf,
    /// Its own folder below the root of sandboxes.
    folder: tempfile::TempDir,
    entries: BTreeMap<PathBuf, Seen>,
}

/// What tells whether an entry is what it was.
#[derive(Debug)]
enum Seen {
    File { len: u64, times: Times },
    Link(PathBuf),
}

#[derive(Debug, PartialEq, Eq)]
struct Times {
    modified: Option<(i64, i64)>,
    changed: Option<(i64, i64)>,
}

impl Times {
    fn of(found: &Metadata) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Self {
                modified: Some((found.mtime(), found.mtime_nsec())),
                changed: Some((found.ctime(), found.ctime_nsec())),
            }
        }
        // Unknown times never prove that a file is what it was.
        #[cfg(not(unix))]
        Self {
            modified: None,
            changed: None,
        }
    }
}

impl Times {
    fn prove(&self, now: &Self) -> bool {
        self.changed.is_some() && self == now
    }
}

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoCopy {
    #[error("the folder for copies lies inside the project")]
    RootInside,
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Copy {
    /// Copies the project at `real` into a new folder below `root`.
    pub(super) fn make(real: &Path, root: &Path) -> Result<Self, NoCopy> {
        let real = real.canonicalize()?;
        fs::create_dir_all(root)?;
        let root = root.canonicalize()?;
        if root.starts_with(&real) {
            return Err(NoCopy::RootInside);
        }
        let folder = tempfile::Builder::new().prefix("git-spec-").tempdir_in(&root)?;
        let mut copy = Self {
            real,
            folder,
            entries: BTreeMap::new(),
        };
        copy.fill(Path::new(""))?;
        Ok(copy)
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Whether an exempt folder is in it.
    pub(super) fn has_exempt(&self) -> bool {
        fn below(dir: &Path) -> bool {
            let Ok(entries) = fs::read_dir(dir) else {
                return false;
            };
            entries.filter_map(Result::ok).any(|entry| {
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                is_folder && (entry.file_name() == EXEMPT || below(&entry.path()))
            })
        }
        below(self.path())
    }

    fn fill(&mut self, at: &Path) -> io::Result<()> {
        for entry in fs::read_dir(self.real.join(at))? {
            let entry = entry?;
            let path = at.join(entry.file_name());
            let kind = entry.file_type()?;
            let (from, to) = (entry.path(), self.path().join(&path));
            if kind.is_dir() {
                fs::create_dir(&to)?;
                self.fill(&path)?;
                let found = entry.metadata()?;
                fs::set_permissions(&to, found.permissions())?;
            } else if kind.is_symlink() {
                let target = fs::read_link(&from)?;
                link(&target, &to)?;
                self.entries.insert(path, Seen::Link(target));
            } else if kind.is_file() {
                fs::copy(&from, &to)?;
                let modified = entry.metadata()?.modified()?;
                let writable = File::options().write(true).open(&to);
                // One that nobody may write keeps the time of the copy.
                if let Ok(file) = writable {
                    file.set_times(FileTimes::new().set_modified(modified))?;
                }
                let found = fs::symlink_metadata(&to)?;
                let seen = Seen::File {
                    len: found.len(),
                    times: Times::of(&found),
                };
                self.entries.insert(path, seen);
            }
            // Pipes, sockets and devices are of processes, not of the project.
        }
        Ok(())
    }

    /// The links that lead out of the copy, by where they resolve or by their own words.
    pub(super) fn escaping(&self) -> Vec<PathBuf> {
        let is_inside = |path: &Path| path.starts_with(self.path());
        let leads_out = |path: &Path, target: &Path| {
            if target.is_absolute() {
                return true;
            }
            let above = path.parent().unwrap_or(Path::new(""));
            let mut depth: usize = above.components().count();
            for part in target.components() {
                match part {
                    Component::ParentDir if depth == 0 => return true,
                    Component::ParentDir => depth -= 1,
                    Component::Normal(_) => depth += 1,
                    Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
                }
            }
            let resolved = self.path().join(path).canonicalize();
            resolved.is_ok_and(|resolved| !is_inside(&resolved))
        };
        let links = self.entries.iter().filter_map(|(path, seen)| match seen {
            Seen::Link(target) => leads_out(path, target).then(|| path.clone()),
            Seen::File { .. } => None,
        });
        links.collect()
    }

    /// What is not as it was copied, in path order; exempt folders are passed over.
    pub(super) fn changes(&self) -> io::Result<Vec<PathBuf>> {
        let mut now = BTreeMap::new();
        list(self.path(), Path::new(""), &mut now)?;
        let mut out: Vec<PathBuf> = Vec::new();
        for (path, found) in &now {
            if !self.is_as_it_was(path, found)? {
                out.push(path.clone());
            }
        }
        out.extend(
            self.entries
                .keys()
                .filter(|path| !now.contains_key(*path))
                .cloned(),
        );
        out.retain(|path| !path.components().any(|part| part.as_os_str() == EXEMPT));
        out.sort();
        Ok(out)
    }

    fn is_as_it_was(&self, path: &Path, found: &Metadata) -> io::Result<bool> {
        let here = self.path().join(path);
        Ok(match self.entries.get(path) {
            Some(Seen::Link(target)) if found.is_symlink() => fs::read_link(here)? == *target,
            Some(Seen::File { len, times }) if found.is_file() => {
                *len == found.len()
                    && (times.prove(&Times::of(found)) || same_content(&here, &self.real.join(path))?)
            }
            _ => false,
        })
    }

    /// Brings a file back to where the project has it; whether there was one. An error says why it is not safe.
    pub(super) fn bring_back(&self, path: &RepoPath) -> Result<bool, String> {
        let here = path.on_disk(self.path());
        match fs::symlink_metadata(&here) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error.to_string()),
            Ok(found) if !found.is_file() => return Err("it is no regular file".to_owned()),
            Ok(_) => {}
        }
        let resolved = here.canonicalize().map_err(|error| error.to_string())?;
        let own = self.path().canonicalize().map_err(|error| error.to_string())?;
        if !resolved.starts_with(own) {
            return Err("it lies outside of the copy".to_owned());
        }
        let mut above = self.real.clone();
        if let Some(parent) = path.parent() {
            for part in parent.parts() {
                above = RepoPath::root().join(part).on_disk(&above);
                if above.is_symlink() {
                    return Err("a folder above it is a symbolic link".to_owned());
                }
            }
        }
        let bring = || -> io::Result<()> {
            fs::create_dir_all(&above)?;
            let mut new = tempfile::NamedTempFile::new_in(&above)?;
            io::copy(&mut File::open(&here)?, new.as_file_mut())?;
            new.as_file()
                .set_permissions(fs::metadata(&here)?.permissions())?;
            new.as_file().sync_all()?;
            new.persist(path.on_disk(&self.real))
                .map_err(|error| error.error)?;
            Ok(())
        };
        bring().map_err(|error| error.to_string())?;
        Ok(true)
    }
}

impl Drop for Copy {
    /// What may not be written may not be removed: all folders are made writable first.
    fn drop(&mut self) {
        fn open_up(dir: &Path) {
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                // Who may not change it may not remove it either; that is told by what stays.
                let _refused = fs::set_permissions(dir, fs::Permissions::from_mode(0o700));
            }
            let Ok(entries) = fs::read_dir(dir) else { return };
            for entry in entries.filter_map(Result::ok) {
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    open_up(&entry.path());
                }
            }
        }
        open_up(self.path());
    }
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

#[cfg(not(unix))]
fn link(_target: &Path, _at: &Path) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// The files and links below a folder.
fn list(root: &Path, at: &Path, out: &mut BTreeMap<PathBuf, Metadata>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(at))? {
        let entry = entry?;
        let path = at.join(entry.file_name());
        let found = entry.metadata()?;
        if found.is_dir() {
            if entry.file_name() != EXEMPT {
                list(root, &path, out)?;
            }
        } else {
            out.insert(path, found);
        }
    }
    Ok(())
}

fn same_content(one: &Path, other: &Path) -> io::Result<bool> {
    let Ok(other) = File::open(other) else {
        return Ok(false);
    };
    let mut one = io::BufReader::new(File::open(one)?).bytes();
    let mut other = io::BufReader::new(other).bytes();
    loop {
        match (one.next().transpose()?, other.next().transpose()?) {
            (None, None) => return Ok(true),
            (a, b) if a != b => return Ok(false),
            _ => {}
        }
    }
}
