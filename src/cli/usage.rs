//! Wrong words on a command line that a command refuses itself: after it has looked for its project, not before
//! (logos-project.md part 1).

use std::ffi::OsString;

use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Say, Voice};

/// The words of a command line that its command does not know.
#[derive(clap::Args)]
pub(super) struct Unknown {
    #[arg(hide = true, value_name = "WORD")]
    words: Vec<OsString>,
}

/// What is wrong with the words of a command line.
#[derive(Debug, thiserror::Error)]
pub(super) enum Usage {
    #[error("`{}` is not understood here; see `--help`", escape(.0))]
    Unknown(String),
    #[error("`{0}` needs a value")]
    NoValue(&'static str),
}

impl Unknown {
    /// Refuses the first of them.
    pub(super) fn refuse(&self) -> Result<(), Usage> {
        match self.words.first() {
            Some(word) => Err(Usage::Unknown(word.to_string_lossy().into_owned())),
            None => Ok(()),
        }
    }
}

/// The value of an option; refused if the option stands there without one.
pub(super) fn value<'a>(
    option: &'static str,
    given: Option<&'a Option<String>>,
) -> Result<Option<&'a str>, Usage> {
    match given {
        None => Ok(None),
        Some(Some(value)) => Ok(Some(value)),
        Some(None) => Err(Usage::NoValue(option)),
    }
}

impl Say for Usage {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Unknown(word) => {
                let word = escape(word);
                say!(
                    voice,
                    "`{word}` is not understood here; `--help` shows what is",
                    "无法识别 `{word}`；用 `--help` 查看可用的参数"
                )
            }
            Self::NoValue(option) => say!(
                voice,
                "`{option}` needs a value; `--help` shows which",
                "`{option}` 需要一个值；用 `--help` 查看说明"
            ),
        }
    }
}

impl Fail for Usage {
    fn code(&self) -> &'static str {
        "USAGE"
    }
}
