//! `worktree apply`: brings the work of a change into the branch of this work tree.

use super::super::usage::Common;
use super::super::{Context, Exit, finish};
use super::{Base, Error};
use crate::git;
use crate::report::worktree_apply::WorktreeApplied;
use crate::worktree::{self, Mode};

/// Bring the work of a change into this branch
///
/// Its commits by a merge; or, where its work tree is not clean, all that stands in it as staged files. Refused where it
/// would conflict, or touch a file that has changes of its own here. The work tree stays.
#[derive(clap::Args)]
pub(super) struct Apply {
    /// The change
    #[arg(value_name = "NAME")]
    change: Option<String>,
    /// Merge its commits, whatever else is in its work tree
    #[arg(long, conflicts_with = "patch")]
    commits: bool,
    /// Bring its files, also those that are not committed; nothing is committed here
    #[arg(long)]
    patch: bool,
    /// Leave the merge to be committed
    #[arg(long)]
    no_commit: bool,
    /// Only say whether it can be done
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    common: Common,
}

const COMMAND: &str = "worktree apply";

impl Apply {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        finish(ctx, COMMAND, self.common.format(), self.apply(ctx))
    }

    fn apply(&self, ctx: &Context) -> Result<WorktreeApplied, Error> {
        self.common.refuse_unknown()?;
        let start = Base::of(ctx)?;
        let here = start.repository.work_dir().ok_or(git::Error::NotARepository)?;
        let _locks = match self.check {
            true => None,
            false => Some(start.locks_here(ctx, &here, COMMAND)?),
        };
        let standing = start.find(self.change.as_deref())?;
        let mode = match (self.commits, self.patch) {
            (true, _) => Some(Mode::Commits),
            (_, true) => Some(Mode::Patch),
            (false, false) => None,
        };
        let asked = worktree::Apply {
            standing: &standing,
            layout: &start.layout,
            here: &here,
            mode,
            no_commit: self.no_commit,
            check: self.check,
        };
        Ok(WorktreeApplied {
            applied: worktree::apply(start.repository, asked)?,
            change: standing.change,
        })
    }
}
