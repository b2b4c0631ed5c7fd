//! What the radar says: why something could not be looked at.

use super::Error;
use crate::change::base::BaseError;
use crate::files::{ReadError, RepoPath};
use crate::git;
use crate::project::Slug;
use crate::say;
use crate::text::{escape, escape_bytes};
use crate::voice::{Say, Voice};

/// Why nothing is known of a change, or of two.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    #[error(transparent)]
    Base(#[from] BaseError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("`logos/changes/{0}` is no folder of a change")]
    Folder(Slug),
    #[error("there is no branch to merge into: HEAD is unborn")]
    NoTarget,
}

impl Unreadable {
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Base(_) => "base_unavailable",
            Self::Read(_) | Self::Folder(_) => "artifact_unreadable",
            Self::NoTarget => "target_unknown",
        }
    }

    /// What cannot be read, from the project.
    pub fn path(&self) -> Option<&RepoPath> {
        match self {
            Self::Read(error) => Some(&error.path),
            Self::Base(_) | Self::Folder(_) | Self::NoTarget => None,
        }
    }
}

impl Say for Unreadable {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Base(BaseError::Git(error)) => error.say(voice),
            Self::Base(BaseError::Unavailable(error)) => {
                let why = error.say(voice);
                say!(
                    voice,
                    "the base of the change is not available: {why}",
                    "无法取得提案的基线：{why}"
                )
            }
            Self::Read(error) => error.say(voice),
            Self::Folder(slug) => say!(
                voice,
                "`logos/changes/{slug}` is no folder of a change",
                "`logos/changes/{slug}` 不是提案目录"
            ),
            Self::NoTarget => say!(
                voice,
                "there is no branch to merge into: HEAD is unborn",
                "没有可合并到的分支：HEAD 尚无提交"
            ),
        }
    }
}

impl From<git::Error> for Unreadable {
    fn from(error: git::Error) -> Self {
        Self::Base(BaseError::Git(error))
    }
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::NoProject(project) => {
                let project = project.text();
                let project = escape(&project);
                say!(
                    voice,
                    "`--project {project}`: nothing that is looked at has a project there",
                    "`--project {project}`：所查看的内容中没有该项目"
                )
            }
            Self::NoSuchChange { slug, near } => {
                let slug = escape(slug);
                let near = near.as_deref().map(escape);
                match near {
                    Some(near) => say!(
                        voice,
                        "no tip has an open change `{slug}`; near: `{near}`",
                        "没有任何分支含有未完成的提案 `{slug}`；相近的：`{near}`"
                    ),
                    None => say!(
                        voice,
                        "no tip has an open change `{slug}`",
                        "没有任何分支含有未完成的提案 `{slug}`"
                    ),
                }
            }
            Self::Tip { name, source } => {
                let (name, why) = (escape_bytes(name), source.say(voice));
                format!("`{name}`: {why}")
            }
            Self::Change { name, why } => {
                let (name, why) = (escape_bytes(name), why.say(voice));
                format!("`{name}`: {why}")
            }
            Self::Git(error) => error.say(voice),
            Self::Read(error) => error.say(voice),
        }
    }
}
