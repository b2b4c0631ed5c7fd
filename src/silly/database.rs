//! The database of a project (silly.md 3): the only place that knows `SQLite`. Every change is one real transaction, so that
//! concurrent writers lose nothing; the file is left in the form that programs read who take it as a whole.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};

use super::rows::{Batch, Change, Project, StageRow, StepRow};
use super::stage::{Stage, Status};
use crate::fault;
use crate::say;
use crate::voice::{Say, Voice};

/// Whatever the column says, this is what is written.
pub const SCHEMA_VERSION: i64 = 3;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS project (id INTEGER PRIMARY KEY DEFAULT 1, name TEXT NOT NULL, schema_version INTEGER DEFAULT 4,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS changes (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE NOT NULL,
  current_stage TEXT DEFAULT 'scan', status TEXT DEFAULT 'active', no_worktree INTEGER DEFAULT 0, created_at TEXT NOT NULL,
  last_active TEXT NOT NULL, platform_change_id INTEGER, platform_workspace_id INTEGER, platform_last_sync TEXT,
  platform_sync_enabled INTEGER DEFAULT 0);
CREATE TABLE IF NOT EXISTS stages (id INTEGER PRIMARY KEY AUTOINCREMENT,
  change_id INTEGER NOT NULL REFERENCES changes(id) ON DELETE CASCADE, stage TEXT NOT NULL, status TEXT DEFAULT 'pending',
  started_at TEXT, completed_at TEXT, UNIQUE(change_id, stage));
CREATE TABLE IF NOT EXISTS steps (id INTEGER PRIMARY KEY AUTOINCREMENT,
  stage_id INTEGER NOT NULL REFERENCES stages(id) ON DELETE CASCADE, name TEXT NOT NULL, status TEXT DEFAULT 'pending',
  output TEXT, completed_at TEXT, ordering INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS batch_progress (id INTEGER PRIMARY KEY AUTOINCREMENT,
  change_id INTEGER NOT NULL REFERENCES changes(id) ON DELETE CASCADE, total INTEGER DEFAULT 0, completed INTEGER DEFAULT 0,
  failed INTEGER DEFAULT 0, skipped INTEGER DEFAULT 0, UNIQUE(change_id));
CREATE TABLE IF NOT EXISTS approvals (id INTEGER PRIMARY KEY AUTOINCREMENT,
  change_id INTEGER NOT NULL REFERENCES changes(id) ON DELETE CASCADE, status TEXT DEFAULT 'not_required', requested_at TEXT,
  approved_by TEXT, approved_at TEXT, rejection_reason TEXT, UNIQUE(change_id));
CREATE INDEX IF NOT EXISTS idx_changes_current_stage ON changes(current_stage);
CREATE INDEX IF NOT EXISTS idx_changes_status ON changes(status);
CREATE INDEX IF NOT EXISTS idx_stages_change ON stages(change_id);
CREATE INDEX IF NOT EXISTS idx_steps_stage ON steps(stage_id);
";

/// How long another writer is waited for.
const WAIT: Duration = Duration::from_secs(5);

/// The database was not read or written.
#[derive(Debug, thiserror::Error)]
#[error("the database `{}`: {source}", path.display())]
pub struct DatabaseError {
    path: PathBuf,
    source: Cause,
}

#[derive(Debug, thiserror::Error)]
enum Cause {
    #[error(transparent)]
    Sqlite(rusqlite::Error),
    #[error(transparent)]
    Io(std::io::Error),
}

impl Say for DatabaseError {
    fn say(&self, voice: &Voice) -> String {
        let (path, source) = (self.path.display(), &self.source);
        say!(
            voice,
            "the database `{path}`: {source}",
            "数据库 `{path}`：{source}"
        )
    }
}

/// The rows, within one transaction.
pub struct Rows<'c> {
    connection: &'c Connection,
    path: &'c Path,
}

/// Changes the database in one transaction; it is made if it is missing. An error takes everything back.
pub fn change<T, E: From<DatabaseError>>(
    path: &Path,
    work: impl FnOnce(&Rows<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    point(path)?;
    let connection = open(path, flags)?;
    let rows = Rows {
        connection: &connection,
        path,
    };
    // Another connection may hold the file: then its mode stays, in which a transaction is as safe.
    let _mode = connection.pragma_update(None, "journal_mode", "WAL");
    let changed = rows
        .run("BEGIN IMMEDIATE")
        .and_then(|()| rows.run(TABLES))
        .map_err(E::from)
        .and_then(|()| work(&rows))
        .and_then(|done| {
            point(path)?;
            rows.run("COMMIT")?;
            Ok(done)
        });
    if changed.is_err() && !connection.is_autocommit() {
        // The first error is the one to tell; without a rollback closing does the same.
        let _undone = connection.execute_batch("ROLLBACK");
    }
    settle(&connection, path);
    changed
}

/// Reads the database; none if there is none. Nothing is written.
pub fn read<T, E: From<DatabaseError>>(
    path: &Path,
    work: impl FnOnce(&Rows<'_>) -> Result<T, E>,
) -> Result<Option<T>, E> {
    // A file without a byte is a database in which nothing was ever written.
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_file() && meta.len() == 0 => return Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        // What else is wrong with it is told when it is opened.
        Ok(_) | Err(_) => {}
    }
    // What a killed writer has left can only be undone by one who may write.
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let rows = Rows {
        connection: &connection,
        path,
    };
    rows.run("PRAGMA query_only = ON; BEGIN")?;
    work(&rows).map(Some)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, DatabaseError> {
    let fail = |source| failed(path, source);
    let connection =
        Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(fail)?;
    connection.busy_timeout(WAIT).map_err(fail)?;
    connection
        .execute_batch("PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL")
        .map_err(fail)?;
    Ok(connection)
}

/// Brings everything into the one file that others read as a whole. Where somebody else has it open, the last to leave
/// does it.
fn settle(connection: &Connection, path: &Path) {
    if point(path).is_err() {
        return;
    }
    let quick = connection.busy_timeout(Duration::ZERO);
    let _busy = quick.and_then(|()| {
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
    });
}

fn point(path: &Path) -> Result<(), DatabaseError> {
    fault::point().map_err(|source| DatabaseError {
        path: path.to_owned(),
        source: Cause::Io(source),
    })
}

fn failed(path: &Path, source: rusqlite::Error) -> DatabaseError {
    DatabaseError {
        path: path.to_owned(),
        source: Cause::Sqlite(source),
    }
}

pub(super) type Result1<T> = Result<T, DatabaseError>;

impl Rows<'_> {
    fn fail(&self) -> impl Fn(rusqlite::Error) -> DatabaseError + '_ {
        |source| failed(self.path, source)
    }

    fn run(&self, batch: &str) -> Result1<()> {
        self.connection.execute_batch(batch).map_err(self.fail())
    }

    fn execute(&self, sql: &str, values: impl rusqlite::Params) -> Result1<()> {
        self.connection
            .execute(sql, values)
            .map(drop)
            .map_err(self.fail())
    }

    pub(super) fn all<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        of: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result1<Vec<T>> {
        let mut found = self.connection.prepare(sql).map_err(self.fail())?;
        let rows = found.query_map(values, of).map_err(self.fail())?;
        rows.collect::<rusqlite::Result<_>>().map_err(self.fail())
    }

    fn one<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        of: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result1<Option<T>> {
        self.connection
            .query_row(sql, values, of)
            .optional()
            .map_err(self.fail())
    }

    pub fn project(&self) -> Result1<Option<Project>> {
        self.one(
            "SELECT name, schema_version FROM project WHERE id = 1",
            [],
            |row| {
                Ok(Project {
                    name: row.get(0)?,
                    // No version is none that is known.
                    schema_version: row.get::<_, Option<i64>>(1)?.unwrap_or(0),
                })
            },
        )
    }

    /// Makes the row of the project unless it is there.
    pub fn ensure_project(&self, name: &str, now: &str) -> Result1<()> {
        self.execute(
            "INSERT OR IGNORE INTO project (id, name, schema_version, created_at, updated_at) VALUES (1, ?, ?, ?, ?)",
            params![name, SCHEMA_VERSION, now, now],
        )
    }

    /// All changes by name.
    pub fn changes(&self) -> Result1<Vec<Change>> {
        self.all(
            "SELECT id, name, current_stage, status, no_worktree, last_active FROM changes ORDER BY name",
            [],
            |row| {
                Ok(Change {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    current_stage: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
                    status: row.get::<_, Option<String>>(3)?.unwrap_or_default(),
                    no_worktree: row.get::<_, Option<i64>>(4)? == Some(1),
                    last_active: row.get(5)?,
                })
            },
        )
    }

    pub fn change(&self, name: &str) -> Result1<Option<Change>> {
        Ok(self.changes()?.into_iter().find(|change| change.name == name))
    }

    /// A new change with its nine stages.
    pub fn add_change(&self, name: &str, now: &str) -> Result1<()> {
        self.execute(
            "INSERT INTO changes (name, current_stage, status, created_at, last_active) VALUES (?, 'scan', 'active', ?, ?)",
            params![name, now, now],
        )?;
        self.add_stages(self.connection.last_insert_rowid())
    }

    /// The stages that a change has to have, as far as they are missing.
    pub fn add_stages(&self, change: i64) -> Result1<()> {
        for stage in Stage::RECORDED {
            self.execute(
                "INSERT OR IGNORE INTO stages (change_id, stage, status) VALUES (?, ?, 'pending')",
                params![change, stage.as_str()],
            )?;
        }
        Ok(())
    }

    pub fn set_change_status(&self, change: i64, status: &str) -> Result1<()> {
        self.execute(
            "UPDATE changes SET status = ? WHERE id = ?",
            params![status, change],
        )
    }

    pub fn set_current_stage(&self, change: i64, stage: Stage) -> Result1<()> {
        self.execute(
            "UPDATE changes SET current_stage = ? WHERE id = ?",
            params![stage.as_str(), change],
        )
    }

    /// Notes that a change was worked on.
    pub fn touch(&self, change: i64, now: &str) -> Result1<()> {
        self.execute(
            "UPDATE changes SET last_active = ? WHERE id = ?",
            params![now, change],
        )
    }

    pub fn stages(&self, change: i64) -> Result1<Vec<StageRow>> {
        self.all(
            "SELECT id, stage, status, started_at, completed_at FROM stages WHERE change_id = ? ORDER BY id",
            [change],
            |row| {
                Ok(StageRow {
                    id: row.get(0)?,
                    stage: row.get(1)?,
                    status: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
                    started_at: row.get(3)?,
                    completed_at: row.get(4)?,
                })
            },
        )
    }

    pub fn stage(&self, change: i64, stage: Stage) -> Result1<Option<StageRow>> {
        let all = self.stages(change)?;
        Ok(all.into_iter().find(|row| row.stage == stage.as_str()))
    }

    /// The row of a stage, made as pending if it is missing.
    pub fn ensure_stage(&self, change: i64, stage: Stage) -> Result1<StageRow> {
        self.execute(
            "INSERT OR IGNORE INTO stages (change_id, stage, status) VALUES (?, ?, 'pending')",
            params![change, stage.as_str()],
        )?;
        let row = self.stage(change, stage)?;
        row.ok_or_else(|| failed(self.path, rusqlite::Error::QueryReturnedNoRows))
    }

    pub fn set_stage(&self, stage: &StageRow) -> Result1<()> {
        self.execute(
            "UPDATE stages SET status = ?, started_at = ?, completed_at = ? WHERE id = ?",
            params![stage.status, stage.started_at, stage.completed_at, stage.id],
        )
    }

    /// Removes all stages of a change, with their steps.
    pub fn remove_stages(&self, change: i64) -> Result1<()> {
        self.execute("DELETE FROM stages WHERE change_id = ?", [change])
    }

    pub fn steps(&self, stage: i64) -> Result1<Vec<StepRow>> {
        self.all(
            "SELECT id, name, status, output, completed_at, ordering FROM steps WHERE stage_id = ? ORDER BY ordering, id",
            [stage],
            |row| {
                Ok(StepRow {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    status: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
                    output: row.get(3)?,
                    completed_at: row.get(4)?,
                    ordering: row.get(5)?,
                })
            },
        )
    }

    pub fn add_step(&self, stage: i64, name: &str, ordering: i64) -> Result1<()> {
        self.execute(
            "INSERT INTO steps (stage_id, name, status, ordering) VALUES (?, ?, ?, ?)",
            params![stage, name, Status::Pending.as_str(), ordering],
        )
    }

    pub fn set_step(&self, step: &StepRow) -> Result1<()> {
        self.execute(
            "UPDATE steps SET status = ?, output = ?, completed_at = ?, ordering = ? WHERE id = ?",
            params![
                step.status,
                step.output,
                step.completed_at,
                step.ordering,
                step.id
            ],
        )
    }

    pub fn remove_step(&self, step: i64) -> Result1<()> {
        self.execute("DELETE FROM steps WHERE id = ?", [step])
    }

    pub fn remove_steps(&self, stage: i64) -> Result1<()> {
        self.execute("DELETE FROM steps WHERE stage_id = ?", [stage])
    }

    pub fn batch(&self, change: i64) -> Result1<Option<Batch>> {
        self.one(
            "SELECT total, completed, failed, skipped FROM batch_progress WHERE change_id = ?",
            [change],
            |row| {
                Ok(Batch {
                    total: row.get(0)?,
                    completed: row.get(1)?,
                    failed: row.get(2)?,
                    skipped: row.get(3)?,
                })
            },
        )
    }

    pub fn set_batch(&self, change: i64, batch: Batch) -> Result1<()> {
        self.execute(
            "INSERT OR REPLACE INTO batch_progress (change_id, total, completed, failed, skipped) VALUES (?, ?, ?, ?, ?)",
            params![change, batch.total, batch.completed, batch.failed, batch.skipped],
        )
    }

    /// The state of a change's approval and the reason of a rejection; none if nobody asked.
    pub fn approval(&self, change: i64) -> Result1<Option<(String, Option<String>)>> {
        self.one(
            "SELECT status, rejection_reason FROM approvals WHERE change_id = ?",
            [change],
            |row| Ok((row.get::<_, Option<String>>(0)?.unwrap_or_default(), row.get(1)?)),
        )
    }
}
