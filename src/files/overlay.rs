//! Edits laid over another tree: what it would hold if they were made.

use std::collections::BTreeMap;

use super::{Entry, Kind, Name, ReadError, RepoPath, Resolved, Tree};
use crate::text::Bytes;

/// A tree with some files replaced, added or (`None`) removed.
pub struct OverlayTree<'t> {
    below: &'t dyn Tree,
    edits: BTreeMap<RepoPath, Option<Bytes>>,
}

impl<'t> OverlayTree<'t> {
    pub fn new(below: &'t dyn Tree, edits: impl IntoIterator<Item = (RepoPath, Option<Bytes>)>) -> Self {
        Self {
            below,
            edits: edits.into_iter().collect(),
        }
    }
}

impl Tree for OverlayTree<'_> {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>, ReadError> {
        if let Some(edit) = self.edits.get(path) {
            return Ok(edit.as_ref().map(|_| Entry::new(Kind::File)));
        }
        if self
            .edits
            .iter()
            .any(|(file, new)| new.is_some() && file.starts_with(path))
        {
            return Ok(Some(Entry::new(Kind::Dir)));
        }
        self.below.entry(path)
    }

    fn list(&self, dir: &RepoPath) -> Result<Vec<(Name, Entry)>, ReadError> {
        let mut out: BTreeMap<Name, Entry> = self.below.list(dir)?.into_iter().collect();
        for (file, new) in &self.edits {
            let Some(rest) = file.strip_prefix(dir) else {
                continue;
            };
            let mut parts = rest.parts();
            let Some(first) = parts.next() else { continue };
            match (parts.next().is_some(), new.is_some()) {
                (true, true) => {
                    out.entry(first.to_owned()).or_insert(Entry::new(Kind::Dir));
                }
                (false, true) => {
                    out.insert(first.to_owned(), Entry::new(Kind::File));
                }
                (false, false) => {
                    out.remove(first);
                }
                (true, false) => {}
            }
        }
        Ok(out.into_iter().collect())
    }

    fn resolve(&self, path: &RepoPath) -> Result<Resolved, ReadError> {
        match self.edits.get(path) {
            Some(Some(_)) => Ok(Resolved::Inside {
                path: path.clone(),
                kind: Kind::File,
            }),
            Some(None) => Ok(Resolved::Dangling),
            None => self.below.resolve(path),
        }
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Bytes>, ReadError> {
        match self.edits.get(path) {
            Some(edit) => Ok(edit.clone()),
            None => self.below.read(path),
        }
    }

    fn link_target(&self, path: &RepoPath) -> Result<Bytes, ReadError> {
        self.below.link_target(path)
    }
}
