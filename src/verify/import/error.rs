//! Why a report was not imported. Nothing is written then.

use super::Format;
use crate::files::{ReadError, RepoPath};
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Say, Voice};

/// No import.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{path}` is older than the command that should have written it")]
    Stale { path: RepoPath },
    #[error("`{path}` is tracked by git, and would be removed as an old report")]
    Tracked { path: RepoPath },
    #[error("no report is at `{}`", escape(.0))]
    Missing(String),
    #[error("`{}` leads out of the project", escape(.0))]
    Outside(String),
    #[error("`{}`, line {}: {}", escape(.file), .fault.line, .fault.reason.say(&Voice::default()))]
    Parse { file: String, fault: Fault },
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Stale { path } => say!(
                voice,
                "`{path}` is older than the command that should have written it; nothing was imported",
                "`{path}` 早于本应写出它的命令；未导入任何内容"
            ),
            Self::Tracked { path } => say!(
                voice,
                "`{path}` is tracked by git, and would be removed as an old report; narrow the glob in `imports`, or untrack it",
                "`{path}` 受 git 跟踪，会被当作旧报告删除；请收窄 `imports` 中的通配，或取消跟踪"
            ),
            Self::Missing(path) => {
                let path = escape(path);
                say!(
                    voice,
                    "there is no report at `{path}`; nothing was imported",
                    "`{path}` 处没有报告；未导入任何内容"
                )
            }
            Self::Outside(path) => {
                let path = escape(path);
                say!(
                    voice,
                    "`{path}` leads out of the project",
                    "`{path}` 指向项目之外"
                )
            }
            Self::Read(error) => error.say(voice),
            Self::Parse { file, fault } => {
                let (file, line, reason) = (escape(file), fault.line, fault.reason.say(voice));
                say!(
                    voice,
                    "`{file}`, line {line}: {reason}; nothing was imported",
                    "`{file}` 第 {line} 行：{reason}；未导入任何内容"
                )
            }
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Stale { .. } => "IMPORT_STALE",
            Self::Tracked { .. } => "IMPORT_TRACKED",
            Self::Missing(_) => "IMPORT_FILE_MISSING",
            Self::Outside(_) => "CONFIG_PATH_INVALID",
            Self::Parse { .. } => "IMPORT_PARSE_FAILED",
            Self::Read(_) => "PROJECT_UNREADABLE",
        }
    }
}

/// What is wrong with a report, and on which line, from 1.
#[derive(Debug)]
pub struct Fault {
    pub line: u64,
    pub reason: Reason,
}

/// What is wrong with a report.
#[derive(Debug, PartialEq, Eq)]
pub enum Reason {
    /// In the words of the reader of XML or JSON.
    Syntax(String),
    /// A status that no table of verify.md 15 has.
    Word(String),
    /// `auto` sees none of the formats.
    Unrecognised,
    /// It may be well-formed, but it is no such report.
    NotOfFormat(Format),
    /// It ends before it is complete.
    Cut,
    DocumentType,
    TooDeep,
    TooLarge,
    PieceTooLong,
    TooManyOpen,
    Io(String),
}

impl Say for Reason {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Syntax(why) => escape(why).into_owned(),
            Self::Word(word) => {
                let word = escape(word);
                say!(
                    voice,
                    "`{word}` is no known status of a test",
                    "`{word}` 不是已知的测试状态"
                )
            }
            Self::Unrecognised => say!(
                voice,
                "this is a report of none of the known formats",
                "这不是任何已知格式的报告"
            ),
            Self::NotOfFormat(format) => {
                let format = format.as_str();
                say!(
                    voice,
                    "this is no report of the format `{format}`",
                    "这不是 `{format}` 格式的报告"
                )
            }
            Self::Cut => say!(voice, "the report ends too early", "报告不完整"),
            Self::DocumentType => say!(
                voice,
                "a document type with declarations is not read",
                "不读取带有声明的文档类型"
            ),
            Self::TooDeep => say!(voice, "it is nested too deeply", "嵌套过深"),
            Self::TooLarge => say!(voice, "it is larger than 4 GiB", "大于 4 GiB"),
            Self::PieceTooLong => say!(
                voice,
                "a single tag, text, line or value is longer than 64 MiB",
                "单个标签、文本、行或值超过 64 MiB"
            ),
            Self::TooManyOpen => say!(voice, "too many tests run at once", "同时运行的测试过多"),
            Self::Io(why) => {
                let why = escape(why);
                say!(voice, "it cannot be read: {why}", "无法读取：{why}")
            }
        }
    }
}
