//! Repositories inside a work tree: submodules, those of submodules whose files are not there, others; and what each holds
//! that is nowhere else (git.md 5.4 and 5.6).

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};

use super::condition::git_dir_of;
use super::inside::stages;
use super::{Error, Git, absolute};
use crate::files::{ObjectId, is_top};

/// A repository that goes with the work tree it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nested {
    /// Its top; of a submodule without files its git directory.
    pub place: PathBuf,
    pub has_files: bool,
}

impl Nested {
    /// A question about it.
    pub(super) fn question(&self) -> Git {
        self.located(Git::there(&self.place))
    }

    /// A change in it.
    pub(super) fn change(&self) -> Git {
        self.located(Git::change_there(&self.place))
    }

    fn located(&self, git: Git) -> Git {
        if self.has_files {
            return git;
        }
        // It names a work tree that is not there, and git would look for it.
        git.set("GIT_DIR", &self.place).set("GIT_WORK_TREE", &self.place)
    }

    fn has_work(&self) -> Result<bool, Error> {
        if self.has_files && !super::condition(&self.place)?.is_clean() {
            return Ok(true);
        }
        let question = || self.question();
        let refs = own_refs(&question)?;
        Ok(!own_commits(&question, &refs)?.is_empty())
    }
}

/// The repositories inside a work tree that hold what is nowhere else; at any depth.
pub fn nested_with_work(work_tree: &Path) -> Result<Vec<Nested>, Error> {
    let mut found = Vec::new();
    add_nested(work_tree, &mut found)?;
    let admin = git_dir_of(work_tree)?;
    let mut git_dirs = vec![admin.clone()];
    for nested in &found {
        git_dirs.push(git_dir_of(&nested.place)?);
    }
    let known: HashSet<PathBuf> = git_dirs.iter().map(|dir| absolute(dir)).collect();
    let (top, own) = (absolute(work_tree), absolute(&admin));
    // What is kept elsewhere does not go with it.
    let gone: Vec<&PathBuf> = known
        .iter()
        .filter(|dir| dir.starts_with(&own) || dir.starts_with(&top))
        .collect();
    let mut modules = Vec::new();
    for git_dir in gone {
        add_modules(&git_dir.join("modules"), &mut modules)?;
    }
    modules.sort();
    modules.dedup();
    modules.retain(|module| !known.contains(&absolute(module)));
    found.extend(modules.into_iter().map(without_files));
    with_work(found)
}

/// The same of a work tree whose folder is gone: the submodules that its administrative folder holds.
pub fn modules_with_work(admin: &Path) -> Result<Vec<Nested>, Error> {
    let mut modules = Vec::new();
    add_modules(&admin.join("modules"), &mut modules)?;
    modules.sort();
    with_work(modules.into_iter().map(without_files).collect())
}

fn without_files(place: PathBuf) -> Nested {
    Nested {
        place,
        has_files: false,
    }
}

fn with_work(found: Vec<Nested>) -> Result<Vec<Nested>, Error> {
    let mut out = Vec::new();
    for nested in found {
        if nested.has_work()? {
            out.push(nested);
        }
    }
    Ok(out)
}

fn add_nested(work_tree: &Path, out: &mut Vec<Nested>) -> Result<(), Error> {
    for place in nested_repositories(work_tree)? {
        out.push(Nested {
            place: place.clone(),
            has_files: true,
        });
        add_nested(&place, out)?;
    }
    Ok(())
}

/// Submodules that are initialised, and repositories that git only sees as untracked; in byte order.
fn nested_repositories(work_tree: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut paths: Vec<BString> = stages(work_tree, &[])?
        .into_iter()
        .filter(|entry| entry.mode == "160000")
        .map(|entry| entry.path)
        .collect();
    let others = Git::there(work_tree)
        .args(["ls-files", "--others", "--exclude-standard", "-z"])
        .ask()?;
    let folders = others
        .split(|b| *b == 0)
        .filter_map(|path| path.strip_suffix(b"/"));
    paths.extend(folders.map(BString::from));
    paths.sort();
    paths.dedup();
    let found = paths.iter().map(|path| work_tree.join(path.to_path_lossy()));
    Ok(found.filter(|path| is_top(path)).collect())
}

