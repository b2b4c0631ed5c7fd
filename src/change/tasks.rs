//! tasks.md: its tagged sections and their items (change.md 1.6). Fences are not looked at, as in every tool of the format.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use bstr::ByteSlice;
use regex::Regex;

use super::template;
use crate::ids;
use crate::text::{Bytes, Span, decode, each_line, is_blank, is_space, js, line_end, lines, trim};

static SECTION: LazyLock<Regex> = LazyLock::new(|| js(r"^## \[((?i-u:[a-z][a-z0-9-]*))\]"));
static ITEM: LazyLock<Regex> = LazyLock::new(|| js(r"^- \[((?i-u:[ x]))\] (.+)$"));

static SLICE: LazyLock<Regex> = LazyLock::new(|| js(r"^(\s*)- \[((?i-u:[ x]))\]\s+(.+)$"));

/// One box of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub checked: bool,
    pub text: String,
    /// Index of its line.
    pub line: usize,
}

/// How many boxes there are, and how many are ticked. A box counts with and without text (flow.md 7.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub checked: usize,
    pub total: usize,
}

impl Count {
    fn add(&mut self, checked: bool) {
        self.total += 1;
        self.checked += usize::from(checked);
    }

    /// Whether there are boxes and all are ticked.
    pub const fn is_done(self) -> bool {
        self.total > 0 && self.checked == self.total
    }
}

/// The section of a tag; a tag given twice adds up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSection {
    pub items: Vec<Item>,
    pub count: Count,
}

/// The task list of a change.
#[derive(Clone, Debug)]
pub struct Tasks {
    bytes: Bytes,
    sections: Vec<TaskSection>,
    /// Where the section of a tag is; tags are in lower case.
    by_tag: HashMap<String, usize>,
    count: Count,
    slices: OnceLock<Vec<Slice>>,
}

/// Items of `[code]` that stand for a list still to be written (change.md 6.3).
const PLACEHOLDERS: [&str; 3] = ["[切片清单占位]", "实现代码变更", "Implement code changes"];

