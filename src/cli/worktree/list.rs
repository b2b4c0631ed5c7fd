//! `worktree list` and `worktree status`: where the work trees of changes stand. Nothing is written.

use super::super::usage::Common;
use super::super::{Context, Exit, finish};
use super::place::Kind;
use super::{Base, Error};
use crate::baseline::Reader;
use crate::change::ChangeFolder;
use crate::files::{RepoPath, WorkTree};
use crate::flow::{self, Ground};
use crate::process::is_alive;
use crate::project::Slug;
use crate::report::worktree_list::{Row, WorktreeList};
use crate::worktree::Standing;

/// List the work trees of changes
///
/// Also those whose folder is gone, and changes that have only a branch.
#[derive(clap::Args)]
pub(super) struct List {
    #[command(flatten)]
    common: Common,
}

/// Show what is in the work trees of changes
///
/// As `worktree list`, with the paths of each class and the commits that are not merged.
#[derive(clap::Args)]
pub(super) struct Status {
    /// Only the work tree of this change
    #[arg(value_name = "NAME")]
    change: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl List {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let list = || {
            self.common.refuse_unknown()?;
            let start = Base::of(ctx)?;
            let rows = start
                .survey()?
                .into_iter()
                .map(|standing| row(ctx, &start, standing, false));
            Ok::<_, Error>(WorktreeList::brief(rows.collect::<Result<_, Error>>()?))
        };
        finish(ctx, "worktree list", self.common.format(), list())
    }
}

impl Status {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let status = || {
            self.common.refuse_unknown()?;
            let start = Base::of(ctx)?;
            let chosen = match &self.change {
                Some(change) => vec![start.find(Some(change))?],
                None => start.survey()?,
            };
            let rows = chosen
                .into_iter()
                .map(|standing| row(ctx, &start, standing, true));
            Ok::<_, Error>(WorktreeList::full(rows.collect::<Result<_, Error>>()?))
        };
        finish(ctx, "worktree status", self.common.format(), status())
    }
}

fn row(ctx: &Context, start: &Base<'_>, standing: Standing, full: bool) -> Result<Row, Error> {
    let work = standing.work(start.repository);
    let commits = match &work {
        Ok(work) if full => standing.unmerged_commits(start.repository, work.merged)?,
        Ok(_) | Err(_) => Vec::new(),
    };
    Ok(Row {
        step: match start.kind {
            Kind::Logos => step(ctx, &standing),
            // Such a project has no flow.
            Kind::Silly => None,
        },
        // One that cannot be read is one entry that says so, and no failure (git.md 5.3).
        work: work.map_err(|e| e.to_string()),
        commits,
        standing,
    })
}

/// The step of the change in its own work tree; none if its folder is not there, or where it cannot be told.
fn step(ctx: &Context, standing: &Standing) -> Option<flow::Step> {
    let folder = standing.folder().ok()?;
    let project = RepoPath::new(&standing.project).ok()?;
    let tree = WorkTree::new(&project.on_disk(folder));
    let slug = Slug::lexical(&standing.change)?;
    ChangeFolder::find(&tree, slug.as_str()).ok()?.ok()?;
    let baseline = Reader::open(&tree, &is_alive, ctx.now).ok()?;
    let ground = Ground::read_for(&baseline, slug).ok()?;
    flow::derive(&ground, None, None).ok()?.proposal_step
}
