//! Wrong words on a command line that a command refuses itself: after it has looked for its project, not before
//! (logos-project.md part 1).

use std::ffi::OsString;
use std::ops::Deref;

use super::uninitialised::{self, NOT_INITIALIZED};
use super::{Context, Exit, Format, finish};
use crate::files::WorkTree;
use crate::report::Answer;
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Say, Voice};

/// What every command of a project takes.
#[derive(clap::Args)]
pub(super) struct Common {
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    #[command(flatten)]
    unknown: Unknown,
}

impl Common {
    pub(super) fn format(&self) -> Format {
        Format::of(self.format.as_deref())
    }

    /// Refuses the first word that is not understood.
    pub(super) fn refuse_unknown(&self) -> Result<(), Usage> {
        self.unknown.refuse()
    }
}

/// Runs a command in its project, and prints what comes of it. Where there is no project that is said, whatever else
/// is wrong with the command line.
pub(super) fn in_project<A: Answer, E: Fail + From<Usage>>(
    ctx: &Context,
    name: &str,
    common: &Common,
    work: impl FnOnce(Format, &WorkTree) -> Result<A, E>,
) -> Exit {
    let format = common.format();
    match uninitialised::require(ctx, name, format, NOT_INITIALIZED) {
        Ok(tree) => {
            let refused = common.refuse_unknown().map_err(E::from);
            finish(ctx, name, format, refused.and_then(|()| work(format, &tree)))
        }
        Err(exit) => exit,
    }
}

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
pub(super) fn value<'a, T: Deref>(
    option: &'static str,
    given: Option<&'a Option<T>>,
) -> Result<Option<&'a T::Target>, Usage> {
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
