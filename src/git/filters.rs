//! A commit's files as a checkout would write them: line ends and filters applied (architecture.md, "Tree").

use std::io::Read;

use bstr::ByteSlice;

use super::{CommitTree, Repository};
use crate::files::{Entry, Name, ReadError, RepoPath, Resolved, Tree};
use crate::text::Bytes;

/// A commit tree whose contents pass the checkout filters, so that they can be compared with the work tree.
pub struct CheckoutTree<'r> {
    repository: &'r Repository,
    tree: CommitTree<'r>,
    prefix: RepoPath,
}

impl<'r> CheckoutTree<'r> {
    pub fn new(repository: &'r Repository, tree: CommitTree<'r>, prefix: &RepoPath) -> Self {
        Self {
            repository,
            tree,
            prefix: prefix.clone(),
        }
    }
}

impl Tree for CheckoutTree<'_> {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>, ReadError> {
        self.tree.entry(path)
    }

    fn list(&self, dir: &RepoPath) -> Result<Vec<(Name, Entry)>, ReadError> {
        self.tree.list(dir)
    }

    fn resolve(&self, path: &RepoPath) -> Result<Resolved, ReadError> {
        self.tree.resolve(path)
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Bytes>, ReadError> {
        let Some(stored) = self.tree.read(path)? else {
            return Ok(None);
        };
        let fail = |e: gix::Error| ReadError::new(path, std::io::Error::other(e.to_string()));
        self.repository.with(|repo| {
            let (mut pipeline, _) = repo.filter_pipeline(None).map_err(fail)?;
            let at = path.below(&self.prefix);
            let options = gix::filter::plumbing::pipeline::convert::to_worktree::Options::default();
            let mut out = pipeline
                .convert_to_worktree(&stored, at.as_bytes().as_bstr(), options)
                .map_err(fail)?;
            let mut bytes = Vec::with_capacity(stored.len());
            out.read_to_end(&mut bytes).map_err(|e| ReadError::new(path, e))?;
            Ok(Some(bytes))
        })
    }

    fn link_target(&self, path: &RepoPath) -> Result<Bytes, ReadError> {
        self.tree.link_target(path)
    }
}
