//! `worktree add`: a work tree and a branch for a change.

use std::path::{Path, PathBuf};

use super::super::usage::{self, Common, Usage};
use super::super::{Context, Exit, finish, uninitialised};
use super::place::Kind;
use super::{Base, Error, given_path};
use crate::change::ChangeFolder;
use crate::change::create::choose_module;
use crate::change::{self, Proposal};
use crate::files::{Tree, WorkTree};
use crate::git;
use crate::project::{Guard, guard_file, is_initialised, layout};
use crate::report::worktree::WorktreeAdded;
use crate::worktree::{self, Added, Ended, Note, Wanted};

/// Make a work tree and a branch for a change
///
/// The folder lies beside the repository (`spec.worktreeDir` names another place), the branch is `spec/NAME`; of a
/// project with `.sillyspec/` only it lies in `.sillyspec/.runtime/worktrees`, and the branch is `sillyspec/NAME`. The
/// change itself need not be there yet. What a killed run has left is finished or taken back first.
#[derive(clap::Args)]
pub(super) struct Add {
    /// Name of the change
    #[arg(value_name = "NAME")]
    change: Option<String>,
    /// What the branch starts from; HEAD if it is not given
    #[arg(long, value_name = "REVISION")]
    base: Option<Option<String>>,
    /// Another name for the branch
    #[arg(long, value_name = "NAME")]
    branch: Option<Option<String>>,
    /// Another place for the work tree
    #[arg(long, value_name = "FOLDER")]
    path: Option<Option<PathBuf>>,
    /// Fetch first, and start from the upstream branch if it is ahead
    #[arg(long)]
    sync: bool,
    #[command(flatten)]
    common: Common,
}

const COMMAND: &str = "worktree add";

/// How a work tree is to be made, beyond its change.
#[derive(Clone, Debug, Default)]
pub(in crate::cli) struct How<'a> {
    base: Option<&'a str>,
    branch: Option<&'a str>,
    path: Option<PathBuf>,
    sync: bool,
}

impl<'a> How<'a> {
    /// From a base, without anything else of one's own.
    pub(in crate::cli) fn from(base: Option<&'a str>) -> Self {
        Self {
            base,
            ..Self::default()
        }
    }
}

impl Add {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let format = self.common.format();
        let start = Base::of(ctx).and_then(|start| Ok((has_project(ctx, &start)?, start)));
        match start {
            Ok((true, start)) => finish(ctx, COMMAND, format, self.add(ctx, &start)),
            Ok((false, _)) => uninitialised::tell(ctx, COMMAND, format, uninitialised::NOT_INITIALIZED),
            Err(error) => finish::<WorktreeAdded, Error>(ctx, COMMAND, format, Err(error)),
        }
    }

    fn add(&self, ctx: &Context, start: &Base<'_>) -> Result<WorktreeAdded, Error> {
        self.common.refuse_unknown()?;
        let path = match &self.path {
            None => None,
            Some(Some(path)) => Some(given_path(ctx, path)),
            Some(None) => return Err(Usage::NoValue("--path").into()),
        };
        let how = How {
            base: usage::value("--base", self.base.as_ref())?,
            branch: usage::value("--branch", self.branch.as_ref())?,
            path,
            sync: self.sync,
        };
        let change = self.change.as_deref().ok_or(Error::NoName)?;
        start.kind.check_name(change)?;
        let guard = |path: &Path| match start.kind {
            Kind::Logos => lay_down_guard(ctx, start, path, change),
            // Nothing has to be active there.
            Kind::Silly => Ok(true),
        };
        make(ctx, start, change, how, guard).map(WorktreeAdded)
    }
}

/// Outside a work tree the project is that of the commit; in one it must be there.
fn has_project(ctx: &Context, start: &Base<'_>) -> Result<bool, Error> {
    let is_sure = start.kind == Kind::Silly || start.repository.work_dir().is_none();
    Ok(is_sure || is_initialised(&ctx.work_tree()?)?)
}

/// Makes the work tree of a change, then does `last` in it, which says whether the change is active there.
pub(in crate::cli) fn make(
    ctx: &Context,
    start: &Base<'_>,
    change: &str,
    how: How<'_>,
    last: impl FnOnce(&Path) -> Result<bool, Error>,
) -> Result<Added, Error> {
    let (_lock, ended) = start.lock(ctx, COMMAND)?;
    let is_asked_for = |record: &worktree::Record| {
        record.change == change && record.project == start.project.text() && how.base.is_none()
    };
    if let Some(Ended::Added { path, record }) = ended
        && is_asked_for(&record)
    {
        let mut notes = vec![Note::Finished];
        notes.extend((!last(&path)?).then_some(Note::NoGuard));
        return Ok(Added {
            base: record.base(),
            created_branch: false,
            path,
            record,
            notes,
        });
    }
    let wanted = Wanted {
        change,
        project: &start.project,
        base: how.base,
        branch: how.branch,
        path: how.path,
        sync: how.sync,
        created_at: ctx.now.rfc3339(),
    };
    let plan = worktree::plan_add(start.repository, &start.layout, &wanted)?;
    worktree::add(start.repository, plan, last)
}

/// Makes the change the active one of its new work tree, if it is there and git would not see the guard file.
fn lay_down_guard(ctx: &Context, start: &Base<'_>, work_tree: &Path, change: &str) -> Result<bool, Error> {
    let root = start.project.on_disk(work_tree);
    let tree = WorkTree::new(&root);
    let Ok(folder) = ChangeFolder::find(&tree, change)? else {
        return Ok(false);
    };
    if !git::is_ignored(work_tree, &layout::guard().below(&start.project))? {
        return Ok(tree.entry(&layout::guard())?.is_some());
    }
    // First, as it ends what a run that was killed here has left.
    let writer = start.writer_in(ctx, work_tree, COMMAND)?;
    if tree.entry(&layout::guard())?.is_some() {
        return Ok(true);
    }
    let proposal: Proposal = change::read_proposal(&tree, &folder)?;
    let module = change::module_of(&proposal, &folder.slug, &Guard::Missing);
    // Whoever works there names the module where it is not known.
    let Some(module) = module.or_else(|| choose_module(&tree, &folder.slug, None).ok().map(|(id, _)| id))
    else {
        return Ok(false);
    };
    let guard = guard_file(change, &module, ctx.now.rfc3339());
    let mut transaction = writer.begin();
    transaction.create_new(&layout::guard(), guard);
    transaction.commit()?;
    Ok(true)
}
