//! `meta.json` at the top of a work tree inside a `.sillyspec/` project, as every program that knows such projects reads
//! and writes it (silly.md 8).

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::layout::{Layout, Records};
use super::record::{Inside, Record};
use crate::files::{ObjectId, RepoPath, read_regular};
use crate::git::{self, Registered};

/// Its name.
pub(super) const META: &str = "meta.json";

/// More than this is no record.
const LONGEST: u64 = 64 << 10;

/// The record, its keys in the order in which they are written. Older programs leave some out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Meta {
    pub(super) change_name: String,
    pub(super) branch: String,
    /// A branch, another name of a commit, or its id.
    #[serde(default)]
    pub(super) base_branch: Option<String>,
    #[serde(default)]
    base_hash: Option<String>,
    #[serde(default)]
    actual_base_hash: Option<String>,
    #[serde(default)]
    pub(super) created_at: Option<String>,
    #[serde(default)]
    pub(super) worktree_path: Option<String>,
}

impl Meta {
    /// The record of a work tree. That of another one, which a commit may have brought, is none.
    pub(super) fn of(tree: &Registered) -> Option<Self> {
        let meta = Self::read(tree)?;
        let is_there = meta
            .worktree_path
            .as_deref()
            .is_some_and(|path| git::is_same(Path::new(path), &tree.path));
        // One that was moved still has its branch.
        let is_its = is_there || tree.branch.as_deref() == Some(&meta.branch);
        is_its.then_some(meta)
    }

    /// The record that lies in a work tree, whosever it is. A file of that name that is no record is the user's own.
    fn read(tree: &Registered) -> Option<Self> {
        let bytes = read_regular(&tree.path.join(META), LONGEST).ok()?;
        let meta: Self = serde_json::from_slice(&bytes).ok()?;
        meta.is_record().then_some(meta)
    }

    fn is_record(&self) -> bool {
        !self.change_name.is_empty() && !self.branch.is_empty() && self.base().is_some()
    }

    /// The record at the top of a work tree that was just made.
    pub(super) fn at(work_tree: &Path) -> Option<Self> {
        serde_json::from_slice(&read_regular(&work_tree.join(META), LONGEST).ok()?).ok()
    }

    pub(super) fn set_base(&mut self, base: ObjectId) {
        self.actual_base_hash = Some(base.to_string());
    }

    pub(super) fn rewrite(&self, work_tree: &Path) -> Result<(), git::Error> {
        git::write_whole(&work_tree.join(META), &self.text())
    }

    /// What is to be written of a work tree at `path`; none where that cannot be said in JSON, or the record is not meant
    /// to lie inside.
    pub(super) fn for_record(record: &Record, path: &Path) -> Option<Self> {
        let Inside {
            base_branch,
            base_hash,
        } = record.inside.clone()?;
        Some(Self {
            change_name: record.change.clone(),
            branch: record.branch.clone(),
            base_branch: Some(base_branch),
            base_hash: Some(base_hash),
            actual_base_hash: Some(record.base_text().to_owned()),
            created_at: Some(record.created_at.clone()),
            worktree_path: Some(path.to_str()?.to_owned()),
        })
    }

    pub(super) fn text(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec_pretty(self).expect("texts are always JSON");
        text.push(b'\n');
        text
    }

    /// The commit that its work is measured from: what was there after a look at the remote.
    pub(super) fn base(&self) -> Option<ObjectId> {
        let named = [&self.actual_base_hash, &self.base_hash];
        named
            .into_iter()
            .flatten()
            .find_map(|text| ObjectId::from_hex(text))
    }
}

/// What the record in a folder tells that git has not registered as a work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub branch: String,
    pub base_branch: Option<String>,
    pub base: Option<ObjectId>,
    pub created_at: Option<String>,
}

/// Reads the record in a folder; none if there is none that can be understood.
pub fn told_in(folder: &Path) -> Option<Told> {
    let meta = Meta::at(folder).filter(Meta::is_record)?;
    Some(Told {
        base: meta.base(),
        branch: meta.branch,
        base_branch: meta.base_branch,
        created_at: meta.created_at,
    })
}

impl Layout {
    /// The paths at the top of a work tree that are not its user's: a record, where such lie inside.
    pub(super) fn uncounted_in(&self, tree: &Registered) -> Vec<RepoPath> {
        let meta = match self.records {
            Records::Administrative => None,
            Records::Inside => Meta::read(tree),
        };
        meta.iter().map(|_| RepoPath::of(META)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_write_is_read_and_ours_is_as_theirs() {
        let id = |digit: &str| digit.repeat(40);
        let text = format!(
            "{{\n  \"changeName\": \"导出\",\n  \"branch\": \"sillyspec/导出\",\n  \"baseBranch\": \"main\",\n  \
             \"baseHash\": \"{}\",\n  \"actualBaseHash\": \"{}\",\n  \"createdAt\": \"2026-05-28T14:00:00.000Z\",\n  \
             \"worktreePath\": \"/x\"\n}}\n",
            id("1"),
            id("2")
        );
        let meta: Meta = serde_json::from_str(&text).expect("a record");
        assert_eq!(meta.base(), ObjectId::from_hex(&id("2")));
        assert_eq!(String::from_utf8(meta.text()).expect("UTF-8"), text);
        let old = format!(
            "{{\"changeName\":\"a\",\"branch\":\"b\",\"baseHash\":\"{}\",\"more\":1}}",
            id("1")
        );
        let old: Meta = serde_json::from_str(&old).expect("a record");
        assert_eq!(old.base(), ObjectId::from_hex(&id("1")));
        assert!(serde_json::from_str::<Meta>("{\"changeName\":\"a\"}").is_err());
    }
}
