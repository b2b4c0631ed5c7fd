//! The list of changed files in a design (silly.md 10, "Change list").

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::markdown::{Document, Mask, cells};
use crate::text::{js, trim, without_mark};

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Add,
    Modify,
    Delete,
    Rename,
}

impl Operation {
    /// The word that is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Add => "新增",
            Self::Modify => "修改",
            Self::Delete => "删除",
            Self::Rename => "重命名",
        }
    }
}

/// One file of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    pub path: String,
    pub operation: Option<Operation>,
    /// Done in passing.
    pub incidental: bool,
}

static SECTION: LazyLock<Regex> = LazyLock::new(|| {
    js(r"^#{2,3}\s+(?:\d+[.)]\s*)?(?:文件变更清单|变更文件清单|文件清单|file changes|files to change)")
});
static SEPARATOR: LazyLock<Regex> = LazyLock::new(|| js(r"^[-:|\s]+$"));
static ITEM: LazyLock<Regex> = LazyLock::new(|| js(r"^\s*[-*]\s+(.+)$"));
static REMARK: LazyLock<Regex> = LazyLock::new(|| js(r"\s*(?:\([^()]*\)|（[^（）]*）)\s*$"));
static WORD: LazyLock<Regex> = LazyLock::new(|| js(r"^[A-Za-z0-9_@-]+$"));

const PATH_COLUMNS: [&str; 9] = [
    "文件路径",
    "文件名",
    "文件",
    "路径",
    "filepath",
    "filename",
    "file",
    "path",
    "file path",
];
const OPERATION_COLUMNS: [&str; 9] = [
    "操作",
    "类型",
    "变更类型",
    "改动类型",
    "变更",
    "operation",
    "type",
    "action",
    "op",
];
const OPERATIONS: [(Operation, &[&str]); 4] = [
    (
        Operation::Add,
        &["新增", "新建", "创建", "添加", "add", "new", "create"],
    ),
    (
        Operation::Modify,
        &[
            "修改", "更新", "调整", "改动", "变更", "重写", "modify", "update", "change",
        ],
    ),
    (
        Operation::Delete,
        &["删除", "移除", "去掉", "remove", "delete", "drop"],
    ),
    (Operation::Rename, &["重命名", "改名", "rename", "move"]),
];
/// A heading with one of these lists what stays as it is.
const EXCLUDING: [&str; 14] = [
    "不修改",
    "不变",
    "保留",
    "无变更",
    "未变更",
    "不改动",
    "暂不",
    "暂缓",
    "暂定",
    "待定",
    "后续",
    "未改",
    "无需",
    "不涉及",
];
const INCIDENTAL: [&str; 5] = ["顺带修复", "附带修复", "顺带", "drive-by", "incidental"];
const NOTHING: [&str; 4] = ["n/a", "na", "无", "none"];
/// What ends the path of a list item.
const AFTER_PATH: [&str; 5] = [" — ", " – ", " - ", "：", ": "];

/// What the section is called by most.
pub const TITLE: &str = "文件变更清单";

/// The columns of the table.
#[derive(Clone, Copy)]
struct Columns {
    path: usize,
    operation: Option<usize>,
}

impl Columns {
    fn of(header: &[String]) -> Self {
        let find = |names: &[&str]| {
            header
                .iter()
                .position(|cell| names.contains(&cell.to_lowercase().as_str()))
        };
        Self {
            path: find(&PATH_COLUMNS).unwrap_or(1),
            operation: find(&OPERATION_COLUMNS),
        }
    }
}

/// Whether a design has the section.
pub fn has_section(bytes: &[u8]) -> bool {
    let document = Document::scan(without_mark(bytes));
    unfenced(&document).any(|line| is_section(&line))
}

fn is_section(line: &str) -> bool {
    SECTION.is_match(&line.to_lowercase())
}

fn unfenced(document: &Document) -> impl Iterator<Item = Cow<'_, str>> {
    document
        .all_lines()
        .filter(|line| document.mask(*line) != Mask::Fence)
        .map(|line| document.raw(line))
}

/// The files that a design lists, each once, in the order of their first mention.
pub fn parse(bytes: &[u8]) -> Vec<ListedFile> {
    let document = Document::scan(without_mark(bytes));
    let mut lines = unfenced(&document).skip_while(|line| !is_section(line));
    if lines.next().is_none() {
        return Vec::new();
    }
    let mut columns = None;
    let mut of_heading = None;
    let mut excludes = false;
    let mut files: Vec<ListedFile> = Vec::new();
    let mut excluded = BTreeSet::new();
    for line in lines.take_while(|line| !line.starts_with("## ")) {
        let found = if let Some(heading) = line.strip_prefix("### ") {
            excludes = EXCLUDING.iter().any(|word| heading.contains(word));
            of_heading = of_heading_words(heading);
            None
        } else if line.starts_with('|') {
            of_row(&line, &mut columns, of_heading)
        } else {
            of_item(&line, of_heading)
        };
        let Some(file) = found else { continue };
        if excludes {
            excluded.insert(file.path);
        } else if let Some(known) = files.iter_mut().find(|known| known.path == file.path) {
            *known = file;
        } else {
            files.push(file);
        }
    }
    files.retain(|file| !excluded.contains(&file.path));
    files
}

