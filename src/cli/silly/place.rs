//! Where the project is, and which of its files may be written.

use std::path::{Path, PathBuf};

use super::super::Context;
use super::error::Error;
use crate::files::{RepoPath, Resolved, Tree, WorkTree, nearest, real_path};
use crate::silly::layout;
use crate::worktree::SILLY;

/// The nearest folder that holds `.sillyspec/`, not beyond the top of the repository; from inside one of its work trees
/// the one that holds it; else the current folder (silly.md 1).
pub(super) fn root(ctx: &Context) -> PathBuf {
    let here = real_path(&ctx.cwd);
    if let Some(holder) = layout::holder_of(&here) {
        return holder;
    }
    nearest(&here, usize::MAX, |folder| folder.join(SILLY).is_dir()).unwrap_or(here)
}

/// A path of the project on disk, refused if a link on the way leads out of it.
pub(super) fn inside(root: &Path, path: &RepoPath) -> Result<PathBuf, Error> {
    let tree = WorkTree::new(root);
    let mut at = Some(path.clone());
    // The nearest part that is there decides.
    while let Some(part) = at {
        if tree.entry(&part)?.is_some() {
            if part.is_root() || matches!(tree.resolve(&part)?, Resolved::Inside { .. }) {
                break;
            }
            return Err(Error::LeadsOut {
                path: path.on_disk(root),
            });
        }
        at = part.parent();
    }
    Ok(path.on_disk(root))
}
