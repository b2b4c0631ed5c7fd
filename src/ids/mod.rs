//! What counts as an id, and where it stands: structured test ids, heading numbers, decisions, scenario rows (change.md
//! L3 and L8). Reads parsed documents only.

mod defined;
mod test_id;

pub use defined::{Defined, Definition, Shelf, defined, defined_below};
pub use test_id::{is_test_id, mentioned_cases, mentions_test_id, whole_mentions};

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::markdown::{Document, SectionAnchor, Table};
use crate::text::{is_space, js, trim};

static ID_COLUMN: LazyLock<Regex> = LazyLock::new(|| js(r"^(?:用例\s*)?(?i-u:id)$"));
static DECISION_COLUMN: LazyLock<Regex> = LazyLock::new(|| js(r"^(?:决策\s*)?编号$"));
static SCENARIO_COLUMN: LazyLock<Regex> = LazyLock::new(|| js(r"^(?:场景\s*)?编号$"));
static LETTERED: LazyLock<Regex> = LazyLock::new(|| js(r"^([SD]\d+)(?:$|[\s:：])"));
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| js(r"^\d+(?:\.\d+)*(?:[A-Za-z]|\.[A-Za-z])?$"));
static DECISION: LazyLock<Regex> = LazyLock::new(|| js(r"^D\d+$"));
static SCENARIO: LazyLock<Regex> = LazyLock::new(|| js(r"^S\d+$"));

const SCENARIO_NAME: &str = "场景名称";
const SCENARIO_MAPS: [&str; 2] = ["场景总览", "场景地图"];

/// An id and the line it stands on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id {
    pub id: String,
    pub line: usize,
}

/// Which of a section's scenario tables a row belongs to: the titles above it below the section's own heading, and its
/// number among the scenario tables under them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TableIdentity {
    pub chain: String,
    pub number: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScenarioRow {
    pub id: String,
    pub table: TableIdentity,
    pub line: usize,
}

/// The ids of a piece of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ids {
    /// Test ids, heading numbers, decisions and scenario headings: one flat set.
    pub flat: Vec<Id>,
    /// Scenario rows, each bound to its table.
    pub rows: Vec<ScenarioRow>,
}

impl Ids {
    pub fn has(&self, id: &str) -> bool {
        self.flat.iter().any(|i| i.id == id) || self.rows.iter().any(|r| r.id == id)
    }

    /// Every id once.
    pub fn set(&self) -> BTreeSet<String> {
        self.flat
            .iter()
            .map(|i| i.id.clone())
            .chain(self.rows.iter().map(|r| r.id.clone()))
            .collect()
    }
}

/// Whether a section is of a scenario map: its anchor says so, or a heading above it. (Its own heading is looked at with
/// its lines.)
pub fn is_of_map(doc: &Document, heading: usize, anchor: &SectionAnchor) -> bool {
    let mut above = doc.ancestors(heading);
    anchor.parts().last().is_some_and(|last| is_scenario_map(last))
        || above.any(|h| is_scenario_map(&doc.headings()[h].title))
}

/// The ids of lines of a document. `own` is the heading of the section that they are, of which identities leave the
/// title out; `of_map` says that they are of a scenario map whatever their own headings say.
pub fn of_lines(doc: &Document, lines: Range<usize>, own: Option<usize>, of_map: bool) -> Ids {
    let mut ids = Ids::default();
    for h in doc.headings_in(&lines) {
        let heading = &doc.headings()[h];
        ids.flat.extend(heading_ids(&heading.title).map(|id| Id {
            id,
            line: heading.line,
        }));
    }
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for table in doc.tables(lines.clone()) {
        ids.flat.extend(table_ids(&table));
        let above = headings_above(doc, table.lines.start, &lines);
        let governed = of_map || above.iter().any(|&h| is_scenario_map(&doc.headings()[h].title));
        if !governed || !is_scenario_table(&table) {
            continue;
        }
        let chain: Vec<&str> = above
            .iter()
            .rev()
            .filter(|&&h| Some(h) != own)
            .map(|&h| doc.headings()[h].title.as_str())
            .collect();
        let chain = chain.join(" > ");
        let number = numbers.entry(chain.clone()).or_default();
        let identity = TableIdentity {
            chain,
            number: *number,
        };
        *number += 1;
        for row in &table.rows {
            if let Some(id) = row.cells.first().filter(|c| SCENARIO.is_match(c)) {
                ids.rows.push(ScenarioRow {
                    id: id.clone(),
                    table: identity.clone(),
                    line: row.line,
                });
            }
        }
    }
    ids.flat.sort_by_key(|i| i.line);
    ids
}

