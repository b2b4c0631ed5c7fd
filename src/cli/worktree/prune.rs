//! `worktree prune`: takes away the work trees of finished changes.

use super::super::usage::Common;
use super::super::{Context, Exit, finish};
use super::{Base, Error};
use crate::files::{ObjectId, RepoPath};
use crate::report::worktree_remove::{Pruned, WorktreesPruned};
use crate::worktree::{self, Removal, Standing, State};

/// Take away the work trees of changes that are archived or merged
///
/// Only those that `worktree remove` takes away without --force.
#[derive(clap::Args)]
pub(super) struct Prune {
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    common: Common,
}

const COMMAND: &str = "worktree prune";

impl Prune {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        finish(ctx, COMMAND, self.common.format(), self.prune(ctx))
    }

    fn prune(&self, ctx: &Context) -> Result<WorktreesPruned, Error> {
        self.common.refuse_unknown()?;
        let start = Base::of(ctx)?;
        let _lock = match self.dry_run {
            true => None,
            false => Some(start.lock(ctx, COMMAND)?),
        };
        let mut results = Vec::new();
        for standing in start.survey()? {
            if standing.state == State::BranchOnly {
                continue;
            }
            let removal = Removal {
                standing: &standing,
                force: 0,
                keep_branch: false,
                here: &ctx.cwd,
                stamp: &ctx.now.compact(),
            };
            let outcome = match is_finished(&start, &standing)? {
                false => Pruned::Unfinished,
                true => match worktree::remove(start.repository, removal, self.dry_run) {
                    Ok(removed) => Pruned::Removed(removed),
                    Err(error) => Pruned::Refused(Box::new(error)),
                },
            };
            results.push((standing, outcome));
        }
        Ok(WorktreesPruned {
            results,
            dry_run: self.dry_run,
        })
    }
}

/// Whether a change is archived on its base branch, or its branch has commits of its own that have come there.
fn is_finished(start: &Base<'_>, standing: &Standing) -> Result<bool, Error> {
    let targets = standing.targets(start.repository)?;
    for target in &targets {
        if is_archived(start, standing, *target)? {
            return Ok(true);
        }
    }
    let Some(head) = standing.head else {
        return Ok(false);
    };
    // One that is derived is where the branch came in, once it has.
    if standing.has_recorded_base && standing.base == Some(head) {
        return Ok(false);
    }
    Ok(standing.merged(start.repository, head, &targets)?.is_some())
}

/// Whether a commit has the change in its archive.
fn is_archived(start: &Base<'_>, standing: &Standing, commit: ObjectId) -> Result<bool, Error> {
    let Ok(project) = RepoPath::new(&standing.project) else {
        return Ok(false);
    };
    let tree = start.repository.commit_tree(commit, &project)?;
    start.kind.is_archived(&tree, &standing.change)
}
