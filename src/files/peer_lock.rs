//! Locks that other programs know too: a file that names the process that holds it (logos-project.md 10.4). It is
//! published complete, by a link; the lock of a process that is gone is taken over.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::RepoPath;
use super::write::{Digest, Writer, remove_if_there};
use crate::fault;

/// How often a takeover is tried again that others meddle with.
const ATTEMPTS: usize = 8;

/// Who holds a lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub pid: u32,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub at: serde_json::Value,
    #[serde(default)]
    pub token: String,
}

impl Owner {
    /// The process that a lock names, if it is one that there can be.
    pub fn read(content: &[u8]) -> Option<Self> {
        let owner: Self = serde_json::from_slice(content).ok()?;
        (1..=0x7fff_ffff).contains(&owner.pid).then_some(owner)
    }
}

/// A lock was not had.
#[derive(Debug, thiserror::Error)]
pub enum PeerLockError {
    /// Its owner lives, or it does not say who that is.
    #[error("`{path}` is held")]
    Held { path: RepoPath, pid: Option<u32> },
    #[error("`{path}` cannot be locked: {source}")]
    Io { path: RepoPath, source: io::Error },
}

/// A lock that is held; dropping it frees it.
#[derive(Debug)]
pub struct PeerLock {
    disk: PathBuf,
    owner: Owner,
    /// Folders that go again if they are empty, the deepest first: its own, and those that were made for it.
    made: Vec<PathBuf>,
}

impl Writer {
    /// Takes a lock that other programs know. `alive` tells whether another process with an id lives.
    pub fn peer_lock(
        &self,
        path: &RepoPath,
        owner: &Owner,
        alive: &dyn Fn(u32) -> bool,
    ) -> Result<PeerLock, PeerLockError> {
        let fail = |source| PeerLockError::Io {
            path: path.clone(),
            source,
        };
        let held = |pid| PeerLockError::Held {
            path: path.clone(),
            pid,
        };
        let mut lock = PeerLock {
            disk: path.on_disk(self.root()),
            owner: owner.clone(),
            made: Vec::new(),
        };
        lock.make_folders(self.root()).map_err(fail)?;
        // One name for all: whoever writes it holds the lock of the project.
        let own = beside(&lock.disk, ".git-spec-new");
        let taken = publish(&own, owner).and_then(|()| lock.take(&own, alive));
        let cleared = remove_if_there(&own);
        match taken.and_then(|taken| cleared.map(|()| taken)) {
            Ok(None) => Ok(lock),
            Ok(Some(pid)) => Err(held(pid)),
            Err(source) => Err(fail(source)),
        }
    }
}

/// Writes the file that becomes a lock by a link.
fn publish(path: &Path, owner: &Owner) -> io::Result<()> {
    fault::point()?;
    fs::write(path, serde_json::to_vec(owner)?)?;
    fs::File::open(path)?.sync_all()
}

/// Who holds the lock in this file.
enum Found {
    Nobody,
    /// The process, where it is named.
    Living(Option<u32>),
    Gone {
        content: Vec<u8>,
        token: String,
    },
}

fn look(path: &Path, alive: &dyn Fn(u32) -> bool) -> Found {
    let content = match fs::read(path) {
        Ok(content) => content,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Found::Nobody,
        Err(_) => return Found::Living(None),
    };
    match Owner::read(&content) {
        None => Found::Living(None),
        Some(owner) if alive(owner.pid) => Found::Living(Some(owner.pid)),
        Some(owner) => Found::Gone {
            content,
            token: owner.token,
        },
    }
}

/// Whether `own` could be linked to `path`, which was free.
fn linked(own: &Path, path: &Path) -> io::Result<bool> {
    fault::point()?;
    match fs::hard_link(own, path) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(e),
    }
}

impl PeerLock {
    fn make_folders(&mut self, root: &Path) -> io::Result<()> {
        let folder = self.disk.parent().unwrap_or(root);
        let missing = folder.ancestors().skip(1).take_while(|dir| !dir.exists());
        // A run that was killed may have left an empty one behind.
        self.made = std::iter::once(folder)
            .chain(missing)
            .map(Path::to_owned)
            .collect();
        fs::create_dir_all(folder)
    }

    /// Takes the lock; if it is held, says by whom.
    fn take(&self, own: &Path, alive: &dyn Fn(u32) -> bool) -> io::Result<Option<Option<u32>>> {
        let others = |pid| pid != self.owner.pid && alive(pid);
        for _ in 0..ATTEMPTS {
            if linked(own, &self.disk)? {
                return Ok(None);
            }
            let (seen, token) = match look(&self.disk, &others) {
                Found::Nobody => continue,
                Found::Living(pid) => return Ok(Some(pid)),
                Found::Gone { content, token } => (content, token),
            };
            let hash = Digest::of(token.as_bytes()).hex();
            let marker = beside(&self.disk, &format!(".reclaim-{}", &hash[..16]));
            if !linked(own, &marker)? {
                match look(&marker, &others) {
                    Found::Nobody => {}
                    Found::Living(pid) => return Ok(Some(pid)),
                    Found::Gone { content, .. } => self.set_aside(&marker, &content)?,
                }
                continue;
            }
            // Under the marker: nobody else takes this lock over.
            let taken = match fs::read(&self.disk) {
                Ok(now) if now == seen => {
                    fault::point()?;
                    fs::rename(own, &self.disk).map(|()| true)
                }
                Ok(_) => Ok(false),
                Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
                Err(e) => Err(e),
            };
            remove_if_there(&marker)?;
            if taken? {
                return Ok(None);
            }
        }
        Ok(Some(None))
    }

