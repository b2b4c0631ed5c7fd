//! Projects of a tree, by their configs (git.md 1.1).

use super::layout;
use crate::files::{Kind, ReadError, RepoPath, Tree};

/// Folders that hold no projects of ours.
pub const SKIPPED_FOLDERS: [&str; 5] = ["logos", "node_modules", "vendor", "target", ".git"];

/// How many folders deep projects are looked for.
pub const SEARCH_DEPTH: usize = 4;

/// The folders of a tree that hold a project, in path order.
pub fn find_below(tree: &dyn Tree) -> Result<Vec<RepoPath>, ReadError> {
    let mut out = Vec::new();
    look(tree, &RepoPath::root(), 0, &mut out)?;
    out.sort();
    Ok(out)
}

fn look(tree: &dyn Tree, dir: &RepoPath, depth: usize, out: &mut Vec<RepoPath>) -> Result<(), ReadError> {
    if tree.entry(&dir.join(layout::CONFIG))?.is_some() {
        out.push(dir.clone());
    }
    if depth == SEARCH_DEPTH {
        return Ok(());
    }
    for (name, entry) in tree.list(dir)? {
        if entry.kind == Kind::Dir && !SKIPPED_FOLDERS.iter().any(|skipped| name == *skipped) {
            look(tree, &dir.join(&name), depth + 1, out)?;
        }
    }
    Ok(())
}
