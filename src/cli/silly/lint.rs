//! `silly lint`: the documents of changes, judged (silly.md 9).

use super::super::Context;
use super::error::Error;
use super::store::Store;
use crate::files::Tree;
use crate::report::silly::lint::Linted;
use crate::silly::{Refused, layout, lint, progress};
use crate::worktree::check_name;

/// Judge the documents of changes
///
/// Without a name all active changes. Exit code 2 when there is an error.
#[derive(clap::Args)]
pub(super) struct Lint {
    /// Only this change
    #[arg(value_name = "CHANGE")]
    change: Option<String>,
    /// Warnings count as errors
    #[arg(long)]
    strict: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl Lint {
    pub(super) fn run(&self, ctx: &Context) -> Result<Linted, Error> {
        let store = Store::of(ctx)?;
        let tree = store.tree();
        let names = match &self.change {
            Some(name) => {
                check_name(name).map_err(Refused::from)?;
                let folder = layout::change(name);
                if tree.entry(&folder)?.is_none() {
                    return Err(Refused::NoFolder(folder).into());
                }
                vec![name.clone()]
            }
            None => active(&store)?,
        };
        let mut changes = Vec::new();
        for name in names {
            let findings = lint::lint(&tree, &name)?;
            changes.push((name, findings));
        }
        Ok(Linted {
            changes,
            strict: self.strict,
        })
    }
}

/// The active changes that have a folder; without a database every folder is one.
fn active(store: &Store<'_>) -> Result<Vec<String>, Error> {
    let folders = layout::change_folders(&store.tree())?;
    let active = store.read(|rows| Ok(progress::active(rows)?))?;
    Ok(match active {
        None => folders,
        Some(active) => folders
            .into_iter()
            .filter(|name| active.iter().any(|change| change.name == *name))
            .collect(),
    })
}
