//! `flow show`: the flow of this program, or of the project.

use std::sync::Arc;

use super::trouble::{Trouble, through_trouble};
use super::uninitialised::{self, NOT_INITIALIZED};
use super::{Context, Exit, Format, finish};
use crate::files::WorkTree;
use crate::flow::{self, Lifecycle, ResolvedFlow};
use crate::project::Registry;
use crate::report::flow::Shown;
use crate::voice::{Fail, Say, Voice};

/// Look at the flow that changes and modules go through
#[derive(clap::Args)]
#[command(disable_help_subcommand = true)]
pub(super) struct Flow {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Show(Show),
}

impl Flow {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        match self.command {
            Command::Show(show) => show.run(ctx),
        }
    }
}

/// Show the steps of the flow, their gates and loops
///
/// Without options the built-in flow: the one of launched modules as soon as there is one. With --resolved what
/// logos/flow/<lifecycle>.yaml adds, changes, moves and skips is marked. Conditions are shown, not evaluated; no command
/// of the flow is run.
///
/// Example: flow show --resolved --lifecycle initial
#[derive(clap::Args)]
struct Show {
    /// Apply the overlay of the project
    #[arg(long)]
    resolved: bool,
    /// The flow: initial or launched
    #[arg(long, value_name = "LIFECYCLE")]
    lifecycle: Option<String>,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

/// Why no flow is shown.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Flow(#[from] flow::Error),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

through_trouble!(Error);

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Flow(error) => error.say(voice),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Flow(error) => error.code(),
            Self::Trouble(error) => error.code(),
        }
    }
}

impl Show {
    fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        match uninitialised::require(ctx, "flow show", format, NOT_INITIALIZED) {
            Ok(tree) => finish(ctx, "flow show", format, self.show(&tree)),
            Err(exit) => exit,
        }
    }

    fn show(&self, tree: &WorkTree) -> Result<Shown, Error> {
        let lifecycle = match &self.lifecycle {
            Some(name) => Lifecycle::named(name)?,
            None if Registry::load(tree)?.registered().iter().any(|m| m.launched) => Lifecycle::Launched,
            None => Lifecycle::Initial,
        };
        let flow = if self.resolved {
            ResolvedFlow::load(tree, lifecycle)?
        } else {
            ResolvedFlow::builtin(lifecycle)
        };
        Ok(Shown {
            flow: Arc::new(flow),
            resolved: self.resolved,
        })
    }
}
