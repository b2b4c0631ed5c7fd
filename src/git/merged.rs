//! Whether a branch has come into another one (git.md 5.5).

use std::path::Path;

use bstr::ByteSlice;

use super::bring::counted_aside;
use super::history::literal;
use super::{Aside, Error, Git, Repository};
use crate::files::{ObjectId, RepoPath};

/// How a branch has come into another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merged {
    /// Its tip is reachable.
    Ancestor,
    /// Merging it would change nothing.
    Content,
    /// One commit there does what the whole branch does.
    Patch,
}

impl Merged {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ancestor => "ancestor",
            Self::Content => "content",
            Self::Patch => "patch",
        }
    }
}

/// How many commits of the target are compared with a branch that was perhaps squashed.
const MOST_PATCHES: &str = "--max-count=2000";

/// Diffs that depend on nothing the user configured.
const PLAIN_DIFF: [&str; 10] = [
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--no-color",
    "--binary",
    "--full-index",
    "--unified=3",
    "--diff-algorithm=myers",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

impl Repository {
    /// How `tip` has come into `target`; none if it has not.
    pub fn merged(&self, tip: ObjectId, target: ObjectId) -> Result<Option<Merged>, Error> {
        if self.is_ancestor(tip, target)? {
            return Ok(Some(Merged::Ancestor));
        }
        let Some(base) = self.shared_bases(tip, target)?.first().copied() else {
            return Ok(None);
        };
        let target_tree = self.tree_of(target)?;
        let trial = self.trial_merge(target, tip)?;
        if trial.conflicts.is_empty() && trial.tree == target_tree {
            return Ok(Some(Merged::Content));
        }
        Ok(self.has_the_patch(base, tip, target)?.then_some(Merged::Patch))
    }

    /// Whether all that counts of `tip`, which is checked out in a work tree, has come into `target`: merging it would
    /// change nothing else than paths that do not.
    pub fn has_all_but(
        &self,
        work_tree: &Path,
        tip: ObjectId,
        target: ObjectId,
        uncounted: &[RepoPath],
    ) -> Result<bool, Error> {
        let Some(base) = self.shared_bases(tip, target)?.first().copied() else {
            return Ok(false);
        };
        let changed = self.changed_paths(base, tip)?;
        if !uncounted.iter().any(|path| changed.contains(path)) {
            return Ok(false);
        }
        let aside = Aside::of(self)?;
        let counted = counted_aside(&aside, work_tree, [base, tip], uncounted)?;
        let trial = self.merge_aside(&aside, target, counted)?;
        Ok(trial.conflicts.is_empty() && trial.tree == self.tree_of(target)?)
    }

    /// Whether a commit on the target's first-parent chain since `base` has the patch-id of the whole branch.
    fn has_the_patch(&self, base: ObjectId, tip: ObjectId, target: ObjectId) -> Result<bool, Error> {
        let (from, to) = (base.to_string(), tip.to_string());
        let whole = self.patch_ids(
            self.question()
                .args(["diff-tree", "-p", "-r"])
                .args(PLAIN_DIFF)
                .args([&from, &to]),
        )?;
        let [whole] = whole.as_slice() else {
            return Ok(false);
        };
        let named = self
            .question()
            .args(["diff-tree", "-r", "-z", "--no-renames", "--name-only", &from, &to])
            .ask()?;
        // A commit that does the same touches the same files, so those that leave the first alone need no look.
        let Some(first) = named.split(|b| *b == 0).find(|path| !path.is_empty()) else {
            return Ok(false);
        };
        let first = RepoPath::new(first).map_err(|e| Error::Object {
            what: tip.to_string(),
            reason: e.to_string(),
        })?;
        let log = self
            .question()
            .args([
                "log",
                "--first-parent",
                "--diff-merges=first-parent",
                "--full-diff",
                "-p",
            ])
            .args([
                "--no-show-signature",
                "--no-notes",
                "--format=commit %H",
                MOST_PATCHES,
            ])
            .args(PLAIN_DIFF)
            .args([format!("{base}..{target}"), "--".to_owned()])
            .args([literal(&first)]);
        Ok(self.patch_ids(log)?.contains(whole))
    }

    /// The patch-ids of what a diff command prints, in its order.
    fn patch_ids(&self, diff: Git) -> Result<Vec<Vec<u8>>, Error> {
        let text = diff.ask()?;
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let printed = self.question().args(["patch-id", "--stable"]).input(text).ask()?;
        let first_word = |line: &[u8]| line.split_once_str(b" ").map(|(id, _)| id.to_vec());
        Ok(printed.lines().filter_map(first_word).collect())
    }
}
