//! A commit's files as a checkout would write them: line ends and filters applied (architecture.md, "Tree").

use std::io::Read;
use std::sync::Mutex;

use bstr::ByteSlice;

use super::{CommitTree, Repository};
use crate::files::{Entry, Name, ReadError, RepoPath, Resolved, Tree};
use crate::text::Bytes;

/// What applies filters, with the attributes it has read so far.
type Filters = (gix::filter::plumbing::Pipeline, gix::worktree::Stack);

/// A commit tree whose contents pass the checkout filters, so that they can be compared with the work tree.
pub struct CheckoutTree<'r> {
    repository: &'r Repository,
    tree: CommitTree<'r>,
    prefix: RepoPath,
    idle: Mutex<Vec<Filters>>,
}

impl<'r> CheckoutTree<'r> {
    pub fn new(repository: &'r Repository, tree: CommitTree<'r>, prefix: &RepoPath) -> Self {
        Self {
            repository,
            tree,
            prefix: prefix.clone(),
            idle: Mutex::default(),
        }
    }

    fn filtered(&self, repo: &gix::Repository, stored: &[u8], path: &RepoPath) -> Result<Bytes, gix::Error> {
        let idle = self.idle.lock().map(|mut idle| idle.pop()).unwrap_or_default();
        let (mut pipeline, mut attributes) = match idle {
            Some(filters) => filters,
            None => repo.filter_pipeline(None)?.0.into_parts(),
        };
        let at = path.below(&self.prefix);
        let at = at.as_bytes().as_bstr();
        let entry = attributes
            .at_entry(at, None, &repo.objects)
            .map_err(gix::Error::from_error)?;
        let options = gix::filter::plumbing::pipeline::convert::to_worktree::Options::default();
        let mut bytes = Vec::with_capacity(stored.len());
        let mut attributes_of = |_: &bstr::BStr, out: &mut gix::attrs::search::Outcome| {
            entry.matching_attributes(out);
        };
        pipeline
            .convert_to_worktree(stored, at, &mut attributes_of, options)?
            .read_to_end(&mut bytes)
            .map_err(gix::Error::from_error)?;
        if let Ok(mut idle) = self.idle.lock() {
            idle.push((pipeline, attributes));
        }
        Ok(bytes)
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
        let filtered = self.repository.with(|repo| self.filtered(repo, &stored, path));
        filtered
            .map(Some)
            .map_err(|e| ReadError::new(path, std::io::Error::other(e.to_string())))
    }

    fn link_target(&self, path: &RepoPath) -> Result<Bytes, ReadError> {
        self.tree.link_target(path)
    }
}
