//! Why something is refused, in both languages.

use super::database::DatabaseError;
use crate::files::{ReadError, RepoPath, WriteError};
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Invocation, Language, Say, Voice, quoted_list};
use crate::worktree::NameError;

/// Why a command on the rows of the database changed nothing.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("the project is not initialised here")]
    NotInitialised,
    #[error("the database has schema version {0}, which is not known here")]
    UnknownSchema(i64),
    #[error("`{}` is no stage", escape(.0))]
    UnknownStage(String),
    #[error("`{}` is no status: pending, in-progress, completed, failed and blocked are", escape(.0))]
    UnknownStatus(String),
    #[error("there is no change `{}`", escape(.0))]
    UnknownChange(String),
    #[error("there is no active change; `--change` names one")]
    NoChange,
    #[error("several changes are active ({}); `--change` names one", quoted_list(.0))]
    ManyChanges(Vec<String>),
    #[error("the change has no stage `{0}`")]
    NoStage(&'static str),
    #[error("the stage has no step `{}`", escape(.0))]
    NoStep(String),
    #[error("nothing is pending in `{0}`")]
    NothingPending(&'static str),
    #[error("`{}` cannot be skipped", escape(.0))]
    NotOptional(String),
    #[error("the change was rejected: {}", escape(.0))]
    Rejected(String),
    #[error("`{0}` is not there")]
    NoFolder(RepoPath),
    #[error("`{0}` is there already")]
    ArchiveExists(RepoPath),
    #[error("not every task of `{path}` is done ({open} left)")]
    OpenTasks { path: RepoPath, open: usize },
    #[error("`{path}` is missing; `silly impact` writes it")]
    NoImpact { path: RepoPath, change: String },
    #[error("`{0}` says that the verification failed")]
    VerificationFailed(RepoPath),
    #[error("{0}")]
    Commit(String),
}

impl Say for Refused {
    fn say(&self, voice: &Voice) -> String {
        if let Self::NoImpact { path, change } = self {
            let run = Invocation::new("silly impact", &["--change", change]).say(voice);
            return say!(
                voice,
                "`{path}` is missing; `{run}` writes it",
                "缺少 `{path}`；`{run}` 会生成它"
            );
        }
        if voice.language == Language::English {
            return self.to_string();
        }
        match self {
            Self::Database(error) => error.say(voice),
            Self::Read(error) => error.say(voice),
            Self::Write(error) => error.say(voice),
            Self::Name(error) => error.say(voice),
            Self::NotInitialised => "此处的项目尚未初始化".to_owned(),
            Self::UnknownSchema(version) => format!("数据库的结构版本 {version} 无法识别"),
            Self::UnknownStage(name) => format!("没有阶段 `{}`", escape(name)),
            Self::UnknownStatus(name) => format!(
                "没有状态 `{}`：可用 pending、in-progress、completed、failed、blocked",
                escape(name)
            ),
            Self::UnknownChange(name) => format!("没有变更 `{}`", escape(name)),
            Self::NoChange => "没有活动变更；用 `--change` 指定".to_owned(),
            Self::ManyChanges(names) => {
                format!("有多个活动变更（{}）；用 `--change` 指定", quoted_list(names))
            }
            Self::NoStage(stage) => format!("该变更没有阶段 `{stage}`"),
            Self::NoStep(step) => format!("该阶段没有步骤 `{}`", escape(step)),
            Self::NothingPending(stage) => format!("`{stage}` 没有待完成的步骤"),
            Self::NotOptional(step) => format!("步骤 `{}` 不能跳过", escape(step)),
            Self::Rejected(reason) => format!("该变更已被拒绝：{}", escape(reason)),
            Self::NoFolder(path) => format!("`{path}` 不存在"),
            Self::ArchiveExists(path) => format!("`{path}` 已存在"),
            Self::OpenTasks { path, open } => format!("`{path}` 中还有 {open} 个任务未完成"),
            Self::NoImpact { path, .. } => format!("缺少 `{path}`"),
            Self::VerificationFailed(path) => format!("`{path}` 的结论为不通过"),
            Self::Commit(why) => why.clone(),
        }
    }
}

impl Fail for Refused {
    fn code(&self) -> &'static str {
        match self {
            Self::Database(_) => "database_failed",
            Self::Read(_) => "file_unreadable",
            Self::Write(_) => "not_written",
            Self::Name(_) => "change_name_invalid",
            Self::NotInitialised => "not_initialised",
            Self::UnknownSchema(_) => "schema_version",
            Self::UnknownStage(_) => "stage_unknown",
            Self::UnknownStatus(_) => "status_unknown",
            Self::UnknownChange(_) => "change_unknown",
            Self::NoChange => "change_missing",
            Self::ManyChanges(_) => "change_ambiguous",
            Self::NoStage(_) => "stage_missing",
            Self::NoStep(_) => "step_unknown",
            Self::NothingPending(_) => "nothing_pending",
            Self::NotOptional(_) => "step_required",
            Self::Rejected(_) => "change_rejected",
            Self::NoFolder(_) => "change_folder_missing",
            Self::ArchiveExists(_) => "archive_exists",
            Self::OpenTasks { .. } => "tasks_open",
            Self::NoImpact { .. } => "module_impact_missing",
            Self::VerificationFailed(_) => "verification_failed",
            Self::Commit(_) => "commit_failed",
        }
    }
}

/// What is told beside an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    ApprovalPending,
    ArchiveUnconfirmed,
    /// A file that the stage should have left; a place where it lies instead.
    FileMissing {
        path: RepoPath,
        instead: Option<RepoPath>,
    },
    MetadataMissing(RepoPath),
}

impl Note {
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ApprovalPending => "approval_pending",
            Self::ArchiveUnconfirmed => "archive_unconfirmed",
            Self::FileMissing { instead: None, .. } => "file_missing",
            Self::FileMissing { instead: Some(_), .. } => "wrong_location",
            Self::MetadataMissing(_) => "metadata_missing",
        }
    }

    /// A check of files, which `--strict` makes a failure.
    pub const fn is_of_files(&self) -> bool {
        matches!(self, Self::FileMissing { .. } | Self::MetadataMissing(_))
    }
}

impl Say for Note {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::ApprovalPending => say!(voice, "the approval of the change is pending", "该变更尚待批准"),
            Self::ArchiveUnconfirmed => say!(
                voice,
                "nothing is moved to the archive without `--confirm`",
                "没有 `--confirm` 时不会归档"
            ),
            Self::FileMissing { path, instead: None } => {
                say!(voice, "`{path}` is missing", "缺少 `{path}`")
            }
            Self::FileMissing {
                path,
                instead: Some(instead),
            } => say!(
                voice,
                "`{path}` is missing, and lies at `{instead}` instead",
                "缺少 `{path}`，它位于 `{instead}`"
            ),
            Self::MetadataMissing(path) => say!(
                voice,
                "`{path}` lacks `author` or `created_at`",
                "`{path}` 缺少 `author` 或 `created_at`"
            ),
        }
    }
}
