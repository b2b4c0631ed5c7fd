//! What the case specifications say: cases, checklist, acceptance criteria (verify.md 3).

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use regex::Regex;

use super::import::KnownCases;

use crate::files::{Kind, ReadError, RepoPath, Resolved, Tree};
use crate::ids;
use crate::markdown::{Document, Mask};
use crate::project::layout;
use crate::text::{js, trim};

/// What the name of a specification ends with.
const ENDING: &[u8] = b"-test-cases.md";
const MANUAL: &str = "[manual]";
/// The headings of the two sections that are read, in either language. The first may go on, and stands wherever it
/// occurs first (verify.md 3.4).
static CHECKLIST: LazyLock<Regex> =
    LazyLock::new(|| js(r"## 三、覆盖度校验|^## (?:3[.、)]?\s+)?Coverage Validation\b"));
static CRITERIA: LazyLock<Regex> =
    LazyLock::new(|| js(r"^## (?:四、验收条件追溯|(?:4[.、)]?\s+)?Acceptance Criteria Traceability)$"));
static CASE: LazyLock<Regex> = LazyLock::new(|| {
    js(r"^((?:[Uu]|[Ss])[Tt]-[A-Za-z0-9]+(?:-[A-Za-z0-9.]+)*)\s*(?:\[[Mm][Aa][Nn][Uu][Aa][Ll]\])?$")
});
static ITEM: LazyLock<Regex> = LazyLock::new(|| js(r"^- \[([ x])\] (.*\S.*)$"));
static CRITERION: LazyLock<Regex> = LazyLock::new(|| js(r"^S\d{2}-AC-\d{2,3}$"));

/// All case specifications of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cases {
    /// Ids of automated cases.
    pub defined: BTreeSet<String>,
    /// Ids that are manual anywhere.
    pub manual: BTreeSet<String>,
    pub checklist: Vec<CheckItem>,
    pub criteria: Vec<Criterion>,
}

/// An item of a checklist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckItem {
    pub text: String,
    pub checked: bool,
    /// Below `logos/resources/test/`.
    pub file: String,
}

/// An acceptance criterion and the cases that it is traced to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Criterion {
    pub id: String,
    pub description: String,
    /// Their ids.
    pub linked: Vec<String>,
}

impl From<&Cases> for KnownCases {
    fn from(cases: &Cases) -> Self {
        Self {
            defined: cases.defined.clone(),
            manual: cases.manual.clone(),
        }
    }
}

impl Cases {
    pub fn read(tree: &dyn Tree) -> Result<Self, ReadError> {
        let mut cases = Self::default();
        let root = RepoPath::of(layout::TESTS);
        for path in files(tree, &root)? {
            let Some(bytes) = tree.read(&path)? else { continue };
            let file = path.strip_prefix(&root).unwrap_or_else(|| path.clone());
            cases.add(&Document::scan(bytes), &file.text());
        }
        let Self { defined, manual, .. } = &mut cases;
        defined.retain(|id| !manual.contains(id));
        Ok(cases)
    }

    fn add(&mut self, document: &Document, file: &str) {
        let lines = counted_lines(document);
        for line in &lines {
            if let Some((id, is_manual)) = case(line) {
                if is_manual {
                    self.manual.insert(id);
                } else {
                    self.defined.insert(id);
                }
            }
        }
        for line in section(&lines, &CHECKLIST) {
            if let Some(item) = ITEM.captures(line) {
                self.checklist.push(CheckItem {
                    text: trim(&item[2]).to_owned(),
                    checked: &item[1] == "x",
                    file: file.to_owned(),
                });
            }
        }
        self.criteria
            .extend(section(&lines, &CRITERIA).filter_map(Criterion::of));
    }
}

impl Criterion {
    fn of(line: &str) -> Option<Self> {
        let mut cells = line.strip_prefix('|')?.split('|');
        let id = trim(cells.next()?);
        let description = trim(cells.next()?);
        let linked = cells.next()?;
        // The third cell has an end.
        cells.next()?;
        if !CRITERION.is_match(id) {
            return None;
        }
        Some(Self {
            id: id.to_owned(),
            description: description.to_owned(),
            linked: linked.split([',', '，']).flat_map(ids::mentioned_cases).collect(),
        })
    }
}

/// The lines that count, without the carriage return at their end: examples in fences and comments do not.
pub(super) fn counted_lines(document: &Document) -> Vec<String> {
    let counted = document
        .all_lines()
        .filter(|line| matches!(document.mask(*line), Mask::None | Mask::Code));
    counted
        .map(|line| {
            let raw = document.raw(line);
            raw.strip_suffix('\r').unwrap_or(&raw).to_owned()
        })
        .collect()
}

/// The case of a table row, and whether it is manual.
fn case(line: &str) -> Option<(String, bool)> {
    let row = trim(line);
    if !row.starts_with('|') {
        return None;
    }
    let cell = trim(row.split('|').nth(1)?);
    let id = CASE.captures(cell)?[1].to_owned();
    let is_manual = row
        .as_bytes()
        .windows(MANUAL.len())
        .any(|word| word.eq_ignore_ascii_case(MANUAL.as_bytes()));
    Some((id, is_manual))
}

/// The lines of the first section whose heading fits, up to the next heading of its level.
fn section<'l>(lines: &'l [String], heading: &Regex) -> impl Iterator<Item = &'l str> {
    let mut lines = lines.iter().map(String::as_str);
    let begins = lines.by_ref().any(|line| heading.is_match(line));
    lines.take_while(move |line| begins && !line.starts_with("## "))
}

