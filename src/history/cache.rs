//! What is known of commits that were walked before (git.md 8, "Cache"): which parents to follow, which documents differ, what
//! happened to which id. A record says what the commit's own objects say, so none is ever wrong; without them everything
//! is worked out again.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use super::Subject;
use super::codec::{self, Known};
use crate::files::{Lock, LockRule, ObjectId, Records, append_records};
use crate::git::Repository;
use crate::text::Bytes;

/// Of the folder: another one when records say anything else than before.
const VERSION: u32 = 1;
pub const FIRST_LINE: &str = "git-spec steps 1";
/// How long the file may become.
const LIMIT: usize = 64 << 20;

/// What a command may do with the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheUse {
    Off,
    Read,
    ReadAndWrite,
}

/// The records of one project.
pub(super) struct Cache<'r> {
    subject: Subject<'r>,
    folder: PathBuf,
    records: Records,
    /// By commit, the number of its newest record.
    known: HashMap<ObjectId, usize>,
    is_written: bool,
    fresh: Vec<Bytes>,
}

/// Where the records of a clone lie.
fn folder(repository: &Repository) -> PathBuf {
    repository
        .shared_spec_dir()
        .join("cache")
        .join(format!("v{VERSION}"))
}

/// The file of the records.
pub fn file(repository: &Repository) -> PathBuf {
    folder(repository).join("steps")
}

impl<'r> Cache<'r> {
    /// Reads what there is. In a repository of someone else, whose word is not taken, and in a shallow clone, where less can
    /// be worked out than is known elsewhere, there is nothing.
    pub(super) fn open(subject: Subject<'r>) -> Self {
        let folder = folder(subject.repository);
        let is_whole = subject
            .repository
            .shallow_boundary()
            .is_ok_and(|boundary| boundary.is_empty());
        let is_off = subject.cache == CacheUse::Off || !subject.repository.is_own() || !is_whole;
        let records = if is_off {
            Records::default()
        } else {
            Records::read(&folder.join("steps"), FIRST_LINE)
        };
        let mut known = HashMap::new();
        for (at, record) in records.iter().enumerate() {
            if let Some((commit, project)) = codec::key(record)
                && project == subject.project.as_bytes()
            {
                known.insert(commit, at);
            }
        }
        Self {
            subject,
            folder,
            records,
            known,
            is_written: !is_off && subject.cache == CacheUse::ReadAndWrite,
            fresh: Vec::new(),
        }
    }

    /// All that is known of a commit.
    pub(super) fn known(&self, commit: ObjectId) -> Option<Known> {
        codec::known(self.records.get(*self.known.get(&commit)?)?)
    }

    /// Whether what is worked out is worth keeping.
    pub(super) const fn is_written(&self) -> bool {
        self.is_written
    }

    pub(super) fn add(&mut self, commit: ObjectId, known: &Known) {
        self.fresh
            .push(codec::record(commit, self.subject.project, known));
    }

    /// Writes what was added, unless another command is just writing. That it cannot be written costs nothing but time.
    pub(super) fn close(self) {
        if !self.is_written || self.fresh.is_empty() {
            return;
        }
        let spec = self.subject.repository.shared_spec_dir();
        let rule = LockRule {
            path: self.folder.join("lock"),
            holder: "cache".to_owned(),
            wait: Duration::ZERO,
            keep: spec.parent().unwrap_or(&spec).to_owned(),
            nested: false,
        };
        let Ok(_lock) = Lock::acquire(&rule) else { return };
        let reached = std::cell::OnceCell::new();
        let is_reached = |record: &[u8]| {
            let reached =
                reached.get_or_init(|| self.subject.repository.reached_from_head().unwrap_or_default());
            codec::key(record).is_some_and(|(commit, _)| reached.contains(&commit))
        };
        let path = self.folder.join("steps");
        let _unwritten = append_records(&path, FIRST_LINE, &self.fresh, LIMIT, &is_reached);
    }
}
