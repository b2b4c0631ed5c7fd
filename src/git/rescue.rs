//! Keeps all work of a work tree in commits below `refs/spec/rescue`, in the shape of a stash (git.md 5.6).

use std::path::Path;

use bstr::{ByteSlice, ByteVec};

use super::bring::{add_files, add_tracked, leave_out, with_index};
use super::condition::{PlainIndex, git_dir_of};
use super::inside::{Stage, is_own_repository, stages, untracked_files};
use super::nested::{Nested, commit_of, modules_with_work, nested_with_work, refs_to_keep};
use super::rescue_parts::{
    HEADS_PART, commit_tree, distinct, list_of_heads, needs_stand_in, rescue_module, without_work_tree,
};
use super::{Error, Git, Repository};
use crate::fault;
use crate::files::{ObjectId, RepoPath};

/// Where rescues are kept.
pub const RESCUES: &str = "refs/spec/rescue/";

/// Heads that git keeps for an operation or for a branch that was left: what they name is lost with the work tree.
const HEADS: [&str; 9] = [
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "BISECT_HEAD",
    "MERGE_AUTOSTASH",
    "rebase-merge/orig-head",
    "rebase-merge/onto",
    "rebase-merge/autostash",
];

/// What to write into the message and the ref of a rescue.
#[derive(Clone, Debug)]
pub struct RescueNote {
    pub change: String,
    /// `YYYYMMDDTHHMMSSZ`.
    pub stamp: String,
    /// The branch that goes with the work tree, and its tip.
    pub branch: Option<(String, ObjectId)>,
    /// Paths in it that are no work: they stay as HEAD has them.
    pub uncounted: Vec<RepoPath>,
}

impl Repository {
    /// Rescues a work tree and the repositories inside it that have work of their own. Returns the refs, its own first.
    pub fn rescue(&self, work_tree: &Path, note: &RescueNote) -> Result<Vec<String>, Error> {
        let name = self.free_rescue_name(note)?;
        let inside = self.rescue_inside(&name, nested_with_work(work_tree)?, note)?;
        let commit = Maker::of(work_tree, note)?.rescue(note.branch.as_ref())?;
        self.create_ref(&name, commit, "rescue")?;
        Ok([vec![name], inside].concat())
    }

    /// Rescues what is left of a work tree whose folder is gone: its HEAD, and submodules in its administrative folder.
    pub fn rescue_left(
        &self,
        admin: Option<&Path>,
        head: Option<ObjectId>,
        note: &RescueNote,
    ) -> Result<Vec<String>, Error> {
        let name = self.free_rescue_name(note)?;
        let modules = admin.map_or_else(|| Ok(Vec::new()), modules_with_work)?;
        let inside = self.rescue_inside(&name, modules, note)?;
        let Some(head) = head else { return Ok(inside) };
        let place = self.common_dir();
        fault::point().map_err(Error::Spawn)?;
        let commit = without_work_tree(&|| Git::change_there(&place), &place, note, head, &[])?;
        self.create_ref(&name, commit, "rescue")?;
        Ok([vec![name], inside].concat())
    }

    fn rescue_inside(
        &self,
        name: &str,
        inside: Vec<Nested>,
        note: &RescueNote,
    ) -> Result<Vec<String>, Error> {
        let note = RescueNote {
            uncounted: Vec::new(),
            ..note.clone()
        };
        let mut refs = Vec::new();
        for (n, nested) in inside.into_iter().enumerate() {
            let commit = match nested.has_files {
                true => Maker::of(&nested.place, &note)?.rescue(None)?,
                false => rescue_module(&nested, &note)?,
            };
            let sub = format!("{name}.sub.{}", n + 1);
            self.fetch_local(&nested, commit, &sub)?;
            refs.push(sub);
        }
        Ok(refs)
    }

