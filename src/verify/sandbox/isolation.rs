//! What the ways to isolate a command have in common (verify.md 7.4): where it runs, what it changed, what of that is
//! brought back.
//!
//! | way | writes to the project | needs |
//! |---|---|---|
//! | [`Backend::Overlay`] (E) | go to a layer above it, at the same path | user namespaces, Linux 5.11 |
//! | [`Backend::Confined`] (C) | are refused; a copy takes those that are meant | Landlock, Linux 6.2 |
//! | [`Backend::Bwrap`] (B) | are refused; a copy takes those that are meant | the program `bwrap`, user namespaces |
//! | [`Backend::Copy`] (A) | by its absolute path they happen | nothing |

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Means;
#[cfg(target_os = "linux")]
use super::bwrap::Bound;
use super::copy::Copy;
#[cfg(target_os = "linux")]
use super::overlay::Overlay;
use super::private::Root;
use super::survey::Survey;
use crate::files::{RepoPath, WorkTree};
use crate::process::{Ended, Shell};

/// A way to isolate a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Overlay,
    Confined,
    Bwrap,
    Copy,
}

/// What a way is prepared from.
pub(super) struct Ground<'a> {
    /// The project, without links in its path.
    pub(super) real: &'a Path,
    pub(super) root: &'a Root,
    pub(super) survey: &'a Survey,
    pub(super) means: &'a Means,
}

/// Why a way is not to be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unprepared {
    /// Not here; another way may be.
    #[error("{0}")]
    Unavailable(String),
    /// The project cannot be copied.
    #[error(transparent)]
    NoCopy(io::Error),
}

/// A command's own place, as it is prepared; removed when it is dropped.
pub(super) trait Isolation {
    /// The private folder of this run.
    fn folder(&self) -> &Path;

    /// Runs a command there, and ends what it leaves running: that would outlive its place.
    fn run(&self, shell: Shell) -> io::Result<(Ended, Vec<u8>)>;

    /// The project as the command left it.
    fn tree(&self) -> WorkTree;

    /// Files and links that are not as they were, in path order; exempt folders are passed over. What has the same
    /// content counts as untouched, whatever its times and its mode.
    fn changed_paths(&self) -> io::Result<Vec<PathBuf>>;

    /// Whether an exempt folder is there now, or was before.
    fn has_exempt(&self) -> bool;

    /// A regular file as the command left it; none if it is not there. An error says why it is not safe to read.
    fn open(&self, path: &RepoPath) -> Result<Option<File>, String>;

    /// Brings a file back to where the project at `real` has it; nothing if it is not there. An error says why it is not
    /// safe.
    fn bring_back(&self, path: &RepoPath, real: &Path) -> Result<(), String> {
        match self.open(path)? {
            Some(file) => deliver(file, path, real),
            None => Ok(()),
        }
    }
}

impl Backend {
    /// The way that protects, by the name that `GIT_SPEC_SANDBOX_BACKEND` has for it.
    pub fn named(name: &str) -> Option<Self> {
        Self::PROTECTING.into_iter().find(|way| way.name() == name)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Overlay => "overlay",
            Self::Confined | Self::Copy => "copy",
            Self::Bwrap => "bwrap",
        }
    }

    /// All that protect the project, the better ones first.
    pub(super) const PROTECTING: [Self; 3] = [Self::Overlay, Self::Confined, Self::Bwrap];

    /// Prepares it by really doing it.
    pub(super) fn prepare(self, ground: &Ground<'_>) -> Result<Box<dyn Isolation>, Unprepared> {
        Ok(match self {
            #[cfg(target_os = "linux")]
            Self::Overlay => Box::new(Overlay::prepare(ground)?),
            #[cfg(target_os = "linux")]
            Self::Bwrap => Box::new(Bound::prepare(ground)?),
            #[cfg(not(target_os = "linux"))]
            Self::Overlay | Self::Bwrap => {
                return Err(Unprepared::Unavailable("only Linux has namespaces".to_owned()));
            }
            Self::Confined => Box::new(Copy::confined(ground)?),
            Self::Copy => Box::new(Copy::plain(ground)?),
        })
    }
}

fn deliver(mut file: File, path: &RepoPath, real: &Path) -> Result<(), String> {
    let mut above = real.to_owned();
    if let Some(parent) = path.parent() {
        for part in parent.parts() {
            above = RepoPath::root().join(part).on_disk(&above);
            if above.is_symlink() {
                return Err("a folder above it is a symbolic link".to_owned());
            }
        }
    }
    let mut bring = || -> io::Result<()> {
        fs::create_dir_all(&above)?;
        let mut new = tempfile::NamedTempFile::new_in(&above)?;
        io::copy(&mut file, new.as_file_mut())?;
        new.as_file().set_permissions(plain_mode(&file.metadata()?))?;
        new.as_file().sync_all()?;
        new.persist(path.on_disk(real)).map_err(|error| error.error)?;
        Ok(())
    };
    bring().map_err(|error| error.to_string())
}

/// What may be done with a file; never that it runs as somebody else.
fn plain_mode(found: &Metadata) -> fs::Permissions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::Permissions::from_mode(found.permissions().mode() & 0o777)
    }
    #[cfg(not(unix))]
    found.permissions()
}

/// Whether two entries are alike but for times and mode: files by their content, links by their target.
pub(super) fn is_alike(one: (&Path, &Metadata), other: (&Path, &Metadata)) -> io::Result<bool> {
    let (kind, other_kind) = (one.1.file_type(), other.1.file_type());
    if kind.is_symlink() && other_kind.is_symlink() {
        return Ok(fs::read_link(one.0)? == fs::read_link(other.0)?);
    }
    if kind.is_file() && other_kind.is_file() {
        return Ok(one.1.len() == other.1.len() && has_same_content(one.0, other.0)?);
    }
    Ok(kind == other_kind)
}

fn has_same_content(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let (mut left, mut right) = ([0; 1 << 14], [0; 1 << 14]);
    loop {
        let count = fill(&mut one, &mut left)?;
        if fill(&mut other, &mut right)? != count || left[..count] != right[..count] {
            return Ok(false);
        }
        if count == 0 {
            return Ok(true);
        }
    }
}

/// Reads as much as there is room for.
fn fill(from: &mut File, into: &mut [u8]) -> io::Result<usize> {
    let mut count = 0;
    while count < into.len() {
        match from.read(&mut into[count..])? {
            0 => break,
            read => count += read,
        }
    }
    Ok(count)
}

/// What is there, if something is.
pub(super) fn metadata(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
