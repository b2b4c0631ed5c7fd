//! The only caller of gix and of the `git` program: repository, trees, history, commits.
//! Reads in process; changes a user's index, HEAD and work tree through git (engineering.md 2).

mod branches;
mod bring;
mod chain;
mod commit;
mod condition;
mod config;
mod elsewhere;
mod emptied;
mod filters;
mod forward;
mod health;
mod history;
mod inside;
mod merge_file;
mod merged;
mod name_status;
mod nested;
mod occupied;
mod pack_cache;
mod range;
mod refs;
mod remotes;
mod rename;
mod rescue;
mod rescue_parts;
mod rescued;
mod revision;
mod run;
mod search;
mod similarity;
mod simplified;
mod staged;
mod taking;
mod trailers;
mod tree_entries;
mod tree_id;
mod trees;
mod trial_merge;
mod worktree_write;
mod worktrees;

use elsewhere::Elsewhere;

pub use branches::Subject;
pub use commit::{CommitPlan, Commits, Committed};
pub use condition::{
    Condition, Operation, administrative_state, condition, git_dir_of, holds_only_its_commit, ignored_below,
    is_ignored,
};
pub use config::config_file;
pub use emptied::{changed_since, instant_beside, remove_folder_as_of};
pub use filters::CheckoutTree;
pub use health::git_version;
pub(crate) use history::LITERAL;
pub use history::{CommitFacts, CommitWords, LastChange, SPEC_CHANGE, SPEC_OPERATION, operation_trailers};
pub use inside::{is_begun, lay_down, take_up};
pub use merge_file::{MarkStyle, MergeFile};
pub use merged::Merged;
pub use name_status::{
    Change, Mode, NameStatusOptions, Status, Version, name_status_len, name_status_stream,
};
pub use nested::{Nested, modules_with_work, nested_with_work};
pub use range::{RangeCommit, Standing, Without};
pub use refs::{is_branch_name, is_match};
pub use remotes::{names_of_branch, remote_folder};
pub use rename::Renames;
pub use rescue::{RESCUES, RescueNote};
pub use rescued::{Counts, Rescued};
pub use run::Git;
pub use simplified::{FolderIds, FolderStep, Visited};
pub use taking::Taking;
pub use trailers::Trailer;
pub use trees::{CommitTree, IndexTree};
pub use trial_merge::{Aside, Trial};
pub use worktree_write::{
    INITIALIZING, LONGEST_NAME, free_beside, highest_missing_above, is_bare_beginning, is_free, is_inside,
    is_same, remove_bare_beginning, remove_empty_above, rename_folder, write_whole,
};
pub use worktrees::{Folder, Registered, is_registered};

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::files::{ObjectId, RepoPath, is_top};
use crate::say;
use crate::text::escape;
use crate::voice::{Say, Voice};

