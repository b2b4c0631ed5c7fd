//! The commits of a range, parents first (git.md 2.4), and values of the configuration as git resolves it.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};

use super::{Error, Repository, gix_id, own_id};
use crate::files::ObjectId;

/// A commit of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeCommit {
    pub id: ObjectId,
    pub parents: Vec<ObjectId>,
    pub tree: ObjectId,
}

/// What is no part of a range.
#[derive(Clone, Debug, Default)]
pub struct Without<'a> {
    pub commits: Vec<ObjectId>,
    pub of: Standing<'a>,
}

/// References whose commits are known already.
#[derive(Clone, Copy, Debug, Default)]
pub enum Standing<'a> {
    #[default]
    Nothing,
    /// All: in a receiving repository, as they were before the push.
    All,
    /// What was fetched from a remote.
    Remote(&'a OsStr),
}

impl Without<'_> {
    fn references(&self) -> Option<OsString> {
        match self.of {
            Standing::Nothing => None,
            Standing::All => Some("--all".into()),
            Standing::Remote(remote) => {
                let mut word = OsString::from("--remotes=");
                word.push(remote);
                Some(word)
            }
        }
    }
}

impl Repository {
    /// The commits that are reachable from `heads` and from nothing of `without`, parents before children, else by commit
    /// date and id.
    ///
    /// # Errors
    /// [`Error::Shallow`] if the history is cut off before its end: what lies behind is not known to be harmless.
    pub fn range(
        &self,
        heads: &[ObjectId],
        without: &Without<'_>,
        first_parent: bool,
    ) -> Result<Vec<RangeCommit>, Error> {
        let words = |ids: &[ObjectId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
        let first_parent = first_parent.then_some("--first-parent");
        let listed = self
            .plain_history()
            .args(["rev-list", "--topo-order", "--reverse"])
            .args(first_parent)
            .args(words(heads))
            .args(["--not"])
            .args(words(&without.commits))
            .args(without.references())
            .ask()?;
        let boundary: HashSet<ObjectId> = self.shallow_boundary()?.into_iter().collect();
        let text = String::from_utf8_lossy(&listed).into_owned();
        let mut out = Vec::new();
        for line in text.lines() {
            let id = ObjectId::from_hex(line).ok_or_else(|| Error::Git {
                command: "rev-list".to_owned(),
                complaint: format!("it says `{}`", crate::text::escape(line)),
            })?;
            if boundary.contains(&id) {
                return Err(Error::Shallow { boundary: id });
            }
            out.push(self.range_commit(id)?);
        }
        Ok(out)
    }

    /// One commit with its parents, grafts and replacements left aside.
    pub fn range_commit(&self, id: ObjectId) -> Result<RangeCommit, Error> {
        self.with(|repo| {
            let fail = |reason: String| Error::Object {
                what: id.to_string(),
                reason,
            };
            let commit = repo.find_commit(gix_id(id)).map_err(|e| fail(e.to_string()))?;
            let decoded = commit.decode().map_err(|e| fail(e.to_string()))?;
            Ok(RangeCommit {
                id,
                parents: decoded.parents().map(own_id).collect(),
                tree: own_id(decoded.tree()),
            })
        })
    }

    /// The commits that HEAD reaches; none while it is unborn.
    pub fn reached_from_head(&self) -> Result<HashSet<ObjectId>, Error> {
        if self.head()?.is_none() {
            return Ok(HashSet::new());
        }
        let listed = self.plain_history().args(["rev-list", "HEAD"]).ask()?;
        let text = String::from_utf8_lossy(&listed);
        Ok(text.lines().filter_map(ObjectId::from_hex).collect())
    }

    /// Whether `old` is `new` or lies before it.
    pub fn is_ancestor(&self, old: ObjectId, new: ObjectId) -> Result<bool, Error> {
        let asked = self
            .plain_history()
            .args(["merge-base", "--is-ancestor", &old.to_string(), &new.to_string()])
            .output()?;
        match asked.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(Error::Git {
                command: "merge-base".to_owned(),
                complaint: crate::text::escape(&asked.complaint()).into_owned(),
            }),
        }
    }
}
