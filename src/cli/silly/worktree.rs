//! `silly worktree`: the work trees of changes under the names that other programs know (silly.md 8); the engine is that of
//! `worktree`.

use std::path::{Path, PathBuf};

use super::super::worktree::{Base, How, make};
use super::super::{Context, Exit};
use super::error::Error;
use super::store::{Store, failed};
use super::{place, tell};
use crate::files::{RepoPath, Tree as _, make_folder};
use crate::git;
use crate::report::silly::worktree::{Applied, Cleaned, Created, Listed, Tree};
use crate::silly::run::digits;
use crate::silly::{change_list, layout};
use crate::worktree::{self, Removal, Standing, check_name};

/// Work in the work trees of changes
#[derive(clap::Args)]
#[command(disable_help_subcommand = true)]
pub(super) struct Worktree {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Bring the files of a change into the main tree, then take its work tree away
    Apply {
        #[command(flatten)]
        named: Named,
        /// Only say whether it can be done
        #[arg(long)]
        check_only: bool,
    },
    /// Take a work tree away; what was in it is kept as a patch and in a rescue
    Cleanup(Named),
    /// Make a work tree and a branch
    Create {
        #[command(flatten)]
        named: Named,
        /// What it starts from; HEAD if it is not given
        #[arg(long, value_name = "REF")]
        base: Option<String>,
    },
    /// List the work trees
    List {
        /// Answer in JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(clap::Args)]
struct Named {
    /// The change
    #[arg(value_name = "NAME")]
    change: String,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

impl Worktree {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let root = place::root(ctx);
        match self.command {
            Command::Create { named, base } => tell(
                ctx,
                named.json,
                create(ctx, &root, &named.change, base.as_deref()),
            ),
            Command::List { json } => tell(ctx, json, list(ctx, &root)),
            Command::Cleanup(named) => tell(ctx, named.json, cleanup(ctx, &root, &named.change)),
            Command::Apply { named, check_only } => {
                tell(ctx, named.json, apply(ctx, &root, &named.change, check_only))
            }
        }
    }
}

fn create(ctx: &Context, root: &Path, change: &str, base: Option<&str>) -> Result<Created, Error> {
    check_name(change).map_err(super::super::worktree::Error::from)?;
    let start = Base::of_silly(ctx, root)?;
    let path = start.layout.path(change);
    if path.symlink_metadata().is_ok() {
        return Err(Error::FolderThere { path });
    }
    let branch = start.layout.branch(change);
    if let Some(tip) = start.repository.branch_tip(&branch)? {
        return Err(worktree::Error::BranchExists { branch, tip }.into());
    }
    let mut note = None;
    let added = make(ctx, &start, change, How::from(base), |path| {
        note = worktree::catch_up(path)?;
        // Nothing has to be active there.
        Ok(true)
    })?;
    let standing = start.find(Some(change))?;
    Ok(Created {
        change: change.to_owned(),
        branch: added.record.branch,
        path: added.path,
        base: standing.base,
        note,
    })
}

/// Those with a record that can be read; git may not know them.
fn list(ctx: &Context, root: &Path) -> Result<Listed, Error> {
    let start = Base::of_silly(ctx, root)?;
    let mut found = start.survey()?;
    found.retain(has_meta);
    let mut trees: Vec<Tree> = found
        .into_iter()
        .map(|standing| Tree {
            path: standing.path().map(Path::to_owned),
            change: standing.change,
            branch: standing.branch,
            base: standing.base,
            base_branch: standing.base_branch,
            created_at: standing.created_at,
        })
        .collect();
    for (name, _) in Store::at(ctx, root.to_owned())?
        .tree()
        .list(&layout::worktrees())?
    {
        let change = name.to_string();
        if trees.iter().any(|tree| tree.change == change) {
            continue;
        }
        let path = start.layout.path(&change);
        trees.extend(worktree::told_in(&path).map(|told| Tree {
            change,
            branch: Some(told.branch),
            path: Some(path),
            base: told.base,
            base_branch: told.base_branch,
            created_at: told.created_at,
        }));
    }
    trees.sort_by(|a, b| a.change.cmp(&b.change));
    Ok(Listed(trees))
}

fn has_meta(standing: &Standing) -> bool {
    standing.has_recorded_base && standing.folder().is_ok()
}

fn find(start: &Base<'_>, change: &str) -> Result<Standing, Error> {
    if has_lost_folder(start, change)? {
        return Err(Error::NotRegistered {
            path: start.layout.path(change),
        });
    }
    let found = start.find(Some(change))?;
    if has_meta(&found) {
        Ok(found)
    } else {
        Err(Error::NoMeta(change.to_owned()))
    }
}

/// Whether there is a folder with a record that git does not know as a work tree.
fn has_lost_folder(start: &Base<'_>, change: &str) -> Result<bool, Error> {
    check_name(change).map_err(super::super::worktree::Error::from)?;
    let path = start.layout.path(change);
    let is_lost = || Ok(!git::is_registered(&start.repository.worktrees()?, &path));
    worktree::told_in(&path).map_or(Ok(false), |_| is_lost())
}

fn cleanup(ctx: &Context, root: &Path, change: &str) -> Result<Cleaned, Error> {
    let start = Base::of_silly(ctx, root)?;
    let (_lock, _ended) = start.lock(ctx, "silly worktree cleanup")?;
    if has_lost_folder(&start, change)? {
        return clean_lost(ctx, &start, root, change);
    }
    let standing = find(&start, change)?;
    let runtime = layout::runtime().below(&start.project);
    let work = worktree::portion(start.repository, &standing, &[runtime])?;
    let patch = if work.patch.is_empty() {
        None
    } else {
        let stem = format!("{change}-discarded-{}", digits(ctx.now));
        let store = Store::at(ctx, root.to_owned())?;
        Some(store.keep(&layout::artifacts(), &stem, "patch", &work.patch)?)
    };
    remove(ctx, &start, &standing, patch)
}

/// Takes a folder away that git does not know, so that nobody can say what in it is new: all of it is kept. What git
/// still has of it goes, but for commits that nothing else holds.
fn clean_lost(ctx: &Context, start: &Base<'_>, root: &Path, change: &str) -> Result<Cleaned, Error> {
    let artifacts = place::inside(root, &layout::artifacts())?;
    make_folder(&artifacts).map_err(|source| failed(&artifacts, source))?;
    let kept = git::free_beside(&artifacts.join(format!("{change}-discarded")), &digits(ctx.now));
    git::rename_folder(&start.layout.path(change), &kept)?;
    let left = start
        .survey()?
        .into_iter()
        .find(|standing| standing.change == change);
    let mut cleaned = match left {
        Some(standing) => remove(ctx, start, &standing, None)?,
        None => Cleaned {
            change: change.to_owned(),
            removed: worktree::Removed::default(),
            patch: None,
            kept: None,
        },
    };
    cleaned.kept = Some(kept);
    Ok(cleaned)
}

/// Takes it away whatever is in it: that is kept in a rescue.
fn remove(
    ctx: &Context,
    start: &Base<'_>,
    standing: &Standing,
    patch: Option<PathBuf>,
) -> Result<Cleaned, Error> {
    let removal = Removal {
        standing,
        force: 2,
        keep_branch: false,
        here: &ctx.cwd,
        stamp: &ctx.now.compact(),
    };
    Ok(Cleaned {
        change: standing.change.clone(),
        removed: worktree::remove(start.repository, removal, false)?,
        patch,
        kept: None,
    })
}

fn apply(ctx: &Context, root: &Path, change: &str, check_only: bool) -> Result<Applied, Error> {
    let start = Base::of_silly(ctx, root)?;
    let repository = start.repository;
    let here = repository.work_dir().ok_or(git::Error::NotARepository)?;
    let _locks = match check_only {
        true => None,
        false => Some(start.locks_here(ctx, &here, "silly worktree apply")?),
    };
    let standing = find(&start, change)?;
    let spec = layout::top().below(&start.project);
    let work = worktree::portion(repository, &standing, &[spec])?;
    let allowed = listed(&Store::at(ctx, root.to_owned())?, &start.project, change)?;
    let outside = |path: &&RepoPath| !allowed.is_empty() && !allowed.contains(path);
    refuse(work.paths.iter().filter(outside), Error::NotListed)?;
    worktree::refuse_dirty(repository, &here, &work)?;
    if let (Some(head), false) = (repository.head()?, work.paths.is_empty()) {
        let meanwhile = repository.changed_paths(work.base, head)?;
        let judged = if allowed.is_empty() { &work.paths } else { &allowed };
        let moved_on = |path: &&RepoPath| meanwhile.contains(path);
        refuse(judged.iter().filter(moved_on), Error::MovedOn)?;
    }
    let mut applied = Applied {
        change: change.to_owned(),
        paths: work.paths.clone(),
        checked_only: check_only,
    };
    if check_only {
        return Ok(applied);
    }
    if !work.paths.is_empty() {
        worktree::bring(repository, &standing, &here, &work)?;
    }
    remove(ctx, &start, &standing, None)?;
    applied.checked_only = false;
    Ok(applied)
}

fn refuse<'p>(
    paths: impl Iterator<Item = &'p RepoPath>,
    error: impl FnOnce(Vec<String>) -> Error,
) -> Result<(), Error> {
    let names: Vec<String> = paths.map(|path| path.text().into_owned()).collect();
    if names.is_empty() {
        Ok(())
    } else {
        Err(error(names))
    }
}

/// The files that the design of a change lists, from the top level.
fn listed(store: &Store<'_>, project: &RepoPath, change: &str) -> Result<Vec<RepoPath>, Error> {
    let design = layout::change(change).join("design.md");
    let bytes = store.tree().read(&design)?.unwrap_or_default();
    let files = change_list::parse(&bytes);
    let paths = files.iter().filter_map(|file| RepoPath::normalised(&file.path));
    Ok(paths.map(|path| path.below(project)).collect())
}
