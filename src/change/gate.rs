//! What must hold before a change is merged, rebased or archived (change.md 6.2 steps 1 to 7, part 7). Decides only.

use super::base::BaseError;
use super::provenance::{self, HashMatch, Provenance};
use super::ui::{self, Declaration};
use super::{Change, ChangeFolder, FolderProblem, module_of};
use crate::files::{ReadError, RepoPath, Tree, WriteError};
use crate::git;
use crate::project::{self, Guard, Registry, layout};
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Invocation, Say, Voice};

/// Why merge, rebase or archive refuses before it plans anything.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("`logos/logos.config.json` is missing: this is no project")]
    NotInitialized,
    #[error("name the change")]
    SlugMissing,
    #[error("`{0}` names no change folder that may be read")]
    SlugInvalid(String),
    #[error("there is no change `{0}`")]
    NotFound(String),
    #[error("`{active}` is the active change of this work tree")]
    OtherActive { active: String },
    #[error("`{path}` is left from an interrupted run of another tool")]
    ForeignJournal { path: RepoPath },
    #[error("the change has page prototypes, and its module is not known")]
    UiModuleUnresolved,
    #[error("the prototypes are not what was approved: {}", .0.as_str())]
    Prototypes(HashMatch),
    #[error("the change has deltas that were never merged")]
    NotMerged,
    #[error("`{path}` exists already")]
    ArchiveExists { path: RepoPath },
    #[error("the change is merged already")]
    AlreadyMerged,
    #[error("`{path}` is not checked out")]
    NotCheckedOut { path: RepoPath },
    #[error("this needs a repository with a work tree")]
    NoWorkTree,
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Base(#[from] BaseError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("{0}")]
    Registry(String),
}

impl Say for Refused {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::NotInitialized => {
                let init = Invocation::new("init", &[]).say(voice);
                say!(
                    voice,
                    "`logos/logos.config.json` is missing: this is no project; `{init}` makes one",
                    "缺少 `logos/logos.config.json`：此处不是项目；可用 `{init}` 创建"
                )
            }
            Self::SlugMissing => say!(voice, "name the change", "请指定提案"),
            Self::SlugInvalid(slug) => {
                let slug = escape(slug);
                say!(
                    voice,
                    "`{slug}` names no change folder: one folder name directly below `logos/changes`",
                    "`{slug}` 不是提案目录：须为 `logos/changes` 下的一级目录名"
                )
            }
            Self::NotFound(slug) => {
                let slug = escape(slug);
                say!(
                    voice,
                    "`logos/changes/{slug}` does not exist",
                    "`logos/changes/{slug}` 不存在"
                )
            }
            Self::OtherActive { active } => {
                let active = escape(active);
                say!(
                    voice,
                    "`{active}` is the active change of this work tree; finish it first, or remove `logos/.openlogos-guard`",
                    "本工作区的活跃提案是 `{active}`；请先完成它，或删除 `logos/.openlogos-guard`"
                )
            }
            Self::ForeignJournal { path } => say!(
                voice,
                "`{path}` is left from an interrupted run of another tool; finish or undo that run, then remove the file",
                "`{path}` 是其他工具中断后留下的日志；请先完成或撤销那次运行，再删除该文件"
            ),
            Self::UiModuleUnresolved => say!(
                voice,
                "the change declares or holds page prototypes, and its module is not known: add `> module: <id>` to proposal.md",
                "提案声明或含有页面原型，但模块未知：请在 proposal.md 加上 `> module: <id>`"
            ),
            Self::Prototypes(outcome) => format!("[{}] {}", outcome.as_str(), outcome.say(voice)),
            Self::NotMerged => say!(
                voice,
                "the change has deltas that were never merged: merge first, or give `--force` to archive all the same",
                "提案的 delta 尚未合并：请先 merge，或用 `--force` 直接归档"
            ),
            Self::ArchiveExists { path } => say!(voice, "`{path}` exists already", "`{path}` 已存在"),
            Self::AlreadyMerged => say!(voice, "the change is merged already", "提案已合并"),
            Self::NotCheckedOut { path } => say!(
                voice,
                "`{path}` is not checked out, or git is told to skip it: add its folder with `git sparse-checkout add`, or run `git update-index --no-skip-worktree` on it",
                "`{path}` 未检出，或已让 git 跳过它：请用 `git sparse-checkout add` 加入其目录，或对它运行 `git update-index --no-skip-worktree`"
            ),
            Self::NoWorkTree => {
                say!(
                    voice,
                    "this needs a repository with a work tree",
                    "此命令需要带工作区的仓库"
                )
            }
            Self::Unreadable(e) => e.say(voice),
            Self::Git(e) | Self::Base(BaseError::Git(e)) => e.say(voice),
            Self::Base(BaseError::Unavailable(e)) => {
                let why = e.say(voice);
                say!(
                    voice,
                    "the base of the change is not available: {why}",
                    "无法取得提案的基线：{why}"
                )
            }
            Self::Write(e) => e.say(voice),
            Self::Registry(why) => why.clone(),
        }
    }
}

