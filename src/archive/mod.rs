//! Whether a change may go to the archive, and what moves (change.md part 7). Decides only.

use crate::change::gate::Refused;
use crate::change::{ChangeFolder, MERGED, SPEC_MERGED, deltas};
use crate::files::{Digest, RepoPath, Tree};
use crate::project::layout;

/// The move of a finished change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivePlan {
    pub from: RepoPath,
    pub to: RepoPath,
    /// The guard file, if it goes: it names this change, or nothing that can be read.
    pub guard: Option<(RepoPath, Digest)>,
}

/// Plans the move; `stamp` is `YYYYMMDD-HHMM` in local time. Without `force` a change whose deltas were never merged is
/// refused: they would be lost to the documents.
pub fn plan(
    tree: &dyn Tree,
    folder: &ChangeFolder,
    stamp: &str,
    force: bool,
) -> Result<ArchivePlan, Refused> {
    if !force {
        let merged =
            tree.exists(&folder.path.join(SPEC_MERGED))? || tree.exists(&folder.path.join(MERGED))?;
        if !merged && deltas::load(tree, &folder.path)?.iter().any(|d| d.mergeable) {
            return Err(Refused::NotMerged);
        }
    }
    let to = layout::archive().join(format!("{stamp}-{}", folder.slug.as_str()));
    if tree.entry(&to)?.is_some() {
        return Err(Refused::ArchiveExists { path: to });
    }
    Ok(ArchivePlan {
        from: folder.path.clone(),
        to,
        guard: guard_that_goes(tree, folder.slug.as_str())?,
    })
}

fn guard_that_goes(tree: &dyn Tree, slug: &str) -> Result<Option<(RepoPath, Digest)>, Refused> {
    let path = layout::guard();
    let Some(bytes) = tree.read(&path)? else {
        return Ok(None);
    };
    let goes = match serde_json::from_slice::<serde_json::Value>(&bytes) {
        Err(_) | Ok(serde_json::Value::Null) => true,
        Ok(value) => value.get("activeChange").and_then(serde_json::Value::as_str) == Some(slug),
    };
    Ok(goes.then(|| (path, Digest::of(&bytes))))
}
