//! What stands in a work tree that its HEAD does not have: classes of paths, and an operation that is under way.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;

use super::{Error, Git};
use crate::files::RepoPath;

/// Paths by class, from the top level, each class in byte order. A path may be in several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    pub staged: Vec<RepoPath>,
    pub modified: Vec<RepoPath>,
    /// Not ignored; a nested repository is one path.
    pub untracked: Vec<RepoPath>,
    pub conflicted: Vec<RepoPath>,
    /// Submodules with another commit than the index has, or with work in them.
    pub submodules: Vec<RepoPath>,
}

impl Condition {
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }

    /// The same but for paths that do not count, and what is below them.
    #[must_use]
    pub fn without(mut self, uncounted: &[RepoPath]) -> Self {
        for class in [
            &mut self.staged,
            &mut self.modified,
            &mut self.untracked,
            &mut self.conflicted,
            &mut self.submodules,
        ] {
            class.retain(|path| !uncounted.iter().any(|own| path.starts_with(own)));
        }
        self
    }

    /// Every path of every class.
    pub fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        let classes = [
            &self.staged,
            &self.modified,
            &self.untracked,
            &self.conflicted,
            &self.submodules,
        ];
        classes.into_iter().flatten()
    }
}

/// What git is in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Merge,
    Rebase,
    CherryPick,
    Revert,
    Bisect,
    Am,
}

impl Operation {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Rebase => "rebase",
            Self::CherryPick => "cherry-pick",
            Self::Revert => "revert",
            Self::Bisect => "bisect",
            Self::Am => "am",
        }
    }

    /// The operation that a git directory is in, by the files that git keeps for it.
    pub fn of(git_dir: &Path) -> Option<Self> {
        let there = |name: &str| git_dir.join(name).symlink_metadata().is_ok();
        if there("rebase-merge") {
            return Some(Self::Rebase);
        }
        if there("rebase-apply") {
            let am = there("rebase-apply/applying");
            return Some(if am { Self::Am } else { Self::Rebase });
        }
        let files = [
            ("MERGE_HEAD", Self::Merge),
            ("CHERRY_PICK_HEAD", Self::CherryPick),
            ("REVERT_HEAD", Self::Revert),
            ("BISECT_LOG", Self::Bisect),
        ];
        let by_file = files.into_iter().find(|(name, _)| there(name));
        if let Some((_, operation)) = by_file {
            return Some(operation);
        }
        // Between two commits of a series there is no head, but the rest of the series is still to be done.
        let todo = std::fs::read(git_dir.join("sequencer/todo")).ok()?;
        Some(if todo.starts_with(b"revert") {
            Self::Revert
        } else {
            Self::CherryPick
        })
    }
}

/// The git directory of a work tree, as git finds it from there.
pub fn git_dir_of(work_tree: &Path) -> Result<PathBuf, Error> {
    let printed = Git::there(work_tree)
        .args(["rev-parse", "--absolute-git-dir"])
        .ask()?;
    let line = printed.strip_suffix(b"\n").unwrap_or(&printed);
    let path = line.to_path().map_err(|_| Error::Git {
        command: "rev-parse".to_owned(),
        complaint: "a path that is no path".to_owned(),
    })?;
    Ok(path.to_owned())
}

/// A copy of a work tree's index in which no entry is hidden from status by a flag, though its file is there.
pub(super) struct PlainIndex {
    dir: tempfile::TempDir,
}

impl PlainIndex {
    /// None if no entry is hidden.
    fn if_needed(work_tree: &Path) -> Result<Option<Self>, Error> {
        let hidden = hidden_entries(work_tree)?;
        if hidden.iter().all(Vec::is_empty) {
            return Ok(None);
        }
        Self::copy(work_tree, &hidden).map(Some)
    }

    /// A copy in any case.
    pub(super) fn of(work_tree: &Path) -> Result<Self, Error> {
        Self::copy(work_tree, &hidden_entries(work_tree)?)
    }

