//! The waves of a plan (silly.md 10, "Plan").

use std::sync::LazyLock;

use regex::Regex;

use crate::markdown::{Document, Mask};
use crate::text::{js, trim, without_mark};

/// A task of a wave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTask {
    /// Tasks without one do not count for completion.
    pub number: Option<u64>,
    pub name: String,
    pub file: Option<String>,
    pub done: bool,
    /// From 0.
    pub line: usize,
}

/// The tasks that may be done at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// The number of its heading.
    pub index: u64,
    pub tasks: Vec<PlannedTask>,
}

static WAVE: LazyLock<Regex> = LazyLock::new(|| js(r"^#+\s+wave\s+(\d+)"));
static HEADING: LazyLock<Regex> = LazyLock::new(|| js(r"^#+\s"));
static TASK: LazyLock<Regex> = LazyLock::new(|| js(r"^[-*]\s+\[([ xX])\]\s+(.+)$"));
static NUMBER: LazyLock<Regex> = LazyLock::new(|| js(r"\btask-(\d+)"));
static FILE: LazyLock<Regex> = LazyLock::new(|| js(r"^(.*?)\s*\(([^()]+)\)$"));
static FILE_LINE: LazyLock<Regex> = LazyLock::new(|| js(r"^\s+[-*]\s+修改\s*[:：]\s*(.+)$"));

/// The waves of a plan with their tasks, in file order.
pub fn parse(bytes: &[u8]) -> Vec<Wave> {
    let document = Document::scan(without_mark(bytes));
    let mut waves: Vec<Wave> = Vec::new();
    let mut in_wave = false;
    for at in document.all_lines() {
        if document.mask(at) == Mask::Fence {
            continue;
        }
        let line = document.raw(at);
        if let Some(index) = WAVE
            .captures(&line.to_lowercase())
            .and_then(|found| found[1].parse().ok())
        {
            in_wave = true;
            waves.push(Wave {
                index,
                tasks: Vec::new(),
            });
        } else if HEADING.is_match(&line) {
            in_wave = false;
        } else if let Some(wave) = waves.last_mut().filter(|_| in_wave) {
            if let Some(task) = task_of(&line, at) {
                wave.tasks.push(task);
            } else if let (Some(found), Some(task)) = (FILE_LINE.captures(&line), wave.tasks.last_mut()) {
                task.file = Some(trim(&found[1].replace('`', "")).to_owned());
            }
        }
    }
    waves
}

fn task_of(line: &str, at: usize) -> Option<PlannedTask> {
    let found = TASK.captures(line)?;
    let text = trim(&found[2]);
    let number = NUMBER.captures(text).and_then(|number| number[1].parse().ok());
    let (name, file) = split_file(text);
    Some(PlannedTask {
        number,
        name,
        file,
        done: &found[1] != " ",
        line: at,
    })
}

/// A text without the file in brackets at its end.
pub(super) fn split_file(text: &str) -> (String, Option<String>) {
    match FILE.captures(text) {
        Some(found) => (found[1].to_owned(), Some(trim(&found[2]).to_owned())),
        None => (text.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_below_a_task_names_its_file() {
        let waves = parse(b"## Wave 1\n- [ ] task-01: a (x.rs)\n  - \xe4\xbf\xae\xe6\x94\xb9: `src/y.rs`\n");
        assert_eq!(waves[0].tasks[0].file.as_deref(), Some("src/y.rs"));
        assert_eq!(waves[0].tasks[0].name, "task-01: a");
    }

    #[test]
    fn fenced_lines_neither_begin_nor_end_a_wave() {
        let waves = parse(b"## Wave 1\n```\n# x\n- [ ] task-09: no\n```\n- [ ] task-01: a\n");
        let names: Vec<&str> = waves[0].tasks.iter().map(|task| task.name.as_str()).collect();
        assert_eq!(names, ["task-01: a"]);
    }
}
