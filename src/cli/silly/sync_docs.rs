//! `silly sync-docs`: the documents of the modules that a change affects (silly.md 11).

use super::super::Context;
use super::error::Error;
use super::impact::at_fault;
use super::place;
use super::store::Store;
use crate::files::Tree;
use crate::git::Repository;
use crate::report::silly::sync_docs::{Document, SyncDocs as Answered};
use crate::silly::{Refused, impact, layout, modules, sync_docs};

/// Bring the documents of modules up to a change
///
/// For every module of its module-impact.md: a missing document is made, the three lines at the head are set, and the
/// change gets its row in the index of changes, once. Prose is never touched. All files are written together or not at
/// all.
///
/// Example: silly sync-docs --change 2026-03-01-csv
#[derive(clap::Args)]
pub(super) struct SyncDocs {
    /// The change; the only active one if it is not given
    #[arg(long, value_name = "NAME")]
    change: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl SyncDocs {
    pub(super) fn run(&self, ctx: &Context) -> Result<Answered, Error> {
        let store = Store::of(ctx)?;
        let change = store.open_change(self.change.as_deref())?;
        let source = layout::module_impact(&change);
        place::inside(&store.root, &source)?;
        let writer = store.writer("silly sync-docs")?;
        let tree = writer.tree();
        let known = tree.read(&source)?.ok_or_else(|| Refused::NoImpact {
            path: source.clone(),
            change: change.clone(),
        })?;
        let maps = modules::load(&tree)?;
        let rows = sync_docs::rows(&known, &maps).map_err(|fault| Error::Document {
            path: source.clone(),
            fault,
        })?;
        let today = ctx.now.date(Repository::local_offset());
        let mut files = Vec::new();
        let mut done = Vec::new();
        let mut documents = Vec::new();
        for affected in rows.affected {
            let path = affected.path.clone();
            place::inside(&store.root, &path)?;
            let existing = tree.read(&path)?;
            let planned = sync_docs::plan(existing.as_deref(), &affected, &change, &today)
                .map_err(|fault| at_fault(&path, fault))?;
            done.push((affected.name.clone(), planned.done));
            files.push((path, existing, planned.bytes));
            documents.push(Document {
                affected,
                done: planned.done,
            });
        }
        let results = impact::with_results(&known, &done).map_err(|fault| at_fault(&source, fault))?;
        files.push((source, Some(known), results));
        Ok(Answered {
            written: Store::write_changed(&writer, files)?,
            change,
            documents,
            left: rows.left,
        })
    }
}
