//! What is written down of a work tree: whose it is, and what it was made from. `spec.json` in its administrative folder
//! (git.md 5.2), or `meta.json` at its top (silly.md 8).

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::layout::{Layout, Records, SILLY_BRANCHES, told_by_place};
use super::meta::{META, Meta};
use crate::files::{ObjectId, RepoPath};
use crate::git::{self, Registered, Repository};

/// The name of the record in an administrative folder.
pub const RECORD: &str = "spec.json";

const VERSION: u32 = 1;

/// What was known when a work tree was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    version: u32,
    pub change: String,
    /// Its folder from the top level.
    pub project: String,
    pub branch: String,
    /// None if it was made from a commit on no branch.
    pub base_branch: Option<String>,
    base: String,
    pub created_at: String,
    /// Of one that is to lie inside the work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) inside: Option<Inside>,
}

/// What only a record inside the work tree says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Inside {
    /// The base as it was named.
    pub(super) base_branch: String,
    /// The base before a look at the remote.
    pub(super) base_hash: String,
}

impl Record {
    pub fn new(
        change: &str,
        project: &str,
        branch: &str,
        base_branch: Option<String>,
        base: ObjectId,
        created_at: String,
    ) -> Self {
        Self {
            version: VERSION,
            change: change.to_owned(),
            project: project.to_owned(),
            branch: branch.to_owned(),
            base_branch,
            base: base.to_string(),
            created_at,
            inside: None,
        }
    }

    /// The commit that the branch was made from; none if it is no id.
    pub fn base(&self) -> Option<ObjectId> {
        ObjectId::from_hex(&self.base)
    }

    pub(super) fn base_text(&self) -> &str {
        &self.base
    }

    /// The record in an administrative folder. One that is missing, of another version or no JSON is none: what it would
    /// say is then derived (git.md 5.2).
    pub fn read(admin: &Path) -> Option<Self> {
        let bytes = std::fs::read(admin.join(RECORD)).ok()?;
        let record: Self = serde_json::from_slice(&bytes).ok()?;
        (record.version == VERSION).then_some(record)
    }

    /// Writes it for a work tree that was just made. Where no `meta.json` can be laid down because git has a file of that
    /// name, or where the folder does not tell whose it is once `meta.json` is gone with it, `spec.json` tells.
    pub(super) fn write(&self, repository: &Repository, tree: &Registered) -> Result<(), git::Error> {
        let laid_down = match self.text_inside(&tree.path) {
            Some(text) => git::lay_down(&tree.path, &RepoPath::of(META), &text)?,
            None => false,
        };
        let main = repository.worktrees()?.into_iter().next();
        let told = main.and_then(|main| told_by_place(&main.path, &tree.path));
        let is_told = told.is_some_and(|(project, change)| {
            let has_its_branch = self.branch == format!("{SILLY_BRANCHES}{change}");
            project.text() == self.project && change == self.change && has_its_branch
        });
        match &tree.admin {
            Some(admin) if !(laid_down && is_told) => {
                let own = Self {
                    inside: None,
                    ..self.clone()
                };
                let mut text = serde_json::to_vec_pretty(&own).expect("texts and a number are always JSON");
                text.push(b'\n');
                git::write_whole(&admin.join(RECORD), &text)
            }
            Some(_) | None => Ok(()),
        }
    }

    /// What is laid down in a work tree at `path`; none if nothing is.
    pub(super) fn text_inside(&self, path: &Path) -> Option<Vec<u8>> {
        Meta::for_record(self, path).map(|meta| meta.text())
    }

    /// Whether it is written in full.
    pub(super) fn is_written(&self, tree: &Registered) -> bool {
        let inside = || self.inside.is_some() && Meta::of(tree).is_some();
        tree.admin.as_deref().and_then(Self::read).is_some() || inside()
    }
}

/// What there is to know of a registered work tree of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) change: String,
    /// None where only the branch tells the change.
    pub(super) project: Option<String>,
    /// The branch that is the change's own, whatever HEAD is on.
    pub(super) branch: String,
    /// None where nothing is written down.
    pub(super) written: Option<Written>,
}

/// What only a record tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) base: Option<ObjectId>,
    pub(super) base_branch: Option<String>,
    pub(super) created_at: Option<String>,
}

impl Layout {
    /// What a registered work tree is by its record, else by its branch, else by its place; none if it is no change's.
    /// `main` is the main work tree's folder.
    pub(super) fn known(
        &self,
        repository: &Repository,
        main: &Path,
        tree: &Registered,
    ) -> Result<Option<Known>, git::Error> {
        if let Some(record) = tree.admin.as_deref().and_then(Record::read) {
            return Ok(Some(Known {
                written: Some(Written {
                    base: record.base(),
                    base_branch: record.base_branch,
                    created_at: Some(record.created_at),
                }),
                change: record.change,
                project: Some(record.project),
                branch: record.branch,
            }));
        }
        let by_branch = tree.branch.as_deref().and_then(|branch| self.change_of(branch));
        if self.records == Records::Administrative {
            return Ok(by_branch.map(|change| self.derived(change, None)));
        }
        let told = told_by_place(main, &tree.path);
        let project = told.as_ref().map(|(project, _)| project.text().into_owned());
        if let Some(meta) = Meta::of(tree).filter(|meta| self.may_be(&meta.change_name)) {
            return self.known_by(repository, main, tree, meta, project).map(Some);
        }
        let by_place = told.as_ref().map(|(_, change)| change.as_str());
        Ok(by_branch.or(by_place).map(|change| self.derived(change, project)))
    }

    fn derived(&self, change: &str, project: Option<String>) -> Known {
        Known {
            change: change.to_owned(),
            project,
            branch: self.branch(change),
            written: None,
        }
    }

    /// Whether a change of this name can have a branch.
    fn may_be(&self, change: &str) -> bool {
        !change.contains('/') && git::is_branch_name(self.branch(change).as_bytes())
    }

    fn known_by(
        &self,
        repository: &Repository,
        main: &Path,
        tree: &Registered,
        meta: Meta,
        project: Option<String>,
    ) -> Result<Known, git::Error> {
        let is_its = tree.branch.as_deref() == Some(&meta.branch) || self.change_of(&meta.branch).is_some();
        // Anybody may write into the folder: that does not make a foreign branch the change's own.
        let branch = if is_its {
            meta.branch.clone()
        } else {
            self.branch(&meta.change_name)
        };
        let base = meta.base();
        // A base that was named otherwise than by a branch is measured against the default branch.
        let base_branch = match meta.base_branch {
            Some(named) if git::is_branch_name(named.as_bytes()) => {
                (!repository.tips_named(&named)?.is_empty()).then_some(named)
            }
            Some(_) | None => None,
        };
        // One that was moved still says where it was.
        let was = || {
            let (project, _) = told_by_place(main, Path::new(meta.worktree_path.as_deref()?))?;
            Some(project.text().into_owned())
        };
        Ok(Known {
            project: project.or_else(was),
            branch,
            written: Some(Written {
                base,
                base_branch,
                created_at: meta.created_at,
            }),
            change: meta.change_name,
        })
    }
}
