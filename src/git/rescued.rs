//! Rescues as they lie below `refs/spec/rescue`: what each holds, and how it comes back (git.md 5.6).

use std::path::{Path, PathBuf};

use bstr::{ByteSlice, ByteVec};

use super::bring::{announce, refresh};
use super::commit::nul_paths;
use super::condition::PlainIndex;
use super::rescue::RESCUES;
use super::{Error, Git, Repository, Taking};
use crate::fault;
use crate::files::{ObjectId, RepoPath};

/// One rescue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rescued {
    /// Its full ref.
    pub name: String,
    pub commit: ObjectId,
    pub change: String,
    /// Seconds since 1970.
    pub time: i64,
    pub branch: Option<String>,
    /// Where the work tree was, as the message has it.
    pub path: Option<String>,
    /// What HEAD was.
    pub head: ObjectId,
    pub counts: Counts,
    index: ObjectId,
    untracked: ObjectId,
    conflicts: Option<ObjectId>,
}

/// How many paths of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub staged: usize,
    pub modified: usize,
    pub untracked: usize,
    pub conflicted: usize,
}

impl Repository {
    /// All rescues, or those of one change; the newest first.
    pub fn rescues(&self, change: Option<&str>) -> Result<Vec<Rescued>, Error> {
        let format = "--format=%(refname)%00%(objectname)%00%(committerdate:unix)%00%(parent)%00%(contents:body)%00%00";
        let listed = self.question().args(["for-each-ref", format, RESCUES]).ask()?;
        let mut out = Vec::new();
        for record in listed.split_str(b"\0\0").map(ByteSlice::trim_start) {
            let fields: Vec<&[u8]> = record.split_str(b"\0").collect();
            if let [name, commit, time, parents, body] = fields.as_slice() {
                out.extend(self.rescued(name, commit, time, parents, body)?);
            }
        }
        out.retain(|rescue| change.is_none_or(|change| rescue.change == change));
        out.sort_by(|a, b| (b.time, &b.name).cmp(&(a.time, &a.name)));
        Ok(out)
    }

    /// None if it has not the shape of a rescue.
    fn rescued(
        &self,
        name: &[u8],
        commit: &[u8],
        time: &[u8],
        parents: &[u8],
        body: &[u8],
    ) -> Result<Option<Rescued>, Error> {
        let name = name.to_str_lossy().into_owned();
        let id = |hex: &[u8]| ObjectId::from_hex(&hex.to_str_lossy());
        let parents: Option<Vec<ObjectId>> = parents.fields().map(id).collect();
        let change = name
            .strip_prefix(RESCUES)
            .and_then(|rest| rest.rsplit_once('/'))
            .map(|(change, _)| change.to_owned());
        let (Some(change), Some(commit), Some(parents)) = (change, id(commit), parents) else {
            return Ok(None);
        };
        let (head, index, untracked, conflicts) = match parents.as_slice() {
            [head, index, untracked] => (*head, *index, *untracked, None),
            [head, index, untracked, conflicts] => (*head, *index, *untracked, Some(*conflicts)),
            _ => return Ok(None),
        };
        let field = |key: &str| {
            let line = body.lines().find_map(|line| line.strip_prefix(key.as_bytes()));
            line.map(|value| value.to_str_lossy().into_owned())
        };
        let conflicted = match conflicts {
            None => Vec::new(),
            Some(conflicts) => conflicted_paths(&self.tree_paths(conflicts)?),
        };
        // What is conflicted differs everywhere; it is counted as that alone.
        let count = |paths: Vec<RepoPath>| paths.iter().filter(|path| !conflicted.contains(path)).count();
        Ok(Some(Rescued {
            counts: Counts {
                staged: count(self.changed_paths(head, index)?),
                modified: count(self.changed_paths(index, commit)?),
                untracked: self.tree_paths(untracked)?.len(),
                conflicted: conflicted.len(),
            },
            time: time.to_str_lossy().parse().unwrap_or(0),
            branch: field("branch: "),
            path: field("path: "),
            name,
            commit,
            change,
            head,
            index,
            untracked,
            conflicts,
        }))
    }

    /// The paths in which two commits differ, in byte order.
    pub fn changed_paths(&self, one: ObjectId, other: ObjectId) -> Result<Vec<RepoPath>, Error> {
        self.named_paths(&[
            "diff-tree",
            "-r",
            "-z",
            "--no-renames",
            "--name-only",
            "--end-of-options",
            &one.to_string(),
            &other.to_string(),
        ])
    }

    /// All paths of a commit, in byte order.
    pub(super) fn tree_paths(&self, commit: ObjectId) -> Result<Vec<RepoPath>, Error> {
        self.named_paths(&[
            "ls-tree",
            "-r",
            "-z",
            "--name-only",
            "--full-tree",
            &commit.to_string(),
        ])
    }

    fn named_paths(&self, question: &[&str]) -> Result<Vec<RepoPath>, Error> {
        nul_paths(&self.question().args(question).ask()?)
    }

