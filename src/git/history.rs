//! Walks back through history, and reads what a commit says about itself.

use std::collections::{BinaryHeap, HashSet};

use super::trailers::{Trailer, TrailerRules, values};
use super::{Error, Repository, gix_id, own_id};
use crate::files::{ObjectId, RepoPath};
use crate::text::Bytes;

/// The trailers that name a change, and what was done with it (git.md 1.5).
pub const SPEC_CHANGE: &str = "Spec-Change";
pub const SPEC_OPERATION: &str = "Spec-Operation";

/// The trailers of a commit that one of our operations makes, each with a line end.
pub fn operation_trailers(change: &str, operation: &str) -> [String; 2] {
    [
        format!("{SPEC_CHANGE}: {change}\n"),
        format!("{SPEC_OPERATION}: {operation}\n"),
    ]
}

/// One commit on a walk.
pub struct CommitFacts<'r> {
    repo: &'r gix::Repository,
    id: gix::ObjectId,
    tree: gix::ObjectId,
    parents: Vec<gix::ObjectId>,
    message: Vec<u8>,
    rules: &'r TrailerRules,
    boundary: bool,
}

fn lost(id: gix::ObjectId, reason: impl std::fmt::Display) -> Error {
    Error::Object {
        what: id.to_string(),
        reason: reason.to_string(),
    }
}

impl CommitFacts<'_> {
    pub fn id(&self) -> ObjectId {
        own_id(self.id)
    }

    /// Whether history was cut off behind this commit by a shallow clone.
    pub fn is_shallow_boundary(&self) -> bool {
        self.boundary
    }

    /// Whether something stands at `path` in its tree.
    pub fn holds(&self, path: &RepoPath) -> Result<bool, Error> {
        tree_holds(self.repo, self.tree, path)
    }

    /// The id of what stands at `path` in its tree.
    pub fn id_at(&self, path: &RepoPath) -> Result<Option<ObjectId>, Error> {
        let found = super::trees::find(self.repo, self.tree, path).map_err(|e| lost(self.tree, e))?;
        Ok(found.map(|(_, id)| own_id(id)))
    }

    /// Whether something stands at `path` in the tree of any parent.
    pub fn a_parent_holds(&self, path: &RepoPath) -> Result<bool, Error> {
        for parent in &self.parents {
            let tree = self
                .repo
                .find_commit(*parent)
                .and_then(|c| c.tree_id().map(gix::Id::detach));
            if tree_holds(self.repo, tree.map_err(|e| lost(*parent, e))?, path)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The values of a trailer of its message, in order.
    pub fn trailer_values(&self, token: &str) -> Vec<String> {
        self.rules.values(&self.message, token)
    }
}

/// What a commit says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitWords {
    /// The author's name, bytes that are not UTF-8 as U+FFFD.
    pub author: String,
    /// In seconds since 1970; none if it has no date that can be read, which git takes too.
    pub committed_at: Option<i64>,
    trailers: Vec<Trailer>,
}

impl CommitWords {
    /// The values of a trailer of its message, in order.
    pub fn trailer_values(&self, token: &str) -> Vec<String> {
        values(&self.trailers, token)
    }
}

fn tree_holds(repo: &gix::Repository, top: gix::ObjectId, path: &RepoPath) -> Result<bool, Error> {
    Ok(super::trees::find(repo, top, path)
        .map_err(|e| lost(top, e))?
        .is_some())
}

impl Repository {
    /// The commit that an object peels to; none if it is not here, or no commit (git.md 4, "present").
    pub fn commit_of(&self, id: ObjectId) -> Result<Option<ObjectId>, Error> {
        self.with(|repo| {
            if id.as_bytes().len() != repo.object_hash().len_in_bytes() {
                return Ok(None);
            }
            let mut at = gix_id(id);
            while let Some(object) = repo.try_find_object(at).map_err(|e| lost(at, e))? {
                match object.kind {
                    gix::objs::Kind::Commit => return Ok(Some(own_id(at))),
                    gix::objs::Kind::Tag => {
                        let tag = object.into_tag();
                        at = tag.target_id().map_err(|e| lost(at, e))?.detach();
                    }
                    gix::objs::Kind::Tree | gix::objs::Kind::Blob => break,
                }
            }
            Ok(None)
        })
    }

    /// The parents that a commit names, whether they are here or not: neither grafts nor the end of a shallow clone
    /// take any away.
    pub fn parents(&self, commit: ObjectId) -> Result<Vec<ObjectId>, Error> {
        self.with(|repo| {
            let id = gix_id(commit);
            let found = repo.find_commit(id).map_err(|e| lost(id, e))?;
            let decoded = found.decode().map_err(|e| lost(id, e))?;
            Ok(decoded.parents().map(own_id).collect())
        })
    }

    /// When a commit was committed, in seconds since 1970; none if it has no date that can be read, which git takes too.
    pub fn committed_at(&self, commit: ObjectId) -> Result<Option<i64>, Error> {
        self.with(|repo| {
            let id = gix_id(commit);
            let found = repo.find_commit(id).map_err(|e| lost(id, e))?;
            Ok(found.time().ok().map(|time| time.seconds))
        })
    }

