//! One writer at a time: a lock that the operating system frees when its holder dies (git.md 1.3).

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::say;
use crate::voice::{Say, Voice};

/// Where a lock is, what its file says, and how long to wait for it.
#[derive(Clone, Debug)]
pub struct LockRule {
    pub path: PathBuf,
    /// For people who find the project locked: the command that holds it.
    pub holder: String,
    pub wait: Duration,
    /// A folder above the lock that stays; those between the two are ours and go when they are empty.
    pub keep: PathBuf,
    /// A transaction of ours is waiting for this very process (`GIT_SPEC_TRANSACTION`): waiting for it would never end.
    pub nested: bool,
}

/// The lock was not had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("another command is changing the project ({0}); it did not end in time")]
    Held(String),
    #[error("this runs inside a commit of git-spec's own; a second change would wait for itself")]
    Nested,
    #[error("`{}` cannot be locked: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl Say for LockError {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Held(who) => say!(
                voice,
                "another command is changing the project ({who}); it did not end in time",
                "另一个命令正在修改项目（{who}），未在限时内结束"
            ),
            Self::Nested => say!(
                voice,
                "this runs inside a commit of git-spec's own; a second change would wait for itself",
                "此命令运行于 git-spec 自己的提交之中；再次修改会等待自身"
            ),
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

/// A lock that is held; dropping it removes the file and frees the lock.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    file: Option<File>,
    keep: PathBuf,
}

/// How long a folder may come and go under us, whatever the wait for the lock itself is.
const VANISHING: Duration = Duration::from_secs(1);

/// What the system says of a folder that is removed while it is made or entered.
fn is_vanishing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists
    )
}

impl Lock {
    pub fn acquire(rule: &LockRule) -> Result<Self, LockError> {
        if rule.nested {
            return Err(LockError::Nested);
        }
        let fail = |source| LockError::Io {
            path: rule.path.clone(),
            source,
        };
        let dir = rule.path.parent().unwrap_or(Path::new("."));
        let start = Instant::now();
        let mut pause = Duration::from_millis(20);
        loop {
            refuse_links(&rule.path, &rule.keep).map_err(fail)?;
            let opened = fs::create_dir_all(dir).and_then(|()| {
                OpenOptions::new()
                    .read(true)
                    .write(true)
                    .create(true)
                    .truncate(false)
                    .open(&rule.path)
            });
            let mut file = match opened {
                // The last holder took the empty folder away while we made it, or before we opened the file in it.
                Err(e)
                    if is_vanishing(&e) && !dir.is_file() && start.elapsed() < rule.wait.max(VANISHING) =>
                {
                    thread::sleep(Duration::from_millis(1));
                    continue;
                }
                opened => opened.map_err(fail)?,
            };
            match file.try_lock() {
                Ok(()) if same_file(&file, &rule.path) => {
                    file.set_len(0).map_err(fail)?;
                    let body = format!("pid {}, {}\n", std::process::id(), rule.holder);
                    file.write_all(body.as_bytes()).map_err(fail)?;
                    return Ok(Self {
                        path: rule.path.clone(),
                        file: Some(file),
                        keep: rule.keep.clone(),
                    });
                }
                // Removed by its last holder between our opening and our locking.
                Ok(()) => continue,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(e)) => return Err(fail(e)),
            }
            if start.elapsed() >= rule.wait {
                let mut who = String::new();
                file.read_to_string(&mut who).map_err(fail)?;
                return Err(LockError::Held(crate::text::escape(who.trim()).into_owned()));
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(200));
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A lock file that cannot be removed is not held by anyone: harmless.
        let _removed = fs::remove_file(&self.path);
        self.file = None;
        // Also those that a holder who was killed has left.
        let above = self.path.ancestors().skip(1);
        for dir in above.take_while(|dir| *dir != self.keep && dir.starts_with(&self.keep)) {
            let _in_use = fs::remove_dir(dir);
        }
    }
}

/// A link on the way from `keep` to the lock would lead our files, and what we clear away, to where they are not ours.
fn refuse_links(path: &Path, keep: &Path) -> io::Result<()> {
    let below = path
        .ancestors()
        .take_while(|at| *at != keep && at.starts_with(keep));
    for at in below {
        if at.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
            let reason = format!("`{}` is a link", at.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
    }
    Ok(())
}

#[cfg(unix)]
fn same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(a), Ok(b)) => a.dev() == b.dev() && a.ino() == b.ino(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn same_file(_: &File, path: &Path) -> bool {
    path.exists()
}
