//! The option `--html` of `verify` and `smoke`: their report as a page, wherever the user wants it (verify.md 11).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Context;
use super::usage::{self, Usage};
use crate::files::{RepoPath, Unread, WriteError, discard, read_regular, rewrite};
use crate::say;
use crate::text::{Bytes, escape};
use crate::voice::{Fail, Say, Voice};

/// What such a command takes.
#[derive(clap::Args)]
pub(super) struct Html {
    /// Write the report as one HTML page, too
    ///
    /// A path from the current folder, inside or outside of the project; its folder must exist. On an error neither page
    /// nor report is written.
    #[arg(long, value_name = "FILE")]
    html: Option<Option<PathBuf>>,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(transparent)]
    Usage(#[from] Usage),
    #[error("`{}` cannot be written: its folder does not exist", escape(&.0.to_string_lossy()))]
    NoFolder(PathBuf),
    #[error("`{}` cannot be written: it is no regular file", escape(&.0.to_string_lossy()))]
    NotAFile(PathBuf),
    #[error("`{}` cannot be written: this command writes that file itself", escape(&.0.to_string_lossy()))]
    Taken(PathBuf),
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        let shown = |path: &Path| escape(&path.to_string_lossy()).into_owned();
        match self {
            Self::Usage(error) => error.say(voice),
            Self::NoFolder(path) => {
                let path = shown(path);
                say!(
                    voice,
                    "`{path}` cannot be written: its folder does not exist",
                    "无法写入 `{path}`：其所在目录不存在"
                )
            }
            Self::NotAFile(path) => {
                let path = shown(path);
                say!(
                    voice,
                    "`{path}` cannot be written: it is no regular file",
                    "无法写入 `{path}`：它不是普通文件"
                )
            }
            Self::Taken(path) => {
                let path = shown(path);
                say!(
                    voice,
                    "`{path}` cannot be written: this command writes that file itself",
                    "无法写入 `{path}`：该文件由本命令自行写入"
                )
            }
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Usage(error) => error.code(),
            Self::NoFolder(_) | Self::NotAFile(_) | Self::Taken(_) => "USAGE",
        }
    }
}

impl Html {
    /// Where the page goes, if one is wanted; refused if it cannot go there.
    pub(super) fn target(&self, ctx: &Context) -> Result<Option<Target>, Error> {
        let Some(path) = usage::value("--html", self.html.as_ref())? else {
            return Ok(None);
        };
        let target = Target(ctx.cwd.join(path));
        target.check()?;
        Ok(Some(target))
    }
}

/// Where a page goes.
pub(super) struct Target(PathBuf);

/// More than any page has: a file of that length is something else.
const LIMIT: u64 = 1 << 30;

impl Target {
    pub(super) fn check(&self) -> Result<(), Error> {
        let folder = self.0.parent().filter(|folder| folder.is_dir());
        if folder.is_none() {
            return Err(Error::NoFolder(self.0.clone()));
        }
        // A device would be replaced by a file, and so would a link that leads nowhere.
        if self.0.symlink_metadata().is_ok() && !self.0.is_file() {
            return Err(Error::NotAFile(self.0.clone()));
        }
        Ok(())
    }

    /// Refuses a page that would take the place of one of these files.
    pub(super) fn keep_off(&self, files: impl IntoIterator<Item = PathBuf>) -> Result<(), Error> {
        let own = real(&self.0);
        match files.into_iter().any(|file| real(&file) == own) {
            true => Err(Error::Taken(self.0.clone())),
            false => Ok(()),
        }
    }

    /// Where the project has it; none if it goes elsewhere, or to what is git's own.
    pub(super) fn inside(&self, root: &Path) -> Option<RepoPath> {
        let path = RepoPath::from_disk(real(&self.0).strip_prefix(real(root)).ok()?)?;
        let is_ours = path.parts().all(|part| part != ".git");
        is_ours.then_some(path)
    }

    /// Writes the page, then does what belongs to it; if that errs, what was there before comes back.
    ///
    /// For a page outside of the project: the journal of a transaction names files of the project only, so killed in
    /// between, this leaves a page of a run whose report is not there. Inside, page and report are one transaction.
    pub(super) fn write_with<E>(&self, page: &[u8], rest: impl FnOnce() -> Result<(), E>) -> Result<(), E>
    where
        E: From<Error> + From<WriteError>,
    {
        self.check()?;
        let old = self.content()?;
        rewrite(&self.0, page).map_err(|e| self.failed(e))?;
        rest().or_else(|error| {
            match old {
                Some(old) => rewrite(&self.0, &old),
                None => discard(&self.0),
            }
            .map_err(|e| self.failed(e))?;
            Err(error)
        })
    }

    fn failed(&self, source: io::Error) -> WriteError {
        WriteError::Io {
            path: self.0.clone(),
            source,
        }
    }

    /// What is there now.
    fn content(&self) -> Result<Option<Bytes>, WriteError> {
        match read_regular(&self.0, LIMIT) {
            Ok(old) => Ok(Some(old)),
            Err(Unread::Missing) => Ok(None),
            Err(Unread::Io(error)) => Err(self.failed(error)),
            Err(Unread::NotAFile) => Err(self.failed(io::ErrorKind::InvalidInput.into())),
            Err(Unread::TooLong) => Err(self.failed(io::ErrorKind::FileTooLarge.into())),
        }
    }
}

/// A path without links, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let whole = fs::canonicalize(path);
    let in_folder = |_| {
        let folder = fs::canonicalize(path.parent().unwrap_or(path))?;
        Ok::<_, io::Error>(folder.join(path.file_name().unwrap_or_default()))
    };
    whole.or_else(in_folder).unwrap_or_else(|_| path.to_owned())
}