    /// The first of `<stamp>`, `<stamp>-2`, … that no rescue has, nor a part of one.
    fn free_rescue_name(&self, note: &RescueNote) -> Result<String, Error> {
        let first = format!("{RESCUES}{}/{}", note.change, note.stamp);
        let taken = self
            .question()
            .args(["for-each-ref", "--format=%(refname)", RESCUES])
            .ask()?;
        let common = self.common_dir();
        let is_taken = |name: &str| {
            // Git was killed while it made this one, and will not make it any more.
            if common.join(format!("{name}.lock")).exists() {
                return true;
            }
            let part = format!("{name}.sub.");
            taken
                .lines()
                .any(|line| line == name.as_bytes() || line.starts_with(part.as_bytes()))
        };
        let names = (2..).map(|n| format!("{first}-{n}"));
        let free = std::iter::once(first.clone())
            .chain(names)
            .find(|name| !is_taken(name));
        Ok(free.expect("there is always one more"))
    }

    /// Brings a commit with its history over from a repository inside one of our work trees.
    fn fetch_local(&self, nested: &Nested, commit: ObjectId, name: &str) -> Result<(), Error> {
        fault::point().map_err(Error::Spawn)?;
        // One without files names a work tree that is not there.
        let serve = match nested.has_files {
            true => "git-upload-pack",
            false => "GIT_WORK_TREE=. git-upload-pack",
        };
        self.change()
            .config("protocol.file.allow=always")
            .config("protocol.version=2")
            .args([
                "fetch",
                "--quiet",
                "--no-tags",
                "--no-write-fetch-head",
                "--no-recurse-submodules",
            ])
            .args([
                "--no-auto-maintenance",
                "--upload-pack",
                serve,
                "--end-of-options",
            ])
            .args([nested.place.as_os_str(), format!("{commit}:{name}").as_ref()])
            .ask()?;
        Ok(())
    }
}

/// Makes the commits of one work tree.
struct Maker<'a> {
    work_tree: &'a Path,
    note: &'a RescueNote,
    /// A name and address where none is configured.
    stand_in: bool,
    /// The index with its conflicts, nothing hidden.
    index: PlainIndex,
}

impl<'a> Maker<'a> {
    fn of(work_tree: &'a Path, note: &'a RescueNote) -> Result<Self, Error> {
        Ok(Self {
            work_tree,
            note,
            stand_in: needs_stand_in(Git::change_there(work_tree))?,
            index: PlainIndex::of(work_tree)?,
        })
    }

    /// A call that writes objects, with one of our own index files.
    fn git(&self, index: &Path) -> Git {
        with_index(self.work_tree, index)
    }

    fn rescue(&self, branch: Option<&(String, ObjectId)>) -> Result<ObjectId, Error> {
        fault::point().map_err(Error::Spawn)?;
        let index = self.index.path();
        let unmerged = stages(self.work_tree, &["--unmerged"])?;
        let head = if let Some(head) = commit_of(&|| Git::there(self.work_tree), "HEAD")? {
            head
        } else {
            let empty = self.index.beside("none");
            let tree = self.git(&empty).args(["write-tree"]).ask_id()?;
            self.commit(tree, &[], "empty: HEAD was unborn")?
        };
        self.settle_conflicts(&index, &unmerged)?;
        let git = || self.git(&index);
        leave_out(&git, head, &self.note.uncounted)?;
        let staged = self.git(&index).args(["write-tree"]).ask_id()?;
        let staged = self.commit(staged, &[head], "index")?;

        add_tracked(&git)?;
        leave_out(&git, head, &self.note.uncounted)?;
        let tracked = self.git(&index).args(["write-tree"]).ask_id()?;

        let mut parents = vec![head, staged, self.untracked()?];
        let heads = self.heads(head, branch)?;
        if !unmerged.is_empty() || !heads.is_empty() {
            parents.push(self.conflicts(&unmerged, &heads)?);
        }
        self.commit(tracked, &parents, "")
    }

