//! Where open changes are looked for: branches, the HEADs of work trees, and what work trees hold beyond them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bstr::{BString, ByteVec};

use crate::files::ObjectId;
use crate::git::{self, Folder, Registered, Repository};

/// A commit, with the full names of all references that lead to it, in byte order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tip {
    pub(super) commit: ObjectId,
    pub(super) names: Vec<BString>,
}

/// A work tree whose files may say more than its HEAD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Work {
    pub(super) path: PathBuf,
    /// The name of its HEAD, as git takes it in the work tree that we run in.
    pub(super) head: BString,
    pub(super) commit: ObjectId,
    /// The one that we run in.
    pub(super) is_own: bool,
}

#[derive(Debug, Default)]
pub(super) struct Tips {
    /// By their first name.
    pub(super) tips: Vec<Tip>,
    pub(super) works: Vec<Work>,
}

impl Tips {
    /// Gathers them; `globs` replace the branches.
    pub(super) fn gather(repository: &Repository, globs: Option<&[BString]>) -> Result<Self, git::Error> {
        let mut by_commit: BTreeMap<ObjectId, Vec<BString>> = BTreeMap::new();
        for (name, commit) in repository.tips(globs)? {
            by_commit.entry(commit).or_default().push(name);
        }
        let own = repository.work_dir();
        let mut works = Vec::new();
        for found in repository.worktrees()? {
            let is_own = own.as_ref() == Some(&found.path);
            let head = head_name(&found, is_own);
            let Some(commit) = found.head else { continue };
            let name = match &found.branch {
                Some(branch) => BString::from(format!("refs/heads/{branch}")),
                None => head.clone(),
            };
            let names = by_commit.entry(commit).or_default();
            if !names.contains(&name) {
                names.push(name);
            }
            // Of one whose folder is gone HEAD is left.
            if found.folder() == Folder::Sound {
                works.push(Work {
                    path: found.path,
                    head,
                    commit,
                    is_own,
                });
            }
        }
        let tip = |(commit, mut names): (ObjectId, Vec<BString>)| {
            names.sort();
            Tip { commit, names }
        };
        let mut tips: Vec<Tip> = by_commit.into_iter().map(tip).collect();
        tips.sort_by(|a, b| a.names.cmp(&b.names));
        Ok(Self { tips, works })
    }
}

fn head_name(found: &Registered, is_own: bool) -> BString {
    let admin = found.admin.as_ref().and_then(|admin| admin.file_name());
    match admin {
        _ if is_own => "HEAD".into(),
        None => "main-worktree/HEAD".into(),
        Some(id) => [b"worktrees/", &Vec::from_os_str_lossy(id)[..], b"/HEAD"]
            .concat()
            .into(),
    }
}
