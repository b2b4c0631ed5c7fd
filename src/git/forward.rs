//! Parts of a work tree's work: a fast-forward, a tree that takes some paths from another, and the difference as a patch.

use std::path::Path;

use super::bring::{leave_out, with_index};
use super::condition::PlainIndex;
use super::{Aside, Error, Repository};
use crate::fault;
use crate::files::{ObjectId, RepoPath};
use crate::text::Bytes;

impl Repository {
    /// Moves the branch and the files of this work tree forward to a commit that is ahead of them, or refuses.
    pub fn fast_forward(&self, to: ObjectId) -> Result<(), Error> {
        fault::point().map_err(Error::Spawn)?;
        self.change()
            .args(["merge", "--quiet", "--ff-only", &to.to_string()])
            .ask()?;
        Ok(())
    }

    /// The tree of a commit in which some paths are as another one has them, or gone; its objects stay.
    pub fn tree_with(
        &self,
        work_tree: &Path,
        onto: ObjectId,
        from: ObjectId,
        paths: &[RepoPath],
    ) -> Result<ObjectId, Error> {
        fault::point().map_err(Error::Spawn)?;
        let index = PlainIndex::of(work_tree)?;
        let git = || with_index(work_tree, &index.path());
        git().args(["read-tree", &onto.to_string()]).ask()?;
        leave_out(&git, from, paths)?;
        git().args(["write-tree"]).ask_id()
    }

    /// The difference of a commit and a tree that lies aside, as `git apply` takes it; empty if there is none.
    pub fn patch_aside(&self, aside: &Aside, one: ObjectId, tree: ObjectId) -> Result<Bytes, Error> {
        aside
            .hold(self.question())
            .args([
                "diff-tree",
                "-r",
                "-p",
                "--binary",
                "--full-index",
                "--no-renames",
            ])
            .args(["--no-textconv", "--no-ext-diff"])
            .args([one.to_string(), tree.to_string()])
            .ask()
    }
}
