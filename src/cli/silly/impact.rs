//! `silly impact`: what a change does to the modules, as its `module-impact.md` (silly.md 11).

use std::path::{Path, PathBuf};

use super::super::Context;
use super::super::worktree::Base;
use super::error::Error;
use super::place;
use super::store::Store;
use crate::files::{ObjectId, Tree};
use crate::git::{self, Repository};
use crate::report::silly::impact::Impact as Answered;
use crate::silly::{impact, layout, modules, table};
use crate::text::is_blank_line;
use crate::worktree::{self, ChangedFile, Standing, State};

/// Write which modules a change affects
///
/// Maps the changed files with the module maps and writes module-impact.md; of one that is there, what people wrote
/// stays. The files are those of the change's work tree against its base; without a work tree those of this one, with
/// what is committed since the default branch was left, staged, or not yet tracked.
///
/// Example: silly impact --change 2026-03-01-csv
#[derive(clap::Args)]
pub(super) struct Impact {
    /// The change; the only active one if it is not given
    #[arg(long, value_name = "NAME")]
    change: Option<String>,
    /// Compare with this commit
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// What has changed, and where.
struct Difference {
    base: ObjectId,
    files: Vec<ChangedFile>,
    /// None where the change has none of its own.
    work_tree: Option<PathBuf>,
}

impl Impact {
    pub(super) fn run(&self, ctx: &Context) -> Result<Answered, Error> {
        let store = Store::of(ctx)?;
        let change = store.open_change(self.change.as_deref())?;
        let path = layout::module_impact(&change);
        place::inside(&store.root, &path)?;
        let start = Base::of_silly(ctx, &store.root)?;
        let writer = store.writer("silly impact")?;
        let tree = writer.tree();
        let maps = modules::load(&tree)?;
        let found = self.difference(&start, &store.root, &change)?;
        let judged = impact::judge(&tree, &change, &maps, &start.project, &found.files)?;
        let existing = tree.read(&path)?;
        let facts = impact::Facts {
            change: &change,
            author: &store.author()?,
            created_at: &ctx.now.local(Repository::local_offset()),
            modules: &judged.modules,
            unmatched: &judged.unmatched,
        };
        let written_by_people = existing.as_deref().filter(|bytes| !is_blank_line(bytes));
        let outcome = impact::plan(written_by_people, &facts).map_err(|fault| at_fault(&path, fault))?;
        let written = Store::write_changed(&writer, vec![(path.clone(), existing, outcome.bytes)])?;
        Ok(Answered {
            change,
            base: found.base,
            work_tree: found.work_tree,
            impact: judged,
            rows: outcome.rows,
            left: outcome.left,
            has_maps: !maps.is_empty(),
            path,
            written,
        })
    }

    fn difference(&self, start: &Base<'_>, root: &Path, change: &str) -> Result<Difference, Error> {
        let repository = start.repository;
        let uncounted = [layout::top().below(&start.project)];
        let named = self.base.as_deref();
        let named = named.map(|base| repository.commit_id(base)).transpose()?;
        let top = repository.work_dir().ok_or(git::Error::NotARepository)?;
        let holder = holder_of(repository, &top, root)?;
        let holds_it = holder.as_ref().unwrap_or(repository);
        let head = holds_it.head()?.ok_or(Error::NoCommit)?;
        if let Some(standing) = own_work_tree(start, change, head)? {
            let (base, files) = worktree::changed_there(repository, &standing, named, &uncounted)?;
            return Ok(Difference {
                base,
                files,
                work_tree: standing.path().map(Path::to_owned),
            });
        }
        let base = match named {
            Some(base) => base,
            None => worktree::fork_point(holds_it, head)?,
        };
        let here = holds_it.work_dir().ok_or(git::Error::NotARepository)?;
        Ok(Difference {
            base,
            files: worktree::changed_here(holds_it, &here, [base, head], &uncounted)?,
            work_tree: None,
        })
    }
}

/// The repository as the work tree of the project has it, where the command runs in another one.
fn holder_of(repository: &Repository, top: &Path, root: &Path) -> Result<Option<Repository>, git::Error> {
    if root.starts_with(top) {
        return Ok(None);
    }
    let all = repository.worktrees()?;
    let holder = all.iter().find(|tree| root.starts_with(&tree.path));
    let opened = holder.and_then(|tree| Repository::at_top(&tree.path));
    opened.map(Some).ok_or(git::Error::NotARepository)
}

/// The work tree of the change; none where it has none, or only a branch that has come into `head`.
fn own_work_tree(start: &Base<'_>, change: &str, head: ObjectId) -> Result<Option<Standing>, Error> {
    let found = worktree::find(&start.survey()?, change, &start.project.text());
    let standing = match found {
        Ok(standing) => standing,
        Err(worktree::Error::NotFound { .. } | worktree::Error::OtherProject { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if let (State::BranchOnly, Some(tip)) = (standing.state, standing.head)
        && start.repository.is_ancestor(tip, head)?
    {
        return Ok(None);
    }
    Ok(Some(standing))
}

pub(super) fn at_fault(path: &crate::files::RepoPath, fault: table::Fault) -> Error {
    Error::Document {
        path: path.clone(),
        fault: fault.into(),
    }
}
