//! A lock that other programs know: a file that holds the number of its process (state.md 9.1), and the files that are
//! replaced while it is held.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::write::{remove_if_there, sync_dir};
#[cfg(not(unix))]
use crate::clock::Timestamp;
use crate::fault;
use crate::say;
use crate::voice::{Say, Voice};

/// How a lock of this kind is waited for and taken over.
#[derive(Clone, Debug)]
pub struct PidLockRule {
    pub path: PathBuf,
    pub wait: Duration,
    /// Between two attempts; up to a quarter more is added by chance.
    pub pause: Duration,
    /// A lock that names no process is left over when it is older than this, …
    pub unnamed: Duration,
    /// … and one whose process lives when it is older than this.
    pub forgotten: Duration,
}

impl PidLockRule {
    /// The rule of STATE.md for a lock file (state.md 9.1).
    pub fn of_state(path: PathBuf) -> Self {
        Self {
            path,
            wait: Duration::from_secs(30),
            pause: Duration::from_millis(200),
            unnamed: Duration::from_secs(1),
            forgotten: Duration::from_secs(60),
        }
    }
}

/// The lock was not had.
#[derive(Debug, thiserror::Error)]
pub enum PidLockError {
    #[error("`{}` is held{}", path.display(), pid.map(|pid| format!(" by process {pid}")).unwrap_or_default())]
    Held { path: PathBuf, pid: Option<u32> },
    #[error("`{}` cannot be locked: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl Say for PidLockError {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Held { path, pid: Some(pid) } => {
                let path = path.display();
                say!(
                    voice,
                    "another writer holds `{path}` (process {pid}); try again when it is done",
                    "另一个写入者（进程 {pid}）持有 `{path}`；请待其完成后重试"
                )
            }
            Self::Held { path, pid: None } => {
                let path = path.display();
                say!(
                    voice,
                    "another writer holds `{path}`; try again when it is done",
                    "另一个写入者持有 `{path}`；请待其完成后重试"
                )
            }
            Self::Io { path, source } => {
                let path = path.display();
                say!(
                    voice,
                    "`{path}` cannot be locked: {source}",
                    "无法锁定 `{path}`：{source}"
                )
            }
        }
    }
}

/// A lock that is held; dropping it removes its file, if it is still ours.
#[derive(Debug)]
pub struct PidLock {
    path: PathBuf,
    id: FileId,
}

/// What tells a file from another one of the same name.
type FileId = (u64, u64);

#[cfg(unix)]
fn file_id(meta: &fs::Metadata) -> FileId {
    use std::os::unix::fs::MetadataExt;
    (meta.dev(), meta.ino())
}

#[cfg(not(unix))]
fn file_id(meta: &fs::Metadata) -> FileId {
    let made = meta.created().map_or(0, |time| Timestamp::of(time).millis());
    (made.unsigned_abs(), meta.len())
}

/// A lock file as it was found.
struct Found {
    id: FileId,
    /// None: it cannot be read.
    content: Option<String>,
    age: Duration,
}

impl Found {
    /// None: there is none any more.
    fn look(path: &Path) -> io::Result<Option<Self>> {
        let meta = match fs::symlink_metadata(path) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut content = String::new();
        let read = meta.is_file()
            && File::open(path)
                .and_then(|file| file.take(64).read_to_string(&mut content))
                .is_ok();
        Ok(Some(Self {
            id: file_id(&meta),
            content: read.then_some(content),
            // A time in the future is no age.
            age: meta.modified()?.elapsed().unwrap_or_default(),
        }))
    }

    fn pid(&self) -> Option<u32> {
        let pid = self.content.as_deref()?.trim().parse().ok()?;
        (pid > 0).then_some(pid)
    }

    fn is_left_over(&self, rule: &PidLockRule, alive: &dyn Fn(u32) -> bool) -> bool {
        match (&self.content, self.pid()) {
            (_, Some(pid)) if !alive(pid) => true,
            (Some(_), None) => self.age > rule.unnamed,
            (Some(_), Some(_)) | (None, _) => self.age > rule.forgotten,
        }
    }
}

impl PidLock {
    /// Waits for the lock. `alive` tells whether a process lives; `chance` gives a number of any size.
    pub fn acquire(
        rule: &PidLockRule,
        alive: &dyn Fn(u32) -> bool,
        chance: &dyn Fn() -> u64,
    ) -> Result<Self, PidLockError> {
        let fail = |source| PidLockError::Io {
            path: rule.path.clone(),
            source,
        };
        let start = Instant::now();
        loop {
            if let Some(lock) = Self::create(&rule.path).map_err(fail)? {
                return Ok(lock);
            }
            let Some(found) = Found::look(&rule.path).map_err(fail)? else {
                continue;
            };
            if found.is_left_over(rule, alive) && take_away(rule, alive, &found).map_err(fail)? {
                continue;
            }
            if start.elapsed() >= rule.wait {
                return Err(PidLockError::Held {
                    path: rule.path.clone(),
                    pid: found.pid(),
                });
            }
            let most = u64::try_from(rule.pause.as_micros() / 4)
                .unwrap_or(u64::MAX)
                .max(1);
            thread::sleep(rule.pause + Duration::from_micros(chance() % most));
        }
    }

