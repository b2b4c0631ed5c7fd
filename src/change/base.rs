//! The base of a change: the commit whose tree holds the documents as they were when it was created (change.md 6.4).

use crate::files::{ObjectId, RepoPath, Tree};
use crate::git::{self, CheckoutTree, CommitFacts, Repository, SPEC_CHANGE};
use crate::project::layout;

/// What is known of the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    Commit(ObjectId),
    /// A commit that a trailer names: nothing else says that it is one of this history.
    Declared(ObjectId),
    /// No repository, or the folder is not committed: the base is the document itself.
    None,
}

/// Why a base that should be there is not.
#[derive(Debug, thiserror::Error)]
pub enum BaseError {
    /// A named commit that is not here, or a history that was cut off.
    #[error("the base of the change is not available: {0}")]
    Unavailable(git::Error),
    #[error(transparent)]
    Git(#[from] git::Error),
}

/// The trailer that names the base of a change.
pub const SPEC_BASE: &str = "Spec-Base";

/// Finds the base, going back from `start` (none is HEAD): `named`, else the newest `Spec-Base` trailer of the change, else the commit that added its proposal.
/// Only commits whose tree holds the folder count, from HEAD back without a gap: an archived namesake is another change.
pub fn find(
    repository: &Repository,
    prefix: &RepoPath,
    start: Option<ObjectId>,
    slug: &str,
    named: Option<&str>,
) -> Result<Base, BaseError> {
    if let Some(revision) = named {
        return repository
            .commit_id(revision)
            .map(Base::Commit)
            .map_err(BaseError::Unavailable);
    }
    let head = match start {
        Some(start) => Some(start),
        None => repository.head()?,
    };
    let Some(head) = head else { return Ok(Base::None) };
    let Walked {
        added,
        declared,
        boundary,
    } = walk(repository, prefix, head, slug, true)?;
    if let Some(id) = declared {
        return repository
            .commit_id(&id)
            .map(Base::Declared)
            .map_err(BaseError::Unavailable);
    }
    match (added, boundary) {
        (Some(id), _) => Ok(Base::Commit(id)),
        (None, Some(boundary)) => Err(BaseError::Unavailable(git::Error::Shallow { boundary })),
        (None, None) => Ok(Base::None),
    }
}

/// The newest commit, from one backwards, that adds the proposal of a change; none if none does, or history is cut off.
pub fn added_in(
    repository: &Repository,
    prefix: &RepoPath,
    start: ObjectId,
    slug: &str,
) -> Result<Option<ObjectId>, git::Error> {
    Ok(walk(repository, prefix, start, slug, false)?.added)
}

/// What history says of a change.
#[derive(Default)]
struct Walked {
    /// The newest commit that adds its proposal.
    added: Option<ObjectId>,
    /// The newest `Spec-Base`.
    declared: Option<String>,
    /// Where history was cut off.
    boundary: Option<ObjectId>,
}

/// `to_declared` ends the walk where a base is declared.
fn walk(
    repository: &Repository,
    prefix: &RepoPath,
    start: ObjectId,
    slug: &str,
    to_declared: bool,
) -> Result<Walked, git::Error> {
    let folder = RepoPath::of(layout::CHANGES).join(slug).below(prefix);
    let proposal = folder.join("proposal.md");
    let mut walked = Walked::default();
    repository.walk_holding(start, &folder, &mut |commit: &CommitFacts<'_>| {
        if walked.declared.is_none() && commit.trailer_values(SPEC_CHANGE).iter().any(|v| v == slug) {
            // A value that is no full id is ignored (git.md 1.5).
            walked.declared = commit
                .trailer_values(SPEC_BASE)
                .pop()
                .filter(|id| ObjectId::from_hex(id).is_some());
        }
        if walked.added.is_none() && commit.holds(&proposal)? && !commit.a_parent_holds(&proposal)? {
            if commit.is_shallow_boundary() {
                walked.boundary.get_or_insert(commit.id());
            } else {
                walked.added = Some(commit.id());
            }
        } else if commit.is_shallow_boundary() {
            walked.boundary.get_or_insert(commit.id());
        }
        Ok(!to_declared || walked.declared.is_none())
    })?;
    Ok(walked)
}

/// The base of a change as a tree: what a judgement compares with.
pub struct BaseTree<'r> {
    pub commit: Option<ObjectId>,
    pub tree: Option<Box<dyn Tree + 'r>>,
}

impl<'r> BaseTree<'r> {
    pub const fn none() -> Self {
        Self {
            commit: None,
            tree: None,
        }
    }

    pub fn as_tree(&self) -> Option<&dyn Tree> {
        self.tree.as_deref().map(|tree| tree as &dyn Tree)
    }

    /// Finds the base of a change from a commit backwards. `checked_out` reads it as the work tree would hold it.
    pub fn find(
        repository: Option<&'r Repository>,
        prefix: &RepoPath,
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
        let commit = match find(repository, prefix, start, slug, named)? {
            Base::None => return Ok(Self::none()),
            Base::Commit(commit) | Base::Declared(commit) => commit,
        };
        let tree = repository.commit_tree(commit, prefix)?;
        let tree: Box<dyn Tree + 'r> = if checked_out {
            Box::new(CheckoutTree::new(repository, tree, prefix))
        } else {
            Box::new(tree)
        };
        Ok(Self {
            commit: Some(commit),
            tree: Some(tree),
        })
    }
}
