//! A lock that other programs know: a file that names its process (state.md 9.1, loop.md 7), and the files that are
//! replaced while it is held.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::write::{remove_if_there, sync_dir};
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
    pub body: LockBody,
}

/// What the file of a lock says.
#[derive(Clone, Debug)]
pub enum LockBody {
    /// The number of the process.
    Pid,
    /// JSON with process, machine and time. Only on the same machine can a process be known to be gone; a folder in
    /// the place of the file is another program's, and is never taken over.
    Owner { host: String, now: Timestamp },
}

/// The holder of a lock as its file names it.
#[derive(Serialize, Deserialize)]
struct Holder {
    pid: u32,
    host: String,
    at: String,
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
            body: LockBody::Pid,
        }
    }

    /// The rule of loops for a lock file (loop.md 7).
    pub fn of_loop(path: PathBuf, host: String, now: Timestamp) -> Self {
        Self {
            path,
            wait: Duration::from_secs(30),
            pause: Duration::from_millis(100),
            unnamed: Duration::from_secs(600),
            forgotten: Duration::from_secs(600),
            body: LockBody::Owner { host, now },
        }
    }

    fn content(&self) -> io::Result<String> {
        let pid = std::process::id();
        match &self.body {
            LockBody::Pid => Ok(pid.to_string()),
            LockBody::Owner { host, now } => Ok(serde_json::to_string(&Holder {
                pid,
                host: host.clone(),
                at: now.rfc3339(),
            })?),
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
    /// A file system gives the number of a file that is gone to the next one, but not while it is open.
    _open: File,
}

/// No lock says more.
const LONGEST_BODY: u64 = 1024;

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
    /// As in [`PidLock`]. None: it cannot be opened, and only its content tells it from the next one.
    _open: Option<File>,
    /// None: it cannot be read.
    content: Option<String>,
    is_folder: bool,
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
        let open = if meta.is_file() {
            File::open(path).ok()
        } else {
            None
        };
        let content = open.as_ref().and_then(|file| {
            let mut content = String::new();
            file.take(LONGEST_BODY).read_to_string(&mut content).ok()?;
            Some(content)
        });
        Ok(Some(Self {
            id: file_id(&meta),
            content,
            _open: open,
            is_folder: meta.is_dir(),
            // A time in the future is no age.
            age: meta.modified()?.elapsed().unwrap_or_default(),
        }))
    }

    fn holder(&self) -> Option<Holder> {
        serde_json::from_str(self.content.as_deref()?).ok()
    }

    fn pid(&self) -> Option<u32> {
        let pid = match self.holder() {
            Some(holder) => holder.pid,
            None => self.content.as_deref()?.trim().parse().ok()?,
        };
        (pid > 0).then_some(pid)
    }

    fn is_left_over(&self, rule: &PidLockRule, alive: &dyn Fn(u32) -> bool) -> bool {
        let (mut age, mut can_be_gone) = (self.age, true);
        if let LockBody::Owner { host, now } = &rule.body {
            if self.is_folder {
                return false;
            }
            let holder = self.holder();
            can_be_gone = holder
                .as_ref()
                .is_some_and(|holder| holder.host == *host && !host.is_empty());
            let since = holder.and_then(|holder| Timestamp::parse(&holder.at));
            let said = since.map_or(0, |since| now.millis().saturating_sub(since.millis()));
            age = age.max(Duration::from_millis(u64::try_from(said).unwrap_or(0)));
        }
        match (&self.content, self.pid()) {
            (_, Some(pid)) if can_be_gone && !alive(pid) => true,
            (Some(_), None) => age > rule.unnamed,
            (Some(_), Some(_)) | (None, _) => age > rule.forgotten,
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
            if let Some(lock) = Self::create(rule).map_err(fail)? {
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
    fn create(rule: &PidLockRule) -> io::Result<Option<Self>> {
        let content = rule.content()?;
        fault::point()?;
        let mut file = match OpenOptions::new().write(true).create_new(true).open(&rule.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => return Err(error),
        };
        let id = file_id(&file.metadata()?);
        let written = file.write_all(content.as_bytes());
        let lock = Self {
            path: rule.path.clone(),
            id,
            _open: file,
        };
        written.map(|()| Some(lock))
    }

    /// Whether the file is still the one that this process made: a process that slept for long may have lost it.
    pub fn is_ours(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|meta| file_id(&meta) == self.id)
    }

    /// Replaces a file in the folder of the lock, whole or not at all; its mode stays.
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
        self.put(target, content, old.map(|old| old.permissions()))
    }

    /// As [`PidLock::replace`], a file that nobody is to write by hand; whatever stands there, a link too, is replaced.
    pub fn replace_read_only(&self, target: &Path, content: &[u8]) -> io::Result<()> {
        #[cfg(unix)]
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o444);
        #[cfg(not(unix))]
        let permissions = {
            let mut permissions = fs::metadata(&self.path)?.permissions();
            permissions.set_readonly(true);
            permissions
        };
        self.put(target, content, Some(permissions))
    }

    fn put(&self, target: &Path, content: &[u8], permissions: Option<fs::Permissions>) -> io::Result<()> {
        let temporary = temporary(target, std::process::id());
        let written = self.write_and_rename(&temporary, target, content, permissions);
        if written.is_err() {
            // The first error is the one to tell.
            let _left = remove_if_there(&temporary);
        }
        written
    }

    /// Without permissions a file gets those of a new one.
    fn write_and_rename(
        &self,
        temporary: &Path,
        target: &Path,
        content: &[u8],
        permissions: Option<fs::Permissions>,
    ) -> io::Result<()> {
        fault::point()?;
        // What a dead process of the same number left, or somebody laid there, is not written through.
        remove_if_there(temporary)?;
        let mut file = File::create_new(temporary)?;
        file.write_all(content)?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        file.sync_all()?;
        fault::point()?;
        self.must_be_ours()?;
        fs::rename(temporary, target)?;
        if let Some(dir) = target.parent() {
            sync_dir(dir);
        }
        Ok(())
    }

    fn must_be_ours(&self) -> io::Result<()> {
        match self.is_ours() {
            true => Ok(()),
            false => Err(io::Error::other("the lock was taken over by another writer")),
        }
    }

    /// Removes a file in the folder of the lock; whether there was one.
    ///
    /// # Errors
    /// If the disk refuses, or the lock was lost.
    pub fn remove(&self, target: &Path) -> io::Result<bool> {
        fault::point()?;
        self.must_be_ours()?;
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
mod tests;
