//! Brings work into a work tree: a commit of what stands in another one, a merge, files taken over as staged
//! (git.md 5.7).

use std::path::Path;

use bstr::ByteSlice;

use super::commit::{in_batches, nul_list, nul_paths};
use super::condition::PlainIndex;
use super::inside::untracked_files;
use super::rescue_parts::with_stand_in;
use super::run::refusal;
use super::{Aside, Error, Git, LITERAL, Repository, Taking};
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
        nul_paths(&listed)
    }

    /// Merges into the current branch as `git merge` does; `staged` are paths with work in the index that stays there. The
    /// index is that of `taking`.
    pub fn merge(
        &self,
        taking: &Taking,
        [name, message]: [&str; 2],
        no_commit: bool,
        staged: &[RepoPath],
    ) -> Result<(), Error> {
        let index = taking.index();
        let there = || Git::change_there(&taking.top).index(&index);
        let mut aside = Vec::new();
        for batch in in_batches(staged) {
            let listed = there()
                .args(["ls-files", "--stage", "-z", "--"])
                .args(batch)
                .ask()?;
            aside.extend_from_slice(&listed);
        }
        // Git refuses a merge for files that are announced only.
        let announced = there()
            .args(["diff-files", "--name-only", "--diff-filter=A", "-z"])
            .ask()?;
        let announced = nul_paths(&announced)?;
        remove_entries(&there, &announced)?;
        leave_out(&there, taking.head, staged)?;
        fault::point().map_err(Error::Spawn)?;
        let mut git = self
            .change()
            .index(&index)
            .set("GIT_SPEC_TRANSACTION", "1")
            .args(["merge", "--quiet", "--no-edit", "--no-autostash", "-m", message]);
        if no_commit {
            git = git.args(["--no-commit", "--no-ff"]);
        }
        let out = git.args(["--end-of-options", name]).output()?;
        if !out.success() {
            let said = [out.stdout.trim_end(), out.stderr.trim_end()].join(&b"\n"[..]);
            return Err(refusal("merge", String::from_utf8_lossy(&said).trim(), &out));
        }
        fault::point().map_err(Error::Spawn)?;
        remove_entries(&there, staged)?;
        there()
            .args(["update-index", "-z", "--index-info"])
            .input(aside)
            .ask()?;
        announce(&there, &announced)?;
        refresh(&there)
    }

    /// Takes over, staged, what a tree has other than HEAD; all else in the index and on disk stays.
    pub fn take_over(&self, taking: &Taking, tree: ObjectId) -> Result<(), Error> {
        fault::point().map_err(Error::Spawn)?;
        Git::change_there(&taking.top)
            .index(&taking.index())
            .args([
                "read-tree",
                "-m",
                "-u",
                &taking.head.to_string(),
                &tree.to_string(),
            ])
            .ask()?;
        Ok(())
    }
}

/// Lets an index know the times of files that have not changed, so that they do not count as changed.
pub(super) fn refresh(git: &dyn Fn() -> Git) -> Result<(), Error> {
    // It says 1 where files differ from the index, as they may.
    let _differing = git().args(["update-index", "-q", "--refresh"]).output()?;
    Ok(())
}

/// Announces files to the index that `git` names, as `git add -N` does.
pub(super) fn announce(git: &dyn Fn() -> Git, paths: &[RepoPath]) -> Result<(), Error> {
    if paths.is_empty() {
        return Ok(());
    }
    let add = [
        "add",
        "--intent-to-add",
        "--force",
        "--pathspec-from-file=-",
        "--pathspec-file-nul",
    ];
    git().args(add).input(nul_list(paths, LITERAL)).ask()?;
    Ok(())
}

/// Takes paths out of the index that `git` names.
fn remove_entries(git: &dyn Fn() -> Git, paths: &[RepoPath]) -> Result<(), Error> {
    if paths.is_empty() {
        return Ok(());
    }
    for batch in in_batches(paths) {
        let there = git()
            .args(["ls-files", "-z", "--full-name", "--"])
            .args(batch)
            .ask()?;
        git()
            .args(["update-index", "--force-remove", "-z", "--stdin"])
            .input(there)
            .ask()?;
    }
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
    remove_entries(git, uncounted)?;
    for batch in in_batches(uncounted) {
        let kept = git()
            .args(["ls-tree", "-r", "-z", "--full-tree", &commit.to_string(), "--"])
            .args(batch)
            .ask()?;
        git()
            .args(["update-index", "-z", "--index-info"])
            .input(kept)
            .ask()?;
    }
    Ok(())
}

fn snapshot(
    work_tree: &Path,
    [base, head]: [ObjectId; 2],
    uncounted: &[RepoPath],
    hold: &dyn Fn(Git) -> Git,
) -> Result<ObjectId, Error> {
    let index = PlainIndex::of(work_tree)?;
    let git = || hold(with_index(work_tree, &index.path()));
    add_tracked(&git)?;
    add_files(&git, untracked_files(work_tree, uncounted)?)?;
    leave_out(&git, base, uncounted)?;
    commit_index(&git, head)
}

/// A call that writes objects, with an index of ours: nothing to warn of or to refuse.
pub(super) fn with_index(work_tree: &Path, index: &Path) -> Git {
    Git::change_there(work_tree)
        .index(index)
        .config("core.safecrlf=false")
        .config("core.fsmonitor=false")
        .config("advice.addEmbeddedRepo=false")
}

/// Lets the index that `git` names know tracked files as they are on disk.
pub(super) fn add_tracked(git: &dyn Fn() -> Git) -> Result<(), Error> {
    git().args(["add", "--update", "--sparse"]).ask()?;
    Ok(())
}

/// Adds files, NUL behind each, to the index that `git` names.
pub(super) fn add_files(git: &dyn Fn() -> Git, files: Vec<u8>) -> Result<(), Error> {
    if files.is_empty() {
        return Ok(());
    }
    git()
        .args(["update-index", "--add", "-z", "--stdin"])
        .input(files)
        .ask()?;
    Ok(())
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
