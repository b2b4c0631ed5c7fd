//! The answer of `blame` (git.md 8).

use std::io;

use serde::Serialize;

use super::{Answer, Screen, Style};
use crate::files::ObjectId;
use crate::history::{self, Unit};
use crate::text::escape;
use crate::voice::Voice;

/// The pieces of a document.
pub struct Blame {
    pub rev: ObjectId,
    pub blame: history::Blame,
}

#[derive(Serialize)]
pub struct Data {
    schema_version: &'static str,
    document: String,
    rev: String,
    units: Vec<UnitData>,
}

#[derive(Serialize)]
struct UnitData {
    kind: &'static str,
    commit: Option<String>,
    change: Option<String>,
    date: Option<String>,
    ids: Vec<String>,
    first_line: usize,
    last_line: usize,
}

impl UnitData {
    fn of(unit: &Unit) -> Self {
        Self {
            kind: unit.kind.as_str(),
            commit: unit.commit.map(|id| id.to_string()),
            change: unit.change.clone(),
            date: unit.date.map(crate::clock::Timestamp::rfc3339),
            ids: unit.ids.clone(),
            first_line: unit.lines.start + 1,
            last_line: unit.lines.end,
        }
    }
}

impl Answer for Blame {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        Data {
            schema_version: "git-spec-blame.v1",
            document: self.blame.document.text().into_owned(),
            rev: self.rev.to_string(),
            units: self.blame.units.iter().map(UnitData::of).collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let units = &self.blame.units;
        let change = |unit: &Unit| {
            unit.change
                .as_deref()
                .map_or_else(|| "-".to_owned(), |c| escape(c).into_owned())
        };
        let width = units.iter().map(|unit| change(unit).chars().count()).max();
        let digits = units.last().map_or(1, |unit| unit.lines.end.to_string().len());
        for unit in units {
            // What lies behind the end of a shallow clone is marked as git marks it.
            let commit = unit
                .commit
                .map_or_else(|| format!("{:<12}", "^"), |id| id.short());
            let commit = screen.paint(Style::Warn, &commit);
            let date = unit.date.map_or_else(|| " ".repeat(10), |date| date.date(0));
            let (first, text) = (unit.lines.start + 1, escape(&unit.text));
            let (change, width) = (change(unit), width.unwrap_or(1));
            screen.line(&format!(
                "{commit}  {date}  {change:<width$}  {first:>digits$}) {text}"
            ))?;
        }
        Ok(())
    }
}
