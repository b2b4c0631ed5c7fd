//! The one way to change files: several or none, under a lock, with a journal (architecture.md, "Crash safety").

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use super::act::{self, Act, Kept};
use super::journal::{self, Journal, Outside, Recovered, Stored};
use super::plan::{Op, Plan};
use super::{Lock, LockError, LockRule, RepoPath, WorkTree};
use crate::fault;
use crate::say;
use crate::text::Bytes;
use crate::voice::{Say, Voice};

/// The SHA-256 of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest([u8; 32]);

impl Digest {
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// 64 lower-case hexadecimal digits.
    pub fn hex(&self) -> String {
        self.0
            .iter()
            .fold(String::with_capacity(64), |hex, b| hex + &format!("{b:02x}"))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&self.hex())
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let hex = String::deserialize(d)?;
        let id = super::ObjectId::from_hex(&hex).filter(|id| id.as_bytes().len() == 32);
        let id = id.ok_or_else(|| serde::de::Error::custom("not a SHA-256"))?;
        Ok(Self(id.as_bytes().try_into().map_err(serde::de::Error::custom)?))
    }
}

/// A change of files was refused, or stopped and was put back.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("`{}` cannot be written: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("`{path}` was changed by someone else meanwhile")]
    Changed { path: RepoPath },
    #[error("`{path}` is no regular file, or lies outside the project")]
    NotAFile { path: RepoPath },
    #[error("`{}` cannot be understood ({reason}); an earlier run did not end, and nothing is done before that is settled", path.display())]
    Journal { path: PathBuf, reason: String },
    #[error("an earlier run did not end, and `{path}` was changed since; put that file back, or remove `{}` to leave all as it is", journal.display())]
    Foreign { path: RepoPath, journal: PathBuf },
    #[error("{0}")]
    Outside(String),
    /// The last step failed, and files were no longer as they had been written for it.
    #[error("{cause}; the files are as before, and what was made of them meanwhile is kept: {}", list(.kept))]
    PutBack { cause: String, kept: Vec<Kept> },
}

fn list(kept: &[Kept]) -> String {
    let paths: Vec<String> = kept.iter().map(|k| format!("`{}`", k.kept)).collect();
    paths.join(", ")
}

impl Say for WriteError {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Lock(e) => e.say(voice),
            Self::Io { path, source } => {
                let path = path.display();
                say!(
                    voice,
                    "`{path}` cannot be written: {source}",
                    "无法写入 `{path}`：{source}"
                )
            }
            Self::Changed { path } => {
                say!(
                    voice,
                    "`{path}` was changed by someone else meanwhile",
                    "`{path}` 已被他人改动"
                )
            }
            Self::NotAFile { path } => say!(
                voice,
                "`{path}` is no regular file, or lies outside the project",
                "`{path}` 不是普通文件，或位于项目之外"
            ),
            Self::Journal { path, reason } => {
                let path = path.display();
                say!(
                    voice,
                    "`{path}` cannot be understood ({reason}); an earlier run did not end, and nothing is done before that is settled",
                    "无法理解 `{path}`（{reason}）；先前的运行未结束，处理完之前不做任何事"
                )
            }
            Self::Foreign { path, journal } => {
                let journal = journal.display();
                say!(
                    voice,
                    "an earlier run did not end, and `{path}` was changed since; put that file back, or remove `{journal}` to leave all as it is",
                    "先前的运行未结束，而 `{path}` 之后又被改动；请恢复该文件，或删除 `{journal}` 以保持现状"
                )
            }
            Self::Outside(why) => why.clone(),
            Self::PutBack { cause, kept } => {
                let kept = list(kept);
                say!(
                    voice,
                    "{cause}; the files are as before, and what was made of them meanwhile is kept: {kept}",
                    "{cause}；文件已复原，其间被改成的内容保留在：{kept}"
                )
            }
        }
    }
}

