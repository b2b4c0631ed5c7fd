//! Why a command about STATE.md was not done (state.md 11).

use super::body::Unfit;
use crate::files::{PidLockError, ReadError};
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Say, Voice};

/// An error with a code of the contract.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no `.planning/STATE.md` here or above")]
    NotFound,
    #[error("`{0}` is neither a field, nor a key, nor a section")]
    FieldNotFound(String),
    #[error("no plan position can be read")]
    PlanUnparsable,
    #[error("no phase is named, and the document has no current one")]
    PhaseUnresolved,
    #[error("{0} is required")]
    ArgumentRequired(&'static str),
    #[error("`{value}` is no value of `{name}`: {expected}")]
    InvalidArgument {
        name: String,
        value: String,
        expected: &'static str,
    },
    #[error("`{0}` is no field name")]
    InvalidFieldName(String),
    #[error("the argument is no JSON object of fields: {0}")]
    InvalidJson(String),
    #[error("`{0}` is no command of `state`")]
    UnknownSubcommand(String),
    #[error("the front matter is opened but never closed")]
    FrontMatterUnreadable,
    #[error("the file is there already")]
    ConfirmRequired,
    #[error("`{}` cannot stand in the field `{}`", .0.value, .0.label)]
    Unfit(Unfit),
    #[error("line {0} is not UTF-8")]
    NotUtf8(usize),
    #[error(transparent)]
    Lock(#[from] PidLockError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("`{path}` cannot be written: {source}")]
    Write { path: String, source: std::io::Error },
}

/// Refuses a value that is more than a line, for it could not be read again.
pub(super) fn one_line(label: &str, value: &str) -> Result<(), Error> {
    if value.contains(['\n', '\r']) {
        return Err(Error::Unfit(Unfit {
            label: label.to_owned(),
            value: value.to_owned(),
        }));
    }
    Ok(())
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::NotFound => say!(
                voice,
                "there is no `.planning/STATE.md` here or in a folder above; `{} state milestone-switch --milestone <version>` makes one",
                "此处及上级目录没有 `.planning/STATE.md`；可用 `{} state milestone-switch --milestone <version>` 创建",
                voice.program
            ),
            Self::FieldNotFound(name) => {
                let name = escape(name);
                say!(
                    voice,
                    "`{name}` is neither a field of the body, nor a key of the front matter, nor a section",
                    "`{name}` 既不是正文字段，也不是 front matter 的键或章节"
                )
            }
            Self::PlanUnparsable => say!(
                voice,
                "no plan position can be read: it takes `Plan: <a> of <b>`, or `Current Plan` and `Total Plans in Phase` with numbers",
                "无法读取计划位置：需要 `Plan: <a> of <b>`，或带数字的 `Current Plan` 与 `Total Plans in Phase`"
            ),
            Self::PhaseUnresolved => say!(
                voice,
                "no phase is named, and STATE.md has no current one; name it with `--phase <number>`",
                "未指定阶段，STATE.md 也没有当前阶段；请用 `--phase <number>` 指定"
            ),
            Self::ArgumentRequired(what) => {
                say!(voice, "{what} is required", "缺少 {what}")
            }
            Self::InvalidArgument {
                name,
                value,
                expected,
            } => {
                let (name, value) = (escape(name), escape(value));
                say!(
                    voice,
                    "`{value}` is no value of `{name}`: it takes {expected}",
                    "`{value}` 不是 `{name}` 的有效值：{expected}"
                )
            }
            Self::InvalidFieldName(name) => {
                let name = escape(name);
                say!(
                    voice,
                    "`{name}` is no field name: a letter, then up to 60 letters, digits, blanks and `_ . - /`; nothing was written",
                    "`{name}` 不是字段名：须以字母开头，后接至多 60 个字母、数字、空格或 `_ . - /`；未写入任何内容"
                )
            }
            Self::InvalidJson(why) => {
                let why = escape(why);
                say!(
                    voice,
                    "the argument is no JSON object of fields and values: {why}",
                    "参数不是由字段和值组成的 JSON 对象：{why}"
                )
            }
            Self::UnknownSubcommand(word) => {
                let word = escape(word);
                say!(
                    voice,
                    "`{word}` is no command of `state`; `{} state --help` names them",
                    "`state` 没有命令 `{word}`；见 `{} state --help`",
                    voice.program
                )
            }
            Self::FrontMatterUnreadable => say!(
                voice,
                "the front matter of STATE.md is opened but never closed; put a line `---` after its last key",
                "STATE.md 的 front matter 没有结束；请在最后一个键之后加一行 `---`"
            ),
            Self::ConfirmRequired => say!(
                voice,
                "STATE.md is there already; `--force` replaces it and keeps a copy",
                "STATE.md 已存在；`--force` 会替换它并保留副本"
            ),
            Self::Unfit(unfit) => {
                let (value, label) = (escape(&unfit.value), escape(&unfit.label));
                say!(
                    voice,
                    "`{value}` cannot stand in the field `{label}`: a value is one line, and in a table it has no `|`; nothing was written",
                    "`{value}` 不能写入字段 `{label}`：值只能是一行，表格中不能含 `|`；未写入任何内容"
                )
            }
            Self::NotUtf8(line) => say!(
                voice,
                "line {line} of STATE.md is not UTF-8; save the file as UTF-8",
                "STATE.md 第 {line} 行不是 UTF-8；请以 UTF-8 保存该文件"
            ),
            Self::Lock(error) => error.say(voice),
            Self::Read(error) => error.say(voice),
            Self::Write { path, source } => {
                let path = escape(path);
                say!(
                    voice,
                    "`{path}` cannot be written: {source}",
                    "无法写入 `{path}`：{source}"
                )
            }
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NotFound => "STATE_NOT_FOUND",
            Self::FieldNotFound(_) => "FIELD_NOT_FOUND",
            Self::PlanUnparsable => "PLAN_UNPARSABLE",
            Self::PhaseUnresolved => "PHASE_UNRESOLVED",
            Self::ArgumentRequired(_) => "ARGUMENT_REQUIRED",
            Self::InvalidArgument { .. } | Self::Unfit(_) => "INVALID_ARGUMENT",
            Self::InvalidFieldName(_) => "INVALID_FIELD_NAME",
            Self::InvalidJson(_) => "INVALID_JSON",
            Self::UnknownSubcommand(_) => "UNKNOWN_SUBCOMMAND",
            Self::FrontMatterUnreadable => "FRONTMATTER_UNREADABLE",
            Self::ConfirmRequired => "CONFIRM_REQUIRED",
            Self::Lock(PidLockError::Held { .. }) => "STATE_LOCKED",
            Self::NotUtf8(_) | Self::Read(_) => "STATE_UNREADABLE",
            Self::Lock(PidLockError::Io { .. }) | Self::Write { .. } => "STATE_WRITE_FAILED",
        }
    }
}
