//! tasks.md: its tagged sections and their items (change.md 1.6). Fences are not looked at, as in every tool of the format.

use std::sync::LazyLock;

use regex::Regex;

use crate::text::{Bytes, Span, decode, is_space, js, line_end, lines};

static SECTION: LazyLock<Regex> = LazyLock::new(|| js(r"^## \[((?i-u:[a-z][a-z0-9-]*))\]"));
static ITEM: LazyLock<Regex> = LazyLock::new(|| js(r"^- \[((?i-u:[ x]))\] (.+)$"));

/// One box of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub checked: bool,
    pub text: String,
    /// Index of its line.
    pub line: usize,
}

/// The section of a tag; a tag given twice adds up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSection {
    /// In lower case.
    pub tag: String,
    pub items: Vec<Item>,
}

/// The task list of a change.
#[derive(Clone, Debug)]
pub struct Tasks {
    bytes: Bytes,
    sections: Vec<TaskSection>,
}

/// Items of `[code]` that stand for a list still to be written (change.md 6.3).
const PLACEHOLDERS: [&str; 3] = ["[切片清单占位]", "实现代码变更", "Implement code changes"];

impl Tasks {
    pub fn read(bytes: Bytes) -> Self {
        let mut sections: Vec<TaskSection> = Vec::new();
        let mut open: Option<usize> = None;
        for (index, line) in lines(&bytes).iter().enumerate() {
            let text = decode(line.span.of(&bytes));
            if let Some(found) = SECTION.captures(&text) {
                let tag = found[1].to_ascii_lowercase();
                let known = sections.iter().position(|s| s.tag == tag);
                open = Some(known.unwrap_or_else(|| {
                    sections.push(TaskSection {
                        tag,
                        items: Vec::new(),
                    });
                    sections.len() - 1
                }));
            } else if let (Some(section), Some(found)) = (open, ITEM.captures(&text)) {
                let checked = !found[1].starts_with(' ');
                sections[section].items.push(Item {
                    checked,
                    text: found[2].to_owned(),
                    line: index,
                });
            }
        }
        Self { bytes, sections }
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
        self.sections.iter().find(|s| s.tag == tag)
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
