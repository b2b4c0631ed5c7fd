//! Why a command about work trees did nothing, with its code in the contract (git.md 5).

use std::path::PathBuf;

use super::{Refusal, State};
use crate::files::{ObjectId, RepoPath};
use crate::git;
use crate::voice::Fail;

/// The words are in `words`; this is their English.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{}` has a work tree already: `{}`", change, path.display())]
    Exists { change: String, path: PathBuf },
    #[error("`{}` is there and not empty", path.display())]
    PathOccupied { path: PathBuf },
    #[error("`{}` is no folder that a work tree can be made in: {reason}", path.display())]
    PathInvalid { path: PathBuf, reason: String },
    #[error("branch `{branch}` is checked out in `{}`", path.display())]
    BranchInUse { branch: String, path: PathBuf },
    #[error("branch `{branch}` exists, at {tip}")]
    BranchExists { branch: String, tip: ObjectId },
    #[error("`{0}` is no name for a branch")]
    BranchInvalid(String),
    #[error("`{revision}` is no base: {reason}")]
    BaseUnknown { revision: String, reason: String },
    #[error("there is no work tree of `{change}`")]
    NotFound { change: String, known: Vec<String> },
    #[error("`{change}` has several work trees")]
    Ambiguous { change: String, paths: Vec<PathBuf> },
    #[error("the work tree of `{change}` is that of another project, `{project}`")]
    OtherProject { change: String, project: String },
    #[error("the work tree of `{change}` has no folder to work in")]
    NoFolder {
        change: String,
        state: State,
        path: Option<PathBuf>,
    },
    #[error("this command runs in `{}` itself", path.display())]
    InUse { path: PathBuf, go_to: PathBuf },
    #[error("the work tree of `{change}` holds work")]
    NotClean { change: String, refusals: Vec<Refusal> },
    #[error("`{}` was written to meanwhile", path.display())]
    Meanwhile { path: PathBuf },
    #[error("the work cannot be kept, so nothing is removed: {0}")]
    RescueFailed(String),
    #[error("there is no rescue `{0}`")]
    RescueUnknown(String),
    #[error("`{}` is no clean work tree of this repository", path.display())]
    RestoreTarget { path: PathBuf },
    #[error("files are in the way")]
    InTheWay { paths: Vec<RepoPath> },
    #[error("a {operation} is under way in `{}`", path.display())]
    Busy { path: PathBuf, operation: String },
    #[error("there are conflicts in `{}`", path.display())]
    Unsettled { path: PathBuf, paths: Vec<RepoPath> },
    #[error("the work of `{change}` and HEAD have no common history")]
    NoBase { change: String },
    #[error("HEAD is detached here")]
    Detached,
    #[error("the commits of `{change}` hold the record of its work tree")]
    RecordCommitted { change: String },
    #[error("`{}` holds another work tree, `{}`", path.display(), inner.display())]
    HoldsAnother { path: PathBuf, inner: PathBuf },
    #[error("the work of `{change}` conflicts with HEAD")]
    Conflict { change: String, paths: Vec<RepoPath> },
    #[error("files here have changes of their own")]
    TargetDirty { paths: Vec<RepoPath> },
    #[error("git refuses the merge: {0}")]
    MergeRefused(String),
    #[error("`{}` is kept at `{}`", path.display(), aside.display())]
    SetAside { path: PathBuf, aside: PathBuf },
    #[error("`{}` cannot be understood: {reason}", path.display())]
    Journal { path: PathBuf, reason: String },
    #[error(transparent)]
    Git(#[from] git::Error),
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "WORKTREE_EXISTS",
            Self::PathOccupied { .. } | Self::SetAside { .. } => "WORKTREE_PATH_OCCUPIED",
            Self::PathInvalid { .. } => "WORKTREE_PATH_INVALID",
            Self::BranchInUse { .. } => "WORKTREE_BRANCH_IN_USE",
            Self::BranchExists { .. } => "WORKTREE_BRANCH_EXISTS",
            Self::BranchInvalid(_) => "WORKTREE_BRANCH_INVALID",
            Self::BaseUnknown { .. } => "WORKTREE_BASE_UNKNOWN",
            Self::NotFound { .. } | Self::OtherProject { .. } => "WORKTREE_NOT_FOUND",
            Self::Ambiguous { .. } => "WORKTREE_AMBIGUOUS",
            Self::NoFolder { .. } => "WORKTREE_UNREADABLE",
            Self::InUse { .. } | Self::HoldsAnother { .. } => "WORKTREE_IN_USE",
            Self::NotClean { .. } | Self::Meanwhile { .. } => "WORKTREE_NOT_CLEAN",
            Self::RescueFailed(_) => "WORKTREE_RESCUE_FAILED",
            Self::RescueUnknown(_) => "WORKTREE_RESCUE_UNKNOWN",
            Self::RestoreTarget { .. } | Self::InTheWay { .. } => "WORKTREE_RESTORE_REFUSED",
            Self::Busy { .. } | Self::Unsettled { .. } => "WORKTREE_BUSY",
            Self::NoBase { .. } => "WORKTREE_NO_BASE",
            Self::Detached => "WORKTREE_TARGET_DETACHED",
            Self::RecordCommitted { .. } => "WORKTREE_RECORD_COMMITTED",
            Self::Conflict { .. } => "WORKTREE_APPLY_CONFLICT",
            Self::TargetDirty { .. } => "WORKTREE_TARGET_DIRTY",
            Self::MergeRefused(_) => "WORKTREE_MERGE_REFUSED",
            Self::Journal { .. } => "WORKTREE_JOURNAL_UNREADABLE",
            Self::Git(git::Error::NotARepository) => "NOT_A_REPOSITORY",
            Self::Git(_) => "GIT_FAILED",
        }
    }
}
