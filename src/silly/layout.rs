//! Where the files of a `.sillyspec/` project lie (silly.md 2).

use crate::files::RepoPath;
use crate::worktree::SILLY;

/// The folder that makes the project.
pub fn top() -> RepoPath {
    RepoPath::of(SILLY)
}

/// What belongs to one machine alone.
pub fn runtime() -> RepoPath {
    top().join(".runtime")
}

/// One folder per open change.
pub fn changes() -> RepoPath {
    top().join("changes")
}

/// Finished changes.
pub fn archive() -> RepoPath {
    changes().join(crate::worktree::ARCHIVE_NAME)
}

/// The documents of projects, one folder each.
pub fn docs() -> RepoPath {
    top().join("docs")
}

/// The map from files to modules, of the project in a folder of `docs/`.
pub fn module_map(project: &[u8]) -> RepoPath {
    docs().join(project).join("modules/_module-map.yaml")
}

/// The index of a folder of knowledge.
pub const KNOWLEDGE_INDEX: &str = "INDEX.md";

/// The quick logs.
pub fn quicklog() -> RepoPath {
    top().join("quicklog")
}

/// The root of the project whose work trees a path lies in, or below.
pub fn holder_of(path: &std::path::Path) -> Option<std::path::PathBuf> {
    path.ancestors()
        .find(|above| above.ends_with(crate::worktree::SILLY_TREES) && *above != path)
        .and_then(|trees| trees.ancestors().nth(3))
        .map(std::path::Path::to_owned)
}
