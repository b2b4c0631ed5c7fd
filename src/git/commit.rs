//! A commit of chosen paths through git itself: hooks, signing, identity and filters as configured, all other staged and
//! unstaged work left alone (engineering.md 2).

use std::collections::BTreeSet;
use std::ffi::OsString;

use bstr::{ByteSlice, ByteVec};

use super::condition::copy_with_time;
use super::history::LITERAL;
use super::history::literal;
use super::run::refusal;
use super::{Error, Git, Repository};
use crate::files::{ObjectId, Outside, RepoPath, saved_dir};
use crate::process::Output;

/// The paths of a commit to come, from the top level, and what of them the index does not know yet.
#[derive(Clone, Debug, Default)]
pub struct CommitPlan {
    paths: Vec<RepoPath>,
    announce: Vec<RepoPath>,
    /// Untracked paths that an ignore rule names: left on disk, out of the commit.
    pub ignored: Vec<RepoPath>,
}

impl CommitPlan {
    pub fn announced(&self) -> &[RepoPath] {
        &self.announce
    }

    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }
}

/// What a commit brought, and what its hooks said.
#[derive(Clone, Debug)]
pub struct Committed {
    /// None if HEAD cannot be read afterwards; the commit is made all the same.
    pub id: Option<ObjectId>,
    pub said: String,
}

/// Documents keep the line ends they have, and what we write has LF: nothing for git to warn of or to refuse.
const LINE_ENDS: &str = "core.safecrlf=false";

pub(super) fn nul_list<'p>(
    items: impl IntoIterator<Item = &'p RepoPath>,
    prefix: impl AsRef<[u8]>,
) -> Vec<u8> {
    let mut out = Vec::new();
    for path in items {
        out.extend_from_slice(prefix.as_ref());
        out.extend_from_slice(path.as_bytes());
        out.push(0);
    }
    out
}

/// Paths that git lists with NUL behind each.
pub(super) fn nul_paths(out: &[u8]) -> Result<Vec<RepoPath>, Error> {
    let invalid = |e: crate::files::InvalidPath| Error::Object {
        what: "git's answer".to_owned(),
        reason: e.to_string(),
    };
    out.split(|b| *b == 0)
        .filter(|p| !p.is_empty())
        .map(|p| RepoPath::new(p).map_err(invalid))
        .collect()
}

/// As many pathspecs as fit on a command line.
pub(super) fn in_batches(paths: &[RepoPath]) -> impl Iterator<Item = Vec<OsString>> {
    paths.chunks(200).map(|batch| batch.iter().map(literal).collect())
}

impl Repository {
    /// Those of `paths` that are in the index, from the top level. Folders stand for all that is in them.
    pub fn tracked(&self, paths: &[RepoPath]) -> Result<Vec<RepoPath>, Error> {
        let mut out = Vec::new();
        for batch in in_batches(paths) {
            let said = self
                .question()
                .args(["ls-files", "-z", "--full-name", "--"])
                .args(batch)
                .ask()?;
            out.extend(nul_paths(&said)?);
        }
        Ok(out)
    }

    /// Those of `paths` in the index that git does not look for on disk: outside a sparse checkout, or told so.
    pub fn skipped(&self, paths: &[RepoPath]) -> Result<Vec<RepoPath>, Error> {
        let mut out = Vec::new();
        for batch in in_batches(paths) {
            let args = ["ls-files", "-z", "-t", "--full-name", "--"];
            let said = self.question().args(args).args(batch).ask()?;
            let skipped = said
                .split(|b| *b == 0)
                .filter_map(|entry| entry.strip_prefix(b"S "));
            out.extend(nul_paths(&skipped.collect::<Vec<_>>().join(&0))?);
        }
        Ok(out)
    }

    /// The untracked files at or below `paths` that no ignore rule names.
    pub fn untracked(&self, paths: &[RepoPath]) -> Result<Vec<RepoPath>, Error> {
        let mut out = Vec::new();
        for batch in in_batches(paths) {
            let args = [
                "ls-files",
                "-z",
                "--full-name",
                "--others",
                "--exclude-standard",
                "--",
            ];
            out.extend(nul_paths(&self.question().args(args).args(batch).ask()?)?);
        }
        Ok(out)
    }

    /// Those of `paths` that differ from HEAD in the index or in the work tree, untracked ones included.
    pub fn differing(&self, paths: &[RepoPath]) -> Result<Vec<RepoPath>, Error> {
        self.differing_as(&|git| git, paths)
    }