    /// Takes a marker away whose owner is gone; one that has come into its place meanwhile is put back.
    fn set_aside(&self, marker: &Path, gone: &[u8]) -> io::Result<()> {
        let aside = beside(marker, &format!(".{}", self.owner.pid));
        fault::point()?;
        match fs::rename(marker, &aside) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            renamed => renamed?,
        }
        if fs::read(&aside)? != gone {
            linked(&aside, marker)?;
        }
        remove_if_there(&aside)
    }
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(end);
    path.with_file_name(name)
}

impl Drop for PeerLock {
    fn drop(&mut self) {
        // Taken over by another, it is no longer ours; one that stays names a process that is about to end.
        let content = fs::read(&self.disk).ok();
        if content.and_then(|content| Owner::read(&content)).as_ref() == Some(&self.owner) {
            let _stays = fs::remove_file(&self.disk);
        }
        for dir in &self.made {
            let _in_use = fs::remove_dir(dir);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{LockRule, NothingOutside};
    use super::*;

    const LOCK: &str = "runs/a.lock";

    fn owner(pid: u32, token: &str) -> Owner {
        Owner {
            pid,
            at: 1.into(),
            token: token.to_owned(),
        }
    }

    fn writer(root: &Path) -> Writer {
        let rule = LockRule {
            path: root.join("own/lock"),
            holder: "test".to_owned(),
            wait: Duration::ZERO,
            keep: root.to_owned(),
            nested: false,
        };
        Writer::open(root, &rule, &NothingOutside).expect("nobody else is there")
    }

    fn put(root: &Path, name: &str, content: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("it has a folder")).expect("made");
        fs::write(path, content).expect("written");
    }

    fn names(root: &Path) -> Vec<String> {
        let Ok(entries) = fs::read_dir(root.join("runs")) else {
            return Vec::new();
        };
        let names = entries.map(|e| e.expect("readable").file_name().to_string_lossy().into_owned());
        names.collect()
    }

    /// Takes the lock while process 7 lives, tells who held it, and what lies there with it and after it.
    fn take(root: &Path) -> (Result<(), Option<u32>>, Vec<String>) {
        let writer = writer(root);
        let lock = writer.peer_lock(&RepoPath::of(LOCK), &owner(5, "own"), &|pid| pid == 7);
        let there = names(root);
        match lock {
            Ok(_) => (Ok(()), there),
            Err(PeerLockError::Held { pid, .. }) => (Err(pid), there),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn a_free_lock_is_taken_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(take(dir.path()), (Ok(()), vec!["a.lock".to_owned()]));
        assert!(!dir.path().join("runs").exists());
    }

    #[test]
    fn the_lock_of_a_living_process_or_of_one_that_is_not_named_stays() {
        for (content, pid) in [
            (r#"{"pid":7,"at":1,"token":"t"}"#, Some(7)),
            ("", None),
            ("{", None),
            (r#"{"pid":0}"#, None),
        ] {
            let dir = tempfile::tempdir().expect("a folder");
            put(dir.path(), LOCK, content);
            assert_eq!(
                take(dir.path()),
                (Err(pid), vec!["a.lock".to_owned()]),
                "{content}"
            );
            assert_eq!(
                fs::read_to_string(dir.path().join(LOCK)).expect("it is there"),
                content
            );
        }
    }

    #[test]
    fn the_lock_of_a_process_that_is_gone_is_taken_over() {
        // The second has the id of this very process, which has made no lock yet.
        for pid in [8, 5] {
            let dir = tempfile::tempdir().expect("a folder");
            put(dir.path(), LOCK, &format!(r#"{{"pid":{pid},"token":"t"}}"#));
            assert_eq!(take(dir.path()), (Ok(()), vec!["a.lock".to_owned()]));
            assert_eq!(names(dir.path()), Vec::<String>::new());
        }
    }

    #[test]
    fn a_takeover_waits_for_a_living_one_and_ends_one_that_is_gone() {
        let marker = format!("{LOCK}.reclaim-{}", &Digest::of(b"t").hex()[..16]);
        for (pid, expected) in [(7, Err(Some(7))), (9, Ok(()))] {
            let dir = tempfile::tempdir().expect("a folder");
            put(dir.path(), LOCK, r#"{"pid":8,"token":"t"}"#);
            put(dir.path(), &marker, &format!(r#"{{"pid":{pid},"token":"u"}}"#));
            assert_eq!(take(dir.path()).0, expected, "{pid}");
            assert_eq!(names(dir.path()).len(), if expected.is_ok() { 0 } else { 2 });
        }
    }

    #[test]
    fn a_lock_that_another_has_taken_over_is_not_released() {
        let dir = tempfile::tempdir().expect("a folder");
        let writer = writer(dir.path());
        let lock = writer.peer_lock(&RepoPath::of(LOCK), &owner(5, "own"), &|_| true);
        put(dir.path(), LOCK, r#"{"pid":7,"at":1,"token":"t"}"#);
        drop(lock.expect("it was free"));
        assert_eq!(names(dir.path()), ["a.lock"]);
    }
}