/// The git directories of submodules below a folder `modules`, and those of theirs. The name of one may have slashes.
fn add_modules(folder: &Path, out: &mut Vec<PathBuf>) -> Result<(), Error> {
    let unreadable = |e: std::io::Error| Error::Object {
        what: folder.display().to_string(),
        reason: e.to_string(),
    };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(unreadable(e)),
    };
    for entry in entries {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        if !entry.file_type().map_err(unreadable)?.is_dir() {
            continue;
        }
        if path.join("HEAD").symlink_metadata().is_ok() && path.join("objects").is_dir() {
            add_modules(&path.join("modules"), out)?;
            out.push(path);
        } else {
            add_modules(&path, out)?;
        }
    }
    Ok(())
}

/// The commits that a repository's own refs have and its remote-tracking branches lack.
fn own_commits(question: &dyn Fn() -> Git, refs: &[(String, ObjectId)]) -> Result<HashSet<ObjectId>, Error> {
    if refs.is_empty() {
        return Ok(HashSet::new());
    }
    let mut named: Vec<String> = refs.iter().map(|(_, id)| format!("{id}\n")).collect();
    named.push("--not\n--remotes\n".to_owned());
    let listed = question()
        .args(["rev-list", "--stdin"])
        .input(named.concat().into_bytes())
        .ask()?;
    let id = |line: &[u8]| ObjectId::from_hex(&line.to_str_lossy());
    Ok(listed.lines().filter_map(id).collect())
}

/// The refs of a repository that a rescue of it is to hold: HEAD, branches and stashes, and whatever else its
/// remote-tracking branches lack.
pub(super) fn refs_to_keep(question: &dyn Fn() -> Git) -> Result<Vec<(String, ObjectId)>, Error> {
    let mut refs = own_refs(question)?;
    let own = own_commits(question, &refs)?;
    refs.retain(|(name, id)| {
        let is_work = name == "HEAD" || name.starts_with("refs/heads/") || name.starts_with("refs/stash");
        is_work || own.contains(id)
    });
    Ok(refs)
}

/// The commits that HEAD and all refs of a repository name, older stashes too; but for what was fetched.
fn own_refs(question: &dyn Fn() -> Git) -> Result<Vec<(String, ObjectId)>, Error> {
    let format = "--format=%(objectname) %(objecttype) %(refname)";
    let listed = question().args(["for-each-ref", format]).ask()?;
    let mut refs = Vec::new();
    for line in listed.lines() {
        let line = line.to_str_lossy();
        let mut words = line.splitn(3, ' ');
        let (Some(id), Some(kind), Some(name)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        if name.starts_with("refs/remotes/") {
            continue;
        }
        let commit = match kind {
            "commit" => ObjectId::from_hex(id),
            _ => commit_of(question, id)?,
        };
        refs.extend(commit.map(|id| (name.to_owned(), id)));
        if name == "refs/stash" {
            refs.extend(older_stashes(question)?);
        }
    }
    refs.extend(commit_of(question, "HEAD")?.map(|id| ("HEAD".to_owned(), id)));
    Ok(refs)
}

/// Only the reflog holds them.
fn older_stashes(question: &dyn Fn() -> Git) -> Result<Vec<(String, ObjectId)>, Error> {
    let listed = question()
        .args(["log", "--walk-reflogs", "--no-show-signature", "--format=%H"])
        .args(["refs/stash", "--"])
        .ask()?;
    let stash = |(n, line): (usize, &[u8])| {
        let id = ObjectId::from_hex(&line.to_str_lossy())?;
        Some((format!("refs/stash@{{{n}}}"), id))
    };
    Ok(listed.lines().enumerate().skip(1).filter_map(stash).collect())
}

/// The commit that a revision of a repository names; none if it is unborn, or no commit.
pub(super) fn commit_of(question: &dyn Fn() -> Git, revision: &str) -> Result<Option<ObjectId>, Error> {
    let asked = question()
        .args(["rev-parse", "--verify", "--quiet", "--end-of-options"])
        .args([format!("{revision}^{{commit}}")])
        .output()?;
    Ok(ObjectId::from_hex(&asked.stdout.trim_end().to_str_lossy()))
}