    /// As [`Repository::differing`], in another work tree of this clone.
    pub fn differing_there(&self, top: &std::path::Path, paths: &[RepoPath]) -> Result<Vec<RepoPath>, Error> {
        self.differing_as(&|_| Git::there(top), paths)
    }

    fn differing_as(&self, with: &dyn Fn(Git) -> Git, paths: &[RepoPath]) -> Result<Vec<RepoPath>, Error> {
        let mut out = Vec::new();
        for batch in in_batches(paths) {
            let args = [
                "status",
                "--porcelain=v1",
                "-z",
                "--no-renames",
                "--untracked-files=all",
                "--",
            ];
            let said = with(self.question()).args(args).args(batch).ask()?;
            for record in said.split(|b| *b == 0).filter(|r| r.len() > 3) {
                out.extend(nul_paths(&record[3..])?);
            }
        }
        Ok(out)
    }

    /// Whether HEAD holds `paths` as they are on disk. A commit that was killed before it wrote the index is made good.
    fn is_committed(&self, paths: &[RepoPath]) -> Result<bool, Error> {
        if self.differing(paths)?.is_empty() {
            return Ok(true);
        }
        if self.head()?.is_none() {
            return Ok(false);
        }
        let io = |e: std::io::Error| Error::Object {
            what: "the index".to_owned(),
            reason: e.to_string(),
        };
        // Beside the journal's copies, which go with the journal.
        let saved = saved_dir(&self.spec_dir());
        let trial = saved.join("index");
        std::fs::create_dir_all(&saved).map_err(io)?;
        match copy_with_time(&self.git_dir().join("index"), &trial) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            copied => copied.map_err(io)?,
        }
        let on_trial = |git: Git| git.set("GIT_INDEX_FILE", &trial);
        self.index_as_head(&on_trial, paths)?;
        if self.differing_as(&on_trial, paths)?.is_empty() {
            self.index_as_head(&|git| git, paths)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Makes the index say of `paths` what HEAD says.
    fn index_as_head(&self, with: &dyn Fn(Git) -> Git, paths: &[RepoPath]) -> Result<(), Error> {
        for batch in in_batches(paths) {
            with(self.change())
                .args(["reset", "--quiet", "HEAD", "--"])
                .args(batch)
                .ask()?;
        }
        Ok(())
    }

    /// The top level with a slash behind it, for commands that take plain paths: git is started where the caller is.
    fn top_slash(&self) -> Result<Vec<u8>, Error> {
        let top = self.work_dir().ok_or(Error::NotARepository)?;
        let mut top = Vec::from_path_lossy(&top).into_owned();
        if !top.ends_with(b"/") {
            top.push(b'/');
        }
        Ok(top)
    }

    /// Prepares a commit of `paths`, files that exist, will exist or will be gone. `force` lists those that were tracked
    /// under another name, so that no ignore rule may keep them out.
    pub fn plan_commit(&self, paths: Vec<RepoPath>, force: &[RepoPath]) -> Result<CommitPlan, Error> {
        let tracked: BTreeSet<RepoPath> = self.tracked(&paths)?.into_iter().collect();
        let force: BTreeSet<&RepoPath> = force.iter().collect();
        let unknown: Vec<RepoPath> = paths.iter().filter(|p| !tracked.contains(p)).cloned().collect();
        let asked: Vec<RepoPath> = unknown.iter().filter(|p| !force.contains(p)).cloned().collect();
        let mut ignored = BTreeSet::new();
        if !asked.is_empty() {
            let top = self.top_slash()?;
            let out = self
                .question()
                .args(["check-ignore", "-z", "--stdin"])
                .input(nul_list(&asked, &top))
                .output()?;
            match out.code {
                Some(0 | 1) => {
                    let said = out.stdout.split(|b| *b == 0);
                    let below: Vec<_> = said.filter_map(|path| path.strip_prefix(&top[..])).collect();
                    ignored.extend(nul_paths(&below.join(&0))?);
                }
                _ => return Err(refusal("check-ignore", &out.complaint(), &out)),
            }
        }
        let keep = |p: &RepoPath| !ignored.contains(p);
        Ok(CommitPlan {
            announce: unknown.into_iter().filter(keep).collect(),
            paths: paths.into_iter().filter(keep).collect(),
            ignored: ignored.iter().cloned().collect(),
        })
    }

    /// Commits the planned paths as they are on disk, and nothing else. If git or a hook refuses, the index is as before.
    pub fn commit(
        &self,
        plan: &CommitPlan,
        subject: &str,
        trailers: &[(&str, &str)],
    ) -> Result<Committed, Error> {
        let out = self
            .announce(plan)
            .and_then(|()| self.commit_only(plan, subject, trailers));
        match out {
            Ok(out) => {
                // From here on nothing may fail: whoever is told of a failure puts the files back.
                let _made_already = crate::fault::point();
                let said = [out.stdout, out.stderr].concat();
                Ok(Committed {
                    id: self.head().ok().flatten(),
                    said: String::from_utf8_lossy(&said).trim_end().to_owned(),
                })
            }
            Err(error) => {
                self.forget_announced(&plan.announce)?;
                Err(error)
            }
        }
    }

    /// Tells the index of new files, so that `--only` knows them.
    fn announce(&self, plan: &CommitPlan) -> Result<(), Error> {
        let top = self.work_dir().ok_or(Error::NotARepository)?;
        let there = |p: &&RepoPath| p.on_disk(&top).symlink_metadata().is_ok();
        let present: Vec<&RepoPath> = plan.announce.iter().filter(there).collect();
        if !present.is_empty() {
            crate::fault::point().map_err(Error::Spawn)?;
            let args = [
                "add",
                "--intent-to-add",
                "--force",
                "--pathspec-from-file=-",
                "--pathspec-file-nul",
            ];
            self.change()
                .config(LINE_ENDS)
                .args(args)
                .input(nul_list(present.iter().copied(), LITERAL))
                .ask()?;
        }
        Ok(())
    }

    fn commit_only(
        &self,
        plan: &CommitPlan,
        subject: &str,
        trailers: &[(&str, &str)],
    ) -> Result<Output, Error> {
        let block: Vec<String> = trailers
            .iter()
            .map(|(token, value)| format!("{token}: {value}"))
            .collect();
        let mut call = self
            .change()
            .config(LINE_ENDS)
            .set("GIT_SPEC_TRANSACTION", "1")
            .args(["commit", "--quiet", "--only", "-m", subject]);
        if !block.is_empty() {
            call = call.args(["-m", &block.join("\n")]);
        }
        let call = call.args(["--pathspec-from-file=-", "--pathspec-file-nul"]);
        crate::fault::point().map_err(Error::Spawn)?;
        let out = call.input(nul_list(&plan.paths, LITERAL)).output()?;
        if out.success() {
            return Ok(out);
        }
        let said = [out.stdout.trim_end(), out.stderr.trim_end()].join(&b"\n"[..]);
        let said = String::from_utf8_lossy(&said).trim().to_owned();
        Err(refusal("commit", &said, &out))
    }

    /// Takes index entries back that only announced a file; entries with content stay.
    fn forget_announced(&self, paths: &[RepoPath]) -> Result<(), Error> {
        let announced = self.with(|repo| {
            let index = repo.open_index().map_err(|e| Error::Object {
                what: "the index".to_owned(),
                reason: e.to_string(),
            })?;
            let flag = gix::index::entry::Flags::INTENT_TO_ADD;
            let only = |p: &&RepoPath| {
                index
                    .entry_by_path(p.as_bytes().as_bstr())
                    .is_some_and(|e| e.flags.contains(flag))
            };
            Ok(paths.iter().filter(only).cloned().collect::<Vec<_>>())
        })?;
        if announced.is_empty() {
            return Ok(());
        }
        let _nothing = self
            .question()
            .args(["update-index", "--force-remove", "-z", "--stdin"])
            .input(nul_list(&announced, &self.top_slash()?))
            .ask()?;
        Ok(())
    }
}

/// The commit at the end of a project's transactions, as recovery asks for it.
pub struct Commits<'r> {
    pub repository: &'r Repository,
    /// The project's path from the top level.
    pub prefix: &'r RepoPath,
}

fn below_top(prefix: &RepoPath, paths: &[RepoPath]) -> Vec<RepoPath> {
    paths.iter().map(|p| p.below(prefix)).collect()
}

impl Outside for Commits<'_> {
    fn prefix(&self) -> RepoPath {
        self.prefix.clone()
    }

    fn holds(&self, prefix: &RepoPath, paths: &[RepoPath]) -> Result<bool, String> {
        let lock = self.repository.git_dir().join("index.lock");
        if lock.exists() {
            return Err(format!(
                "`{}` is there: git is still at work, or was killed; remove it once nothing runs",
                lock.display()
            ));
        }
        self.repository
            .is_committed(&below_top(prefix, paths))
            .map_err(|e| e.to_string())
    }

    fn forget(&self, prefix: &RepoPath, announced: &[RepoPath]) -> Result<(), String> {
        self.repository
            .forget_announced(&below_top(prefix, announced))
            .map_err(|e| e.to_string())
    }
}
