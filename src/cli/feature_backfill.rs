//! `feature-backfill`: a work instruction for whoever gives scenarios their features.

use super::module_locks;
use super::trouble::{Trouble, through_trouble};
use super::uninitialised::{self, NOT_INITIALIZED};
use super::usage::{self, Unknown, Usage};
use super::{Context, Exit, Format, complain_in_json, finish};
use crate::baseline::backfill::{self, Invalid};
use crate::baseline::backfill_prompt::{Work, prompt};
use crate::baseline::lock::is_module_id;
use crate::files::{RepoPath, WorkTree};
use crate::project::modules::ModuleError;
use crate::project::{ParseStatus, Registry, Scenario, layout};
use crate::report::feature_backfill::{Written, failure};
use crate::voice::{Fail, Say, Voice};

const COMMAND: &str = "feature-backfill";

/// Write down what is needed to give scenarios their features
///
/// Writes logos/feature-backfill-prompt.md: scenarios without a feature, candidates from existing code that may become
/// scenarios, and what there is to judge them by. Registers nothing. Refused while a baseline is being committed.
#[derive(clap::Args)]
pub(super) struct FeatureBackfill {
    /// Only this module
    #[arg(long, value_name = "ID")]
    module: Option<Option<String>>,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    #[command(flatten)]
    unknown: Unknown,
}

/// Why no prompt was written.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Usage(#[from] Usage),
    #[error(transparent)]
    Module(#[from] ModuleError),
    #[error("the candidates cannot be told: {}", .0.reason.as_str())]
    Provenance(Invalid),
    #[error(transparent)]
    Locks(#[from] module_locks::Error),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

through_trouble!(Error);

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Usage(error) => error.say(voice),
            Self::Module(error) => error.say(voice),
            Self::Provenance(invalid) => invalid.say(voice),
            Self::Locks(error) => error.say(voice),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Usage(error) => error.code(),
            Self::Module(error) => error.code(),
            Self::Provenance(_) => "BASELINE_PROVENANCE_INVALID",
            Self::Locks(error) => error.code(),
            Self::Trouble(error) => error.code(),
        }
    }
}

impl FeatureBackfill {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        if let Err(exit) = uninitialised::require(ctx, COMMAND, format, NOT_INITIALIZED) {
            return exit;
        }
        match self.write(ctx) {
            Err(error) => {
                let Error::Provenance(invalid) = &error else {
                    return finish::<Written, _>(ctx, COMMAND, format, Err(error));
                };
                if format != Format::Json {
                    return finish::<Written, _>(ctx, COMMAND, format, Err(error));
                }
                let message = error.say(ctx.voice());
                complain_in_json(&failure(COMMAND, ctx.now, error.code(), &message, invalid));
                Exit::Failed
            }
            written => finish(ctx, COMMAND, format, written),
        }
    }

    fn write(&self, ctx: &Context) -> Result<Written, Error> {
        self.unknown.refuse()?;
        let only = usage::value("--module", self.module.as_ref())?;
        let writer = ctx.writer(COMMAND)?;
        let tree = writer.tree();
        let modules = modules(&readable(&tree)?, only)?;
        let lockable = modules.iter().filter(|id| is_module_id(id));
        let _locks = module_locks::take(ctx, &writer, &lockable.cloned().collect())?;
        // What an earlier commit left is ended by now.
        let registry = readable(&tree)?;
        let candidates = backfill::candidates(&tree, &registry, &modules)?.map_err(Error::Provenance)?;
        let scenarios: Vec<&Scenario> = registry
            .scenarios
            .iter()
            .filter(|scenario| only.is_none_or(|id| scenario.module_id() == id))
            .collect();
        let work = Work {
            registry: &registry,
            scenarios: &scenarios,
            candidates: &candidates,
        };
        let text = prompt(&tree, &work, &ctx.project_voice(&tree)?)?;
        writer.apply_together(&[(RepoPath::of(layout::BACKFILL_PROMPT), Some(text))])?;
        Ok(Written {
            scenarios: scenarios.len(),
            ungrouped: scenarios.iter().filter(|s| !registry.is_grouped(s)).count(),
            features: registry.features.len(),
            candidates: candidates.len(),
            damage: registry.diagnostics,
        })
    }
}

/// The registry, also where a damaged file could be saved in part.
fn readable(tree: &WorkTree) -> Result<Registry, Error> {
    let registry = Registry::load(tree)?;
    match &registry.diagnostics {
        Some(damage) if damage.status == ParseStatus::Error => {
            Err(ModuleError::Damaged(damage.clone()).into())
        }
        Some(_) | None => Ok(registry),
    }
}

/// The modules that are looked at.
fn modules(registry: &Registry, only: Option<&str>) -> Result<Vec<String>, Error> {
    let mut ids: Vec<String> = registry.registered().iter().map(|m| m.id.clone()).collect();
    match only {
        Some(id) if ids.iter().all(|known| known != id) => Err(ModuleError::NotFound {
            id: id.to_owned(),
            known: ids,
        }
        .into()),
        Some(id) => Ok(vec![id.to_owned()]),
        None => {
            if ids.is_empty() {
                ids.push("core".to_owned());
            }
            Ok(ids)
        }
    }
}