    fn copy(work_tree: &Path, hidden: &[Vec<u8>; 2]) -> Result<Self, Error> {
        let index = git_dir_of(work_tree)?.join("index");
        let dir = tempfile::tempdir().map_err(|e| temporary(&e))?;
        let copy = Self { dir };
        match copy_with_time(&index, &copy.path()) {
            Ok(()) => {}
            // A work tree in which nothing was ever added has none.
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(temporary(&e)),
        }
        for (flag, paths) in ["--no-assume-unchanged", "--no-skip-worktree"]
            .into_iter()
            .zip(hidden)
        {
            if !paths.is_empty() {
                Git::there(work_tree)
                    .index(&copy.path())
                    .args(["update-index", flag, "-z", "--stdin"])
                    .input(paths.clone())
                    .ask()?;
            }
        }
        Ok(copy)
    }

    pub(super) fn path(&self) -> PathBuf {
        self.dir.path().join("index")
    }

    /// Another file beside it.
    pub(super) fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

/// Copies a file with its mode and time. Of an index the time matters: git looks into a file that is not older than it, as
/// it may have been written to since without looking any different. A newer copy would take such a file for unchanged.
pub(super) fn copy_with_time(from: &Path, to: &Path) -> std::io::Result<()> {
    let written = std::fs::metadata(from)?.modified()?;
    std::fs::copy(from, to)?;
    let copy = std::fs::File::options().append(true).open(to)?;
    copy.set_modified(written)
}

fn temporary(reason: &std::io::Error) -> Error {
    Error::Object {
        what: "a copy of the index".to_owned(),
        reason: reason.to_string(),
    }
}

/// Entries that git is told to take for unchanged, and those it is told to skip although their files are there; each as
/// a list with NUL.
fn hidden_entries(work_tree: &Path) -> Result<[Vec<u8>; 2], Error> {
    let listed = Git::there(work_tree).args(["ls-files", "-v", "-z"]).ask()?;
    let mut hidden = [Vec::new(), Vec::new()];
    for line in listed.split(|b| *b == 0) {
        let Some((tag, path)) = line.split_once_str(b" ") else {
            continue;
        };
        let there = || {
            let path = path.to_path().ok();
            path.is_some_and(|path| work_tree.join(path).symlink_metadata().is_ok())
        };
        let skipped = tag.eq_ignore_ascii_case(b"s") && there();
        for (list, is_hidden) in hidden
            .iter_mut()
            .zip([tag.first().is_some_and(u8::is_ascii_lowercase), skipped])
        {
            if is_hidden {
                list.extend_from_slice(path);
                list.push(0);
            }
        }
    }
    Ok(hidden)
}

/// The classes of a work tree's paths. Flags and configuration that would hide work do not count; nothing is written.
pub fn condition(work_tree: &Path) -> Result<Condition, Error> {
    let plain = PlainIndex::if_needed(work_tree)?;
    let mut git = Git::there(work_tree).args([
        "status",
        "--porcelain=v2",
        "-z",
        "--no-renames",
        "--untracked-files=all",
        "--ignore-submodules=none",
    ]);
    if let Some(plain) = &plain {
        git = git.index(&plain.path());
    }
    parse(&git.ask()?)
}

/// What git ignores in a work tree, relative to it; a folder stands for all that is in it.
pub fn ignored_below(work_tree: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    let listed = Git::there(work_tree)
        .args([
            "ls-files",
            "--others",
            "--ignored",
            "--exclude-standard",
            "--directory",
            "-z",
        ])
        .ask()?;
    let path = |path: &[u8]| {
        path.strip_suffix(b"/")
            .unwrap_or(path)
            .to_path_lossy()
            .into_owned()
    };
    Ok(listed
        .split(|b| *b == 0)
        .filter(|p| !p.is_empty())
        .map(path)
        .collect())
}

/// Whether an ignore rule of a work tree names a path that is not tracked.
pub fn is_ignored(work_tree: &Path, path: &RepoPath) -> Result<bool, Error> {
    Git::there(work_tree)
        .args(["check-ignore", "--quiet", "--"])
        .args([path.on_disk(Path::new(""))])
        .ask_whether()
}

/// HEAD and index of a work tree, to find out whether somebody has moved them.
pub fn administrative_state(admin: &Path) -> Result<[Option<Vec<u8>>; 2], Error> {
    let read = |name: &str| match std::fs::read(admin.join(name)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(temporary(&e)),
    };
    Ok([read("HEAD")?, read("index")?])
}

/// Whether every file of a work tree that git was still making is as its commit has it, or the beginning of that; but for
/// files that are not in the commit and do not count.
pub fn holds_only_its_commit(work_tree: &Path, uncounted: &[RepoPath]) -> Result<bool, Error> {
    let dir = tempfile::tempdir().map_err(|e| temporary(&e))?;
    let index = dir.path().join("index");
    let git = || Git::there(work_tree).index(&index);
    git().args(["read-tree", "HEAD"]).ask()?;
    // It says 1 where files are missing, as they are.
    let _incomplete = git().args(["update-index", "-q", "--refresh"]).output()?;
    let others = git().args(["ls-files", "--others", "-z"]).ask()?;
    let mut others = others.split(|b| *b == 0).filter(|path| !path.is_empty());
    if others.any(|path| !uncounted.iter().any(|own| own.as_bytes() == path)) {
        return Ok(false);
    }
    let differing = git()
        .args(["diff-files", "--name-only", "--diff-filter=d", "-z"])
        .ask()?;
    for path in differing.split(|b| *b == 0).filter(|path| !path.is_empty()) {
        let Ok(begun) = std::fs::read(work_tree.join(path.to_path_lossy())) else {
            return Ok(false);
        };
        let whole = git()
            .args(["cat-file", "--filters"])
            .args([[b"HEAD:", path].concat().to_os_str_lossy()])
            .ask()?;
        if !whole.starts_with(&begun) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn parse(status: &[u8]) -> Result<Condition, Error> {
    let odd = |line: &[u8]| Error::Git {
        command: "status".to_owned(),
        complaint: format!("`{}` is not understood", crate::text::escape_bytes(line)),
    };
    let mut out = Condition::default();
    for line in status.split(|b| *b == 0).filter(|line| !line.is_empty()) {
        let path_after = |fields: usize| {
            let path = line
                .splitn_str(fields + 1, b" ")
                .nth(fields)
                .ok_or_else(|| odd(line))?;
            RepoPath::new(path.strip_suffix(b"/").unwrap_or(path)).map_err(|_| odd(line))
        };
        match line[0] {
            b'1' => {
                let path = path_after(8)?;
                let [_, _, x, y, _, sub, ..] = line else {
                    return Err(odd(line));
                };
                if *x != b'.' {
                    out.staged.push(path.clone());
                }
                if *y != b'.' {
                    let class = if *sub == b'S' {
                        &mut out.submodules
                    } else {
                        &mut out.modified
                    };
                    class.push(path);
                }
            }
            b'u' => out.conflicted.push(path_after(10)?),
            b'?' => out.untracked.push(path_after(1)?),
            b'#' | b'!' => {}
            _ => return Err(odd(line)),
        }
    }
    for class in [
        &mut out.staged,
        &mut out.modified,
        &mut out.untracked,
        &mut out.conflicted,
        &mut out.submodules,
    ] {
        class.sort();
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_status_become_classes() {
        let status = b"1 .M N... 100644 100644 100644 aa bb a b\0\
            1 A. N... 000000 100644 100644 aa bb new\0\
            1 MM N... 100644 100644 100644 aa bb both\0\
            1 .M S.M. 160000 160000 160000 aa bb sub\0\
            u UU N... 100644 100644 100644 100644 aa bb cc c d\0\
            ? nested/\0? \n\0";
        let paths = |names: &[&str]| names.iter().map(|n| RepoPath::of(n)).collect::<Vec<_>>();
        assert_eq!(
            parse(status).expect("well-formed"),
            Condition {
                staged: paths(&["both", "new"]),
                modified: paths(&["a b", "both"]),
                untracked: paths(&["\n", "nested"]),
                conflicted: paths(&["c d"]),
                submodules: paths(&["sub"]),
            }
        );
        for bad in [&b"1 .M"[..], b"2 x", b"1 .M N... 1 1 1 a b /x"] {
            assert!(parse(bad).is_err());
        }
    }
}