    /// Makes the file; none if there is one.
    fn create(path: &Path) -> io::Result<Option<Self>> {
        fault::point()?;
        let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => return Err(error),
        };
        let lock = Self {
            path: path.to_owned(),
            id: file_id(&file.metadata()?),
        };
        write!(file, "{}", std::process::id())?;
        Ok(Some(lock))
    }

    /// Whether the file is still the one that this process made: a process that slept for long may have lost it.
    pub fn is_ours(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|meta| file_id(&meta) == self.id)
    }

    /// Replaces a file in the folder of the lock, whole or not at all; `mode_of` gives the mode of a new one.
    ///
    /// # Errors
    /// If the disk refuses, the name is no regular file, or the lock was lost. Nothing has changed then.
    pub fn replace(&self, target: &Path, content: &[u8]) -> io::Result<()> {
        let old = match fs::symlink_metadata(target) {
            Ok(meta) if meta.is_file() => Some(meta),
            Ok(_) => return Err(io::Error::other("it is no regular file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let temporary = temporary(target, std::process::id());
        let written = self.write_and_rename(&temporary, target, content, old.as_ref());
        if written.is_err() {
            // The first error is the one to tell.
            let _left = remove_if_there(&temporary);
        }
        written
    }

    fn write_and_rename(
        &self,
        temporary: &Path,
        target: &Path,
        content: &[u8],
        old: Option<&fs::Metadata>,
    ) -> io::Result<()> {
        fault::point()?;
        // What a dead process of the same number left, or somebody laid there, is not written through.
        remove_if_there(temporary)?;
        let mut file = File::create_new(temporary)?;
        file.write_all(content)?;
        if let Some(old) = old {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()?;
        fault::point()?;
        if !self.is_ours() {
            return Err(io::Error::other("the lock was taken over by another writer"));
        }
        fs::rename(temporary, target)?;
        if let Some(dir) = target.parent() {
            sync_dir(dir);
        }
        Ok(())
    }

    /// Removes a file in the folder of the lock; whether there was one.
    pub fn remove(&self, target: &Path) -> io::Result<bool> {
        fault::point()?;
        match fs::remove_file(target) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Removes what writers that are gone have left in the folder of the lock: `<name>.tmp.<pid>` of the files that
    /// `is_written` names, and the lock where they were taking it away.
    pub fn clear_left_over(
        &self,
        is_written: &dyn Fn(&str) -> bool,
        alive: &dyn Fn(u32) -> bool,
    ) -> io::Result<()> {
        let Some(dir) = self.path.parent() else {
            return Ok(());
        };
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let name = entry.file_name();
            let Some((name, pid)) = name.to_str().and_then(|name| name.rsplit_once('.')) else {
                continue;
            };
            let is_left = match name.rsplit_once('.') {
                Some((name, "tmp")) => is_written(name),
                Some((name, "stale")) => self.path.file_name().is_some_and(|lock| lock == name),
                _ => false,
            };
            let is_dead = |pid: &str| pid.parse().is_ok_and(|pid| !alive(pid));
            // A folder of such a name is nobody's temporary file.
            if is_left && is_dead(pid) && !entry.file_type()?.is_dir() {
                remove_if_there(&entry.path())?;
            }
        }
        Ok(())
    }
}

fn temporary(target: &Path, pid: u32) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(format!(".tmp.{pid}"));
    PathBuf::from(name)
}

/// Takes a left-over lock away, unless it is another one by now; whether it is gone.
fn take_away(rule: &PidLockRule, alive: &dyn Fn(u32) -> bool, seen: &Found) -> io::Result<bool> {
    let dir = rule.path.parent().unwrap_or(Path::new("."));
    // Of several that found it left over, one at a time looks again.
    let folder = File::open(dir)?;
    folder.lock()?;
    let Some(now) = Found::look(&rule.path)? else {
        return Ok(true);
    };
    if now.id != seen.id || now.content != seen.content || !now.is_left_over(rule, alive) {
        return Ok(false);
    }
    fault::point()?;
    let aside = {
        let mut name = rule.path.as_os_str().to_owned();
        name.push(format!(".stale.{}", std::process::id()));
        PathBuf::from(name)
    };
    match fs::rename(&rule.path, &aside) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    }
    fault::point()?;
    let is_it = fs::symlink_metadata(&aside).is_ok_and(|meta| file_id(&meta) == seen.id);
    if !is_it {
        // A program that knows no lock on the folder was faster: what it holds goes back.
        let _back = fs::hard_link(&aside, &rule.path);
    }
    remove_if_there(&aside)?;
    Ok(is_it)
}

impl Drop for PidLock {
    fn drop(&mut self) {
        if self.is_ours() {
            // One that cannot be removed is taken over when this process is gone.
            let _removed = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(path: PathBuf) -> PidLockRule {
        PidLockRule {
            wait: Duration::from_millis(30),
            pause: Duration::from_millis(5),
            ..PidLockRule::of_state(path)
        }
    }

    fn take(rule: &PidLockRule, alive: bool) -> Result<PidLock, PidLockError> {
        PidLock::acquire(rule, &|_| alive, &|| 7)
    }

    #[test]
    fn one_holder_at_a_time() {
        let dir = tempfile::tempdir().expect("a folder");
        let rule = rule(dir.path().join("x.lock"));
        let lock = take(&rule, true).expect("free");
        assert_eq!(
            fs::read_to_string(&rule.path).expect("the lock"),
            std::process::id().to_string()
        );
        assert!(matches!(
            take(&rule, true),
            Err(PidLockError::Held { pid: Some(_), .. })
        ));
        drop(lock);
        assert!(!rule.path.exists());
        take(&rule, true).expect("free again");
    }

    #[test]
    fn what_is_left_over_is_taken_away() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("x.lock");
        let write = |content: &str, age: u64| {
            fs::write(&path, content).expect("written");
            let then = std::time::SystemTime::now() - Duration::from_secs(age);
            File::options()
                .write(true)
                .open(&path)
                .and_then(|file| file.set_modified(then))
                .expect("aged");
        };
        let rule = rule(path.clone());
        for (content, age, alive, free) in [
            ("4194000", 0, false, true),
            ("4194000", 59, true, false),
            ("4194000", 61, true, true),
            ("nobody", 0, true, false),
            ("nobody", 2, true, true),
            ("", 2, true, true),
        ] {
            write(content, age);
            assert_eq!(take(&rule, alive).is_ok(), free, "{content} {age}");
        }
        let left: Vec<_> = fs::read_dir(dir.path()).expect("listed").collect();
        assert!(left.len() <= 1, "{left:?}");
    }

    #[test]
    fn what_dead_writers_left_is_cleared_away_and_nothing_else() {
        let dir = tempfile::tempdir().expect("a folder");
        let lock = take(&rule(dir.path().join("x.lock")), true).expect("free");
        let stay = [
            "x.tmp.7",
            "y.tmp.8",
            "x.tmp.8a",
            "x.tmp.",
            "tmp.8",
            "x.lock.stale.7",
            "x.stale.8",
        ];
        for name in stay.iter().chain(&["x.tmp.8", "x.lock.stale.8"]) {
            fs::write(dir.path().join(name), "").expect("written");
        }
        fs::create_dir(dir.path().join("x.tmp.9")).expect("made");
        lock.clear_left_over(&|name| name == "x", &|pid| pid == 7)
            .expect("cleared");
        let mut left: Vec<String> = fs::read_dir(dir.path())
            .expect("listed")
            .map(|entry| entry.expect("read").file_name().to_string_lossy().into_owned())
            .collect();
        left.sort();
        let mut expected = [&stay[..], &["x.lock", "x.tmp.9"]].concat();
        expected.sort_unstable();
        assert_eq!(left, expected);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_place_of_the_temporary_file_is_not_followed() {
        let dir = tempfile::tempdir().expect("a folder");
        let lock = take(&rule(dir.path().join("x.lock")), true).expect("free");
        let (target, other) = (dir.path().join("x"), dir.path().join("other"));
        fs::write(&other, "mine").expect("written");
        std::os::unix::fs::symlink(&other, temporary(&target, std::process::id())).expect("linked");
        lock.replace(&target, b"new").expect("written");
        assert_eq!(fs::read(&other).expect("read"), b"mine");
        assert!(fs::symlink_metadata(&target).expect("there").is_file());
    }

    #[test]
    fn a_lost_lock_writes_nothing() {
        let dir = tempfile::tempdir().expect("a folder");
        let rule = rule(dir.path().join("x.lock"));
        let target = dir.path().join("x");
        fs::write(&target, "old").expect("written");
        let lock = take(&rule, true).expect("free");
        lock.replace(&target, b"new").expect("written");
        fs::remove_file(&rule.path).expect("removed");
        fs::write(&rule.path, "1").expect("another");
        lock.replace(&target, b"late").expect_err("lost");
        assert_eq!(fs::read(&target).expect("read"), b"new");
        drop(lock);
        assert!(rule.path.exists(), "another's lock stays");
        assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 2);
    }
}
