//! Where the files of a project lie, from its root (logos-project.md part 2).

use super::Slug;
use crate::files::RepoPath;

pub const CONFIG: &str = "logos/logos.config.json";
pub const REGISTRY: &str = "logos/logos-project.yaml";
pub const GUARD: &str = "logos/.openlogos-guard";
pub const CHANGES: &str = "logos/changes";
pub const ARCHIVE: &str = "logos/changes/archive";
pub const RESOURCES: &str = "logos/resources";
pub const DECISIONS: &str = "logos/resources/decisions";
pub const TESTS: &str = "logos/resources/test";

pub fn config() -> RepoPath {
    RepoPath::of(CONFIG)
}

pub fn registry() -> RepoPath {
    RepoPath::of(REGISTRY)
}

pub fn guard() -> RepoPath {
    RepoPath::of(GUARD)
}

/// The folder of all changes.
pub fn changes() -> RepoPath {
    RepoPath::of(CHANGES)
}

pub fn archive() -> RepoPath {
    RepoPath::of(ARCHIVE)
}

/// The folder of one change.
pub fn change(slug: &Slug) -> RepoPath {
    changes().join(slug.as_str())
}
