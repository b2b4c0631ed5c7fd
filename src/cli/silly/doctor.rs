//! `silly doctor`: what of a project does not fit together (silly.md 12). Nothing is written.

use super::super::Context;
use super::super::worktree::Base;
use super::error::Error;
use super::store::Store;
use crate::files::Tree;
use crate::report::silly::doctor::Examined;
pub(in crate::cli) use crate::silly::doctor::Finding;
use crate::silly::doctor::{self, Known, Problem};
use crate::worktree::State;

/// Look for what does not fit together
///
/// Exit code 2 when there is an error.
#[derive(clap::Args)]
pub(super) struct Doctor {
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn doctor(ctx: &Context) -> Result<Examined, Error> {
    let store = Store::of(ctx)?;
    let tree = store.tree();
    // A file that is no database is a finding, not a failure.
    let read = store.read(|rows| {
        Ok(Known {
            faults: rows.faults()?,
            project: rows.project()?,
            changes: rows.changes()?,
        })
    });
    let database = match read {
        Ok(known) => Ok(known),
        Err(Error::Refused(error)) => Err(error.to_string()),
        Err(error) => return Err(error),
    };
    let mut findings = doctor::examine(&tree, database)?;
    findings.extend(orphans(ctx, &store)?);
    findings.sort_by(|a, b| {
        let key = |f: &Finding| (f.problem.code(), f.path.clone());
        key(a).cmp(&key(b))
    });
    Ok(Examined(findings))
}

/// Work trees, registrations, records and branches of which one is there without the others.
fn orphans(ctx: &Context, store: &Store<'_>) -> Result<Vec<Finding>, Error> {
    let mut out = Vec::new();
    let Some((repository, prefix)) = store.repository()? else {
        return Ok(out);
    };
    let mut found = |problem: Problem, path: String| out.push(Finding { problem, path });
    let all = Base::of_silly(ctx, &store.root)?.survey()?;
    for standing in &all {
        match standing.state {
            State::Missing | State::Broken => found(Problem::OrphanRegistration, standing.change.clone()),
            State::BranchOnly => found(Problem::OrphanBranch, standing.own_branch.clone()),
            State::Ok if !standing.has_recorded_base => {
                found(Problem::OrphanFolder, standing.change.clone());
            }
            State::Ok => {}
        }
    }
    let trees = crate::silly::layout::worktrees();
    let registered = repository.worktrees()?;
    for (name, _) in store.tree().list(&trees)? {
        let path = trees.join(&name);
        let on_disk = path.on_disk(&store.root);
        if registered
            .iter()
            .any(|tree| crate::git::is_same(&tree.path, &on_disk))
        {
            continue;
        }
        let has_meta = store.tree().is_file(&path.join("meta.json"))?;
        let problem = if has_meta {
            Problem::OrphanMeta
        } else {
            Problem::OrphanFolder
        };
        found(problem, path.below(&prefix).text().into_owned());
    }
    Ok(out)
}
