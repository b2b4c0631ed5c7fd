//! The task list of a change (silly.md 10, "Tasks").

use std::sync::LazyLock;

use regex::Regex;

use super::plan::split_file;
use crate::markdown::{Document, Mask};
use crate::text::{js, trim, without_mark};

/// One task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    pub number: u64,
    pub name: String,
    pub done: bool,
    /// Which model is to do it; any text.
    pub model: Option<String>,
    pub depends_on: Vec<String>,
    pub file: Option<String>,
    /// From 0.
    pub line: usize,
}

static TASK: LazyLock<Regex> =
    LazyLock::new(|| js(r"^[-*]\s+\[([ xX])\]\s+task-(\d+)(?:\s*[:：]|\s|$)\s*(.*)$"));
static MODEL: LazyLock<Regex> = LazyLock::new(|| js(r"\s*\[model\s*[:：]([^\]]*)\]"));
static DEPENDS: LazyLock<Regex> = LazyLock::new(|| js(r"\s*\(depends_on\s*[:：]([^)]*)\)"));

impl Task {
    /// `task-` and at least two digits.
    pub fn id(&self) -> String {
        id(self.number)
    }
}

/// The id of a task.
pub fn id(number: u64) -> String {
    format!("task-{number:02}")
}

/// The tasks of a list, in file order; a repeated id is there twice.
pub fn parse(bytes: &[u8]) -> Vec<Task> {
    let document = Document::scan(without_mark(bytes));
    let lines = document
        .all_lines()
        .filter(|line| document.mask(*line) != Mask::Fence);
    lines
        .filter_map(|line| task_of(&document.raw(line), line))
        .collect()
}

fn task_of(line: &str, at: usize) -> Option<Task> {
    let found = TASK.captures(line)?;
    let text = &found[3];
    let model = MODEL.captures(text).map(|model| trim(&model[1]).to_owned());
    let depends_on = DEPENDS
        .captures(text)
        .map(|list| dependencies(&list[1]))
        .unwrap_or_default();
    let text = MODEL.replace(text, "");
    let text = DEPENDS.replace(&text, "");
    let (name, file) = split_file(trim(&text));
    Some(Task {
        number: found[2].parse().ok()?,
        name,
        done: &found[1] != " ",
        model: model.filter(|model| !model.is_empty()),
        depends_on,
        file,
        line: at,
    })
}

/// The ids of a list as people write it: `task-01,02`, with full-width commas too; a dash or nothing is none.
pub fn dependencies(text: &str) -> Vec<String> {
    let items = text.split([',', '，', '、']).map(trim);
    items
        .filter(|item| !item.is_empty() && !item.chars().all(|c| matches!(c, '-' | '–' | '—')))
        .map(|item| {
            let digits = item.strip_prefix("task-").unwrap_or(item);
            digits.parse().map_or_else(|_| item.to_owned(), id)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_dependencies_may_drop_the_prefix() {
        assert_eq!(
            dependencies("task-01,02，task-3"),
            ["task-01", "task-02", "task-03"]
        );
        assert!(dependencies(" — ").is_empty());
        assert!(dependencies("").is_empty());
        assert_eq!(dependencies("other"), ["other"]);
    }

    #[test]
    fn an_indented_box_is_no_task() {
        assert!(parse(b"  - [ ] task-01: a\n- [ ] other\n- [ ] task-01x\n").is_empty());
    }
}
