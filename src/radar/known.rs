//! The ids of a family that are taken in a project: by its documents, and by every open change of every tip (git.md 7.2).

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::open::Versions;
use super::subject::{brings, load, tree_of};
use super::tips::Tips;
use super::{Error, Target};
use crate::change::definitions::of_document;
use crate::files::{MemoryTree, RepoPath, Tree, walk};
use crate::git::Repository;
use crate::markdown::Document;
use crate::project::layout;

/// The ids that begin with `prefix`. `here` is where the number is wanted: its documents count with those of the target.
pub fn taken(
    repository: &Repository,
    project: &RepoPath,
    here: &dyn Tree,
    prefix: &str,
) -> Result<BTreeSet<String>, Error> {
    let target = Target::find(repository)?;
    let mut out = in_documents(here, prefix)?;
    if let Some(target) = &target {
        out.extend(in_documents(
            &repository.commit_tree(target.commit, project)?,
            prefix,
        )?);
    }
    let tips = Tips::gather(repository, None)?;
    let versions = Versions::read(repository, Some(project), &tips)?.undone(target.as_ref())?;
    let nothing = MemoryTree::default();
    for version in versions {
        let tree = tree_of(repository, &version)?;
        let fail = |why| Error::Change {
            name: version.name(),
            why,
        };
        let change = load(tree.as_ref(), &version).map_err(fail)?;
        let ids = brings(&change, &nothing)?.into_iter();
        let ids = ids.map(|brought| brought.brought.defined.id.id);
        out.extend(ids.filter(|id| id.starts_with(prefix)));
    }
    Ok(out)
}

fn in_documents(tree: &dyn Tree, prefix: &str) -> Result<BTreeSet<String>, Error> {
    let documents = walk(tree, &layout::resources())?;
    let defined = documents
        .into_par_iter()
        .map(|path| -> Result<Vec<String>, Error> {
            if !path.has_extension("md") {
                return Ok(Vec::new());
            }
            let content = tree.read(&path)?.unwrap_or_default();
            // Most documents need not be scanned.
            if !bstr::ByteSlice::contains_str(&content[..], prefix) {
                return Ok(Vec::new());
            }
            let ids = of_document(&path, &Document::scan(content)).into_iter();
            Ok(ids
                .map(|defined| defined.id.id)
                .filter(|id| id.starts_with(prefix))
                .collect())
        });
    let ids: Vec<Vec<String>> = defined.collect::<Result<_, _>>()?;
    Ok(ids.into_iter().flatten().collect())
}
