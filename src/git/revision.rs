//! What a revision names, and what lies before it: commits, merge bases, the boundary of a shallow clone; and where in
//! the work tree the current folder is.

use std::collections::HashSet;

use bstr::{BStr, ByteSlice};

use super::{Error, Git, Repository, own_id};
use crate::files::{ObjectId, RepoPath};
use crate::text::escape;

/// A graft file without grafts: `info/grafts` would be read otherwise.
const NO_GRAFTS: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

impl Repository {
    /// The commit that `revision` names, tags peeled, as `git rev-parse --verify <revision>^{commit}` has it.
    /// What is not understood in process is asked of git, so that a refusal is always git's own.
    pub fn commit_id(&self, revision: &str) -> Result<ObjectId, Error> {
        if revision.is_empty() || revision.starts_with('-') {
            return Err(Error::OptionLike {
                revision: revision.to_owned(),
            });
        }
        if self.asks_git_for(revision) {
            return self.commit_id_from_git(revision);
        }
        let found = self.with(|repo| {
            let spec = format!("{revision}^{{commit}}");
            let id = repo.rev_parse_single(BStr::new(&spec))?.detach();
            repo.find_commit(id).map(|commit| own_id(commit.id))
        });
        match found {
            Ok(id) => Ok(id),
            Err(error) => match self.commit_id_from_git(revision) {
                Err(Error::Spawn(_)) => Err(Error::Revision {
                    revision: revision.to_owned(),
                    reason: escape(&error.to_string()).into_owned(),
                }),
                answered => answered,
            },
        }
    }

    /// References that only git can read (engineering.md 2.2); reflogs, whose gaps it knows; steps through a history
    /// that may be cut off although the commits beyond the cut are there.
    fn asks_git_for(&self, revision: &str) -> bool {
        if revision.contains("@{") {
            return true;
        }
        self.refs_are_for_git()
            || (revision.contains(['~', '^', ':']) && self.with(|repo| repo.is_shallow().unwrap_or(true)))
    }

    /// Whether references are stored in a way that only git can read.
    pub(super) fn refs_are_for_git(&self) -> bool {
        self.with(|repo| {
            let storage = repo.config_snapshot().string("extensions.refStorage");
            storage.is_some_and(|format| !format.eq_ignore_ascii_case(b"files"))
        })
    }

    fn commit_id_from_git(&self, revision: &str) -> Result<ObjectId, Error> {
        let fail = |reason: String| Error::Revision {
            revision: revision.to_owned(),
            reason,
        };
        let spec = format!("{revision}^{{commit}}");
        let asked = self
            .plain_history()
            .args(["rev-parse", "--verify", "--end-of-options"])
            .args([&spec])
            .output()?;
        if !asked.success() {
            let complaint = asked.complaint();
            let complaint = complaint.strip_prefix("fatal: ").unwrap_or(&complaint);
            return Err(fail(escape(complaint).into_owned()));
        }
        let printed = asked.stdout.trim_end().to_str_lossy();
        ObjectId::from_hex(&printed).ok_or_else(|| fail(format!("git says `{}`", escape(&printed))))
    }

    /// As [`Repository::merge_bases`]; none where two commits have no common history at all.
    pub fn shared_bases(&self, one: ObjectId, other: ObjectId) -> Result<Vec<ObjectId>, Error> {
        match self.merge_bases(one, other) {
            Err(Error::NoMergeBase { .. }) => Ok(Vec::new()),
            found => found,
        }
    }

