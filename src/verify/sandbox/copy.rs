//! A private copy of a project (verify.md 7.4, A), with or without the right to write into the project itself (C). What
//! else keeps a command from that (B) says by which program it is started.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, FileTimes, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::isolation::{Ground, Isolation, Unprepared, is_alike, metadata};
use super::private::Private;
use super::survey::{has_exempt, is_exempt};
use super::{CONFINED, PROBE};
use crate::files::{RepoPath, WorkTree};
use crate::process::{Ended, Run, Shell, Through};

/// The copy, removed when it is dropped.
#[derive(Debug)]
pub(super) struct Copy {
    real: PathBuf,
    private: Private,
    entries: BTreeMap<PathBuf, Seen>,
    had_exempt: bool,
    /// A program that keeps a command from writing into the project, with its arguments.
    through: Option<Through>,
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

    fn prove(&self, now: &Self) -> bool {
        self.changed.is_some() && self == now
    }
}

impl Copy {
    /// A copy whose commands cannot write into the project, as a child has shown that does the same.
    pub(super) fn confined(ground: &Ground<'_>) -> Result<Self, Unprepared> {
        let program = &ground.means.program;
        let args = |word: &str| vec![OsString::from(word), ground.real.as_os_str().to_owned()];
        let probe = Run::new(program).args(args(PROBE)).output();
        match probe {
            Ok(output) if output.success() => Self::make(ground, Some((program.clone(), args(CONFINED)))),
            Ok(output) => Err(Unprepared::Unavailable(output.complaint())),
            Err(error) => Err(Unprepared::Unavailable(error.to_string())),
        }
    }

    pub(super) fn plain(ground: &Ground<'_>) -> Result<Self, Unprepared> {
        Self::make(ground, None)
    }

    fn make(ground: &Ground<'_>, through: Option<Through>) -> Result<Self, Unprepared> {
        let private = ground.root.folder().map_err(Unprepared::NoCopy)?;
        Self::fill_in(ground, private, through)
    }

    /// A copy in a folder that is there, whose commands are started by a program.
    pub(super) fn fill_in(
        ground: &Ground<'_>,
        private: Private,
        through: Option<Through>,
    ) -> Result<Self, Unprepared> {
        let mut copy = Self {
            real: ground.real.to_owned(),
            private,
            entries: BTreeMap::new(),
            had_exempt: ground.survey.has_exempt,
            through,
        };
        copy.fill(Path::new("")).map_err(Unprepared::NoCopy)?;
        Ok(copy)
    }

    fn fill(&mut self, at: &Path) -> io::Result<()> {
        for entry in fs::read_dir(self.real.join(at))? {
            let entry = entry?;
            let path = at.join(entry.file_name());
            let kind = entry.file_type()?;
            let (from, to) = (entry.path(), self.folder().join(&path));
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

    fn is_as_it_was(&self, path: &Path, found: &Metadata) -> io::Result<bool> {
        let here = self.folder().join(path);
        Ok(match self.entries.get(path) {
            Some(Seen::Link(target)) if found.is_symlink() => fs::read_link(here)? == *target,
            Some(Seen::File { len, times }) if found.is_file() && *len == found.len() => {
                let there = self.real.join(path);
                times.prove(&Times::of(found))
                    || match metadata(&there)? {
                        Some(original) => is_alike((&here, found), (&there, &original))?,
                        None => false,
                    }
            }
            _ => false,
        })
    }
}

impl Isolation for Copy {
    fn folder(&self) -> &Path {
        self.private.path()
    }

    fn run(&self, shell: Shell) -> io::Result<(Ended, Vec<u8>)> {
        let shell = Shell {
            dir: self.folder().to_owned(),
            through: self.through.clone(),
            ends_all: true,
            ..shell
        };
        shell.run_reading()
    }

    fn tree(&self) -> WorkTree {
        WorkTree::new(self.folder())
    }

    fn changed_paths(&self) -> io::Result<Vec<PathBuf>> {
        let mut now = BTreeMap::new();
        list(self.folder(), Path::new(""), &mut now)?;
        let mut out: Vec<PathBuf> = Vec::new();
        for (path, found) in &now {
            if !self.is_as_it_was(path, found)? {
                out.push(path.clone());
            }
        }
        let was = self.entries.keys();
        out.extend(was.filter(|path| !now.contains_key(*path)).cloned());
        out.retain(|path| !is_exempt(path));
        out.sort();
        Ok(out)
    }

    fn has_exempt(&self) -> bool {
        self.had_exempt || has_exempt(self.folder())
    }

    fn open(&self, path: &RepoPath) -> Result<Option<File>, String> {
        let here = path.on_disk(self.folder());
        match metadata(&here).map_err(|error| error.to_string())? {
            None => return Ok(None),
            Some(found) if !found.is_file() => return Err("it is no regular file".to_owned()),
            Some(_) => {}
        }
        let resolved = here.canonicalize().map_err(|error| error.to_string())?;
        let own = self.folder().canonicalize().map_err(|error| error.to_string())?;
        if !resolved.starts_with(own) {
            return Err("it lies outside of the copy".to_owned());
        }
        File::open(&resolved).map(Some).map_err(|error| error.to_string())
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
        if !found.is_dir() {
            out.insert(path, found);
        } else if !is_exempt(&path) {
            list(root, &path, out)?;
        }
    }
    Ok(())
}
