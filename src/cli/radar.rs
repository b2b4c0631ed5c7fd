//! `radar`: which open changes of all branches collide (git.md 7.1).

use bstr::BString;

use super::{Context, Format, finish};
use crate::files::RepoPath;
use crate::git;
use crate::radar::{self, Asked};
use crate::report::{self, Exit};
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Say, Voice};

/// Tell which open changes collide: on all branches, before they are merged
///
/// Looks at local and remote-tracking branches, the HEADs of work trees, and what work trees hold uncommitted. Each change
/// is planned on the documents of the default branch (else of HEAD), and each two that touch one document in both orders.
/// Nothing is checked out or written. Exit code 0: nothing worse than mergeable; 2: collisions; 1: it could not be judged.
///
/// Example: radar --change add-refund
#[derive(clap::Args)]
pub(super) struct Radar {
    /// Look at these references instead of the branches; full names, `*` and `**` as git has them
    #[arg(long, value_name = "GLOB")]
    refs: Vec<String>,
    /// More of them
    #[arg(value_name = "GLOB", requires = "refs", hide = true)]
    more: Vec<String>,
    /// Only this change, and what it collides with
    #[arg(long, value_name = "SLUG")]
    change: Option<String>,
    /// Tell pairs that are clean, too
    #[arg(long)]
    all: bool,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("`{}` is no glob of full reference names", escape(.0))]
    BadGlob(String),
    #[error("`{}` is no folder of the repository", escape(.0))]
    NoProject(String),
    #[error(transparent)]
    Radar(#[from] radar::Error),
}

impl From<git::Error> for Error {
    fn from(error: git::Error) -> Self {
        Self::Radar(error.into())
    }
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::BadGlob(given) => {
                let given = escape(given);
                say!(
                    voice,
                    "`--refs {given}`: it must match full names, as `refs/heads/feature/*`",
                    "`--refs {given}`：应匹配完整的引用名，例如 `refs/heads/feature/*`"
                )
            }
            Self::NoProject(given) => {
                let given = escape(given);
                say!(
                    voice,
                    "`--project {given}` is no folder of this repository",
                    "`--project {given}` 不是此仓库的目录"
                )
            }
            Self::Radar(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::BadGlob(_) | Self::NoProject(_) => "RADAR_INPUT_INVALID",
            Self::Radar(error) => code(error),
        }
    }
}

/// The code of what could not be looked at.
pub(super) fn code(error: &radar::Error) -> &'static str {
    match error {
        radar::Error::NoSuchChange { .. } => "CHANGE_NOT_FOUND",
        radar::Error::NoProject(_) => "RADAR_INPUT_INVALID",
        radar::Error::Git(git::Error::NotARepository) => "NOT_A_REPOSITORY",
        radar::Error::Git(_)
        | radar::Error::Tip { .. }
        | radar::Error::Change { .. }
        | radar::Error::Read(_) => "RADAR_GIT_FAILED",
    }
}

impl Radar {
    pub(super) fn run(self, context: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        finish(context, "radar", format, self.look(context))
    }

    fn look(self, context: &Context) -> Result<report::Radar, Error> {
        let globs: Vec<String> = self.refs.into_iter().chain(self.more).collect();
        if let Some(bad) = globs.iter().find(|glob| !glob.starts_with("refs/")) {
            return Err(Error::BadGlob(bad.clone()));
        }
        let project = match context.project_option() {
            None => None,
            Some(given) => Some(RepoPath::new(given).map_err(|_| Error::NoProject(given.to_owned()))?),
        };
        let repository = context.repository()?.ok_or(git::Error::NotARepository)?;
        let asked = Asked {
            repository,
            project,
            globs: (!globs.is_empty()).then(|| globs.into_iter().map(BString::from).collect()),
            change: self.change,
            all: self.all,
        };
        Ok(report::Radar(radar::look(&asked)?))
    }
}
