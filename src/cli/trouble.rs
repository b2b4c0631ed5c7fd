//! What can go wrong in any command: repository, reading, writing.

use crate::files::{LockError, ReadError, WriteError};
use crate::git;
use crate::say;
use crate::voice::{Fail, Say, Voice};

#[derive(Debug, thiserror::Error)]
pub(super) enum Trouble {
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Say for Trouble {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Git(error) => error.say(voice),
            Self::Read(ReadError { path, source }) => {
                say!(
                    voice,
                    "`{path}` cannot be read: {source}",
                    "无法读取 `{path}`：{source}"
                )
            }
            Self::Write(error) => error.say(voice),
        }
    }
}

impl Fail for Trouble {
    fn code(&self) -> &'static str {
        match self {
            Self::Git(git::Error::NotARepository) => "NOT_A_REPOSITORY",
            Self::Git(_) => "GIT_FAILED",
            Self::Read(_) => "PROJECT_UNREADABLE",
            Self::Write(WriteError::Lock(LockError::Held(_) | LockError::Nested)) => "PROJECT_LOCKED",
            Self::Write(_) => "PROJECT_NOT_WRITTEN",
        }
    }
}
