//! A merge in memory by `git merge-tree`: what it comes to, or where it conflicts. No object of it stays.

use bstr::ByteSlice;

use super::{Error, Git, Repository};
use crate::files::{ObjectId, RepoPath};

/// Where objects of a trial go, so that asking writes nothing into the repository.
pub struct Aside {
    dir: tempfile::TempDir,
}

impl Aside {
    pub fn of(repository: &Repository) -> Result<Self, Error> {
        let keep = |e: std::io::Error| Error::Object {
            what: "a folder for objects of a trial".to_owned(),
            reason: e.to_string(),
        };
        let dir = tempfile::tempdir().map_err(keep)?;
        let printed = repository
            .question()
            .args(["rev-parse", "--path-format=absolute", "--git-path", "objects"])
            .ask()?;
        std::fs::create_dir(dir.path().join("info")).map_err(keep)?;
        std::fs::write(dir.path().join("info/alternates"), &printed).map_err(keep)?;
        Ok(Self { dir })
    }

    /// Lets a call of git write its objects here.
    pub fn hold(&self, git: Git) -> Git {
        git.set("GIT_OBJECT_DIRECTORY", self.dir.path())
    }
}

/// What a merge would come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The merged tree; with conflicts it holds their marks.
    pub tree: ObjectId,
    pub conflicts: Vec<RepoPath>,
}

impl Repository {
    /// Merges two commits without keeping anything.
    pub(super) fn trial_merge(&self, ours: ObjectId, theirs: ObjectId) -> Result<Trial, Error> {
        let aside = Aside::of(self)?;
        self.merge_aside(&aside, ours, theirs)
    }

    /// Merges two commits, of which the second may lie aside; what comes of it lies there too.
    pub fn merge_aside(&self, aside: &Aside, ours: ObjectId, theirs: ObjectId) -> Result<Trial, Error> {
        let out = aside
            .hold(self.question())
            .args(["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z"])
            .args([ours.to_string(), theirs.to_string()])
            .output()?;
        if !matches!(out.code, Some(0 | 1)) {
            let said = crate::text::escape(&out.complaint()).into_owned();
            return Err(super::run::refusal("merge-tree", &said, &out));
        }
        let odd = || Error::Git {
            command: "merge-tree".to_owned(),
            complaint: "its answer is not understood".to_owned(),
        };
        let mut parts = out.stdout.split(|b| *b == 0).filter(|part| !part.is_empty());
        let tree = parts.next().map(|id| id.trim().to_str_lossy().into_owned());
        let tree = tree.and_then(|id| ObjectId::from_hex(&id)).ok_or_else(odd)?;
        let mut conflicts = Vec::new();
        for path in parts {
            conflicts.push(RepoPath::new(path).map_err(|_| odd())?);
        }
        conflicts.sort();
        conflicts.dedup();
        if out.code == Some(1) && conflicts.is_empty() {
            return Err(odd());
        }
        Ok(Trial { tree, conflicts })
    }
}
