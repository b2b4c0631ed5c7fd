//! The files of a folder as the project model lists them (flow.md 1.2, logos-project.md 2).

use std::collections::{BTreeSet, VecDeque};

use crate::files::{Kind, ReadError, RepoPath, Resolved, Tree};

/// The regular files at `path`, relative to it: first those of the folder itself in byte order, then those of each
/// sub-folder in the order met. A file lists as its own name, a missing path as nothing. Links to files count as files,
/// links to folders of the tree are entered, every folder once; dangling links and names ending in `.gitkeep` are left out.
pub fn files(tree: &dyn Tree, path: &RepoPath) -> Result<Vec<RepoPath>, ReadError> {
    let mut out = Vec::new();
    let mut entered = BTreeSet::new();
    let mut waiting = VecDeque::new();
    match kind_of(tree, path, tree.entry(path)?.map(|e| e.kind))? {
        Some(Found::Dir(real)) => waiting.push_back((RepoPath::root(), real)),
        Some(Found::File) if !keeps_folder(path) => out.push(RepoPath::root().join(path.name())),
        Some(Found::File) | None => {}
    }
    while let Some((dir, real)) = waiting.pop_front() {
        if !entered.insert(real) {
            continue;
        }
        let below = if dir.is_root() {
            path.clone()
        } else {
            dir.below(path)
        };
        for (name, entry) in tree.list(&below)? {
            let at = dir.join(&name);
            match kind_of(tree, &below.join(&name), Some(entry.kind))? {
                Some(Found::Dir(real)) => waiting.push_back((at, real)),
                Some(Found::File) if !keeps_folder(&at) => out.push(at),
                Some(Found::File) | None => {}
            }
        }
    }
    Ok(out)
}

/// Whether a file is only there so that git keeps its folder.
fn keeps_folder(path: &RepoPath) -> bool {
    path.name().ends_with(b".gitkeep")
}

enum Found {
    File,
    /// By its path without links.
    Dir(RepoPath),
}

fn kind_of(tree: &dyn Tree, path: &RepoPath, kind: Option<Kind>) -> Result<Option<Found>, ReadError> {
    Ok(match kind {
        Some(Kind::File) => Some(Found::File),
        Some(Kind::Dir) => Some(Found::Dir(path.clone())),
        Some(Kind::Link) => match tree.resolve(path)? {
            Resolved::Inside {
                path,
                kind: Kind::Dir,
            } => Some(Found::Dir(path)),
            Resolved::Inside { kind: Kind::File, .. } | Resolved::Outside { kind: Kind::File } => {
                Some(Found::File)
            }
            Resolved::Inside { .. } | Resolved::Outside { .. } | Resolved::Dangling => None,
        },
        Some(Kind::Submodule | Kind::Special) | None => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    fn listed(files_there: &[&str], path: &str) -> Vec<String> {
        let tree = MemoryTree::new(files_there.iter().map(|f| (*f, "x")));
        let found = files(&tree, &RepoPath::of(path)).expect("memory can be read");
        found.iter().map(|p| p.text().into_owned()).collect()
    }

    #[test]
    fn a_folder_lists_its_own_files_before_those_of_its_folders() {
        let there = [
            "d/b/x",
            "d/a/deep/z",
            "d/a/y",
            "d/c",
            "d/.hidden",
            "d/old.gitkeep",
            "e",
        ];
        assert_eq!(listed(&there, "d"), [".hidden", "c", "a/y", "b/x", "a/deep/z"]);
    }

    #[test]
    fn a_file_lists_as_its_name_and_nothing_as_nothing() {
        assert_eq!(listed(&["d/x.md"], "d/x.md"), ["x.md"]);
        assert_eq!(listed(&["d/x.md"], "e"), [""; 0]);
    }
}
