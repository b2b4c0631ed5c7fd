//! Which change is judged: the order of reading, whose first failure ends the command (change.md 2.2 and 2.3).

use crate::change::{self, Change, ChangeFolder, FolderProblem};
use crate::files::{ReadError, Tree};
use crate::git;
use crate::project::session::Guard;
use crate::project::{self, Registry};
use crate::say;
use crate::text::{escape, trim};
use crate::voice::{Fail, Invocation, Say, Voice};

/// The command could not judge (seed 003 §3.15, operation errors).
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`logos/logos.config.json` is missing: this is no project")]
    NotInitialized,
    #[error("no change is active and none is named")]
    NoActiveProposal,
    #[error("`{0}` names no change folder that may be read")]
    SlugInvalid(String),
    #[error("there is no change `{0}`")]
    SlugNotFound(String),
    #[error("the module of `{slug}` is not known")]
    ModuleUnresolved { slug: String, module: Option<String> },
    #[error(transparent)]
    ArtifactUnreadable(#[from] ReadError),
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error("{0}")]
    Write(#[from] crate::files::WriteError),
}

impl Say for Error {
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
            Self::NoActiveProposal => {
                let lint = Invocation::new("change-lint", &["--slug", "<slug>"]);
                let lint = format!("{} {} --slug <slug>", voice.program, lint.command);
                say!(
                    voice,
                    "no change is active; name one: `{lint}`",
                    "没有活跃提案；请指定：`{lint}`"
                )
            }
            Self::SlugInvalid(slug) => {
                let slug = escape(slug);
                say!(
                    voice,
                    "`{slug}` names no change folder that may be read: one folder name directly below `logos/changes`",
                    "`{slug}` 不是可读取的提案目录：须为 `logos/changes` 下的一级目录名"
                )
            }
            Self::SlugNotFound(slug) => {
                let slug = escape(slug);
                say!(
                    voice,
                    "`logos/changes/{slug}` does not exist",
                    "`logos/changes/{slug}` 不存在"
                )
            }
            Self::ModuleUnresolved { slug, module } => {
                let slug = escape(slug);
                match module.as_deref().map(escape) {
                    Some(module) => say!(
                        voice,
                        "`{slug}` names the module `{module}`, which `logos/logos-project.yaml` does not register",
                        "`{slug}` 声明的模块 `{module}` 未在 `logos/logos-project.yaml` 注册"
                    ),
                    None => say!(
                        voice,
                        "the proposal of `{slug}` names no module: add a line `> module: <id>`",
                        "`{slug}` 的 proposal.md 未声明模块：请加上一行 `> module: <id>`"
                    ),
                }
            }
            Self::ArtifactUnreadable(e) => {
                let (path, source) = (&e.path, &e.source);
                say!(
                    voice,
                    "`{path}` cannot be read: {source}",
                    "无法读取 `{path}`：{source}"
                )
            }
            Self::Git(e) => e.say(voice),
            Self::Write(e) => e.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NotInitialized => "not_initialized",
            Self::NoActiveProposal => "no_active_proposal",
            Self::SlugInvalid(_) => "slug_invalid",
            Self::SlugNotFound(_) => "slug_not_found",
            Self::ModuleUnresolved { .. } => "module_unresolved",
            Self::ArtifactUnreadable(_) => "artifact_unreadable",
            Self::Git(_) => "git_failed",
            Self::Write(_) => "write_failed",
        }
    }
}

/// A change that can be judged, with what its module says.
#[derive(Debug)]
pub struct Target {
    pub change: Change,
    pub module: String,
    /// Whether the module has a user interface, so that L7 applies.
    pub gui: bool,
}

impl Target {
    /// Reads the change named, else the guard's. `session` is the tree that the guard file is read from.
    pub fn load(tree: &dyn Tree, session: &dyn Tree, slug: Option<&str>) -> Result<Self, Error> {
        if !project::is_initialised(tree)? {
            return Err(Error::NotInitialized);
        }
        let slug = if let Some(slug) = slug {
            trim(slug).to_owned()
        } else {
            let guard = Guard::load(session);
            let active = guard.active_change().map(trim).filter(|slug| !slug.is_empty());
            active.ok_or(Error::NoActiveProposal)?.to_owned()
        };
        let folder = ChangeFolder::find(tree, &slug)?.map_err(|problem| match problem {
            FolderProblem::Invalid => Error::SlugInvalid(slug),
            FolderProblem::NotFound => Error::SlugNotFound(slug),
        })?;
        Self::read(tree, session, folder)
    }

    /// Reads a change whose folder was found.
    pub fn read(tree: &dyn Tree, session: &dyn Tree, folder: ChangeFolder) -> Result<Self, Error> {
        let proposal = change::read_proposal(tree, &folder)?;
        let guard = Guard::load(session);
        let named = change::module_of(&proposal, &folder.slug, &guard);
        let unresolved = |module: Option<String>| Error::ModuleUnresolved {
            slug: folder.slug.as_str().to_owned(),
            module,
        };
        let Some(named) = named else {
            return Err(unresolved(None));
        };
        let registry = Registry::load(tree)?;
        let Some(module) = registry.module(&named) else {
            return Err(unresolved(Some(named)));
        };
        let (module, gui) = (module.id.clone(), module.is_gui());
        let change = Change::load_rest(tree, folder, proposal)?;
        Ok(Self { change, module, gui })
    }
}