/// Appends a line to a file outside the project that another program reads, such as the output file of a CI step. The
/// file is made if it is missing; an unfinished line before is ended.
pub fn append(path: &Path, line: &str) -> io::Result<()> {
    fault::point()?;
    let mut file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .read(true)
        .open(path)?;
    let mut last = [b'\n'];
    if file.seek(io::SeekFrom::End(0))? > 0 {
        file.seek(io::SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let start = if last == *b"\n" { "" } else { "\n" };
    file.write_all(format!("{start}{line}").as_bytes())
}

/// What a transaction wrote, removed and moved, in its order.
#[derive(Clone, Debug, Default)]
pub struct Written {
    pub paths: Vec<RepoPath>,
}

/// The right to change the files below a root: holds the lock, and has ended what an earlier run left.
pub struct Writer {
    root: PathBuf,
    dir: PathBuf,
    command: String,
    prefix: RepoPath,
    recovered: Recovered,
    _lock: Lock,
}

impl Writer {
    /// Waits for the lock, then ends an unfinished journal beside it.
    pub fn open(root: &Path, rule: &LockRule, outside: &dyn Outside) -> Result<Self, WriteError> {
        let lock = Lock::acquire(rule)?;
        let dir = rule.path.parent().unwrap_or(root).to_owned();
        let recovered = journal::recover(root, &dir, outside)?;
        Ok(Self {
            root: root.to_owned(),
            dir,
            command: rule.holder.clone(),
            prefix: outside.prefix(),
            recovered,
            _lock: lock,
        })
    }

    /// Whether an earlier run may have left something that only a writer takes away: its journal, its copies, its lock. A
    /// run that is still at work has the same.
    pub fn has_leftovers(rule: &LockRule) -> bool {
        let dir = rule.path.parent().unwrap_or(Path::new("."));
        rule.path.exists() || journal::is_there(dir)
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// What was done with an earlier run's journal.
    pub fn recovered(&self) -> Recovered {
        self.recovered
    }

    /// The tree to plan from: as it is under the lock.
    pub fn tree(&self) -> WorkTree {
        WorkTree::new(&self.root)
    }

    /// Writes one file, whatever it was.
    pub fn write(&self, path: &RepoPath, new: Bytes) -> Result<(), WriteError> {
        let mut transaction = self.begin();
        transaction.replace(path, on_disk(&self.root, path)?, new);
        transaction.commit().map(drop)
    }

    pub fn begin(&self) -> Transaction<'_> {
        Transaction {
            writer: self,
            ops: Vec::new(),
            announced: Vec::new(),
        }
    }
}

/// Changes that happen together or not at all.
#[must_use]
pub struct Transaction<'w> {
    writer: &'w Writer,
    ops: Vec<Op>,
    announced: Vec<RepoPath>,
}

impl Transaction<'_> {
    /// Writes `new`; refused if the file is no longer as `seen` (none: absent).
    pub fn replace(&mut self, path: &RepoPath, seen: Option<Digest>, new: Bytes) {
        self.ops.push(Op::Write {
            path: path.clone(),
            seen,
            new,
            exclusive: false,
            like: None,
        });
    }

    /// Writes a file that must not exist; the first of several writers wins.
    pub fn create_new(&mut self, path: &RepoPath, new: Bytes) {
        self.ops.push(Op::Write {
            path: path.clone(),
            seen: None,
            new,
            exclusive: true,
            like: None,
        });
    }

    /// As [`Transaction::create_new`], with the mode of another file.
    pub fn create_like(&mut self, path: &RepoPath, like: &RepoPath, new: Bytes) {
        self.ops.push(Op::Write {
            path: path.clone(),
            seen: None,
            new,
            exclusive: true,
            like: Some(like.clone()),
        });
    }

    pub fn remove(&mut self, path: &RepoPath, seen: Digest) {
        self.ops.push(Op::Remove {
            path: path.clone(),
            seen,
        });
    }

    /// Renames a folder; refused if the target exists.
    pub fn move_dir(&mut self, from: &RepoPath, to: &RepoPath) {
        self.ops.push(Op::MoveDir {
            from: from.clone(),
            to: to.clone(),
        });
    }

    /// Makes a folder that stays, even if nothing comes into it.
    pub fn make_dir(&mut self, path: &RepoPath) {
        self.ops.push(Op::MakeDir { path: path.clone() });
    }

    /// Removes a folder if it is empty by then.
    pub fn remove_empty_dir(&mut self, path: &RepoPath) {
        self.ops.push(Op::RemoveDir { path: path.clone() });
    }

    /// Notes paths that the step after the files will announce to the index, so that recovery can take that back.
    pub fn announce(&mut self, paths: impl IntoIterator<Item = RepoPath>) {
        self.announced.extend(paths);
    }

    pub fn commit(self) -> Result<Written, WriteError> {
        self.run(false, |_| Ok(())).map(|(written, ())| written)
    }

    /// As [`Transaction::commit`], with a last step outside the files; if it errs, all files go back. What else was made
    /// of them while it ran, as by a hook, is kept beside them.
    pub fn commit_then<T, E: From<WriteError> + fmt::Display>(
        self,
        last: impl FnOnce(&Written) -> Result<T, E>,
    ) -> Result<T, E> {
        self.run(true, last).map(|(_, value)| value)
    }

    fn run<T, E: From<WriteError> + fmt::Display>(
        self,
        commit: bool,
        last: impl FnOnce(&Written) -> Result<T, E>,
    ) -> Result<(Written, T), E> {
        let (root, dir) = (&self.writer.root, &self.writer.dir);
        let mut plan = Plan::new(root);
        for (n, op) in self.ops.into_iter().enumerate() {
            plan.add(n, op)?;
        }
        let Plan {
            steps,
            acts,
            temporaries,
            written,
            saves,
            ..
        } = plan;
        let mut journal = Journal {
            version: journal::VERSION,
            command: self.writer.command.clone(),
            prefix: Stored::new(&self.writer.prefix),
            applying: false,
            commit,
            steps,
            announced: self.announced.iter().map(Stored::new).collect(),
        };
        let io = |source| WriteError::Io {
            path: dir.clone(),
            source,
        };
        let prepared = prepare(root, dir, &journal, &saves, &acts, &temporaries);
        let mut taken = 0;
        let applied = prepared.and_then(|()| {
            journal.applying = true;
            journal.write(dir).map_err(io)?;
            for act in &acts {
                act.apply(root)?;
                taken += 1;
            }
            Ok(())
        });
        let ended = match applied {
            Ok(()) => last(&written),
            Err(e) => Err(e.into()),
        };
        // A commit cannot be taken back, so a journal that stays is ended by the next run; files can.
        let ended = ended.and_then(|value| match Journal::discard(dir).map_err(io) {
            Err(e) if !commit => Err(e.into()),
            discarded => Ok((value, discarded)),
        });
        match ended {
            Ok((value, discarded)) => {
                discarded?;
                Ok((written, value))
            }
            Err(e) => {
                let kept = act::undo(root, dir, &acts, taken)?;
                Journal::discard(dir).map_err(io)?;
                if kept.is_empty() {
                    return Err(e);
                }
                let cause = e.to_string();
                Err(WriteError::PutBack { cause, kept }.into())
            }
        }
    }
}

