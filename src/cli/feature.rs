//! `feature list`: features and their scenarios, by module.

use super::trouble::{Trouble, through_trouble};
use super::usage::{self, Common, Usage};
use super::{Context, Exit};
use crate::files::Tree;
use crate::project::features::Grouping;
use crate::project::{Diagnostics, ParseStatus, Registry, layout};
use crate::report::feature::Listed;
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Say, Voice, quoted_list};

/// Look at features
#[derive(clap::Args)]
#[command(disable_help_subcommand = true)]
pub(super) struct Feature {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    List(List),
}

impl Feature {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        match self.command {
            Command::List(list) => list.run(ctx),
        }
    }
}

/// Show the features of each module and their scenarios
///
/// Features stand in the order of the registry, their scenarios below them; what no feature of its module takes comes
/// last, under 未分组. Without registered modules those that scenarios name are shown.
#[derive(clap::Args)]
struct List {
    /// Only this module
    #[arg(long, value_name = "ID")]
    module: Option<Option<String>>,
    #[command(flatten)]
    common: Common,
}

/// Why nothing is listed.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Usage(#[from] Usage),
    #[error("no module `{}` is registered", escape(.id))]
    ModuleNotFound { id: String, there: Vec<String> },
    #[error("the registry is damaged: {}", .0.error)]
    Unparsable(Diagnostics),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

through_trouble!(Error);

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        let file = layout::REGISTRY;
        match self {
            Self::Usage(error) => error.say(voice),
            Self::ModuleNotFound { id, there } if there.is_empty() => {
                let id = escape(id);
                say!(
                    voice,
                    "there is no module `{id}`: `{file}` has neither modules nor scenarios",
                    "没有模块 `{id}`：`{file}` 中既无模块也无场景"
                )
            }
            Self::ModuleNotFound { id, there } => {
                let (id, there) = (escape(id), quoted_list(there));
                say!(
                    voice,
                    "there is no module `{id}` in `{file}`; there are {there}",
                    "`{file}` 中没有模块 `{id}`；现有 {there}"
                )
            }
            Self::Unparsable(diagnostics) => {
                let error = diagnostics.error.say(voice);
                say!(
                    voice,
                    "`{file}` is damaged, and no module could be recovered; repair it: {error}",
                    "`{file}` 已损坏，未能恢复任何模块；请修复：{error}"
                )
            }
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Usage(error) => error.code(),
            Self::ModuleNotFound { .. } => "MODULE_NOT_FOUND",
            Self::Unparsable(_) => "PROJECT_YAML_UNPARSABLE",
            Self::Trouble(error) => error.code(),
        }
    }
}

impl List {
    fn run(self, ctx: &Context) -> Exit {
        usage::in_project(ctx, "feature list", &self.common, |_, tree| self.list(tree))
    }

    fn list(&self, tree: &dyn Tree) -> Result<Listed, Error> {
        let only = usage::value("--module", self.module.as_ref())?;
        let mut registry = Registry::load(tree)?;
        let damage = registry.diagnostics.take();
        if let Some(damage) = damage.as_ref().filter(|d| d.status == ParseStatus::Error) {
            return Err(Error::Unparsable(damage.clone()));
        }
        let mut modules = Grouping::of(&registry).by_module();
        if let Some(id) = only {
            if modules.iter().all(|module| module.id != id) {
                return Err(Error::ModuleNotFound {
                    id: id.to_owned(),
                    there: modules.into_iter().map(|module| module.id).collect(),
                });
            }
            modules.retain(|module| module.id == id);
        }
        Ok(Listed { modules, damage })
    }
}