impl Tasks {
    pub fn read(bytes: Bytes) -> Self {
        let mut sections: Vec<TaskSection> = Vec::new();
        let mut by_tag: HashMap<String, usize> = HashMap::new();
        let mut open: Option<usize> = None;
        let mut count = Count::default();
        for (index, line) in each_line(&bytes).enumerate() {
            let raw = line.span.of(&bytes);
            if let Some(tag) = section_tag(raw) {
                let at = *by_tag.entry(tag).or_insert_with(|| {
                    sections.push(TaskSection {
                        items: Vec::new(),
                        count: Count::default(),
                    });
                    sections.len() - 1
                });
                open = Some(at);
                continue;
            }
            let Some(checked) = task(raw) else {
                continue;
            };
            count.add(checked);
            let Some(section) = open else {
                continue;
            };
            sections[section].count.add(checked);
            if let Some(found) = ITEM.captures(&decode(raw)) {
                let checked = !found[1].starts_with(' ');
                sections[section].items.push(Item {
                    checked,
                    text: found[2].to_owned(),
                    line: index,
                });
            }
        }
        for section in &mut sections {
            section.items.shrink_to_fit();
        }
        Self {
            bytes,
            sections,
            by_tag,
            count,
            slices: OnceLock::new(),
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The file as text.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        decode(&self.bytes)
    }

    /// Whether the file has no tagged section at all: its sections are null.
    pub fn is_null(&self) -> bool {
        self.sections.is_empty()
    }

    pub fn section(&self, tag: &str) -> Option<&TaskSection> {
        self.by_tag.get(tag).map(|at| &self.sections[*at])
    }

    /// All boxes of the file, whatever section they stand in.
    pub const fn count(&self) -> Count {
        self.count
    }

    /// Whether the task list is no longer the template's (flow.md 7.3).
    pub fn is_filled(&self) -> bool {
        let text = self.text();
        let of_template = |line: &str| template::TASKS.iter().any(|task| task.is(trim(line)));
        !is_blank(&text) && !text.lines().any(of_template)
    }

    /// Whether `[code]` holds a task that is more than a place holder, ticked or not (flow.md 7.4).
    pub fn is_code_planned(&self) -> bool {
        self.section("code").is_some_and(|code| {
            code.items
                .iter()
                .any(|item| !PLACEHOLDERS.contains(&trim(&item.text)))
        })
    }

    /// The slices of `[code]` (flow.md 10.6). The template's place holders count.
    pub fn slices(&self) -> &[Slice] {
        self.slices.get_or_init(|| self.read_slices())
    }

    fn read_slices(&self) -> Vec<Slice> {
        let mut slices: Vec<Slice> = Vec::new();
        let (mut in_code, mut begun) = (false, false);
        for (index, line) in each_line(&self.bytes).enumerate() {
            let raw = line.span.of(&self.bytes);
            if let Some(tag) = section_tag(raw) {
                (in_code, begun) = (tag == "code", false);
                continue;
            }
            // A cheap look before the pattern.
            if !in_code || !raw.contains_str("- [") {
                continue;
            }
            let text = decode(raw);
            let Some(found) = SLICE.captures(&text) else {
                continue;
            };
            let item = Item {
                checked: !found[2].starts_with(' '),
                text: trim(&found[3]).to_owned(),
                line: index,
            };
            if found[1].is_empty() {
                begun = true;
                slices.push(Slice {
                    item,
                    children: Vec::new(),
                });
            } else if let Some(slice) = slices.last_mut().filter(|_| begun) {
                slice.children.push(item);
            }
        }
        slices
    }

    /// What merge makes of a `[code]` section that holds more than placeholders: the new file, and the old lines for the
    /// record (change.md 6.3). None if there is nothing to put back.
    pub fn reset_code(&self, placeholder: &str) -> Option<CodeReset> {
        let section = self.section("code")?;
        if section
            .items
            .iter()
            .all(|i| PLACEHOLDERS.contains(&i.text.as_str()))
        {
            return None;
        }
        let all = lines(&self.bytes);
        let text = |i: usize| decode(all[i].span.of(&self.bytes));
        let start = (0..all.len()).find(|&i| {
            SECTION
                .captures(&text(i))
                .is_some_and(|c| c[1].eq_ignore_ascii_case("code"))
        })?;
        let end = (start + 1..all.len())
            .find(|&i| text(i).starts_with("## "))
            .unwrap_or(all.len());
        let old_lines: Vec<_> = (start..end).map(text).collect();
        let old_code = old_lines.join("\n").trim_end_matches(is_space).to_owned();
        let eol = line_end(&self.bytes);
        let mut new = all[start].span.of(&self.bytes).to_vec();
        for _ in 0..2 {
            new.extend_from_slice(eol);
        }
        new.extend_from_slice(b"- [ ] ");
        new.extend_from_slice(placeholder.as_bytes());
        if end < all.len() {
            for _ in 0..2 {
                new.extend_from_slice(eol);
            }
        }
        let to = all.get(end).map_or(self.bytes.len(), |l| l.span.start);
        let span = Span::new(all[start].span.start, to);
        Some(CodeReset {
            tasks: crate::text::splice(&self.bytes, &[(span, new)]),
            old_code,
        })
    }

    /// The cases that the first slice which is not done is to make pass; else all that the list mentions (verify.md 9).
    pub fn required_cases(&self) -> Vec<String> {
        let current = self.slices().iter().find(|slice| !slice.is_done());
        let ids = current.map(|slice| {
            let items = std::iter::once(&slice.item).chain(&slice.children);
            let texts: Vec<&str> = items.map(|item| item.text.as_str()).collect();
            ids::mentioned_cases(&texts.join("\n"))
        });
        match ids {
            Some(ids) if !ids.is_empty() => ids,
            _ => ids::mentioned_cases(&self.text()),
        }
    }

    /// The list with all boxes of a section ticked; nested ones are none.
    pub fn ticked(&self, tag: &str) -> Bytes {
        let mut within = false;
        let mut edits = Vec::new();
        for line in lines(&self.bytes) {
            let text = line.span.of(&self.bytes);
            if let Some(found) = section_tag(text) {
                within = found == tag;
            } else if within && task(text).is_some() {
                let start = line.span.start;
                edits.push((Span::new(start, start + 5), b"- [x]".to_vec()));
            }
        }
        crate::text::splice(&self.bytes, &edits)
    }
}

/// The tag of a line that begins a section, in lower case.
fn section_tag(line: &[u8]) -> Option<String> {
    if !line.starts_with(b"## [") {
        return None;
    }
    SECTION
        .captures(&decode(line))
        .map(|found| found[1].to_ascii_lowercase())
}

/// Whether a line is a box, and then whether it is ticked.
fn task(line: &[u8]) -> Option<bool> {
    match line.get(..5)? {
        b"- [x]" | b"- [X]" => Some(true),
        b"- [ ]" => Some(false),
        _ => None,
    }
}

/// A slice of the code to be written, and the boxes indented below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Texts are trimmed.
    pub item: Item,
    pub children: Vec<Item>,
}