fn of_row(line: &str, columns: &mut Option<Columns>, of_heading: Option<Operation>) -> Option<ListedFile> {
    let cells = cells(line);
    if SEPARATOR.is_match(line) || cells.len() < 2 {
        return None;
    }
    let Some(Columns { path: at, operation }) = *columns else {
        *columns = Some(Columns::of(&cells));
        return None;
    };
    let path = clean_path(cells.get(at)?)?;
    let operation = match operation {
        Some(column) => cells.get(column).and_then(|cell| of_words(cell)),
        None => of_heading,
    };
    Some(ListedFile {
        path,
        operation,
        incidental: cells.iter().any(|cell| is_incidental(cell)),
    })
}

fn of_item(line: &str, operation: Option<Operation>) -> Option<ListedFile> {
    let text = ITEM.captures(line)?.get(1)?.as_str();
    let quoted = text.strip_prefix('`').and_then(|rest| rest.split_once('`'));
    let path = if let Some((path, _)) = quoted {
        path
    } else {
        let end = AFTER_PATH.iter().filter_map(|mark| text.find(mark)).min();
        &text[..end.unwrap_or(text.len())]
    };
    Some(ListedFile {
        path: clean_path(path)?,
        operation,
        incidental: is_incidental(text),
    })
}

/// A path without what people write around it; none if it is no path of a changed file.
pub(super) fn clean_path(raw: &str) -> Option<String> {
    let bare = raw.replace('`', "");
    let path = REMARK.replace(trim(&bare), "").replace('\\', "/");
    let path = trim(trim(&path).trim_end_matches('/'));
    let is_dashes = path
        .chars()
        .all(|c| matches!(c, '-' | '–' | '—' | '―' | '－' | ' '));
    let is_nothing = NOTHING.contains(&path.to_lowercase().as_str());
    let is_spec = path == crate::worktree::SILLY || path.starts_with(".sillyspec/");
    let is_prose = !path.contains(['/', '.']) && !WORD.is_match(path);
    let left_out = is_dashes || is_nothing || is_spec || is_prose || is_operation_word(path);
    (!left_out).then(|| path.to_owned())
}

fn is_operation_word(text: &str) -> bool {
    let text = text.to_lowercase();
    OPERATIONS.iter().any(|(_, words)| words.contains(&text.as_str()))
}

/// The operation that a cell names: an English word as a word, a Chinese one anywhere.
fn of_words(cell: &str) -> Option<Operation> {
    let cell = cell.to_lowercase();
    let has_word = |word: &str| {
        if word.is_ascii() {
            cell.split(|c: char| !c.is_ascii_alphanumeric())
                .any(|part| part == word)
        } else {
            cell.contains(word)
        }
    };
    let found = OPERATIONS
        .iter()
        .find(|(_, words)| words.iter().any(|word| has_word(word)));
    found.map(|(operation, _)| *operation)
}

fn of_heading_words(heading: &str) -> Option<Operation> {
    let mut all = OPERATIONS.iter().map(|(operation, _)| *operation);
    all.find(|operation| heading.contains(operation.as_str()))
}

fn is_incidental(text: &str) -> bool {
    let text = text.to_lowercase();
    INCIDENTAL.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        parse(text.as_bytes()).into_iter().map(|file| file.path).collect()
    }

    #[test]
    fn a_fenced_example_is_no_list() {
        let text = "## 文件变更清单\n\n```\n| 新增 | src/x.rs |\n```\n| 操作 | 文件 |\n|---|---|\n| 新增 | src/a.rs |\n";
        assert_eq!(paths(text), ["src/a.rs"]);
        assert!(paths("```\n## 文件变更清单\n```\n| a | b |\n| x | src/a.rs |\n").is_empty());
    }

    #[test]
    fn cells_tell_operation_and_what_is_done_in_passing() {
        let text = "## 6) Files to change\n| File | Action | Note |\n|---|---|---|\n| a/b.rs/ | Update | |\n\
                    | c\\d.rs | ? | 顺带修复 |\n| e.rs | 重命名 | |\n| address.rs | address | |\n";
        let files = parse(text.as_bytes());
        let found: Vec<_> = files
            .iter()
            .map(|file| (file.path.as_str(), file.operation, file.incidental))
            .collect();
        assert_eq!(
            found,
            [
                ("a/b.rs", Some(Operation::Modify), false),
                ("c/d.rs", None, true),
                ("e.rs", Some(Operation::Rename), false),
                ("address.rs", None, false),
            ]
        );
    }

    #[test]
    fn a_list_item_may_say_more_than_its_path() {
        let text = "## 文件清单\n### 修改\n- `src/a b.rs` — why\n- src/c.rs: why\n- 说明文字\n### 后续\n- src/c.rs\n";
        assert_eq!(paths(text), ["src/a b.rs"]);
    }
}
