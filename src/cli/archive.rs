//! `archive`: moves a finished change to the archive and commits (change.md part 7).

use std::io;

use super::Context;
use super::ending::end;
use crate::archive::{self, ArchivePlan};
use crate::change::gate::{self, Refused};
use crate::files::{Recovered, RepoPath, WorkTree};
use crate::git::{CommitPlan, Committed, Repository};
use crate::report::{self, Exit, Screen};
use crate::say;

/// Move a finished change to the archive and commit
///
/// The whole folder moves, markers and all; the guard file goes with it if it names this change.
/// Example: `git spec archive add-refund`
#[derive(clap::Args)]
pub(super) struct Archive {
    /// The change to archive
    slug: Option<String>,
    /// Archive even if deltas were never merged
    #[arg(long)]
    force: bool,
    /// Print what would move; write nothing
    #[arg(long)]
    dry_run: bool,
}

struct Archived {
    plan: ArchivePlan,
    committed: Option<Committed>,
    left_out: Vec<RepoPath>,
    recovered: Recovered,
}

impl Archive {
    pub(super) fn run(self, context: &Context) -> Exit {
        let done = self.attempt(context);
        end(
            context,
            "archive",
            done,
            |_| Exit::Done,
            |done, screen| print(done, self.dry_run, screen),
        )
    }

    fn attempt(&self, context: &Context) -> Result<Archived, Refused> {
        let place = context.place()?;
        let stamp = context.now.stamp(Repository::local_offset());
        let repository = context.repository()?.filter(|r| r.work_dir().is_some());
        if self.dry_run {
            let tree = WorkTree::new(&place.root);
            let folder = gate::open_folder(&tree, self.slug.as_deref())?;
            let plan = archive::plan(&tree, &folder, &stamp, self.force)?;
            return Ok(Archived {
                plan,
                committed: None,
                left_out: Vec::new(),
                recovered: Recovered::Nothing,
            });
        }
        let writer = context.writer("archive")?;
        let tree = writer.tree();
        let folder = gate::open_folder(&tree, self.slug.as_deref())?;
        let plan = archive::plan(&tree, &folder, &stamp, self.force)?;
        let mut transaction = writer.begin();
        transaction.move_dir(&plan.from, &plan.to);
        if let Some((path, seen)) = &plan.guard {
            transaction.remove(path, *seen);
        }
        let Some(repository) = repository else {
            transaction.commit()?;
            return Ok(Archived {
                plan,
                committed: None,
                left_out: Vec::new(),
                recovered: writer.recovered(),
            });
        };
        let commit = commit_plan(repository, &place.prefix, &plan)?;
        transaction.announce(
            commit
                .announced()
                .iter()
                .filter_map(|p| p.strip_prefix(&place.prefix)),
        );
        let slug = folder.slug.as_str();
        let subject = format!("chore({slug}): archive change proposal");
        let committed = transaction.commit_then(|_| -> Result<Option<Committed>, Refused> {
            if commit.is_empty() {
                return Ok(None);
            }
            Ok(Some(repository.commit(
                &commit,
                &subject,
                &[(crate::git::SPEC_CHANGE, slug)],
            )?))
        })?;
        Ok(Archived {
            plan,
            committed,
            left_out: commit.ignored,
            recovered: writer.recovered(),
        })
    }
}

/// The deletions below the change's folder and the additions below the archive: what is tracked moves under its new
/// name, untracked files come along unless an ignore rule names them.
pub(super) fn commit_plan(
    repository: &Repository,
    prefix: &RepoPath,
    plan: &ArchivePlan,
) -> Result<CommitPlan, Refused> {
    let (from, to) = (plan.from.below(prefix), plan.to.below(prefix));
    let moved = |path: &RepoPath| {
        let rest = path
            .strip_prefix(&from)
            .expect("git lists what is below the folder");
        rest.below(&to)
    };
    let folder = [from.clone()];
    let tracked = repository.tracked(&folder)?;
    // Git keeps the entry of a file that it skips, wherever the file goes.
    if let Some(path) = repository.skipped(&folder)?.into_iter().next() {
        return Err(Refused::NotCheckedOut { path });
    }
    let untracked = repository.untracked(&folder)?;
    let top = repository.work_dir().ok_or(Refused::NoWorkTree)?;
    let on_disk = |path: &&RepoPath| path.on_disk(&top).symlink_metadata().is_ok();
    let force: Vec<RepoPath> = tracked.iter().filter(on_disk).map(moved).collect();
    let mut paths = tracked.clone();
    paths.extend(force.iter().cloned());
    paths.extend(untracked.iter().map(moved));
    if let Some((guard, _)) = &plan.guard {
        paths.extend(repository.tracked(&[guard.below(prefix)])?);
    }
    Ok(repository.plan_commit(paths, &force)?)
}

fn print(done: &Archived, dry_run: bool, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    report::print_recovered(done.recovered, screen)?;
    let (from, to) = (&done.plan.from, &done.plan.to);
    screen.line(&match dry_run {
        true => say!(
            voice,
            "would move `{from}` to `{to}`",
            "将把 `{from}` 移至 `{to}`"
        ),
        false => say!(voice, "moved `{from}` to `{to}`", "已将 `{from}` 移至 `{to}`"),
    })?;
    if let Some((guard, _)) = &done.plan.guard {
        screen.line(&match dry_run {
            true => say!(voice, "would remove `{guard}`", "将删除 `{guard}`"),
            false => say!(voice, "removed `{guard}`", "已删除 `{guard}`"),
        })?;
    }
    for path in &done.left_out {
        screen.warn(&say!(
            voice,
            "warning: `{path}` is ignored by git and not in the commit",
            "警告：`{path}` 被 git 忽略，未进入提交"
        ))?;
    }
    if let Some(committed) = &done.committed {
        report::print_committed(committed, screen)?;
    }
    Ok(())
}
