//! Where ids are defined, as against mentioned (git.md 2.5): rows of test tables, rows of scenario tables, else headings of
//! requirements, titles of decisions.

use std::sync::LazyLock;

use regex::Regex;

use super::{Id, SCENARIO, TableIdentity, heading_ids, is_scenario_map, of_lines, test_ids};
use crate::markdown::{Document, SectionAnchor};
use crate::text::js;

static DECISION_TITLE: LazyLock<Regex> = LazyLock::new(|| js(r"^(D\d+)(?:$|[\s:：])"));

/// What kind of definitions a document holds, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shelf {
    Tests,
    Requirements,
    Decisions,
    Other,
}

/// By what an id is defined.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Definition {
    Test,
    /// A row of a scenario table.
    Row(TableIdentity),
    /// A heading of the requirements, with its level: counts where no row does.
    Heading(usize),
    Decision,
}

/// An id where it is defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defined {
    pub id: Id,
    pub by: Definition,
}

/// The ids that a document defines, in the order of its lines.
pub fn defined(doc: &Document, shelf: Shelf) -> Vec<Defined> {
    defined_below(doc, shelf, None)
}

/// As [`defined`], of what is to stand below the section of an anchor: a scenario map's, as far as the anchor says so.
pub fn defined_below(doc: &Document, shelf: Shelf, anchor: Option<&SectionAnchor>) -> Vec<Defined> {
    let of_map = anchor.is_some_and(|anchor| anchor.parts().iter().any(|part| is_scenario_map(part)));
    let all = doc.all_lines();
    let mut out: Vec<Defined> = match shelf {
        Shelf::Tests => {
            let test = |id| Defined {
                id,
                by: Definition::Test,
            };
            test_ids(doc, all.clone()).into_iter().map(test).collect()
        }
        Shelf::Decisions => {
            let titled = doc.headings().iter().filter(|heading| heading.level == 1);
            let decision = titled.filter_map(|heading| {
                let id = DECISION_TITLE.captures(&heading.title)?[1].to_owned();
                let line = heading.line;
                Some(Defined {
                    id: Id { id, line },
                    by: Definition::Decision,
                })
            });
            decision.collect()
        }
        Shelf::Requirements => {
            let scenarios = doc.headings().iter().flat_map(|heading| {
                let ids = heading_ids(&heading.title).filter(|id| SCENARIO.is_match(id));
                ids.map(|id| Defined {
                    id: Id {
                        id,
                        line: heading.line,
                    },
                    by: Definition::Heading(heading.level),
                })
            });
            scenarios.collect()
        }
        Shelf::Other => Vec::new(),
    };
    out.extend(
        of_lines(doc, all, None, of_map)
            .rows
            .into_iter()
            .map(|row| Defined {
                id: Id {
                    id: row.id,
                    line: row.line,
                },
                by: Definition::Row(row.table),
            }),
    );
    out.sort_by(|a, b| (a.id.line, &a.id.id).cmp(&(b.id.line, &b.id.id)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str, shelf: Shelf) -> Vec<(String, usize)> {
        let found = defined(&Document::scan(text.as_bytes()), shelf);
        found.into_iter().map(|d| (d.id.id, d.id.line)).collect()
    }

    #[test]
    fn what_a_document_defines_depends_on_where_it_stands() {
        let text = "# D03: why\n\n## S01: pay\n\n### 1.2 x\n\n| ID | what |\n|---|---|\n| UT-S01-01 | a |\n| S02 | b |\n";
        let own = |id: &str, line| vec![(id.to_owned(), line)];
        assert_eq!(ids(text, Shelf::Tests), own("UT-S01-01", 8));
        assert_eq!(ids(text, Shelf::Requirements), own("S01", 2));
        assert_eq!(ids(text, Shelf::Decisions), own("D03", 0));
        assert_eq!(ids(text, Shelf::Other), []);
    }

    #[test]
    fn rows_of_scenario_tables_define_wherever_they_stand() {
        let table = "| 编号 | 场景名称 |\n|---|---|\n| S01 | a |\n";
        let text = format!("# x\n\n## 场景总览\n\n{table}\n## other\n\n{table}");
        assert_eq!(ids(&text, Shelf::Other), [("S01".to_owned(), 6)]);
    }
}
