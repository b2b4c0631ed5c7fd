//! The files on disk below a root.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{Entry, Kind, Name, ReadError, RepoPath, Resolved, Tree, resolve_links};
use crate::text::Bytes;

/// The work tree below `root`. Nothing is cached but the real path of the root.
#[derive(Debug)]
pub struct WorkTree {
    root: PathBuf,
    real: OnceLock<PathBuf>,
    has_path: bool,
}

impl WorkTree {
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            real: OnceLock::new(),
            has_path: true,
        }
    }

    /// A folder that is reached through a handle (`/proc/self/fd/3`): below it, no path leads from the root of all files.
    pub fn without_a_path(root: &Path) -> Self {
        Self {
            has_path: false,
            ..Self::new(root)
        }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    fn real_root(&self) -> io::Result<&Path> {
        if self.real.get().is_none() {
            let real = fs::canonicalize(&self.root)?;
            return Ok(self.real.get_or_init(|| real));
        }
        Ok(self.real.get().expect("just seen"))
    }
}

/// Nothing has the name; nothing has one that is too long.
fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename
    )
}

/// A name that leads nowhere, rather than a failure to look.
pub(super) fn is_absence(error: &io::Error) -> bool {
    is_missing(error) || error.kind() == io::ErrorKind::NotADirectory || is_loop(error)
}

/// A loop of links, whose kind has no stable name yet.
#[cfg(unix)]
fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_loop(_: &io::Error) -> bool {
    false
}

fn kind_of(kind: fs::FileType) -> Kind {
    if kind.is_file() {
        Kind::File
    } else if kind.is_dir() {
        Kind::Dir
    } else if kind.is_symlink() {
        Kind::Link
    } else {
        Kind::Special
    }
}

#[cfg(unix)]
fn is_executable(meta: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

/// Refuses pipes, sockets and devices: a project must not be able to make a reader wait, or read, for ever.
fn has_an_end(path: &Path) -> io::Result<()> {
    match kind_of(fs::metadata(path)?.file_type()) {
        Kind::Special => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is a pipe, a socket or a device",
        )),
        Kind::File | Kind::Dir | Kind::Link | Kind::Submodule => Ok(()),
    }
}

impl Tree for WorkTree {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>, ReadError> {
        match fs::symlink_metadata(path.on_disk(&self.root)) {
            Ok(meta) => {
                let kind = kind_of(meta.file_type());
                Ok(Some(Entry {
                    kind,
                    executable: kind == Kind::File && is_executable(&meta),
                    id: None,
                }))
            }
            Err(e) if is_absence(&e) => Ok(None),
            Err(e) => Err(ReadError::new(path, e)),
        }
    }

    fn list(&self, dir: &RepoPath) -> Result<Vec<(Name, Entry)>, ReadError> {
        let fail = |e| ReadError::new(dir, e);
        let entries = match fs::read_dir(dir.on_disk(&self.root)) {
            Ok(entries) => entries,
            Err(e) if is_missing(&e) => return Ok(Vec::new()),
            Err(e) => return Err(fail(e)),
        };
        let mut out = Vec::new();
        for entry in entries {
            let entry = entry.map_err(fail)?;
            let name = <[u8] as bstr::ByteSlice>::from_os_str(&entry.file_name())
                .map(Name::from)
                .ok_or_else(|| {
                    fail(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "a name in it cannot be represented",
                    ))
                })?;
            let kind = kind_of(entry.file_type().map_err(fail)?);
            out.push((name, Entry::new(kind)));
        }
        out.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(out)
    }

    fn resolve(&self, path: &RepoPath) -> Result<Resolved, ReadError> {
        if !self.has_path {
            return resolve_links(self, path);
        }
        let fail = |e| ReadError::new(path, e);
        let real = match fs::canonicalize(path.on_disk(&self.root)) {
            Ok(real) => real,
            Err(e) if is_absence(&e) => return Ok(Resolved::Dangling),
            Err(e) => return Err(fail(e)),
        };
        let kind = kind_of(fs::metadata(&real).map_err(fail)?.file_type());
        let root = self.real_root().map_err(fail)?;
        Ok(match real.strip_prefix(root).ok().and_then(RepoPath::from_disk) {
            Some(path) => Resolved::Inside { path, kind },
            None => Resolved::Outside { kind },
        })
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Bytes>, ReadError> {
        let disk = path.on_disk(&self.root);
        match has_an_end(&disk).and_then(|()| fs::read(disk)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if is_absence(&e) => Ok(None),
            Err(e) => Err(ReadError::new(path, e)),
        }
    }

    fn link_target(&self, path: &RepoPath) -> Result<Bytes, ReadError> {
        let target = fs::read_link(path.on_disk(&self.root)).map_err(|e| ReadError::new(path, e))?;
        Ok(<[u8] as bstr::ByteSlice>::from_path(&target)
            .map(ToOwned::to_owned)
            .unwrap_or_default())
    }

    fn open(&self, path: &RepoPath) -> Result<Option<Box<dyn Read>>, ReadError> {
        let disk = path.on_disk(&self.root);
        match has_an_end(&disk).and_then(|()| fs::File::open(disk)) {
            Ok(file) => Ok(Some(Box::new(file))),
            Err(e) if is_absence(&e) => Ok(None),
            Err(e) => Err(ReadError::new(path, e)),
        }
    }
}
