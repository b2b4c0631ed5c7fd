//! Which change is judged: the order of reading, whose first failure ends the command (change.md 2.2 and 2.3).

use crate::change::gate::{self, Refused};
use crate::change::{self, Change, ChangeFolder};
use crate::files::{ReadError, Tree, WriteError};
use crate::git;
use crate::project::session::Guard;
use crate::project::{self, Registry};
use crate::say;
use crate::text::{escape, trim};
use crate::voice::{Fail, Invocation, Say, Voice};

/// The command could not judge (seed 003 §3.15, operation errors).
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no change is active and none is named")]
    NoActiveProposal,
    #[error("the module of `{slug}` is not known")]
    ModuleUnresolved { slug: String, module: Option<String> },
    /// What merge and archive refuse too: no project, no such folder, nothing to be read.
    #[error(transparent)]
    Refused(#[from] Refused),
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        Self::Refused(error.into())
    }
}

impl From<git::Error> for Error {
    fn from(error: git::Error) -> Self {
        Self::Refused(error.into())
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Self {
        Self::Refused(error.into())
    }
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::NoActiveProposal => {
                let lint = format!("{} --slug <slug>", Invocation::new("change-lint", &[]).say(voice));
                say!(
                    voice,
                    "no change is active; name one: `{lint}`",
                    "没有活跃提案；请指定：`{lint}`"
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
            Self::Refused(refused) => refused.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NoActiveProposal => "no_active_proposal",
            Self::ModuleUnresolved { .. } => "module_unresolved",
            Self::Refused(refused) => refused.code(),
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
            return Err(Refused::NotInitialized.into());
        }
        let slug = if let Some(slug) = slug {
            trim(slug).to_owned()
        } else {
            let guard = Guard::load(session);
            let active = guard.active_change().map(trim).filter(|slug| !slug.is_empty());
            active.ok_or(Error::NoActiveProposal)?.to_owned()
        };
        let folder = gate::folder(tree, Some(&slug))?;
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