impl Slice {
    /// Done when it and all its children are ticked.
    pub fn is_done(&self) -> bool {
        self.item.checked && self.children.iter().all(|child| child.checked)
    }
}

/// A `[code]` section put back to its placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeReset {
    pub tasks: Bytes,
    /// The old lines from the heading on, joined by LF, without blanks at the end.
    pub old_code: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voice::Language;

    #[test]
    fn only_a_tagged_heading_ends_a_section_and_nested_boxes_are_no_items() {
        let tasks = Tasks::read(
            b"## [Delta] x\n- [x] a\n  - [ ] nested\n## Plain\n- [X] b\n## [code]\n## [delta]\n- [ ] c\n"
                .to_vec(),
        );
        let delta = tasks.section("delta").expect("there");
        let items: Vec<_> = delta.items.iter().map(|i| (i.checked, i.text.as_str())).collect();
        assert_eq!(items, [(true, "a"), (true, "b"), (false, "c")]);
        assert!(tasks.section("code").is_some_and(|s| s.items.is_empty()));
    }

    #[test]
    fn boxes_count_with_and_without_text_and_outside_sections() {
        let tasks =
            Tasks::read(b"- [x]\n## [delta]\n- [X]y\n- [ ] a\n  - [ ] b\n* [ ] c\n- [-] d\n".to_vec());
        assert_eq!(tasks.count(), Count { checked: 2, total: 3 });
        let delta = tasks.section("delta").expect("there");
        assert_eq!(delta.count, Count { checked: 1, total: 2 });
        assert_eq!(delta.items.len(), 1);
    }

    #[test]
    fn slices_are_boxes_at_the_margin_and_children_stand_below_them() {
        let text = "## [code]\n  - [ ] orphan\n- [x] one\n  - [x] a\n\t- [ ]  b \n- [ ]\n- [x] two\n## [deploy]\n- [ ] no\n## [code]\n - [ ] orphan\n- [ ] 实现代码变更\n";
        let tasks = Tasks::read(text.as_bytes().to_vec());
        let slices = tasks.slices();
        let shown: Vec<_> = slices
            .iter()
            .map(|s| (s.item.text.as_str(), s.children.len(), s.is_done()))
            .collect();
        assert_eq!(
            shown,
            [("one", 2, false), ("two", 0, true), ("实现代码变更", 0, false)]
        );
    }

    #[test]
    fn a_template_line_that_was_left_means_not_filled() {
        for language in [Language::English, Language::Chinese] {
            let text = template::tasks(language);
            let filled = |text: &str| Tasks::read(text.as_bytes().to_vec()).is_filled();
            assert!(!filled(&text));
            assert!(
                filled(&text.replace("- [ ]", "- [x]")),
                "a ticked line is no template line"
            );
        }
        assert!(!Tasks::read(b" \n".to_vec()).is_filled());
    }

    #[test]
    fn a_place_holder_is_no_plan() {
        let planned =
            |item: &str| Tasks::read(format!("## [code]\n- [x] {item}\n").into_bytes()).is_code_planned();
        assert!(!planned("实现代码变更 ") && !planned("[切片清单占位]") && planned("slice"));
    }

    #[test]
    fn a_reset_keeps_line_ends_and_what_follows() {
        let tasks = Tasks::read(b"## [code] C\r\n- [ ] real\r\n\r\n## [deploy]\r\n".to_vec());
        let reset = tasks
            .reset_code("Implement code changes")
            .expect("something to reset");
        assert_eq!(
            reset.tasks,
            b"## [code] C\r\n\r\n- [ ] Implement code changes\r\n\r\n## [deploy]\r\n"
        );
        assert_eq!(reset.old_code, "## [code] C\n- [ ] real");
        assert_eq!(Tasks::read(reset.tasks).reset_code("x"), None);
    }
}