    fn paths_to_restore(&self, rescue: &Rescued, head: ObjectId) -> Result<Vec<RepoPath>, Error> {
        let mut paths = self.changed_paths(head, rescue.commit)?;
        paths.extend(self.changed_paths(head, rescue.index)?);
        paths.extend(self.tree_paths(rescue.untracked)?);
        Ok(paths)
    }

    /// The files of a rescue that a work tree already has something in the place of.
    pub fn in_the_way(
        &self,
        rescue: &Rescued,
        work_tree: &Path,
        head: ObjectId,
    ) -> Result<Vec<RepoPath>, Error> {
        let mut wanted = self.changed_paths(head, rescue.commit)?;
        wanted.extend(self.tree_paths(rescue.untracked)?);
        wanted.sort();
        wanted.dedup();
        self.occupied(work_tree, head, &wanted)
    }

    /// What is to come into a clean work tree of a rescue.
    pub fn taking_of_rescue(
        &self,
        rescue: &Rescued,
        work_tree: &Path,
        head: ObjectId,
    ) -> Result<Taking, Error> {
        let paths = self.paths_to_restore(rescue, head)?;
        let trees = vec![rescue.commit, rescue.untracked];
        self.taking(work_tree, head, None, trees, paths)
    }

    /// Puts files and index of a rescue into a clean work tree, whose HEAD stays.
    pub fn restore(&self, rescue: &Rescued, taking: &Taking) -> Result<(), Error> {
        let index = taking.index();
        let change = || Git::change_there(&taking.top).index(&index);
        fault::point().map_err(Error::Spawn)?;
        let (head, commit) = (taking.head.to_string(), rescue.commit.to_string());
        change().args(["read-tree", "-m", "-u", &head, &commit]).ask()?;
        let aside = PlainIndex::of(&taking.top)?;
        let untracked = aside.beside("untracked");
        fault::point().map_err(Error::Spawn)?;
        change()
            .index(&untracked)
            .args(["read-tree", &rescue.untracked.to_string()])
            .ask()?;
        change()
            .index(&untracked)
            .args(["checkout-index", "--all", "--quiet"])
            .ask()?;
        fault::point().map_err(Error::Spawn)?;
        change()
            .args(["read-tree", "--reset", &rescue.index.to_string()])
            .ask()?;
        self.restore_announced(rescue, &change)?;
        if let Some(conflicts) = rescue.conflicts {
            self.restore_conflicts(conflicts, &change)?;
        }
        refresh(&change)
    }

    /// Files that were announced with `git add -N`: the only ones that the work tree has and the index lacks.
    fn restore_announced(&self, rescue: &Rescued, change: &dyn Fn() -> Git) -> Result<(), Error> {
        let staged = self.tree_paths(rescue.index)?;
        let mut paths = self.tree_paths(rescue.commit)?;
        paths.retain(|path| staged.binary_search(path).is_err());
        announce(change, &paths)
    }

    fn restore_conflicts(&self, conflicts: ObjectId, change: &dyn Fn() -> Git) -> Result<(), Error> {
        let listed = self
            .question()
            .args(["ls-tree", "-r", "-z", "--full-tree", &conflicts.to_string()])
            .ask()?;
        let mut lines = Vec::new();
        let mut last = Vec::new();
        for line in listed.split(|b| *b == 0) {
            let Some((head, path)) = line.split_once_str(b"\t") else {
                continue;
            };
            let words: Vec<&[u8]> = head.fields().collect();
            let ([mode, _, id], Some((stage @ (b"1" | b"2" | b"3"), path))) =
                (words.as_slice(), path.split_once_str(b"/"))
            else {
                continue;
            };
            lines.push_str(b"0 ");
            lines.push_str("0".repeat(id.len()));
            lines.push_str(b" 0\t");
            lines.push_str(path);
            lines.push(0);
            for part in [mode, &b" "[..], id, b" ", stage, b"\t", path, b"\0"] {
                last.push_str(part);
            }
        }
        lines.extend(last);
        change()
            .args(["update-index", "-z", "--index-info"])
            .input(lines)
            .ask()?;
        Ok(())
    }

    /// The top of a work tree of this clone at `dir`; none if it is none.
    pub fn work_tree_at(&self, dir: &Path) -> Result<Option<PathBuf>, Error> {
        let trees = self.worktrees()?;
        let found = trees
            .into_iter()
            .find(|tree| super::worktree_write::is_same(&tree.path, dir));
        Ok(found.map(|tree| tree.path))
    }
}

/// The paths below `1/`, `2/` and `3/`.
fn conflicted_paths(paths: &[RepoPath]) -> Vec<RepoPath> {
    let below = ["1", "2", "3"].map(RepoPath::of);
    let mut out: Vec<RepoPath> = paths
        .iter()
        .filter_map(|path| below.iter().find_map(|stage| path.strip_prefix(stage)))
        .filter(|path| !path.is_root())
        .collect();
    out.sort();
    out.dedup();
    out
}