/// Git, or the repository, could not answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("this is no git repository")]
    NotARepository,
    #[error("git refuses this repository: {0}")]
    Refused(String),
    #[error("the repository cannot be opened: {0}")]
    Open(String),
    #[error("`{revision}` names no commit here: {reason}")]
    Revision { revision: String, reason: String },
    #[error("`{revision}` is not looked up: a revision does not start with `-` and is not empty")]
    OptionLike { revision: String },
    #[error("{what}: {reason}")]
    Object { what: String, reason: String },
    #[error("git configuration `{key}`: `{}` is not {wanted}", escape(.value))]
    Setting {
        key: &'static str,
        value: String,
        wanted: &'static str,
    },
    #[error("blob {id} cannot be read: {reason}")]
    Blob { id: ObjectId, reason: String },
    #[error("{one} and {other} have no common history")]
    NoMergeBase { one: ObjectId, other: ObjectId },
    #[error(
        "the history ends at {boundary}: this clone is shallow; `git fetch --unshallow` (in CI `fetch-depth: 0`) brings the rest"
    )]
    Shallow { boundary: ObjectId },
    #[error("`git {command}`: {complaint}")]
    Git { command: String, complaint: String },
    #[error("git cannot be run: {0}")]
    Spawn(#[source] io::Error),
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::NotARepository => say!(voice, "this is no git repository", "这里不是 git 仓库"),
            Self::Refused(why) => say!(
                voice,
                "git refuses this repository: {why}",
                "git 拒绝此仓库：{why}"
            ),
            Self::Open(why) => say!(
                voice,
                "the repository cannot be opened: {why}",
                "无法打开仓库：{why}"
            ),
            Self::Revision { revision, reason } => {
                let revision = escape(revision);
                say!(
                    voice,
                    "`{revision}` names no commit here: {reason}",
                    "`{revision}` 在此仓库中不是提交：{reason}"
                )
            }
            Self::OptionLike { revision } => {
                let revision = escape(revision);
                say!(
                    voice,
                    "`{revision}` is not looked up: a revision does not start with `-` and is not empty",
                    "`{revision}` 不予解析：修订不得为空或以 `-` 开头"
                )
            }
            Self::Object { what, reason } => format!("{what}: {reason}"),
            Self::Setting { key, value, wanted } => {
                let value = escape(value);
                say!(
                    voice,
                    "git configuration `{key}`: `{value}` is not {wanted}",
                    "git 配置 `{key}`：`{value}` 应为 {wanted}"
                )
            }
            Self::Blob { id, reason } => {
                say!(
                    voice,
                    "blob {id} cannot be read: {reason}",
                    "无法读取 blob {id}：{reason}"
                )
            }
            Self::NoMergeBase { one, other } => {
                say!(
                    voice,
                    "{one} and {other} have no common history",
                    "{one} 与 {other} 没有共同历史"
                )
            }
            Self::Shallow { boundary } => say!(
                voice,
                "the history ends at {boundary}: this clone is shallow; `git fetch --unshallow` (in CI `fetch-depth: 0`) brings the rest",
                "历史在 {boundary} 处中断：这是浅克隆；用 `git fetch --unshallow`（CI 中 `fetch-depth: 0`）取回其余部分"
            ),
            Self::Git { command, complaint } => format!("`git {command}`: {complaint}"),
            Self::Spawn(e) => say!(voice, "git cannot be run: {e}", "无法运行 git：{e}"),
        }
    }
}

/// A repository, opened for reading in process and for commands through git. Replace refs and grafts are off.
pub struct Repository {
    /// The folder it was found from, where relative `GIT_*` paths mean what they say.
    start: PathBuf,
    shared: gix::ThreadSafeRepository,
    idle: Mutex<Vec<gix::Repository>>,
    /// Where objects lie that a push has brought and nobody has accepted yet.
    elsewhere: Option<Elsewhere>,
}

impl Repository {
    /// Finds the repository of the current folder, honouring `GIT_DIR` and its kin; none if there is none.
    /// `told` says that the environment names one, so that its absence is an error to be told in git's words.
    pub fn discover(start: &Path, told: bool) -> Result<Option<Self>, Error> {
        let shared = match gix::ThreadSafeRepository::discover_with_environment_overrides(start) {
            Ok(found) => found,
            Err(_) if !told && !looks_like_repository(start) => return Ok(None),
            Err(error) => {
                let asked = Git::anywhere(start).args(["rev-parse", "--git-dir"]).output()?;
                let complaint = asked.complaint();
                return match asked.success() {
                    true => Err(Error::Open(escape(&error.to_string()).into_owned())),
                    false if complaint.contains("not a git repository") && !told => Ok(None),
                    false => Err(Error::Refused(complaint)),
                };
            }
        };
        let repository = Self {
            start: std::path::absolute(start).unwrap_or_else(|_| start.to_owned()),
            shared,
            idle: Mutex::default(),
            elsewhere: None,
        };
        if !repository.is_own() {
            let asked = Git::anywhere(start).args(["rev-parse", "--git-dir"]).output()?;
            if !asked.success() {
                return Err(Error::Refused(asked.complaint()));
            }
        }
        Ok(Some(repository))
    }

    /// The repository whose work tree has its top at a folder, whatever the environment says; none if it cannot be opened.
    pub fn at_top(top: &Path) -> Option<Self> {
        let shared = gix::ThreadSafeRepository::open(top).ok()?;
        Some(Self {
            start: std::path::absolute(top).unwrap_or_else(|_| top.to_owned()),
            shared,
            idle: Mutex::default(),
            elsewhere: None,
        })
    }

    /// Whether the one who runs the program owns it.
    pub fn is_own(&self) -> bool {
        self.with(|repo| repo.git_dir_trust() == gix::sec::Trust::Full)
    }

