//! What a layer changes (`Documentation/filesystems/overlayfs.rst`): files in it, marks in the place of what was
//! removed, folders that hide what was there before.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::OPAQUE;
use crate::verify::sandbox::isolation::{is_alike, metadata};
use crate::verify::sandbox::survey::is_exempt;

/// The files and links that differ, in path order; exempt folders are passed over.
pub(super) fn changes(upper: &Path, lower: &Path) -> io::Result<Vec<PathBuf>> {
    let mut audit = Audit {
        upper,
        lower,
        found: Vec::new(),
    };
    audit.folder(Path::new(""))?;
    audit.found.sort();
    Ok(audit.found)
}

struct Audit<'a> {
    upper: &'a Path,
    lower: &'a Path,
    found: Vec<PathBuf>,
}

impl Audit<'_> {
    fn folder(&mut self, at: &Path) -> io::Result<()> {
        let mut names = BTreeSet::new();
        for entry in fs::read_dir(self.upper.join(at))? {
            let entry = entry?;
            self.entry(&at.join(entry.file_name()), &entry.metadata()?)?;
            names.insert(entry.file_name());
        }
        if hides(&self.upper.join(at))? {
            self.hidden(at, &names)?;
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path, now: &Metadata) -> io::Result<()> {
        if is_exempt(path) {
            return Ok(());
        }
        let original = self.lower.join(path);
        let before = metadata(&original)?;
        if is_removal(now) {
            return self.removed(path);
        }
        if now.is_dir() {
            if before.is_some_and(|before| !before.is_dir()) {
                self.removed(path)?;
            }
            return self.folder(path);
        }
        match before {
            Some(before) if is_alike((&self.upper.join(path), now), (&original, &before))? => {}
            Some(before) if before.is_dir() => {
                self.removed(path)?;
                self.found.push(path.to_owned());
            }
            Some(_) | None => self.found.push(path.to_owned()),
        }
        Ok(())
    }

    /// What the project has in a folder that hides it.
    fn hidden(&mut self, at: &Path, names: &BTreeSet<OsString>) -> io::Result<()> {
        let original = self.lower.join(at);
        if !metadata(&original)?.is_some_and(|before| before.is_dir()) {
            return Ok(());
        }
        for entry in fs::read_dir(original)? {
            let name = entry?.file_name();
            if !names.contains(&name) {
                self.removed(&at.join(name))?;
            }
        }
        Ok(())
    }

    /// All files and links that the project has at or below a path.
    fn removed(&mut self, path: &Path) -> io::Result<()> {
        let original = self.lower.join(path);
        let Some(before) = metadata(&original)?.filter(|_| !is_exempt(path)) else {
            return Ok(());
        };
        if before.is_file() || before.is_symlink() {
            self.found.push(path.to_owned());
        } else if before.is_dir() {
            for entry in fs::read_dir(original)? {
                self.removed(&path.join(entry?.file_name()))?;
            }
        }
        Ok(())
    }
}

/// A device without number stands for what was removed.
fn is_removal(now: &Metadata) -> bool {
    now.file_type().is_char_device() && now.rdev() == 0
}

/// Whether a folder hides what the project has in its place.
fn hides(folder: &Path) -> io::Result<bool> {
    let mut mark = [0; 1];
    match rustix::fs::lgetxattr(folder, OPAQUE, &mut mark) {
        Ok(length) => Ok(length == 1 && mark == *b"y"),
        Err(Errno::NODATA | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use rustix::fs::{FileType, Mode, XattrFlags};

    use super::*;

    /// A project and a layer, as the kernel leaves it.
    fn changed(make: impl FnOnce(&Path)) -> Vec<String> {
        let dir = tempfile::tempdir().expect("a folder");
        let (upper, lower) = (dir.path().join("upper"), dir.path().join("lower"));
        for path in ["a/one", "a/b/two", "node_modules/x", "file"] {
            let path = lower.join(path);
            fs::create_dir_all(path.parent().expect("it has one")).expect("made");
            fs::write(path, "text").expect("written");
        }
        symlink("file", lower.join("link")).expect("made");
        fs::create_dir(lower.join("empty")).expect("made");
        fs::create_dir(&upper).expect("made");
        make(&upper);
        let found = changes(&upper, &lower).expect("read");
        found.iter().map(|path| path.display().to_string()).collect()
    }

    fn remove(path: &Path) {
        rustix::fs::mknodat(rustix::fs::CWD, path, FileType::CharacterDevice, Mode::empty(), 0)
            .expect("a removal can be marked");
    }

    #[test]
    fn removed_files_are_those_below_a_mark() {
        let found = changed(|upper| {
            for name in ["a", "link", "empty", "node_modules", "never"] {
                remove(&upper.join(name));
            }
        });
        assert_eq!(found, ["a/b/two", "a/one", "link"]);
    }

    #[test]
    fn what_has_the_same_content_is_untouched() {
        let found = changed(|upper| {
            fs::write(upper.join("file"), "text").expect("written");
            symlink("file", upper.join("link")).expect("made");
            fs::create_dir_all(upper.join("a/b")).expect("made");
            fs::write(upper.join("a/b/two"), "tixt").expect("written");
        });
        assert_eq!(found, ["a/b/two"]);
    }

    #[test]
    fn a_folder_made_anew_hides_what_was_in_it() {
        let found = changed(|upper| {
            fs::create_dir(upper.join("a")).expect("made");
            fs::write(upper.join("a/one"), "text").expect("written");
            fs::write(upper.join("a/new"), "").expect("written");
            rustix::fs::setxattr(upper.join("a"), OPAQUE, b"y", XattrFlags::empty()).expect("marked");
        });
        assert_eq!(found, ["a/b/two", "a/new"]);
    }

    #[test]
    fn a_change_of_kind_is_told_on_both_sides() {
        let found = changed(|upper| {
            fs::create_dir(upper.join("file")).expect("made");
            fs::write(upper.join("file/x"), "").expect("written");
            fs::write(upper.join("a"), "").expect("written");
        });
        assert_eq!(found, ["a", "a/b/two", "a/one", "file", "file/x"]);
    }
}
