//! `silly status`: where the project stands (silly.md 12). Nothing is written.

use super::super::Context;
use super::error::Error;
use super::store::Store;
use crate::files::Tree;
use crate::report::silly::status::{OPTIONAL_FILES, Stand};
use crate::silly::gate::Gate;
use crate::silly::{Refused, layout, progress};

/// Show where the project and its changes stand
#[derive(clap::Args)]
pub(super) struct Status {
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn status(ctx: &Context) -> Result<Stand, Error> {
    let store = Store::of(ctx)?;
    let tree = store.tree();
    let found = store.read(|rows| {
        let project = rows.project()?.ok_or(Refused::NotInitialised)?;
        let all = rows.changes()?;
        let gate = Gate::of(&all);
        let mut active = Vec::new();
        let mut archived = Vec::new();
        for change in all {
            if change.is_active() {
                active.push(progress::show(rows, change)?);
            } else {
                archived.push(change.name);
            }
        }
        Ok((project, active, archived, gate))
    })?;
    let (project, active, archived, gate) = found.ok_or(Refused::NotInitialised)?;
    let mut worktrees = Vec::new();
    for shown in &active {
        // A name of another program may be no path.
        let path = crate::files::RepoPath::is_path(shown.change.name.as_bytes())
            .then(|| layout::worktrees().join(&shown.change.name));
        let is_there = match &path {
            Some(path) => tree.entry(path)?.is_some(),
            None => false,
        };
        worktrees.push(path.filter(|_| is_there).map(|path| path.text().into_owned()));
    }
    let mut optional = [false; OPTIONAL_FILES.len()];
    for (there, (_, path)) in optional.iter_mut().zip(OPTIONAL_FILES) {
        *there = tree.is_file(&layout::top().join(path))?;
    }
    Ok(Stand {
        project,
        active,
        archived,
        worktrees,
        gate,
        optional,
    })
}
