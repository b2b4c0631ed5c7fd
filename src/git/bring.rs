//! Brings work into a work tree: a commit of what stands in another one, a merge, files taken over as staged
//! (git.md 5.7).

use std::path::Path;

use bstr::ByteSlice;

use super::condition::PlainIndex;
use super::history::literal;
use super::inside::untracked_files;
use super::rescue_parts::with_stand_in;
use super::run::refusal;
use super::{Aside, Error, Git, Repository};
use crate::fault;
use crate::files::{ObjectId, RepoPath};

impl Repository {
    /// A commit on `head` of all that stands in a work tree; what does not count is as `base` has it. Its objects lie aside.
    pub fn snapshot_aside(
        &self,
        aside: &Aside,
        work_tree: &Path,
        [base, head]: [ObjectId; 2],
        uncounted: &[RepoPath],
    ) -> Result<ObjectId, Error> {
        snapshot(work_tree, [base, head], uncounted, &|git| aside.hold(git))
    }

    /// As [`Repository::snapshot_aside`], with objects that stay in the repository.
    pub fn snapshot(
        &self,
        work_tree: &Path,
        [base, head]: [ObjectId; 2],
        uncounted: &[RepoPath],
    ) -> Result<ObjectId, Error> {
        fault::point().map_err(Error::Spawn)?;
        snapshot(work_tree, [base, head], uncounted, &|git| git)
    }

    /// The tree of a merge that is known to be clean; its objects stay.
    pub fn merge_tree(&self, ours: ObjectId, theirs: ObjectId) -> Result<ObjectId, Error> {
        fault::point().map_err(Error::Spawn)?;
        self.question()
            .args([
                "merge-tree",
                "--write-tree",
                &ours.to_string(),
                &theirs.to_string(),
            ])
            .ask_id()
    }

    /// The paths in which a commit and a tree that lies aside differ.
    pub fn changed_aside(
        &self,
        aside: &Aside,
        one: ObjectId,
        tree: ObjectId,
    ) -> Result<Vec<RepoPath>, Error> {
        let listed = aside
            .hold(self.question())
            .args(["diff-tree", "-r", "-z", "--no-renames", "--name-only"])
            .args([one.to_string(), tree.to_string()])
            .ask()?;
        super::commit::nul_paths(&listed)
    }

    /// Merges into the current branch as `git merge` does. If it is refused all is as before.
    pub fn merge(&self, name: &str, message: &str, no_commit: bool) -> Result<(), Error> {
        fault::point().map_err(Error::Spawn)?;
        let mut git = self.change().set("GIT_SPEC_TRANSACTION", "1").args([
            "merge",
            "--quiet",
            "--no-edit",
            "-m",
            message,
        ]);
        if no_commit {
            git = git.args(["--no-commit", "--no-ff"]);
        }
        let out = git.args(["--end-of-options", name]).output()?;
        if out.success() {
            // What is done is done: whoever is told of a failure takes it for undone.
            let _merged = fault::point();
            return Ok(());
        }
        let said = [out.stdout.trim_end(), out.stderr.trim_end()].join(&b"\n"[..]);
        let refused = refusal("merge", String::from_utf8_lossy(&said).trim(), &out);
        fault::point().map_err(Error::Spawn)?;
        if self.git_dir().join("MERGE_HEAD").exists() {
            self.change().args(["merge", "--abort"]).ask()?;
        }
        Err(refused)
    }

    /// Takes over, staged, what a tree has other than HEAD; all else in the index and on disk stays.
    pub fn take_over(&self, work_tree: &Path, head: ObjectId, tree: ObjectId) -> Result<(), Error> {
        fault::point().map_err(Error::Spawn)?;
        refresh(work_tree)?;
        Git::change_there(work_tree)
            .args(["read-tree", "-m", "-u", &head.to_string(), &tree.to_string()])
            .ask()?;
        let _taken = fault::point();
        Ok(())
    }
}

/// Lets the index know the times of files that have not changed, so that they do not count as changed.
pub(super) fn refresh(work_tree: &Path) -> Result<(), Error> {
    // It says 1 where files differ from the index, as they may.
    let _differing = Git::change_there(work_tree)
        .args(["update-index", "-q", "--refresh"])
        .output()?;
    Ok(())
}

/// Puts paths that do not count back to what a commit has at them, in the index that `git` names.
pub(super) fn leave_out(
    git: &dyn Fn() -> Git,
    commit: ObjectId,
    uncounted: &[RepoPath],
) -> Result<(), Error> {
    if uncounted.is_empty() {
        return Ok(());
    }
    let gone = git()
        .args(["ls-files", "-z", "--full-name", "--"])
        .args(uncounted.iter().map(literal))
        .ask()?;
    git()
        .args(["update-index", "--force-remove", "-z", "--stdin"])
        .input(gone)
        .ask()?;
    let kept = git()
        .args(["ls-tree", "-r", "-z", "--full-tree", &commit.to_string(), "--"])
        .args(
            uncounted
                .iter()
                .map(|path| path.as_bytes().to_os_str_lossy().into_owned()),
        )
        .ask()?;
    git()
        .args(["update-index", "-z", "--index-info"])
        .input(kept)
        .ask()?;
    Ok(())
}

fn snapshot(
    work_tree: &Path,
    [base, head]: [ObjectId; 2],
    uncounted: &[RepoPath],
    hold: &dyn Fn(Git) -> Git,
) -> Result<ObjectId, Error> {
    let index = PlainIndex::of(work_tree)?;
    let git = || {
        let git = Git::change_there(work_tree)
            .index(&index.path())
            .config("core.safecrlf=false")
            .config("core.fsmonitor=false")
            .config("advice.addEmbeddedRepo=false");
        hold(git)
    };
    git().args(["add", "--update", "--sparse"]).ask()?;
    let untracked = untracked_files(work_tree, uncounted)?;
    if !untracked.is_empty() {
        git()
            .args(["update-index", "--add", "-z", "--stdin"])
            .input(untracked)
            .ask()?;
    }
    leave_out(&git, base, uncounted)?;
    commit_index(&git, head)
}

/// A commit on `head` of the index that `git` names; nobody will see it.
fn commit_index(git: &dyn Fn() -> Git, head: ObjectId) -> Result<ObjectId, Error> {
    let tree = git().args(["write-tree"]).ask_id()?;
    with_stand_in(git())
        .args([
            "commit-tree",
            &tree.to_string(),
            "-p",
            &head.to_string(),
            "-m",
            "work",
        ])
        .ask_id()
}

/// A commit on `tip` in which what does not count is as `base` has it. Its objects lie aside.
pub(super) fn counted_aside(
    aside: &Aside,
    work_tree: &Path,
    [base, tip]: [ObjectId; 2],
    uncounted: &[RepoPath],
) -> Result<ObjectId, Error> {
    let index = PlainIndex::of(work_tree)?;
    let git = || aside.hold(Git::there(work_tree).index(&index.path()));
    git().args(["read-tree", &tip.to_string()]).ask()?;
    leave_out(&git, base, uncounted)?;
    commit_index(&git, tip)
}