    /// Conflicted paths as one entry each: ours, else theirs.
    fn settle_conflicts(&self, index: &Path, unmerged: &[Stage]) -> Result<(), Error> {
        let mut lines = Vec::new();
        for sides in unmerged.chunk_by(|one, other| one.path == other.path) {
            let zeros = "0".repeat(sides[0].id.len());
            lines.push_str(format!("0 {zeros} 0\t"));
            lines.push_str(&sides[0].path);
            lines.push(0);
            let of_stage = |stage| sides.iter().find(|side| side.stage == stage);
            if let Some(side) = of_stage(2).or_else(|| of_stage(3)) {
                push_line(&mut lines, side, 0, b"");
            }
        }
        if !lines.is_empty() {
            self.git(index)
                .args(["update-index", "-z", "--index-info"])
                .input(lines)
                .ask()?;
        }
        Ok(())
    }

    /// A commit of the files that are neither tracked nor ignored.
    fn untracked(&self) -> Result<ObjectId, Error> {
        let files = untracked_files(self.work_tree, &self.note.uncounted)?;
        let index = self.index.beside("untracked");
        add_files(&|| self.git(&index), files)?;
        let tree = self.git(&index).args(["write-tree"]).ask_id()?;
        self.commit(tree, &[], "untracked files")
    }

    /// What else is lost with the work tree: a name and a commit each.
    fn heads(
        &self,
        head: ObjectId,
        branch: Option<&(String, ObjectId)>,
    ) -> Result<Vec<(String, ObjectId)>, Error> {
        let git_dir = git_dir_of(self.work_tree)?;
        let mut out: Vec<(String, ObjectId)> = Vec::new();
        let mut add = |name: &str, id: &str| {
            if let Some(id) = ObjectId::from_hex(id.trim()).filter(|id| *id != head) {
                out.push((name.to_owned(), id));
            }
        };
        for name in HEADS {
            let path = git_dir.join(name);
            match std::fs::read(&path) {
                // What is no id names nothing.
                Ok(bytes) => bytes.to_str_lossy().lines().for_each(|line| add(name, line)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                // What it names could be work that nothing else holds.
                Err(error) => {
                    return Err(Error::Object {
                        what: path.display().to_string(),
                        reason: error.to_string(),
                    });
                }
            }
        }
        match branch {
            Some((name, tip)) => add(&format!("refs/heads/{name}"), &tip.to_string()),
            None if is_own_repository(self.work_tree)? => {
                refs_to_keep(&|| Git::there(self.work_tree))?
                    .iter()
                    .for_each(|(name, id)| add(name, &id.to_string()));
            }
            None => {}
        }
        let mut commits = Vec::new();
        for (name, id) in out {
            let kind = Git::there(self.work_tree)
                .args(["cat-file", "-t", &id.to_string()])
                .output()?;
            if kind.stdout.trim_end() == b"commit" {
                commits.push((name, id));
            }
        }
        Ok(commits)
    }

    /// A commit of the stages of conflicted paths, and of the names of other heads, whose parents they are.
    fn conflicts(&self, unmerged: &[Stage], heads: &[(String, ObjectId)]) -> Result<ObjectId, Error> {
        let index = self.index.beside("conflicts");
        let mut lines = Vec::new();
        for entry in unmerged {
            push_line(&mut lines, entry, 0, format!("{}/", entry.stage).as_bytes());
        }
        if !heads.is_empty() {
            let blob = list_of_heads(self.git(&index), heads)?;
            lines.push_str(format!("100644 {blob} 0\theads\0"));
        }
        self.git(&index)
            .args(["update-index", "-z", "--index-info"])
            .input(lines)
            .ask()?;
        let tree = self.git(&index).args(["write-tree"]).ask_id()?;
        self.commit(tree, &distinct(heads), HEADS_PART)
    }

    fn commit(&self, tree: ObjectId, parents: &[ObjectId], part: &str) -> Result<ObjectId, Error> {
        let git = self.git(&self.index.path());
        commit_tree(git, self.work_tree, self.note, self.stand_in, tree, parents, part)
    }
}

fn push_line(lines: &mut Vec<u8>, entry: &Stage, stage: u8, below: &[u8]) {
    lines.push_str(&entry.mode);
    lines.push(b' ');
    lines.push_str(&entry.id);
    lines.push_str(format!(" {stage}\t"));
    lines.push_str(below);
    lines.push_str(&entry.path);
    lines.push(0);
}
