//! Why a command of the family did nothing.

use std::io;
use std::path::PathBuf;

use super::super::trouble::Trouble;
use super::super::usage::Usage;
use crate::files::{PidLockError, RepoPath};
use crate::say;
use crate::silly::Refused;
use crate::silly::database::DatabaseError;
use crate::silly::modules::MapError;
use crate::silly::split::Fault;
use crate::silly::sync_docs;
use crate::text::escape;
use crate::voice::{Fail, Say, Voice, quoted_list};

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(transparent)]
    Usage(#[from] Usage),
    #[error("`{}` is not there", escape(.0))]
    NoFile(String),
    #[error("`{}` cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("`{}` cannot be understood: {}", path.display(), escape(reason))]
    Malformed { path: PathBuf, reason: String },
    #[error("`{}` cannot be written: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("`{}` leads out of the project", path.display())]
    LeadsOut { path: PathBuf },
    #[error(transparent)]
    Lock(#[from] PidLockError),
    #[error(transparent)]
    Map(#[from] MapError),
    #[error("the packages of `MASTER.md`: {0:?}")]
    Split(Fault),
    #[error("`{path}`: {fault}")]
    Document { path: RepoPath, fault: sync_docs::Fault },
    #[error("nothing is committed yet, so there is nothing to compare with")]
    NoCommit,
    #[error("no random bytes: {0}")]
    Random(getrandom::Error),
    #[error("`{}` is no tool: claude, cursor, openclaw, codex, gemini and opencode are", escape(.0))]
    UnknownTool(String),
    #[error("`{}` has no work tree with a readable `meta.json`", escape(.0))]
    NoMeta(String),
    #[error("git does not know `{}` as a work tree", path.display())]
    NotRegistered { path: PathBuf },
    #[error("`{}` is there already", path.display())]
    FolderThere { path: PathBuf },
    #[error("the design does not list {}", quoted_list(.0))]
    NotListed(Vec<String>),
    #[error("changed in the main tree since: {}", quoted_list(.0))]
    MovedOn(Vec<String>),
    #[error(transparent)]
    Worktree(#[from] super::super::worktree::Error),
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

impl From<DatabaseError> for Error {
    fn from(error: DatabaseError) -> Self {
        Self::Refused(error.into())
    }
}

super::super::trouble::through_trouble!(Error);

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Usage(error) => error.say(voice),
            Self::NoFile(path) => {
                let path = escape(path);
                say!(voice, "`{path}` is not there", "`{path}` 不存在")
            }
            Self::Unreadable { path, source } => {
                let path = path.display();
                say!(
                    voice,
                    "`{path}` cannot be read: {source}",
                    "无法读取 `{path}`：{source}"
                )
            }
            Self::Malformed { path, reason } => {
                let (path, reason) = (path.display(), escape(reason));
                say!(
                    voice,
                    "`{path}` cannot be understood: {reason}",
                    "无法理解 `{path}`：{reason}"
                )
            }
            Self::Write { path, source } => {
                let path = path.display();
                say!(
                    voice,
                    "`{path}` cannot be written: {source}",
                    "无法写入 `{path}`：{source}"
                )
            }
            Self::LeadsOut { path } => {
                let path = path.display();
                say!(
                    voice,
                    "`{path}` leads out of the project by a symbolic link",
                    "`{path}` 经由符号链接指向项目之外"
                )
            }
            Self::Lock(error) => error.say(voice),
            Self::Map(error) => error.say(voice),
            Self::Split(fault) => of_fault(fault, voice),
            Self::Document { path, fault } => {
                let fault = fault.say(voice);
                say!(voice, "`{path}`: {fault}", "`{path}`：{fault}")
            }
            Self::NoCommit => say!(
                voice,
                "nothing is committed yet, so there is nothing to compare with; commit first",
                "还没有任何提交，无从比较；请先提交"
            ),
            Self::Random(error) => say!(voice, "no random bytes: {error}", "无法取得随机数：{error}"),
            Self::UnknownTool(name) => {
                let name = escape(name);
                say!(
                    voice,
                    "`{name}` is no tool: claude, cursor, openclaw, codex, gemini and opencode are",
                    "没有工具 `{name}`：可用 claude、cursor、openclaw、codex、gemini、opencode"
                )
            }
            Self::NoMeta(name) => {
                let name = escape(name);
                say!(
                    voice,
                    "`{name}` has no work tree with a readable `meta.json`",
                    "`{name}` 没有带可读 `meta.json` 的工作树"
                )
            }
            Self::NotRegistered { path } => {
                let path = path.display();
                say!(
                    voice,
                    "git does not know `{path}` as a work tree; `git worktree repair` may find it, and `silly worktree cleanup` puts it aside",
                    "git 不认识工作树 `{path}`；`git worktree repair` 或可修复，`silly worktree cleanup` 会将其移开保存"
                )
            }
            Self::FolderThere { path } => {
                let path = path.display();
                say!(voice, "`{path}` is there already", "`{path}` 已存在")
            }
            Self::NotListed(paths) => {
                let paths = quoted_list(paths);
                say!(
                    voice,
                    "the design does not list {paths}",
                    "设计的文件变更清单中没有 {paths}"
                )
            }
            Self::MovedOn(paths) => {
                let paths = quoted_list(paths);
                say!(
                    voice,
                    "the main tree has changed {paths} since the work tree was made",
                    "主工作树在此后改动了 {paths}"
                )
            }
            Self::Worktree(error) => error.say(voice),
            Self::Refused(error) => error.say(voice),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Usage(error) => error.code(),
            Self::NoFile(_) => "file_missing",
            Self::Unreadable { .. } | Self::Map(MapError::Read(_)) => "file_unreadable",
            Self::Malformed { .. } | Self::Map(MapError::Malformed { .. }) => "file_malformed",
            Self::Write { .. } => "not_written",
            Self::LeadsOut { .. } => "link_leads_out",
            Self::Lock(_) => "locked",
            Self::Split(Fault::NoTable) => "split_no_table",
            Self::Split(Fault::Name(_)) => "split_name",
            Self::Split(Fault::UnknownDependency(_)) => "split_unknown_dependency",
            Self::Split(Fault::Cycle(_)) => "split_cycle",
            Self::Document { fault, .. } => match fault {
                sync_docs::Fault::Table(_) => "document_malformed",
                sync_docs::Fault::Unknown { .. } => "module_unknown",
                sync_docs::Fault::Ambiguous { .. } => "module_ambiguous",
                sync_docs::Fault::NoDocument { .. } => "module_name",
            },
            Self::NoCommit => "nothing_committed",
            Self::Random(_) => "no_random",
            Self::UnknownTool(_) => "tool_unknown",
            Self::NoMeta(_) => "meta_missing",
            Self::NotRegistered { .. } => "not_registered",
            Self::FolderThere { .. } => "folder_there",
            Self::NotListed(_) => "file_not_listed",
            Self::MovedOn(_) => "base_changed",
            Self::Worktree(error) => error.code(),
            Self::Refused(error) => error.code(),
            Self::Trouble(error) => error.code(),
        }
    }
}

impl From<crate::worktree::Error> for Error {
    fn from(error: crate::worktree::Error) -> Self {
        Self::Worktree(error.into())
    }
}

fn of_fault(fault: &Fault, voice: &Voice) -> String {
    match fault {
        Fault::NoTable => say!(
            voice,
            "`MASTER.md` has no table of packages",
            "`MASTER.md` 没有变更包表格"
        ),
        Fault::Name(name) => {
            let name = escape(name);
            say!(
                voice,
                "`{name}` is no name for a change",
                "`{name}` 不能作为变更名"
            )
        }
        Fault::UnknownDependency(name) => {
            let name = escape(name);
            say!(voice, "`{name}` is no package", "没有变更包 `{name}`")
        }
        Fault::Cycle(name) => {
            let name = escape(name);
            say!(voice, "`{name}` needs itself", "`{name}` 循环依赖自身")
        }
    }
}
