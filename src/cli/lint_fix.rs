//! The writing half of `change-lint --fix`: the planned rewrites of delta files, printed as a diff.

use std::io::IsTerminal;

use super::{Context, Format, lint::Judge};
use crate::change::{Change, ChangeFolder, gate};
use crate::files::{Digest, Tree};
use crate::lint::{Error, Target, fix};
use crate::merge::DocumentEdit;
use crate::report::{self, Screen};

/// Mends the anchors of one change, or of all active ones. With a format that makes stdout one document, the
/// diff is not shown.
pub(super) fn run(
    context: &Context,
    judge: &Judge<'_>,
    format: Format,
    slug: Option<&str>,
    all: bool,
    dry_run: bool,
) -> Result<(), Error> {
    if dry_run {
        show(context, format, &edits(judge.tree, judge.session, slug, all)?);
        return Ok(());
    }
    let writer = context.writer("change-lint --fix").map_err(Error::from)?;
    let tree = writer.tree();
    let edits = edits(&tree, &tree, slug, all)?;
    if !edits.is_empty() {
        let mut transaction = writer.begin();
        for edit in &edits {
            let new = edit.new.clone().unwrap_or_default();
            transaction.replace(&edit.document, edit.old.as_deref().map(Digest::of), new);
        }
        transaction.commit()?;
    }
    show(context, format, &edits);
    Ok(())
}

fn edits(
    tree: &dyn Tree,
    session: &dyn Tree,
    slug: Option<&str>,
    all: bool,
) -> Result<Vec<DocumentEdit>, Error> {
    if !all {
        let target = Target::load(tree, session, slug)?;
        return Ok(fix::plan(&target.change, tree)?);
    }
    let mut out = Vec::new();
    for folder in ChangeFolder::list(tree)? {
        let folder = gate::folder(tree, Some(folder.slug.as_str()))?;
        out.extend(fix::plan(&Change::load(tree, folder)?, tree)?);
    }
    Ok(out)
}

fn show(context: &Context, format: Format, edits: &[DocumentEdit]) {
    let (mut out, mut err) = (std::io::stdout().lock(), std::io::stderr().lock());
    let voice = context.voice();
    let color = context.color(std::io::stdout().is_terminal());
    if format == Format::Text {
        let mut screen = Screen {
            out: &mut out,
            err: &mut err,
            voice,
            color,
        };
        // A reader that has gone away does not undo what was written.
        drop(report::unified_diff(edits, &mut screen));
    }
}
