//! The commits of a range, parents first (git.md 2.4), and values of the configuration as git resolves it.

use std::collections::HashSet;

use super::{Error, Repository, gix_id, own_id};
use crate::files::ObjectId;

/// A commit of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeCommit {
    pub id: ObjectId,
    pub parents: Vec<ObjectId>,
    pub tree: ObjectId,
}

impl Repository {
    /// The commits that are reachable from `heads` and from none of `without`, parents before children, else by commit
    /// date and id.
    ///
    /// # Errors
    /// [`Error::Shallow`] if the history is cut off before its end: what lies behind is not known to be harmless.
    pub fn range(
        &self,
        heads: &[ObjectId],
        without: &[ObjectId],
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
            .args(words(without))
            .ask()?;
        let boundary: HashSet<ObjectId> = self.shallow_boundary()?.into_iter().collect();
        let text = String::from_utf8_lossy(&listed).into_owned();
        let mut out = Vec::new();
        for line in text.lines() {
            let id = ObjectId::from_hex(line).ok_or_else(|| Error::Git {
                command: "rev-list".to_owned(),
                complaint: format!("it says `{}`", crate::text::escape(line)),
            })?;
            if boundary.contains(&id) && !without.contains(&id) {
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

    /// The last value of a key of git's configuration.
    pub fn config_value(&self, key: &str) -> Option<String> {
        self.with(|repo| repo.config_snapshot().string(key).map(|value| value.to_string()))
    }
}

/// The values of a file in git's configuration syntax, by key in lower case; nothing is included. An error tells what
/// is wrong with it.
pub fn config_file(bytes: &[u8]) -> Result<Vec<(String, String)>, String> {
    let file =
        gix::config::File::try_from(String::from_utf8_lossy(bytes).as_ref()).map_err(|e| e.to_string())?;
    let mut out = Vec::new();
    for section in file.sections() {
        let header = section.header();
        let name = header.name().to_string().to_ascii_lowercase();
        let sub = header
            .subsection_name()
            .map(|sub| format!(".{sub}"))
            .unwrap_or_default();
        for key in section.body().value_names() {
            let key_text = key.clone();
            for value in section.body().values(&key_text) {
                out.push((
                    format!("{name}{sub}.{}", key_text.to_ascii_lowercase()),
                    value.to_string(),
                ));
            }
        }
    }
    Ok(out)
}