    /// All best common ancestors of two commits, in id order (git.md 4.3, "Merge base").
    ///
    /// # Errors
    /// [`Error::NoMergeBase`] if the whole history has none; [`Error::Shallow`] if it is cut off and has none, or might
    /// hide one.
    pub fn merge_bases(&self, one: ObjectId, other: ObjectId) -> Result<Vec<ObjectId>, Error> {
        let sides = [one.to_string(), other.to_string()];
        let asked = self
            .plain_history()
            .args(["merge-base", "--all"])
            .args(&sides)
            .output()?;
        let mut bases = match asked.code {
            Some(0) => ids("merge-base", &asked.stdout)?,
            Some(1) => Vec::new(),
            _ => {
                return Err(Error::Git {
                    command: "merge-base".to_owned(),
                    complaint: escape(&asked.complaint()).into_owned(),
                });
            }
        };
        bases.sort();
        let boundary = self.shallow_boundary()?;
        let between = self.boundary_between(&sides, &bases, &boundary)?;
        match (between, boundary.first()) {
            (Some(boundary), _) => return Err(Error::Shallow { boundary }),
            (None, Some(boundary)) if bases.is_empty() => return Err(Error::Shallow { boundary: *boundary }),
            (None, None) if bases.is_empty() => return Err(Error::NoMergeBase { one, other }),
            (None, _) => {}
        }
        Ok(bases)
    }

    /// A commit at the boundary that is reachable from a side but not from a merge base: a link beyond it may be missing.
    fn boundary_between(
        &self,
        sides: &[String],
        bases: &[ObjectId],
        boundary: &[ObjectId],
    ) -> Result<Option<ObjectId>, Error> {
        if boundary.is_empty() {
            return Ok(None);
        }
        let bases: Vec<String> = bases.iter().map(ToString::to_string).collect();
        let listed = self
            .plain_history()
            .args(["rev-list"])
            .args(sides)
            .args(["--not"])
            .args(&bases)
            .ask()?;
        let between: HashSet<ObjectId> = ids("rev-list", &listed)?.into_iter().collect();
        Ok(boundary.iter().copied().find(|id| between.contains(id)))
    }

    /// The commits whose parents a shallow clone does not have, in id order; empty if the history is whole.
    pub fn shallow_boundary(&self) -> Result<Vec<ObjectId>, Error> {
        self.with(|repo| {
            let commits = repo.shallow_commits().map_err(|e| Error::Object {
                what: "the boundary of this shallow clone".to_owned(),
                reason: e.to_string(),
            })?;
            let mut ids: Vec<ObjectId> = commits
                .iter()
                .flat_map(|c| c.iter())
                .map(|id| own_id(*id))
                .collect();
            ids.sort();
            Ok(ids)
        })
    }

    /// The current folder from the top level, as `git rev-parse --show-prefix` has it; the root in a bare repository and
    /// outside the work tree. `told` says that the environment names repository or work tree: then the top level is
    /// what git makes of it, and git is asked.
    pub fn show_prefix(&self, told: bool) -> Result<RepoPath, Error> {
        if told {
            let printed = self.question().args(["rev-parse", "--show-prefix"]).ask()?;
            let line = printed.strip_suffix(b"\n").unwrap_or(&printed);
            let path = line.strip_suffix(b"/").unwrap_or(line);
            return RepoPath::new(path).map_err(|e| Error::Git {
                command: "rev-parse".to_owned(),
                complaint: e.to_string(),
            });
        }
        let (Some(top), git_dir) = (self.work_dir(), self.git_dir()) else {
            return Ok(RepoPath::root());
        };
        let here = super::absolute(&self.start);
        if here.starts_with(git_dir) {
            return Ok(RepoPath::root());
        }
        let below = here.strip_prefix(top).ok();
        Ok(below.and_then(RepoPath::from_disk).unwrap_or_default())
    }

    /// A question about history as it was committed: without grafts and the shortcuts of a commit graph.
    pub(super) fn plain_history(&self) -> Git {
        self.question()
            .set("GIT_GRAFT_FILE", NO_GRAFTS)
            .config("advice.graftFileDeprecated=false")
            .config("core.commitGraph=false")
    }
}

fn ids(command: &str, printed: &[u8]) -> Result<Vec<ObjectId>, Error> {
    printed
        .lines()
        .map(|line| {
            let line = line.to_str_lossy();
            ObjectId::from_hex(&line).ok_or_else(|| Error::Git {
                command: command.to_owned(),
                complaint: format!("`{}` is no object id", escape(&line)),
            })
        })
        .collect()
}
