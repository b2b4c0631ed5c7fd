//! The rows of the database as values (silly.md 3). Words of other programs are kept as they are.

use serde::Serialize;

use super::database::SCHEMA_VERSION;
use super::stage::Status;

/// The project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    pub name: String,
    pub schema_version: i64,
}

impl Project {
    /// Whether its version is one that is read.
    pub fn is_known(&self) -> bool {
        is_known_version(self.schema_version)
    }
}

/// Whether a version of the schema is one that is read: 3, and 4 (silly.md 3).
pub const fn is_known_version(version: i64) -> bool {
    version == SCHEMA_VERSION || version == SCHEMA_VERSION + 1
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub id: i64,
    pub name: String,
    pub current_stage: String,
    /// `active` or `archived`.
    pub status: String,
    pub no_worktree: bool,
    pub last_active: String,
}

pub const ACTIVE: &str = "active";
pub const ARCHIVED: &str = "archived";

impl Change {
    pub fn is_active(&self) -> bool {
        self.status == ACTIVE
    }
}

/// A stage of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageRow {
    pub id: i64,
    pub stage: String,
    pub status: String,
    pub started_at: Option<String>,
    pub completed_at: Option<String>,
}

impl StageRow {
    pub fn is(&self, status: Status) -> bool {
        self.status == status.as_str()
    }

    /// Begins, or begins again.
    pub fn begin(&mut self, now: &str) {
        Status::InProgress.as_str().clone_into(&mut self.status);
        self.started_at = Some(now.to_owned());
        self.completed_at = None;
    }

    pub fn complete(&mut self, now: &str) {
        Status::Completed.as_str().clone_into(&mut self.status);
        self.completed_at = Some(now.to_owned());
    }

    /// As it was before it began.
    pub fn clear(&mut self) {
        Status::Pending.as_str().clone_into(&mut self.status);
        self.started_at = None;
        self.completed_at = None;
    }
}

/// A step of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRow {
    pub id: i64,
    pub name: String,
    pub status: String,
    pub output: Option<String>,
    pub completed_at: Option<String>,
    pub ordering: i64,
}

impl StepRow {
    pub fn is(&self, status: Status) -> bool {
        self.status == status.as_str()
    }

    /// Nothing is left to do in it.
    pub fn is_finished(&self) -> bool {
        self.is(Status::Completed) || self.is(Status::Skipped)
    }

    /// As it was before it was done.
    pub fn clear(&mut self) {
        Status::Pending.as_str().clone_into(&mut self.status);
        self.output = None;
        self.completed_at = None;
    }
}

/// The counts of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Batch {
    pub total: i64,
    pub completed: i64,
    pub failed: i64,
    pub skipped: i64,
}