    /// Lends a thread its own handle; handles are kept for the next caller.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&gix::Repository) -> T) -> T {
        let idle = self.idle.lock().map(|mut idle| idle.pop()).unwrap_or_default();
        let repo = idle.unwrap_or_else(|| {
            let mut repo = self.handle();
            repo.object_cache_size_if_unset(4 << 20);
            repo
        });
        let out = work(&repo);
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(repo);
        }
        out
    }

    /// A new handle without any cache, for one that reads every object once.
    fn handle(&self) -> gix::Repository {
        let mut repo = self.shared.to_thread_local();
        if let Some(elsewhere) = &self.elsewhere {
            elsewhere.lend(&mut repo);
        }
        repo.objects.ignore_replacements = true;
        repo
    }

    /// The top level of the work tree; none in a bare repository.
    pub fn work_dir(&self) -> Option<PathBuf> {
        self.with(|repo| repo.workdir().map(absolute))
    }

    /// The git directory of this work tree.
    pub fn git_dir(&self) -> PathBuf {
        self.with(|repo| absolute(repo.git_dir()))
    }

    /// Where this work tree's lock, journal and saved files lie (git.md 1.3).
    pub fn spec_dir(&self) -> PathBuf {
        self.git_dir().join("spec")
    }

    /// Where what all work trees of this clone share lies (git.md 1.3).
    pub fn shared_spec_dir(&self) -> PathBuf {
        self.with(|repo| absolute(repo.common_dir())).join("spec")
    }

    /// The commit HEAD names; none while it is unborn.
    pub fn head(&self) -> Result<Option<ObjectId>, Error> {
        if self.refs_are_for_git() {
            let asked = self
                .question()
                .args(["rev-parse", "--verify", "--quiet", "HEAD"])
                .output()?;
            return match asked.code {
                Some(1) => Ok(None),
                _ => self.commit_id("HEAD").map(Some),
            };
        }
        self.with(|repo| {
            let fail = |e: gix::Error| Error::Object {
                what: "HEAD".to_owned(),
                reason: e.to_string(),
            };
            let head = repo.head().map_err(fail)?;
            if head.is_unborn() {
                return Ok(None);
            }
            Ok(Some(own_id(head.into_peeled_id().map_err(fail)?.detach())))
        })
    }

    /// How many seconds a writer waits for another, as `spec.lockTimeout` says it.
    pub fn lock_timeout(&self) -> Result<Option<u64>, Error> {
        const KEY: &str = "spec.lockTimeout";
        let fail = |reason: String| Error::Object {
            what: format!("configuration `{KEY}`"),
            reason,
        };
        let value = self.with(|repo| repo.config_snapshot().try_integer(KEY));
        let Some(seconds) = value.map_err(|e| fail(e.to_string()))? else {
            return Ok(None);
        };
        u64::try_from(seconds).map(Some).map_err(|e| fail(e.to_string()))
    }

    /// The files of a commit below `prefix`.
    pub fn commit_tree(&self, commit: ObjectId, prefix: &RepoPath) -> Result<CommitTree<'_>, Error> {
        CommitTree::new(self, commit, prefix)
    }

    /// The files of the index below `prefix`.
    pub fn index_tree(&self, prefix: &RepoPath) -> Result<IndexTree<'_>, Error> {
        IndexTree::new(self, prefix)
    }

    /// Offset of local time from UTC, in seconds.
    pub fn local_offset() -> i64 {
        i64::from(gix::date::Time::now_local_or_utc().offset)
    }
}

pub(crate) fn own_id(id: gix::ObjectId) -> ObjectId {
    ObjectId::from_bytes(id.as_slice())
}

pub(crate) fn gix_id(id: ObjectId) -> gix::ObjectId {
    gix::ObjectId::from_bytes_or_panic(id.as_bytes())
}

/// A folder that may be a repository, or lie in one: cheaper than asking git, and only asked when gix found none.
fn looks_like_repository(start: &Path) -> bool {
    let start = std::path::absolute(start).unwrap_or_else(|_| start.to_owned());
    start
        .ancestors()
        .any(|dir| is_top(dir) || (dir.join("HEAD").is_file() && dir.join("objects").is_dir()))
}

fn absolute(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