/// Saves old contents, writes the journal, then the temporary files: nothing a reader can see yet.
fn prepare(
    root: &Path,
    dir: &Path,
    journal: &Journal,
    saves: &[(String, RepoPath)],
    acts: &[Act],
    temporaries: &[(RepoPath, RepoPath, Bytes)],
) -> Result<(), WriteError> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |source| WriteError::Io {
            path: path.clone(),
            source,
        }
    };
    if !saves.is_empty() {
        fs::create_dir_all(journal::saved_dir(dir)).map_err(at(dir))?;
    }
    for (name, path) in saves {
        fault::point().map_err(at(dir))?;
        restore_file(&path.on_disk(root), &journal::saved_dir(dir).join(name))
            .map_err(at(&path.on_disk(root)))?;
    }
    journal.write(dir).map_err(at(dir))?;
    for act in acts {
        if let Act::MakeDir { path } = act {
            fs::create_dir_all(path.on_disk(root)).map_err(at(&path.on_disk(root)))?;
        }
    }
    for (temporary, like, bytes) in temporaries {
        let disk = temporary.on_disk(root);
        fault::point().map_err(at(&disk))?;
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&disk)
            .map_err(at(&disk))?;
        file.write_all(bytes).map_err(at(&disk))?;
        if let Ok(meta) = fs::metadata(like.on_disk(root)) {
            file.set_permissions(meta.permissions()).map_err(at(&disk))?;
        }
        file.sync_all().map_err(at(&disk))?;
    }
    Ok(())
}

/// The digest of a regular file; none if nothing is there.
pub(super) fn on_disk(root: &Path, path: &RepoPath) -> Result<Option<Digest>, WriteError> {
    let disk = path.on_disk(root);
    match fs::symlink_metadata(&disk) {
        Err(e) if super::work_tree::is_absence(&e) => Ok(None),
        Ok(meta) if meta.is_file() => match fs::read(&disk) {
            Ok(bytes) => Ok(Some(Digest::of(&bytes))),
            Err(source) => Err(WriteError::Io { path: disk, source }),
        },
        Ok(_) => Err(WriteError::NotAFile { path: path.clone() }),
        Err(source) => Err(WriteError::Io { path: disk, source }),
    }
}

/// Copies a file with its mode into place, complete or not at all.
pub(super) fn restore_file(from: &Path, to: &Path) -> io::Result<()> {
    let mut name = OsString::from(".");
    name.push(to.file_name().unwrap_or_default());
    name.push(".git-spec-restore");
    let temporary = to.with_file_name(name);
    // Whatever has the name is an earlier run's, or a link that would lead the copy elsewhere.
    remove_if_there(&temporary)?;
    let mut new = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&temporary)?;
    let mut old = fs::File::open(from)?;
    io::copy(&mut old, &mut new)?;
    new.set_permissions(old.metadata()?.permissions())?;
    new.sync_all()?;
    fs::rename(&temporary, to)
}

pub(super) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Makes renames in a folder last. Systems that cannot open a folder have no way to ask for it.
pub(super) fn sync_dir(dir: &Path) {
    if let Ok(dir) = fs::File::open(dir) {
        let _unsupported = dir.sync_all();
    }
}
