//! What `doctor` asks of the database (silly.md 12).

use super::database::{Result1, Rows};

/// The columns that hold times, by table, with what names a row.
const TIMES: [(&str, &str, &[&str]); 5] = [
    ("project", "name", &["created_at", "updated_at"]),
    ("changes", "name", &["created_at", "last_active"]),
    ("stages", "stage", &["started_at", "completed_at"]),
    ("steps", "name", &["completed_at"]),
    ("approvals", "change_id", &["requested_at", "approved_at"]),
];

impl Rows<'_> {
    /// What `SQLite` finds wrong with the file; empty if it is sound.
    pub fn faults(&self) -> Result1<Vec<String>> {
        let told = self.all("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))?;
        Ok(told.into_iter().filter(|line| line != "ok").collect())
    }

    /// The times that are stored, each with the place where.
    pub fn times(&self) -> Result1<Vec<(String, String)>> {
        let mut out = Vec::new();
        for (table, name, columns) in TIMES {
            for column in columns {
                let sql = format!(
                    "SELECT CAST({name} AS TEXT), CAST({column} AS TEXT) FROM {table} WHERE {column} IS NOT NULL ORDER BY rowid"
                );
                let found = self.all(&sql, [], |row| {
                    Ok((row.get::<_, Option<String>>(0)?.unwrap_or_default(), row.get(1)?))
                })?;
                out.extend(
                    found
                        .into_iter()
                        .map(|(name, time): (String, String)| (format!("{table}.{column} ({name})"), time)),
                );
            }
        }
        Ok(out)
    }
}
