//! A folder is taken away file by file, so that nothing written meanwhile goes with it (git.md 5.4).

#[cfg(unix)]
use std::collections::HashMap;
use std::fs;
use std::io;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Error;
use super::worktree_write::failed;
use crate::fault;

/// The instant after which what is written into a folder is not known to us: by the clock of the file system that holds
/// `beside`, so that it can be compared with the times of its files.
pub fn instant_beside(beside: &Path) -> Result<u64, Error> {
    let dir = beside.parent().unwrap_or(beside);
    let mark = tempfile::NamedTempFile::new_in(dir).map_err(failed(dir))?;
    let meta = mark.as_file().metadata().map_err(failed(dir))?;
    Ok(changed_at(&meta))
}

/// When a file, or what is known about it, was last changed. Nobody can set this time, as opposed to that of its content.
#[cfg(unix)]
fn changed_at(meta: &fs::Metadata) -> u64 {
    let nanos = meta.ctime().saturating_mul(1_000_000_000);
    u64::try_from(nanos.saturating_add(meta.ctime_nsec())).unwrap_or(0)
}

#[cfg(windows)]
fn changed_at(meta: &fs::Metadata) -> u64 {
    use std::os::windows::fs::MetadataExt;
    meta.last_write_time()
}

/// Whether a file below was changed at or after an instant, `.git` and what `passed_over` names left aside.
pub fn changed_since(
    folder: &Path,
    instant: u64,
    passed_over: &dyn Fn(&Path) -> bool,
) -> Result<Option<PathBuf>, Error> {
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let entry = entry.map_err(failed(folder))?;
        let path = entry.path();
        if entry.file_name() == ".git" || passed_over(&path) {
            continue;
        }
        let meta = fs::symlink_metadata(&path).map_err(failed(&path))?;
        if meta.is_dir() {
            if let Some(found) = changed_since(&path, instant, passed_over)? {
                return Ok(Some(found));
            }
        } else if changed_at(&meta) >= instant {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Removes a folder, but for files that were written or changed since `instant` or cannot be removed: they are returned,
/// and the folders around them stay.
pub fn remove_folder_as_of(folder: &Path, instant: u64) -> Result<Vec<PathBuf>, Error> {
    match fs::symlink_metadata(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(failed(folder)(e)),
        Ok(meta) if !meta.is_dir() => return Ok(vec![folder.to_owned()]),
        Ok(_) => {}
    }
    fault::point().map_err(failed(folder))?;
    let mut emptying = Emptying {
        instant,
        linked: Linked::default(),
        kept: Vec::new(),
    };
    emptying.empty(folder);
    let mut kept = emptying.kept;
    kept.sort();
    Ok(kept)
}

/// A folder that is being emptied.
struct Emptying {
    instant: u64,
    linked: Linked,
    kept: Vec<PathBuf>,
}

impl Emptying {
    /// What cannot be removed stays as well: whoever cannot now cannot at the next call.
    fn empty(&mut self, folder: &Path) {
        make_writable(folder);
        let Ok(entries) = fs::read_dir(folder) else {
            self.kept.push(folder.to_owned());
            return;
        };
        for entry in entries {
            let Ok(entry) = entry else {
                self.kept.push(folder.to_owned());
                return;
            };
            let path = entry.path();
            match fs::symlink_metadata(&path) {
                Ok(meta) if meta.is_dir() => self.empty(&path),
                Ok(meta) => self.remove(path, &meta),
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(_) => self.kept.push(path),
            }
        }
        match fs::remove_dir(folder) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            // Whoever wrote into it meanwhile keeps it.
            Err(_) => {
                if self.kept.iter().all(|path| !path.starts_with(folder)) {
                    self.kept.push(folder.to_owned());
                }
            }
        }
    }

    fn remove(&mut self, path: PathBuf, meta: &fs::Metadata) {
        let is_late = changed_at(meta) >= self.instant && !self.linked.is_as_it_was(meta);
        if !is_late {
            self.linked.note(meta);
        }
        if is_late || fs::remove_file(&path).is_err_and(|e| e.kind() != io::ErrorKind::NotFound) {
            self.kept.push(path);
        }
    }
}

/// Files of several names of which one was removed. By that the time at which they were changed is a new one for the other
/// names; their content still has its own.
#[cfg(unix)]
#[derive(Default)]
struct Linked(HashMap<(u64, u64), (i64, i64, u64)>);

#[cfg(unix)]
impl Linked {
    fn note(&mut self, meta: &fs::Metadata) {
        if meta.nlink() > 1 {
            self.0.insert((meta.dev(), meta.ino()), Self::content(meta));
        }
    }

    fn is_as_it_was(&self, meta: &fs::Metadata) -> bool {
        self.0.get(&(meta.dev(), meta.ino())) == Some(&Self::content(meta))
    }

    fn content(meta: &fs::Metadata) -> (i64, i64, u64) {
        (meta.mtime(), meta.mtime_nsec(), meta.size())
    }
}

/// The time of writing is not changed by that here.
#[cfg(not(unix))]
#[derive(Default)]
struct Linked;

#[cfg(not(unix))]
impl Linked {
    fn note(&mut self, _: &fs::Metadata) {}

    fn is_as_it_was(&self, _: &fs::Metadata) -> bool {
        false
    }
}

/// Caches of build tools are folders that nobody may write into, their owner neither.
#[cfg(unix)]
fn make_writable(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    if let Ok(meta) = fs::metadata(folder)
        && meta.permissions().mode() & 0o700 != 0o700
    {
        // If that is not ours to do, removing fails and says so.
        let _refused = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    }
}

#[cfg(not(unix))]
fn make_writable(_: &Path) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_after_the_instant_survives() {
        let dir = tempfile::tempdir().expect("a folder");
        let tree = dir.path().join("tree");
        fs::create_dir_all(tree.join("a/b")).expect("folders");
        fs::write(tree.join("a/old"), "").expect("a file");
        std::thread::sleep(std::time::Duration::from_millis(30));
        let instant = instant_beside(&tree).expect("a time");
        assert_eq!(changed_since(&tree, instant, &|_| false).expect("read"), None);
        fs::write(tree.join("a/new"), "").expect("a file");
        let new = tree.join("a/new");
        assert_eq!(
            changed_since(&tree, instant, &|_| false).expect("read"),
            Some(new.clone())
        );
        assert_eq!(
            remove_folder_as_of(&tree, instant).expect("removed"),
            std::slice::from_ref(&new)
        );
        assert!(new.exists() && !tree.join("a/old").exists() && !tree.join("a/b").exists());
    }

    #[cfg(unix)]
    #[test]
    fn one_of_several_names_is_not_changed_by_the_end_of_another() {
        let dir = tempfile::tempdir().expect("a folder");
        let tree = dir.path().join("tree");
        fs::create_dir_all(tree.join("a/b")).expect("folders");
        for name in ["lib", "a/lib", "a/b/lib"] {
            let name = tree.join(name);
            match name.parent() == Some(tree.as_path()) {
                true => fs::write(&name, "built").expect("a file"),
                false => fs::hard_link(tree.join("lib"), &name).expect("another name"),
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(30));
        let instant = instant_beside(&tree).expect("a time");
        assert_eq!(
            remove_folder_as_of(&tree, instant).expect("removed"),
            [] as [PathBuf; 0]
        );
        assert!(!tree.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_of_the_future_is_judged_by_when_it_was_changed() {
        let dir = tempfile::tempdir().expect("a folder");
        let tree = dir.path().join("tree");
        fs::create_dir(&tree).expect("a folder");
        let file = fs::File::create(tree.join("x")).expect("a file");
        let future = std::time::SystemTime::now() + std::time::Duration::from_secs(1 << 30);
        file.set_modified(future).expect("a time");
        std::thread::sleep(std::time::Duration::from_millis(30));
        let instant = instant_beside(&tree).expect("a time");
        assert_eq!(changed_since(&tree, instant, &|_| false).expect("read"), None);
    }
}
