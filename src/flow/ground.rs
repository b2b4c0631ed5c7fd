//! What an answer is derived from: every file of the project's frame, read once (flow.md 1).

use serde_json::Value;

use super::{Error, Lifecycle, ResolvedFlow};
use crate::baseline::Reader;
use crate::files::{OverlayTree, ReadError};
use crate::project::session::{self, Guard};
use crate::project::{Config, Module, Registry, Slug};
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Say, Voice, quoted_list};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum DeriveError {
    #[error(transparent)]
    Flow(#[from] Error),
    #[error("no module `{}` is registered", escape(.id))]
    ModuleNotFound { id: String, there: Vec<String> },
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Say for DeriveError {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Flow(error) => error.say(voice),
            Self::ModuleNotFound { id, there } if there.is_empty() => {
                let id = escape(id);
                say!(
                    voice,
                    "there is no module `{id}`: no module is registered",
                    "没有模块 `{id}`：尚未注册任何模块"
                )
            }
            Self::ModuleNotFound { id, there } => {
                let (id, there) = (escape(id), quoted_list(there));
                say!(
                    voice,
                    "there is no module `{id}`; there are {there}",
                    "没有模块 `{id}`；现有 {there}"
                )
            }
            Self::Read(error) => error.say(voice),
        }
    }
}

impl Fail for DeriveError {
    fn code(&self) -> &'static str {
        match self {
            Self::Flow(error) => error.code(),
            Self::ModuleNotFound { .. } => "MODULE_NOT_FOUND",
            Self::Read(_) => "PROJECT_UNREADABLE",
        }
    }
}

/// The frame of a project: config, registry, session, flows.
pub struct Ground<'t> {
    pub baseline: &'t Reader<'t>,
    /// Empty if it is missing or broken.
    pub config: Config,
    pub registry: Registry,
    /// The module that stands for a project without a list of modules; it is launched while a change is active.
    pub legacy: Option<Module>,
    pub active: Option<Slug>,
    pub guard: Guard,
    /// `ui_prototype_render`, if the session says it.
    pub ui_prototype_render: Option<bool>,
    pub initial: ResolvedFlow,
    /// Only where a module is launched or a change is active.
    pub launched: Option<ResolvedFlow>,
}

impl<'t> Ground<'t> {
    /// Reads the frame, unfinished commits of the baseline ended.
    pub fn read(baseline: &'t Reader<'t>) -> Result<Self, DeriveError> {
        let guard = Guard::load(baseline.tree());
        let active = guard.active_slug();
        Self::with(baseline, guard, active)
    }

    /// The frame as if this change were the active one, whatever the guard file says.
    pub fn read_for(baseline: &'t Reader<'t>, change: Slug) -> Result<Self, DeriveError> {
        let guard = Guard::load(baseline.tree());
        let is_its_own = guard.active_slug().as_ref() == Some(&change);
        let guard = if is_its_own { guard } else { Guard::Missing };
        Self::with(baseline, guard, Some(change))
    }

    fn with(baseline: &'t Reader<'t>, guard: Guard, active: Option<Slug>) -> Result<Self, DeriveError> {
        let tree = baseline.tree();
        let registry = Registry::load(tree)?;
        let legacy = registry.modules.is_none().then(|| Module {
            id: "core".to_owned(),
            name: "core".to_owned(),
            launched: active.is_some(),
            ..Module::default()
        });
        let any_launched = active.is_some() || registry.registered().iter().any(|m| m.launched);
        let launched = match any_launched {
            true => Some(ResolvedFlow::load(tree, Lifecycle::Launched)?),
            false => None,
        };
        Ok(Self {
            config: Config::load(tree)?.unwrap_or_default(),
            ui_prototype_render: session::ui_prototype_render(tree)?,
            initial: ResolvedFlow::load(tree, Lifecycle::Initial)?,
            guard,
            registry,
            legacy,
            active,
            launched,
            baseline,
        })
    }

    pub fn tree(&self) -> &'t OverlayTree<'t> {
        self.baseline.tree()
    }

    /// The modules of the project, or the one that stands for them.
    pub fn modules(&self) -> &[Module] {
        match &self.legacy {
            Some(core) => std::slice::from_ref(core),
            None => self.registry.registered(),
        }
    }

    /// The launched module whose change is active.
    pub fn carrier(&self) -> Option<&Module> {
        self.modules().iter().find(|module| self.carries(module))
    }

    pub fn carries(&self, module: &Module) -> bool {
        let named = self.legacy.is_some() || self.guard.module() == Some(module.id.as_str());
        self.active.is_some() && module.launched && named
    }

    /// The module whose loop counts for the project: the one of the guard file, else the only one (flow.md 10.7).
    pub fn loop_module(&self) -> Option<&Module> {
        match (&self.legacy, self.guard.module(), self.modules()) {
            (Some(core), ..) => Some(core),
            (None, Some(id), _) if self.active.is_some() => self.registry.module(id),
            (None, _, [only]) => Some(only),
            (None, ..) => None,
        }
    }

    /// Whether some module is launched, or a change is active where no module is registered.
    pub fn is_launched(&self) -> bool {
        self.modules().iter().any(|module| module.launched)
    }

    /// Launched modules of which it is not known what kind of product they are (logos-project.md 11.3).
    pub fn without_product_type(&self) -> Vec<String> {
        let unset = |module: &&Module| module.launched && module.product_type.is_none();
        let modules = self.registry.registered().iter();
        modules.filter(unset).map(|module| module.id.clone()).collect()
    }

    /// `zh` when the config says exactly that.
    pub fn locale(&self) -> &'static str {
        match self.config.locale.as_deref() {
            Some("zh") => "zh",
            Some(_) | None => "en",
        }
    }

    /// `sourceRoots` as the config has it.
    pub fn source_roots(&self) -> Option<&Value> {
        self.config.object.get("sourceRoots")
    }
}