/// As [`of_lines`], every scenario table counted, whatever governs it: for the account of a document as a whole.
pub fn with_all_rows(doc: &Document, lines: Range<usize>) -> Ids {
    of_lines(doc, lines, None, true)
}

/// The structured test ids of lines of a document (change.md L3).
pub fn test_ids(doc: &Document, lines: Range<usize>) -> Vec<Id> {
    doc.tables(lines).iter().flat_map(test_ids_of).collect()
}

fn is_scenario_map(title: &str) -> bool {
    SCENARIO_MAPS.iter().any(|map| title.contains(map))
}

fn is_scenario_table(table: &Table) -> bool {
    table.fits
        && table.header.first().is_some_and(|c| SCENARIO_COLUMN.is_match(c))
        && table.header.get(1).is_some_and(|c| c == SCENARIO_NAME)
}

/// The headings above a line within a range, the nearest first.
fn headings_above(doc: &Document, line: usize, lines: &Range<usize>) -> Vec<usize> {
    let Some(nearest) = doc
        .heading_before(line)
        .filter(|&h| doc.headings()[h].line >= lines.start)
    else {
        return Vec::new();
    };
    let within = doc
        .ancestors(nearest)
        .filter(|&h| doc.headings()[h].line >= lines.start);
    std::iter::once(nearest).chain(within).collect()
}

/// The ids that a heading's title carries.
fn heading_ids(title: &str) -> impl Iterator<Item = String> {
    let lettered = LETTERED.captures(title).map(|c| c[1].to_owned());
    let first = title.split(is_space).find(|token| !token.is_empty());
    let numbered = first.filter(|token| NUMBERED.is_match(token)).map(str::to_owned);
    lettered.into_iter().chain(numbered)
}

fn test_ids_of(table: &Table) -> impl Iterator<Item = Id> {
    let counts = table.fits && table.header.first().is_some_and(|c| ID_COLUMN.is_match(c));
    table.rows.iter().filter(move |_| counts).filter_map(|row| {
        let id = without_manual(row.cells.first()?);
        is_test_id(&id).then_some(Id { id, line: row.line })
    })
}

fn table_ids(table: &Table) -> Vec<Id> {
    let decisions = table.fits && table.header.first().is_some_and(|c| DECISION_COLUMN.is_match(c));
    let decided = table.rows.iter().filter(|_| decisions).filter_map(|row| {
        let id = row.cells.first().filter(|c| DECISION.is_match(c))?;
        Some(Id {
            id: id.clone(),
            line: row.line,
        })
    });
    test_ids_of(table).chain(decided).collect()
}

/// The cell without its first `[manual]`, in any case.
fn without_manual(cell: &str) -> String {
    const MARK: &str = "[manual]";
    let begins = |at: &usize| {
        let word = cell.as_bytes().get(*at..at + MARK.len());
        word.is_some_and(|word| word.eq_ignore_ascii_case(MARK.as_bytes()))
    };
    let found = cell.match_indices('[').map(|(at, _)| at).find(begins);
    let cell = found.map_or_else(
        || cell.to_owned(),
        |at| format!("{}{}", &cell[..at], &cell[at + MARK.len()..]),
    );
    trim(&cell).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(text: &str) -> Vec<String> {
        let doc = Document::scan(text);
        of_lines(&doc, doc.all_lines(), None, false)
            .flat
            .into_iter()
            .map(|i| i.id)
            .collect()
    }

    #[test]
    fn heading_numbers_are_whole_tokens() {
        let text = "## 2.1 a\n## 2.1b x\n## 2.1.A\n## 2. no\n## 2.1: no\n## 2.1ab no\n## S01: s\n## D2\n## S3x\n## S4： y\n";
        assert_eq!(flat(text), ["2.1", "2.1b", "2.1.A", "S01", "D2", "S4"]);
    }

    #[test]
    fn test_ids_stand_in_the_first_cell_of_an_id_table() {
        let text =
            "| 用例 ID | x |\n|---|---|\n| UT-S01-01 [Manual] | a |\n| ST-x-nn | b |\n| a | UT-S01-02 |\n";
        assert_eq!(flat(text), ["UT-S01-01"]);
    }

    #[test]
    fn a_scenario_row_belongs_to_its_table() {
        let doc = Document::scan(
            "## 场景地图\n| 编号 | 场景名称 |\n|---|---|\n| S04 | a |\n### Old\n| 编号 | 场景名称 |\n|---|---|\n| S04 | b |\n",
        );
        let rows = of_lines(&doc, doc.all_lines(), Some(0), false).rows;
        let chains: Vec<_> = rows
            .iter()
            .map(|r| (r.id.as_str(), r.table.chain.as_str(), r.table.number))
            .collect();
        assert_eq!(chains, [("S04", "", 0), ("S04", "Old", 0)]);
    }
}
