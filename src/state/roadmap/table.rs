//! Tables of a roadmap whose rows are phases: a listing, and the progress table (state.md 5.5, 7 completePhase).

use super::milestone::names_another_version;
use super::{Roadmap, Window};
use crate::markdown::{Document, Row, Table};
use crate::state::phase_id::PhaseId;
use crate::text::trim;

/// What the progress table says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgressRows {
    /// Rows with Status `Complete`.
    pub complete: u64,
    pub total: u64,
}

/// A table with a phase in the first cell of its rows.
#[derive(Clone, Debug)]
pub(super) struct PhaseTable {
    table: Table,
    /// It tells of all milestones how far their phases are.
    pub is_progress: bool,
}

/// A row of such a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PhaseRow {
    /// The number of its line in the roadmap.
    pub line: usize,
    pub id: PhaseId,
}

/// Finds the tables of phases.
pub(super) fn phase_tables(text: &str) -> Vec<PhaseTable> {
    if !text.contains('|') {
        return Vec::new();
    }
    let document = Document::scan(text.as_bytes());
    let tables = document.tables(document.all_lines());
    let phases = tables.into_iter().filter(|table| {
        let first = table.header.first().map(|cell| plain(cell).to_lowercase());
        first.is_some_and(|cell| cell == "#" || cell == "phase" || cell.starts_with("phase "))
    });
    let in_progress_section = |table: &Table| {
        let heading = document.heading_before(table.lines.start);
        heading.is_some_and(|at| document.headings()[at].plain.eq_ignore_ascii_case("progress"))
    };
    phases
        .map(|table| PhaseTable {
            is_progress: column(&table, |name| name == "status").is_some()
                && (column(&table, |name| name.starts_with("plans")).is_some()
                    || in_progress_section(&table)),
            table,
        })
        .collect()
}

impl PhaseTable {
    /// The rows that name a phase, but those that say they belong to another milestone.
    pub(super) fn rows(&self, version: Option<&str>) -> Vec<PhaseRow> {
        let milestone = column(&self.table, |name| name == "milestone");
        let is_foreign = |row: &Row| {
            let cell = milestone.and_then(|at| row.cells.get(at));
            matches!((cell, version), (Some(cell), Some(version)) if names_another_version(cell, version))
        };
        let rows = self.table.rows.iter().filter(|row| !is_foreign(row));
        rows.filter_map(|row| {
            Some(PhaseRow {
                line: row.line,
                id: phase_of(row.cells.first()?)?,
            })
        })
        .collect()
    }
}

/// The phase of a cell: `2`, `2. Mast`, `Phase 2`, `02-mast`; a range of phases is none.
fn phase_of(cell: &str) -> Option<PhaseId> {
    let cell = plain(cell).trim_start_matches('[');
    let found = PhaseId::after_phase(cell).or_else(|| PhaseId::leading(cell))?;
    let after = found.rest.trim_start_matches([' ', '-', '–', '—']);
    let is_range = after.len() < found.rest.len()
        && found.rest.contains(['-', '–', '—'])
        && after.starts_with(|c: char| c.is_ascii_digit());
    (!is_range).then_some(found.id)
}

/// A cell without emphasis and struck-out marks.
fn plain(cell: &str) -> &str {
    trim(cell.trim_matches(|c| matches!(c, '*' | '~' | '_' | '`') || crate::text::is_space(c)))
}

fn column(table: &Table, is: impl Fn(&str) -> bool) -> Option<usize> {
    table
        .header
        .iter()
        .position(|cell| is(&plain(cell).to_lowercase()))
}

fn is_complete(cell: &str) -> bool {
    let word = plain(cell)
        .trim_matches(|c| matches!(c, '✓' | '✔' | '✅' | '☑' | '\u{fe0f}') || crate::text::is_space(c));
    word.eq_ignore_ascii_case("complete")
}

impl Roadmap {
    /// Counts the rows of the first progress table; none if there is no such table.
    pub fn progress_rows(&self) -> Option<ProgressRows> {
        let tables = phase_tables(&self.text);
        let table = &tables.iter().find(|table| table.is_progress)?.table;
        let status = column(table, |name| name == "status")?;
        let rows = || table.rows.iter();
        let complete = rows().filter(|row| row.cells.get(status).is_some_and(|cell| is_complete(cell)));
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        Some(ProgressRows {
            complete: count(complete.count()),
            total: count(rows().count()),
        })
    }

    /// The phases in the tables of the lines of a window. A progress table tells of all milestones: its rows say what
    /// belongs to this one only where `nothing_else` does.
    pub(super) fn listed_in_tables(&self, window: &Window, nothing_else: bool) -> Vec<PhaseId> {
        let is_inside = |row: &PhaseRow| {
            let index = self.lines.binary_search_by_key(&row.line, |line| line.number);
            index.is_ok_and(|index| window.has_line(index))
        };
        let tables = phase_tables(&self.text);
        let rows = |is_progress: bool| -> Vec<PhaseId> {
            let tables = tables.iter().filter(|table| table.is_progress == is_progress);
            let rows = tables.flat_map(|table| table.rows(window.version()));
            rows.filter(is_inside).map(|row| row.id).collect()
        };
        let listed = rows(false);
        if listed.is_empty() && nothing_else {
            rows(true)
        } else {
            listed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_names_its_phase() {
        let id = |cell: &str| phase_of(cell).map(|id| id.to_string());
        for (cell, phase) in [
            ("2", "2"),
            ("02. Mast", "2"),
            ("**Phase 2**", "2"),
            ("[Phase 2: Mast](x)", "2"),
            ("2.1-mast", "2.1"),
            ("PROJ-02", "2"),
            ("2 - Mast", "2"),
            ("~~2a~~", "2a"),
        ] {
            assert_eq!(id(cell).as_deref(), Some(phase), "{cell}");
        }
        for cell in ["1-4", "1 – 4", "Mast", "-", "v1.2", ""] {
            assert_eq!(id(cell), None, "{cell}");
        }
    }

    #[test]
    fn the_progress_table_is_counted() {
        let text = "| Phase | Goal |\n|---|---|\n| 1 | a |\n\n\
                    | Phase | Plans Complete | Status | Completed |\n|---|---|---|---|\n\
                    | 1. Keel | 2/2 | Complete | - |\n| 2. Mast | 1/2 | In progress | - |\n| 3 | 1/1 | ✅ complete | - |\n\
                    | 4 | 1/1 | Completed | - |\n";
        let rows = ProgressRows {
            complete: 2,
            total: 4,
        };
        assert_eq!(Roadmap::read(text).progress_rows(), Some(rows));
        let bare = "## Progress\n\n| Phase | Status |\n|---|---|\n| 1 | Complete |\n";
        let rows = ProgressRows {
            complete: 1,
            total: 1,
        };
        assert_eq!(Roadmap::read(bare).progress_rows(), Some(rows));
        assert_eq!(
            Roadmap::read(bare.replace("Progress", "Phases")).progress_rows(),
            None
        );
    }
}
