//! What keeps a document from being changed, in both languages.

use crate::say;
use crate::text::escape;
use crate::voice::{Say, Voice};

/// Why a document is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("line {line}: the table of {section} has no column `{column}`; give it one")]
    NoColumn {
        line: usize,
        section: &'static str,
        column: &'static str,
    },
    #[error("lines {first} and {second}: `{}` is there twice; make one row of both", escape(.name))]
    Twice {
        first: usize,
        second: usize,
        name: String,
    },
    #[error("line {line} is no UTF-8; correct it")]
    NotText { line: usize },
    #[error(
        "the code fence or comment of line {line} is never closed, and a section behind it would be part of it; close it"
    )]
    Unclosed { line: usize },
    #[error("it has no section {0} with a table; add one")]
    NoTable(&'static str),
}

impl Say for Fault {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::NoColumn {
                line,
                section,
                column,
            } => say!(
                voice,
                "line {line}: the table of {section} has no column `{column}`; give it one",
                "第 {line} 行：{section} 的表格缺少列 `{column}`，请补上"
            ),
            Self::Twice { first, second, name } => {
                let name = escape(name);
                say!(
                    voice,
                    "lines {first} and {second}: `{name}` is there twice; make one row of both",
                    "第 {first} 行和第 {second} 行：`{name}` 重复，请合并为一行"
                )
            }
            Self::NotText { line } => say!(
                voice,
                "line {line} is no UTF-8; correct it",
                "第 {line} 行不是 UTF-8，请修正"
            ),
            Self::Unclosed { line } => say!(
                voice,
                "the code fence or comment of line {line} is never closed, and a section behind it would be part of it; close it",
                "第 {line} 行的代码块或注释没有结束，其后的章节会被包含在内，请将其结束"
            ),
            Self::NoTable(section) => say!(
                voice,
                "it has no section {section} with a table; add one",
                "没有带表格的章节 {section}，请补上"
            ),
        }
    }
}
