//! `launch`: a module is in use from here on, and changes only through proposals.

use super::trouble::Trouble;
use super::usage::{self, Common, Usage};
use super::{Context, Exit};
use crate::files::Digest;
use crate::project::launch::{self, LaunchError};
use crate::project::layout;
use crate::report::launch::Launched;
use crate::voice::{Fail, Say, Voice};

/// Mark a module as launched
///
/// Asks for the reports in logos/resources/verify: acceptance, deployment and smoke, as far as the module is deployed.
/// From then on its documents change only through a change.
#[derive(clap::Args)]
pub(super) struct Launch {
    /// The module; may be left out where there is only one
    #[arg(value_name = "MODULE")]
    module: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// Why nothing was launched.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Usage(#[from] Usage),
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Usage(error) => error.say(voice),
            Self::Launch(error) => error.say(voice),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Usage(error) => error.code(),
            Self::Launch(error) => error.code(),
            Self::Trouble(error) => error.code(),
        }
    }
}

impl Launch {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        usage::in_project(ctx, "launch", &self.common, |_, _| self.launch(ctx))
    }

    fn launch(&self, ctx: &Context) -> Result<Launched, Error> {
        let writer = ctx.writer("launch")?;
        let plan = launch::plan(&writer.tree(), self.module.as_deref())?;
        let mut transaction = writer.begin();
        for (path, change) in [
            (layout::registry(), plan.registry),
            (layout::config(), plan.config),
        ] {
            if let Some((before, after)) = change {
                transaction.replace(&path, Some(Digest::of(&before)), after);
            }
        }
        transaction.commit().map_err(Trouble::from)?;
        Ok(Launched {
            module: plan.module,
            changed: plan.changed,
            key_without_module: plan.key_without_module,
        })
    }
}
