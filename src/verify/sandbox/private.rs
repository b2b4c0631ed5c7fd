//! Where sandboxes may be, and the folder of one run (verify.md 7.1).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder outside of the project that private folders are made in.
#[derive(Debug)]
pub(super) struct Root(PathBuf);

/// The folder of one run, removed when it is dropped.
#[derive(Debug)]
pub(super) struct Private(tempfile::TempDir);

/// Why there can be no private folder.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoRoot {
    #[error("the folder for copies lies inside the project")]
    Inside,
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Root {
    /// Makes the folder if it is not there. `real` is the project, without links in its path.
    pub(super) fn of(real: &Path, root: &Path) -> Result<Self, NoRoot> {
        fs::create_dir_all(root)?;
        let root = root.canonicalize()?;
        match lies_in(&root, real)? {
            true => Err(NoRoot::Inside),
            false => Ok(Self(root)),
        }
    }

    pub(super) fn folder(&self) -> io::Result<Private> {
        let folder = tempfile::Builder::new().prefix("git-spec-").tempdir_in(&self.0)?;
        Ok(Private(folder))
    }
}

/// Whether a path without links is a folder or leads into it. The same folder may be mounted in two places.
pub(super) fn lies_in(path: &Path, folder: &Path) -> io::Result<bool> {
    for above in path.ancestors() {
        if is_same_folder(above, folder)? {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(unix)]
fn is_same_folder(one: &Path, other: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (one, other) = (fs::metadata(one)?, fs::metadata(other)?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)]
fn is_same_folder(one: &Path, other: &Path) -> io::Result<bool> {
    Ok(one == other)
}

impl Private {
    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Private {
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