    /// Author, date and message of a commit.
    pub fn commit_words(&self, commit: ObjectId) -> Result<CommitWords, Error> {
        self.with(|repo| {
            let id = gix_id(commit);
            let found = repo.find_commit(id).map_err(|e| lost(id, e))?;
            let decoded = found.decode().map_err(|e| lost(id, e))?;
            let author = decoded.author().map(|author| author.name.to_owned());
            Ok(CommitWords {
                // A line without a name that can be read says nothing of the author.
                author: author.map_or_else(|_| String::new(), |name| name.to_string()),
                committed_at: found.time().ok().map(|time| time.seconds),
                trailers: TrailerRules::of(repo).read(decoded.message),
            })
        })
    }

    /// The content of a blob.
    ///
    /// # Errors
    /// [`Error::Blob`] if it is not here, as in a partial clone: it is never fetched.
    pub fn blob(&self, id: ObjectId) -> Result<Bytes, Error> {
        self.with(|repo| {
            let fail = |reason: String| Error::Blob { id, reason };
            let found = repo
                .try_find_object(gix_id(id))
                .map_err(|e| fail(e.to_string()))?;
            let object = found.ok_or_else(|| fail(super::name_status::NOT_HERE.to_owned()))?;
            Ok(object.detach().data)
        })
    }

    /// Visits commits from `start` backwards, the newest first, as far as their trees hold `path` without a gap.
    /// The visitor ends the walk with `false`.
    pub fn walk_holding(
        &self,
        start: ObjectId,
        path: &RepoPath,
        visit: &mut dyn FnMut(&CommitFacts<'_>) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        self.walk_holding_from(&[start], path, visit)
    }

    /// As [`Repository::walk_holding`], from several commits; each is visited once.
    pub fn walk_holding_from(
        &self,
        starts: &[ObjectId],
        path: &RepoPath,
        visit: &mut dyn FnMut(&CommitFacts<'_>) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        self.with(|repo| {
            let shallow: HashSet<gix::ObjectId> = repo
                .shallow_commits()
                .map_err(|e| Error::Object {
                    what: "the shallow boundary".to_owned(),
                    reason: e.to_string(),
                })?
                .map(|ids| ids.iter().copied().collect())
                .unwrap_or_default();
            let rules = TrailerRules::of(repo);
            let mut seen = HashSet::new();
            // Newest first; of equal times the one found first, as git lists them.
            let mut queue = BinaryHeap::new();
            let mut found = 0_i64;
            let time = |id: gix::ObjectId| -> Result<i64, Error> {
                let commit = repo.find_commit(id).map_err(|e| lost(id, e))?;
                Ok(commit.time().map_err(|e| lost(id, e))?.seconds)
            };
            for start in starts.iter().map(|start| gix_id(*start)) {
                if seen.insert(start) {
                    queue.push((time(start)?, found, start));
                    found -= 1;
                }
            }
            while let Some((_, _, id)) = queue.pop() {
                let commit = repo.find_commit(id).map_err(|e| lost(id, e))?;
                let decoded = commit.decode().map_err(|e| lost(id, e))?;
                let boundary = shallow.contains(&id);
                let parents = if boundary {
                    Vec::new()
                } else {
                    decoded.parents().collect()
                };
                let facts = CommitFacts {
                    repo,
                    id,
                    tree: decoded.tree(),
                    parents,
                    message: decoded.message.to_vec(),
                    rules: &rules,
                    boundary,
                };
                if !facts.holds(path)? {
                    continue;
                }
                if !visit(&facts)? {
                    break;
                }
                for parent in &facts.parents {
                    if seen.insert(*parent) {
                        found -= 1;
                        queue.push((time(*parent)?, found, *parent));
                    }
                }
            }
            Ok(())
        })
    }

    /// The newest commit of `base..HEAD` that changed a path: its short id, subject and the change it names.
    pub fn last_change(&self, base: Option<ObjectId>, path: &RepoPath) -> Result<Option<LastChange>, Error> {
        let range = base.map_or_else(|| "HEAD".to_owned(), |base| format!("{base}..HEAD"));
        let said = self
            .question()
            .args([
                "log",
                "-1",
                "--no-show-signature",
                "--format=%h%x00%s%x00%B",
                "--end-of-options",
                &range,
                "--",
            ])
            .args([literal(path)])
            .ask()?;
        let text = String::from_utf8_lossy(&said).into_owned();
        let mut parts = text.splitn(3, '\0');
        let (Some(id), Some(subject), Some(message)) = (parts.next(), parts.next(), parts.next()) else {
            return Ok(None);
        };
        let change = values(&self.trailers(message.as_bytes()), SPEC_CHANGE).pop();
        Ok(Some(LastChange {
            id: id.to_owned(),
            subject: subject.to_owned(),
            change,
        }))
    }
}

/// A commit, as conflicts tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastChange {
    pub id: String,
    pub subject: String,
    pub change: Option<String>,
}

/// What makes a path from the top level a pathspec that means nothing else.
pub(crate) const LITERAL: &str = ":(top,literal)";

/// A path from the top level as a pathspec that means nothing else.
pub(super) fn literal(path: &RepoPath) -> std::ffi::OsString {
    use bstr::ByteVec;
    [LITERAL.as_bytes(), path.as_bytes()]
        .concat()
        .into_os_string_lossy()
}
