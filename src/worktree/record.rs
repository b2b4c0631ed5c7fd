//! `spec.json` in the administrative folder of a work tree: whose it is (git.md 5.2).

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::files::ObjectId;
use crate::git;

/// The name of the record.
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
        }
    }

    /// The commit that the branch was made from; none if it is no id.
    pub fn base(&self) -> Option<ObjectId> {
        ObjectId::from_hex(&self.base)
    }

    /// The record in an administrative folder. One that is missing, of another version or no JSON is none: what it would
    /// say is then derived (git.md 5.2).
    pub fn read(admin: &Path) -> Option<Self> {
        let bytes = std::fs::read(admin.join(RECORD)).ok()?;
        let record: Self = serde_json::from_slice(&bytes).ok()?;
        (record.version == VERSION).then_some(record)
    }

    pub fn write(&self, admin: &Path) -> Result<(), git::Error> {
        let mut text = serde_json::to_vec_pretty(self).expect("texts and a number are always JSON");
        text.push(b'\n');
        git::write_whole(&admin.join(RECORD), &text)
    }
}