impl Fail for Refused {
    fn code(&self) -> &'static str {
        match self {
            Self::NotInitialized => "not_initialized",
            Self::SlugMissing => "slug_missing",
            Self::SlugInvalid(_) => "slug_invalid",
            Self::NotFound(_) => "slug_not_found",
            Self::OtherActive { .. } => "other_change_active",
            Self::ForeignJournal { .. } => "journal_unreadable",
            Self::UiModuleUnresolved => "module_unresolved",
            Self::Prototypes(outcome) => outcome.as_str(),
            Self::NotMerged => "not_merged",
            Self::ArchiveExists { .. } => "archive_exists",
            Self::AlreadyMerged => "already_merged",
            Self::NotCheckedOut { .. } => "not_checked_out",
            Self::NoWorkTree => "no_work_tree",
            Self::Unreadable(_) => "artifact_unreadable",
            Self::Git(_) => "git_failed",
            Self::Base(_) => "base_unavailable",
            Self::Write(WriteError::Lock(_)) => "PROJECT_LOCKED",
            Self::Write(_) => "write_failed",
            Self::Registry(_) => "registry_unreadable",
        }
    }
}

/// Step 1: the project, and the change folder named.
pub fn folder(tree: &dyn Tree, slug: Option<&str>) -> Result<ChangeFolder, Refused> {
    if !project::is_initialised(tree)? {
        return Err(Refused::NotInitialized);
    }
    let slug = slug.ok_or(Refused::SlugMissing)?;
    ChangeFolder::find(tree, slug)?.map_err(|problem| match problem {
        FolderProblem::Invalid => Refused::SlugInvalid(slug.to_owned()),
        FolderProblem::NotFound => Refused::NotFound(slug.to_owned()),
    })
}

/// Step 1 for a command that writes: the folder of finished changes is none that it may work on.
pub fn open_folder(tree: &dyn Tree, slug: Option<&str>) -> Result<ChangeFolder, Refused> {
    let folder = folder(tree, slug)?;
    if folder.path == layout::archive() {
        return Err(Refused::SlugInvalid(folder.slug.as_str().to_owned()));
    }
    Ok(folder)
}

/// Steps 1 and 2: the change folder named, with no other change active.
pub fn own_folder(tree: &dyn Tree, slug: Option<&str>) -> Result<ChangeFolder, Refused> {
    let folder = open_folder(tree, slug)?;
    guard(tree, &folder)?;
    Ok(folder)
}

/// Step 2: another change is active. An unreadable guard is none.
fn guard(tree: &dyn Tree, folder: &ChangeFolder) -> Result<(), Refused> {
    match Guard::load(tree).active_change() {
        Some(active) if active != folder.slug.as_str() => Err(Refused::OtherActive {
            active: active.to_owned(),
        }),
        Some(_) | None => Ok(()),
    }
}

/// Step 3, as far as it is another tool's: a journal that cannot be understood is kept.
pub fn foreign_journal(tree: &dyn Tree, folder: &ChangeFolder) -> Result<(), Refused> {
    let path = folder.path.join("UI_COMMIT_JOURNAL.json");
    if tree.entry(&path)?.is_some() {
        Err(Refused::ForeignJournal { path })
    } else {
        Ok(())
    }
}

/// Steps 6 and 7. Says whether the UI gate applied.
pub fn prototypes(tree: &dyn Tree, change: &Change) -> Result<bool, Refused> {
    let folder = &change.folder;
    let declares = matches!(
        ui::declaration(change.proposal.document()),
        Ok(Declaration::Impact(_))
    );
    let approval = Provenance::load(tree, &folder.path)?;
    let registry = Registry::load(tree)?;
    let guard = Guard::load(tree);
    let named = module_of(&change.proposal, &folder.slug, &guard);
    let module = named.as_deref().and_then(|id| registry.module(id));
    let shows = declares || !ui::prototype_files(tree, &folder.path)?.is_empty();
    if shows && approval == Provenance::Legacy && module.is_none() {
        return Err(Refused::UiModuleUnresolved);
    }
    let asked = approval != Provenance::Legacy || (declares && module.is_some_and(project::Module::is_gui));
    if asked {
        let outcome = provenance::compare(tree, &folder.path, &approval, change.proposal.document())?;
        if !outcome.passes() {
            return Err(Refused::Prototypes(outcome));
        }
    }
    Ok(asked)
}
