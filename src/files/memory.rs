//! A tree held in memory: for tests, and for planning over texts that are nowhere else.

use std::collections::BTreeMap;
use std::io;

use super::{Entry, Kind, Name, ReadError, RepoPath, Resolved, Tree};
use crate::text::Bytes;

/// Files by path; folders exist as far as files are below them.
#[derive(Clone, Debug, Default)]
pub struct MemoryTree {
    files: BTreeMap<RepoPath, Bytes>,
}

impl MemoryTree {
    pub fn new<P: AsRef<str>, B: AsRef<[u8]>>(files: impl IntoIterator<Item = (P, B)>) -> Self {
        Self {
            files: files
                .into_iter()
                .map(|(p, b)| (RepoPath::of(p.as_ref()), b.as_ref().to_vec()))
                .collect(),
        }
    }

    pub fn insert(&mut self, path: RepoPath, content: Bytes) {
        self.files.insert(path, content);
    }
}

impl Tree for MemoryTree {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>, ReadError> {
        if self.files.contains_key(path) {
            return Ok(Some(Entry::new(Kind::File)));
        }
        let is_dir = path.is_root() || self.files.keys().any(|file| file.starts_with(path));
        Ok(is_dir.then(|| Entry::new(Kind::Dir)))
    }

    fn list(&self, dir: &RepoPath) -> Result<Vec<(Name, Entry)>, ReadError> {
        if self.files.contains_key(dir) {
            return Err(ReadError::new(dir, io::Error::from(io::ErrorKind::NotADirectory)));
        }
        let mut out: BTreeMap<Name, Entry> = BTreeMap::new();
        for file in self.files.keys() {
            let Some(rest) = file.strip_prefix(dir) else {
                continue;
            };
            let mut parts = rest.parts();
            let Some(first) = parts.next() else { continue };
            let kind = if parts.next().is_some() {
                Kind::Dir
            } else {
                Kind::File
            };
            out.insert(first.to_owned(), Entry::new(kind));
        }
        Ok(out.into_iter().collect())
    }

    fn resolve(&self, path: &RepoPath) -> Result<Resolved, ReadError> {
        super::resolve_links(self, path)
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Bytes>, ReadError> {
        Ok(self.files.get(path).cloned())
    }

    fn link_target(&self, path: &RepoPath) -> Result<Bytes, ReadError> {
        Err(ReadError::new(path, io::Error::from(io::ErrorKind::InvalidInput)))
    }
}
