//! `status`: where the project, its modules and the active change stand.

use super::trouble::Trouble;
use super::uninitialised::{self, NOT_INITIALIZED};
use super::usage::{self, Unknown};
use super::{Context, Exit, Format, finish, flow_error::FlowError};
use crate::baseline::Reader;
use crate::files::Tree;
use crate::flow::{self, Ground};
use crate::process::is_alive;
use crate::report::status::Stand;

/// Show where every module and the active change stand
///
/// Everything is derived from files; nothing is written and no command is run.
#[derive(clap::Args)]
pub(super) struct Status {
    /// Only this module
    #[arg(long, value_name = "ID")]
    module: Option<Option<String>>,
    /// Judge a commit instead of the files here
    #[arg(long, value_name = "REVISION")]
    at: Option<Option<String>>,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    #[command(flatten)]
    unknown: Unknown,
}

impl Status {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        if self.at.is_some() {
            return self.run_at(ctx, format);
        }
        match uninitialised::require(ctx, "status", format, NOT_INITIALIZED) {
            Ok(tree) => finish(ctx, "status", format, self.look(ctx, &tree)),
            Err(exit) => exit,
        }
    }

    fn run_at(&self, ctx: &Context, format: Format) -> Exit {
        let answer = || -> Result<Option<Stand>, FlowError> {
            let Some(revision) = usage::value("--at", self.at.as_ref())? else {
                return Ok(None);
            };
            let tree = ctx.commit_at(revision)?;
            if !crate::project::is_initialised(&tree).map_err(Trouble::from)? {
                return Ok(None);
            }
            self.look(ctx, &tree).map(Some)
        };
        match answer().transpose() {
            Some(result) => finish(ctx, "status", format, result),
            None => uninitialised::tell(ctx, "status", format, NOT_INITIALIZED),
        }
    }

    fn look(&self, ctx: &Context, tree: &dyn Tree) -> Result<Stand, FlowError> {
        self.unknown.refuse()?;
        let only = usage::value("--module", self.module.as_ref())?;
        let baseline = Reader::open(tree, &is_alive, ctx.now)?;
        let ground = Ground::read(&baseline)?;
        let status = flow::derive(&ground, only, None)?;
        Ok(Stand::of(&ground, status))
    }
}
