//! `silly doctor`: what of a project does not fit together (silly.md 12), and what `--fix` puts right (silly.md 8).

use std::path::Path;

use super::super::Context;
use super::super::worktree::Base;
use super::error::Error;
use super::store::Store;
use crate::files::{RepoPath, Tree, unignored};
use crate::git;
use crate::report::silly::doctor::{Examined, Mended};
pub(in crate::cli) use crate::silly::doctor::Finding;
use crate::silly::doctor::{self, Known, Problem};
use crate::silly::layout;
use crate::silly::rows::ARCHIVED;
use crate::voice::Say;
use crate::worktree::{self, Standing, State};

/// Folders that no pattern of a module is about.
const NO_SOURCES: [&str; 1] = [".git"];

/// Look for what does not fit together
///
/// Exit code 2 when there is an error. `--fix` makes the gate file anew, lets git forget work trees whose folder is gone,
/// records work trees that have no record, and deletes branches without work tree whose commits HEAD has. It takes away
/// no work.
#[derive(clap::Args)]
pub(super) struct Doctor {
    /// Put right what can be put right without losing anything
    #[arg(long)]
    fix: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl Doctor {
    pub(super) fn run(&self, ctx: &Context) -> Result<Examined, Error> {
        let mended = match self.fix {
            true => Some(mend(ctx)?),
            false => None,
        };
        Ok(Examined {
            findings: examine(ctx)?,
            mended,
        })
    }
}

pub(super) fn examine(ctx: &Context) -> Result<Vec<Finding>, Error> {
    let store = Store::of(ctx)?;
    let tree = store.tree();
    // A file that is no database is a finding, not a failure.
    let read = store.read(|rows| {
        Ok(Known {
            faults: rows.faults()?,
            project: rows.project()?,
            changes: rows.changes()?,
            times: rows.times()?,
        })
    });
    let database = match read {
        Ok(known) => Ok(known),
        Err(Error::Refused(error)) => Err(error.say(ctx.voice())),
        Err(error) => return Err(error),
    };
    let mut findings = doctor::examine(&tree, database, || unignored(&store.root, &NO_SOURCES))?;
    findings.extend(orphans(ctx, &store)?);
    findings.sort_by(|a, b| {
        let key = |f: &Finding| (f.problem.code(), f.path.clone(), f.about.clone());
        key(a).cmp(&key(b))
    });
    Ok(findings)
}

/// Work trees, registrations, records and branches of which one is there without the others.
fn orphans(ctx: &Context, store: &Store<'_>) -> Result<Vec<Finding>, Error> {
    let mut out = Vec::new();
    let Some((repository, prefix)) = store.repository()? else {
        return Ok(out);
    };
    for standing in &Base::of_silly(ctx, &store.root)?.survey()? {
        if let Some(problem) = problem_of(standing) {
            out.push(finding(problem, standing, repository));
        }
    }
    let trees = layout::worktrees();
    let registered = repository.worktrees()?;
    for (name, _) in store.tree().list(&trees)? {
        let path = trees.join(&name);
        let on_disk = path.on_disk(&store.root);
        if git::is_registered(&registered, &on_disk) {
            continue;
        }
        let has_meta = store.tree().is_file(&path.join("meta.json"))?;
        let problem = if has_meta {
            Problem::OrphanMeta
        } else {
            Problem::OrphanFolder
        };
        out.push(Finding::at(problem, &path.below(&prefix)));
    }
    Ok(out)
}

/// What is wrong with a registered work tree or a branch; one that is broken is told by its folder.
fn problem_of(standing: &Standing) -> Option<Problem> {
    match standing.state {
        State::Missing => Some(Problem::OrphanRegistration),
        State::BranchOnly => Some(Problem::OrphanBranch),
        State::Ok if !standing.has_recorded_base => Some(Problem::OrphanFolder),
        State::Ok | State::Broken => None,
    }
}

/// A work tree by its path from the top level, where it is below it; a branch by its name.
fn finding(problem: Problem, standing: &Standing, repository: &git::Repository) -> Finding {
    let name = match standing.path() {
        None => standing.own_branch.clone(),
        Some(path) => {
            let top = repository.work_dir();
            let below = top.and_then(|top| RepoPath::from_disk(path.strip_prefix(top).ok()?));
            below.map_or_else(|| path.display().to_string(), |path| path.text().into_owned())
        }
    };
    Finding::named(problem, name)
}

/// Puts right what can be put right without losing anything.
pub(super) fn mend(ctx: &Context) -> Result<Mended, Error> {
    let store = Store::of(ctx)?;
    let mut out = Mended::default();
    for finding in examine(ctx)? {
        let done = if finding.problem == Problem::GateStale {
            store.change::<_, Error>(|_| Ok(()))
        } else if finding.problem == Problem::ArchivedNotRecorded {
            record_archived(ctx, &store, &finding.path)
        } else {
            continue;
        };
        out.note(finding, done.map_err(|error| error.say(ctx.voice())));
    }
    if store.repository()?.is_some() {
        mend_work_trees(ctx, &store.root, &mut out)?;
    }
    Ok(out)
}

/// A writer that was killed between the move and its record left a change that lies in the archive active.
fn record_archived(ctx: &Context, store: &Store<'_>, folder: &str) -> Result<(), Error> {
    let tree = store.tree();
    store.change::<_, Error>(|rows| {
        for change in rows.changes()?.iter().filter(|change| change.is_active()) {
            let is_open = tree.entry(&layout::change(&change.name))?.is_some();
            let archived = doctor::archived_folder(&tree, &change.name)?;
            if !is_open && archived.is_some_and(|archived| archived.text() == folder) {
                rows.set_change_status(change.id, ARCHIVED)?;
                rows.touch(change.id, &ctx.now.rfc3339())?;
            }
        }
        Ok(())
    })
}

fn mend_work_trees(ctx: &Context, root: &Path, out: &mut Mended) -> Result<(), Error> {
    let start = Base::of_silly(ctx, root)?;
    let repository = start.repository;
    let voice = ctx.voice();
    let (_lock, _ended) = start.lock(ctx, "silly doctor --fix")?;
    for standing in &start.survey()? {
        let Some(problem) = problem_of(standing).filter(|problem| *problem != Problem::OrphanBranch) else {
            continue;
        };
        let done = match standing.state {
            State::Missing => worktree::forget_missing(repository, standing, &ctx.now.compact()),
            State::Ok | State::Broken | State::BranchOnly => {
                worktree::record_again(repository, standing, &ctx.now.rfc3339())
            }
        };
        out.note(
            finding(problem, standing, repository),
            done.map_err(|e| e.say(voice)),
        );
    }
    // A branch whose registration just went is alone by now.
    for standing in &start.survey()? {
        if standing.state != State::BranchOnly {
            continue;
        }
        let finding = finding(Problem::OrphanBranch, standing, repository);
        match worktree::delete_reached(repository, standing) {
            // What it holds is nowhere else: it stays a finding.
            Ok(false) => {}
            Ok(true) => out.note(finding, Ok(())),
            Err(error) => out.note(finding, Err(error.say(voice))),
        }
    }
    Ok(())
}
