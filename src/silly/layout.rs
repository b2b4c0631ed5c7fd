//! Where the files of a `.sillyspec/` project lie (silly.md 2).

use crate::clock::Timestamp;
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

/// The work trees of changes.
pub fn worktrees() -> RepoPath {
    RepoPath::of(crate::worktree::SILLY_TREES)
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

/// The folder of an open change.
pub fn change(name: &str) -> RepoPath {
    changes().join(name)
}

/// What a change does to the modules, told by the change itself.
pub fn module_impact(name: &str) -> RepoPath {
    change(name).join("module-impact.md")
}

/// The folder of a finished change; `date` is the day in UTC.
pub fn archived(date: &str, name: &str) -> RepoPath {
    archive().join(format!("{date}-{name}"))
}

/// The change in a folder of the archive: with the day in front, or bare.
pub fn archived_name(folder: &str) -> &str {
    let day = folder.get(..11).filter(|day| is_day(day));
    day.map_or(folder, |day| &folder[day.len()..])
}

/// `YYYY-MM-DD-`, a day that there is.
fn is_day(text: &str) -> bool {
    text.strip_suffix('-').is_some_and(|day| {
        // An instant is read as strictly as a day is to be.
        day.len() == 10 && Timestamp::parse(&format!("{day}T00:00:00Z")).is_some()
    })
}

/// The name of a change by convention: the day, and a short text.
pub fn is_dated(name: &str) -> bool {
    name.len() > 11 && name.get(..11).is_some_and(is_day)
}

pub fn database() -> RepoPath {
    runtime().join("sillyspec.db")
}

pub fn gate() -> RepoPath {
    runtime().join("gate-status.json")
}

pub fn user_inputs() -> RepoPath {
    runtime().join("user-inputs.md")
}

/// Outputs that were too long for the database.
pub fn artifacts() -> RepoPath {
    runtime().join("artifacts")
}

/// Completed stages.
pub fn history() -> RepoPath {
    runtime().join("history")
}

/// What is set for this machine alone.
pub fn local() -> RepoPath {
    top().join("local.yaml")
}

/// The names of the open changes that have a folder.
pub fn change_folders(tree: &dyn crate::files::Tree) -> Result<Vec<String>, crate::files::ReadError> {
    let all = tree.list(&changes())?;
    Ok(all
        .into_iter()
        .filter(|(name, entry)| {
            entry.kind == crate::files::Kind::Dir && name != crate::worktree::ARCHIVE_NAME
        })
        .map(|(name, _)| name.to_string())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_in_front_of_an_archived_name_is_cut_once() {
        assert_eq!(archived_name("2026-03-01-csv"), "csv");
        assert_eq!(archived_name("2026-03-01-2026-02-02-csv"), "2026-02-02-csv");
        assert_eq!(archived_name("csv"), "csv");
        assert_eq!(archived_name("2026-13-01-csv"), "2026-13-01-csv");
        assert!(is_dated("2026-03-01-导出") && !is_dated("2026-03-01-") && !is_dated("csv"));
    }

    #[test]
    fn the_holder_of_a_work_tree_is_found_from_inside_it() {
        let holder = |path: &str| holder_of(std::path::Path::new(path)).map(|p| p.display().to_string());
        let own = Some("/a/b".to_owned());
        assert_eq!(holder("/a/b/.sillyspec/.runtime/worktrees/c/src"), own);
        assert_eq!(holder("/a/b/.sillyspec/.runtime/worktrees/c"), own);
        assert_eq!(holder("/a/b/.sillyspec/.runtime/worktrees"), None);
        assert_eq!(holder("/a/b"), None);
    }
}
