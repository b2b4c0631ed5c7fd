//! `detect`: what is here. It never fails.

use super::{Context, Exit, Format, finish};
use crate::project::{Config, ConfigFile, Registry};
use crate::report::detect::{Damage, Detected, Found};

/// Show the version and the project here
///
/// Prints the version of this program, and name, locale, lifecycle and modules of the project that the current folder
/// belongs to. Exits 0, also where there is no project.
#[derive(clap::Args)]
pub(super) struct Detect {
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

impl Detect {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        finish(ctx, "detect", format, Ok::<_, super::trouble::Trouble>(look(ctx)))
    }
}

/// What cannot be found out is told as such: this command answers in every situation.
fn look(ctx: &Context) -> Detected {
    let tree = match ctx.work_tree() {
        Ok(tree) => tree,
        Err(error) => return Detected::Nothing(Some(Box::new(error))),
    };
    match ConfigFile::load(&tree) {
        Ok(ConfigFile::Missing) => Detected::Nothing(None),
        Ok(ConfigFile::Broken(reason)) => Detected::Broken(reason),
        Err(error) => Detected::Broken(error.source.to_string()),
        Ok(ConfigFile::Sound(config)) => Detected::Project(Box::new(found(*config, Registry::load(&tree)))),
    }
}

fn found(config: Config, registry: Result<Registry, crate::files::ReadError>) -> Found {
    let (registry, damage) = match registry {
        Ok(mut registry) => {
            let damage = registry.diagnostics.take().map(Damage::Parse);
            (registry, damage)
        }
        Err(error) => (Registry::default(), Some(Damage::Unreadable(error))),
    };
    Found {
        config,
        modules: registry.modules,
        damage,
    }
}