/// The specifications below a folder: those of each level before those below it, in byte order. A real folder is looked
/// into once, whatever links lead to it.
fn files(tree: &dyn Tree, root: &RepoPath) -> Result<Vec<RepoPath>, ReadError> {
    let mut out = Vec::new();
    let mut level = vec![root.clone()];
    let mut seen: HashSet<RepoPath> = HashSet::new();
    while !level.is_empty() {
        let mut below = Vec::new();
        for dir in level {
            match tree.resolve(&dir)? {
                Resolved::Inside {
                    path,
                    kind: Kind::Dir,
                } if seen.insert(path.clone()) => {
                    for (name, entry) in tree.list(&path)? {
                        let path = dir.join(&name);
                        let kind = if entry.kind == Kind::Link {
                            match tree.resolve(&path)? {
                                Resolved::Inside { kind, .. } | Resolved::Outside { kind } => kind,
                                Resolved::Dangling => continue,
                            }
                        } else {
                            entry.kind
                        };
                        match kind {
                            Kind::File if name.ends_with(ENDING) => out.push(path),
                            Kind::Dir => below.push(path),
                            Kind::File | Kind::Link | Kind::Submodule | Kind::Special => {}
                        }
                    }
                }
                Resolved::Inside { .. } | Resolved::Outside { .. } | Resolved::Dangling => {}
            }
        }
        level = below;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    fn read(files: &[(&str, &str)]) -> Cases {
        let tree = MemoryTree::new(
            files
                .iter()
                .map(|(path, text)| (format!("{}/{path}", layout::TESTS), *text)),
        );
        Cases::read(&tree).expect("memory can be read")
    }

    #[test]
    fn the_whole_second_part_of_a_row_is_an_id() {
        let text = "  | UT-S01-01 | x\n|UT-Pick|\n| ut-a-1 |\n| ST-S01-02a |\n| UT-A-1.2b |\n| x | UT-S01-09 |\n| `UT-S01-08` |\n| UT-1 UT-2 |\n| UT_1 |\n- UT-S01-07\n```\n| UT-S01-06 |\n```\n<!--\n| UT-S01-05 |\n-->\n";
        let cases = read(&[("a-test-cases.md", text), ("a.md", "| UT-S01-04 |")]);
        let ids: Vec<&str> = cases.defined.iter().map(String::as_str).collect();
        assert_eq!(ids, ["ST-S01-02a", "UT-A-1.2b", "UT-Pick", "UT-S01-01", "ut-a-1"]);
    }

    #[test]
    fn manual_anywhere_is_manual_everywhere() {
        let cases = read(&[
            (
                "-test-cases.md",
                "| UT-1[Manual] |\n| UT-2 | by hand [MANUAL] |\n| UT-3 | (manual) |\n",
            ),
            ("z/-test-cases.md", "| UT-1 |\n"),
        ]);
        assert_eq!(cases.defined, BTreeSet::from(["UT-3".to_owned()]));
        assert_eq!(
            cases.manual,
            BTreeSet::from(["UT-1".to_owned(), "UT-2".to_owned()])
        );
    }

    #[test]
    fn the_checklist_begins_where_its_heading_first_occurs() {
        for text in [
            "### 三、覆盖度校验\n- [ ] a\n",
            "\u{feff}## 三、覆盖度校验\n- [ ] a\n## x\n- [ ] b\n",
            "see ## 三、覆盖度校验\n- [ ] a\n## 三、覆盖度校验\n- [ ] b\n",
        ] {
            let found = read(&[("-test-cases.md", text)]).checklist;
            let texts: Vec<&str> = found.iter().map(|item| item.text.as_str()).collect();
            assert_eq!(texts, ["a"], "{text}");
        }
    }

    #[test]
    fn checklist_and_criteria_are_read_under_their_headings() {
        for (checklist, criteria) in [
            ("## 三、覆盖度校验（必做）", "## 四、验收条件追溯"),
            (
                "## 3. Coverage Validation",
                "## 4. Acceptance Criteria Traceability",
            ),
            ("## Coverage Validation", "## Acceptance Criteria Traceability"),
        ] {
            let text = format!(
                "- [x] not here\n{checklist}\r\n- [ ] one \n### deeper\n- [x] two\n- [X] no\n  - [x] no\n## Next\n- [x] no\n{checklist}\n- [x] no\n{criteria}\r\n| S01-AC-01 | a | UT-1, x，`ST-2` [manual] | more |\n| S01-AC-02 | b |\n| S1-AC-01 | c | UT-1 |\n"
            );
            let cases = read(&[("sub/a-test-cases.md", &text)]);
            let items: Vec<_> = cases
                .checklist
                .iter()
                .map(|i| (i.text.as_str(), i.checked, i.file.as_str()))
                .collect();
            assert_eq!(
                items,
                [
                    ("one", false, "sub/a-test-cases.md"),
                    ("two", true, "sub/a-test-cases.md")
                ]
            );
            assert_eq!(
                cases.criteria,
                [Criterion {
                    id: "S01-AC-01".to_owned(),
                    description: "a".to_owned(),
                    linked: vec!["UT-1".to_owned(), "ST-2".to_owned()],
                }]
            );
        }
    }
}
