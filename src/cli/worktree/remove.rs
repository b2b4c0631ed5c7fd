//! `worktree remove`: takes a work tree away, never what is in it.

use super::super::usage::Common;
use super::super::{Context, Exit, finish};
use super::{Base, Error};
use crate::report::worktree_remove::WorktreeRemoved;
use crate::worktree::{self, Ended, Removal, Removed};

/// Take away the work tree of a change
///
/// Refused while there is work in it that is nowhere else. Its branch goes with it if it is merged.
#[derive(clap::Args)]
pub(super) struct Remove {
    /// The change
    #[arg(value_name = "NAME")]
    change: Option<String>,
    /// Keep what is in it in a rescue, then remove it; twice: though it is locked
    #[arg(long, action = clap::ArgAction::Count)]
    force: u8,
    /// Leave the branch
    #[arg(long)]
    keep_branch: bool,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    common: Common,
}

const COMMAND: &str = "worktree remove";

impl Remove {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        finish(ctx, COMMAND, self.common.format(), self.remove(ctx))
    }

    fn remove(&self, ctx: &Context) -> Result<WorktreeRemoved, Error> {
        self.common.refuse_unknown()?;
        let start = Base::of(ctx)?;
        let change = self.change.as_deref().ok_or(Error::NoName)?;
        if self.dry_run {
            return self.take_away(ctx, &start, change);
        }
        let (_lock, ended) = start.lock(ctx, COMMAND)?;
        if let Some(Ended::Removed { change: ended, kept }) = ended
            && ended == change
        {
            return Ok(WorktreeRemoved {
                change: change.to_owned(),
                removed: Removed {
                    kept: kept.files,
                    kept_branch: kept.branch,
                    branch_refused: kept.why,
                    ..Removed::default()
                },
                dry_run: false,
            });
        }
        self.take_away(ctx, &start, change)
    }

    fn take_away(&self, ctx: &Context, start: &Base<'_>, change: &str) -> Result<WorktreeRemoved, Error> {
        let standing = start.find(Some(change))?;
        let removal = Removal {
            standing: &standing,
            force: self.force,
            keep_branch: self.keep_branch,
            here: &ctx.cwd,
            stamp: &ctx.now.compact(),
        };
        Ok(WorktreeRemoved {
            removed: worktree::remove(start.repository, removal, self.dry_run)?,
            change: standing.change.clone(),
            dry_run: self.dry_run,
        })
    }
}
