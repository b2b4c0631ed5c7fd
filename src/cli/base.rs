//! The base of a change as a tree, for lint, merge and rebase alike.

use crate::change::base::{self, Base, BaseError};
use crate::files::{ObjectId, Tree};
use crate::git::{self, CheckoutTree, Repository};

use super::Place;

/// What a judgement compares with.
pub(super) struct BaseTree<'r> {
    pub(super) commit: Option<ObjectId>,
    pub(super) tree: Option<Box<dyn Tree + 'r>>,
}

impl<'r> BaseTree<'r> {
    pub(super) const fn none() -> Self {
        Self {
            commit: None,
            tree: None,
        }
    }

    pub(super) fn as_tree(&self) -> Option<&dyn Tree> {
        self.tree.as_deref().map(|tree| tree as &dyn Tree)
    }

    /// Finds the base of a change from a commit backwards. `checked_out` reads it as the work tree would hold it.
    pub(super) fn find(
        repository: Option<&'r Repository>,
        place: &Place,
        start: Option<ObjectId>,
        slug: &str,
        named: Option<&str>,
        checked_out: bool,
    ) -> Result<Self, BaseError> {
        let Some(repository) = repository else {
            return match named {
                Some(_) => Err(BaseError::Unavailable(git::Error::NotARepository)),
                None => Ok(Self::none()),
            };
        };
        let commit = match base::find(repository, &place.prefix, start, slug, named)? {
            Base::None => return Ok(Self::none()),
            Base::Commit(commit) => commit,
        };
        let tree = repository.commit_tree(commit, &place.prefix)?;
        let tree: Box<dyn Tree + 'r> = if checked_out {
            Box::new(CheckoutTree::new(repository, tree, &place.prefix))
        } else {
            Box::new(tree)
        };
        Ok(Self {
            commit: Some(commit),
            tree: Some(tree),
        })
    }
}
