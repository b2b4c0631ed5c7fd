//! Projects of a tree, by their configs (git.md 1.1).

use std::collections::HashMap;

use super::layout;
use crate::files::{Kind, ObjectId, ReadError, RepoPath, Tree};
use crate::git::{self, Repository};

/// Folders that hold no projects of ours.
pub const SKIPPED_FOLDERS: [&str; 5] = ["logos", "node_modules", "vendor", "target", ".git"];

/// How many folders deep projects are looked for: `spec.projectDepth` of git's configuration, else 4.
pub fn search_depth(repository: &Repository) -> Result<usize, git::Error> {
    Ok(repository.number("spec.projectDepth")?.unwrap_or(4))
}

/// Looks for projects in many trees: a folder with an id that was seen as deep is not entered again.
#[derive(Debug)]
pub struct Search {
    depth: usize,
    /// The projects of a folder, from it, by its id and depth.
    seen: HashMap<(ObjectId, usize), Vec<RepoPath>>,
}

impl Search {
    /// Will look as deep as is configured.
    pub fn new(repository: &Repository) -> Result<Self, git::Error> {
        Ok(Self {
            depth: search_depth(repository)?,
            seen: HashMap::new(),
        })
    }

    /// The folders of a tree that hold a project, in path order.
    pub fn find(&mut self, tree: &dyn Tree) -> Result<Vec<RepoPath>, ReadError> {
        let mut found = self.look(tree, &RepoPath::root(), 0)?;
        found.sort();
        Ok(found)
    }

    /// The projects at and below a folder, from it.
    fn look(&mut self, tree: &dyn Tree, dir: &RepoPath, depth: usize) -> Result<Vec<RepoPath>, ReadError> {
        let mut out = Vec::new();
        if tree.entry(&dir.join(layout::CONFIG))?.is_some() {
            out.push(RepoPath::root());
        }
        if depth == self.depth {
            return Ok(out);
        }
        for (name, entry) in tree.list(dir)? {
            if entry.kind != Kind::Dir || SKIPPED_FOLDERS.iter().any(|skipped| name == *skipped) {
                continue;
            }
            let key = entry.id.map(|id| (id, depth + 1));
            let known = key.and_then(|key| self.seen.get(&key));
            let below = match known {
                Some(known) => known.clone(),
                None => self.look(tree, &dir.join(&name), depth + 1)?,
            };
            out.extend(
                below
                    .iter()
                    .map(|project| project.below(&RepoPath::root().join(&name))),
            );
            if let Some(key) = key {
                self.seen.insert(key, below);
            }
        }
        Ok(out)
    }
}
