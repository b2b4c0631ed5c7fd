//! `worktree rescue`: the work that was kept when work trees were taken away.

use std::path::PathBuf;

use super::super::usage::{Common, Usage};
use super::super::{Context, Exit, finish};
use super::{Base, Error, given_path};
use crate::report::worktree_rescue::{RescueDropped, RescueList, RescueRestored};
use crate::worktree;

/// List what was kept of work trees that were removed
///
/// Each is a commit in the shape of a stash, so that `git stash apply --index` can bring it back, too. Nothing expires.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub(super) struct Rescue {
    #[command(subcommand)]
    command: Option<Command>,
    /// Only those of this change
    #[arg(value_name = "NAME")]
    change: Option<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(clap::Subcommand)]
enum Command {
    Restore(Restore),
    Drop(Drop),
}

/// Bring a rescue back
///
/// Into a new work tree, or into a clean one: files, untracked ones too, the index, and conflicts as they were.
#[derive(clap::Args)]
struct Restore {
    /// The ref of the rescue, with or without `refs/spec/rescue/`
    #[arg(value_name = "REF")]
    name: Option<String>,
    /// A clean work tree, or a place for a new one
    #[arg(long, value_name = "FOLDER")]
    to: Option<Option<PathBuf>>,
    #[command(flatten)]
    common: Common,
}

/// Let go of a rescue
#[derive(clap::Args)]
struct Drop {
    /// The ref of the rescue, with or without `refs/spec/rescue/`
    #[arg(value_name = "REF")]
    name: Option<String>,
    #[command(flatten)]
    common: Common,
}

const RESTORE: &str = "worktree rescue restore";
const DROP: &str = "worktree rescue drop";

impl Rescue {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        match self.command {
            Some(Command::Restore(command)) => {
                finish(ctx, RESTORE, command.common.format(), command.restore(ctx))
            }
            Some(Command::Drop(command)) => finish(ctx, DROP, command.common.format(), command.drop(ctx)),
            None => finish(ctx, "worktree rescue", self.common.format(), self.list(ctx)),
        }
    }

    fn list(&self, ctx: &Context) -> Result<RescueList, Error> {
        self.common.refuse_unknown()?;
        let start = Base::of(ctx)?;
        Ok(RescueList(start.repository.rescues(self.change.as_deref())?))
    }
}

impl Restore {
    fn restore(&self, ctx: &Context) -> Result<RescueRestored, Error> {
        self.common.refuse_unknown()?;
        let name = self.name.as_deref().ok_or(Usage::NoValue("REF"))?;
        let to = match &self.to {
            None => None,
            Some(Some(to)) => Some(given_path(ctx, to)),
            Some(None) => return Err(Usage::NoValue("--to").into()),
        };
        let start = Base::of(ctx)?;
        let _lock = start.lock(ctx, RESTORE)?;
        let restored = worktree::restore(
            start.repository,
            &start.layout,
            name,
            to,
            &start.project,
            ctx.now.rfc3339(),
        )?;
        Ok(RescueRestored(restored))
    }
}

impl Drop {
    fn drop(&self, ctx: &Context) -> Result<RescueDropped, Error> {
        self.common.refuse_unknown()?;
        let name = self.name.as_deref().ok_or(Usage::NoValue("REF"))?;
        let start = Base::of(ctx)?;
        let _lock = start.lock(ctx, DROP)?;
        Ok(RescueDropped(worktree::drop_rescue(start.repository, name)?))
    }
}
