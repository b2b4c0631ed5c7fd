//! The base of a change: the commit whose tree holds the documents as they were when it was created (change.md 6.4).

use crate::files::{ObjectId, RepoPath};
use crate::git::{self, CommitFacts, Repository};

/// What is known of the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    Commit(ObjectId),
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

/// Trailers that name a change and its base.
pub const SPEC_CHANGE: &str = "Spec-Change";
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
    let folder = RepoPath::of("logos/changes").join(slug).below(prefix);
    let proposal = folder.join("proposal.md");
    let mut added: Option<ObjectId> = None;
    let mut boundary: Option<ObjectId> = None;
    let mut declared: Option<String> = None;
    repository.walk_holding(head, &folder, &mut |commit: &CommitFacts<'_>| {
        if declared.is_none() && commit.trailer_values(SPEC_CHANGE).iter().any(|v| v == slug) {
            // A value that is no full id is ignored (git.md 1.5).
            declared = commit
                .trailer_values(SPEC_BASE)
                .pop()
                .filter(|id| ObjectId::from_hex(id).is_some());
        }
        if added.is_none() && commit.holds(&proposal)? && !commit.a_parent_holds(&proposal)? {
            if commit.is_shallow_boundary() {
                boundary.get_or_insert(commit.id());
            } else {
                added = Some(commit.id());
            }
        } else if commit.is_shallow_boundary() {
            boundary.get_or_insert(commit.id());
        }
        Ok(declared.is_none())
    })?;
    if let Some(id) = declared {
        return repository
            .commit_id(&id)
            .map(Base::Commit)
            .map_err(BaseError::Unavailable);
    }
    match (added, boundary) {
        (Some(id), _) => Ok(Base::Commit(id)),
        (None, Some(boundary)) => Err(BaseError::Unavailable(git::Error::Shallow { boundary })),
        (None, None) => Ok(Base::None),
    }
}
