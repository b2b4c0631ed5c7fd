//! What can go wrong in any command: repository, reading, writing.

use crate::change::gate::Refused;
use crate::files::{LockError, ReadError, WriteError};
use crate::git;
use crate::lint;
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

/// Lets an error with a variant `Trouble` be made from what goes wrong in reading, writing and git.
macro_rules! through_trouble {
    ($error:ty) => {
        impl From<$crate::files::ReadError> for $error {
            fn from(error: $crate::files::ReadError) -> Self {
                Self::Trouble(error.into())
            }
        }

        impl From<$crate::files::WriteError> for $error {
            fn from(error: $crate::files::WriteError) -> Self {
                Self::Trouble(error.into())
            }
        }

        impl From<$crate::git::Error> for $error {
            fn from(error: $crate::git::Error) -> Self {
                Self::Trouble(error.into())
            }
        }
    };
}

pub(super) use through_trouble;

impl Say for Trouble {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Git(error) => error.say(voice),
            Self::Read(error) => error.say(voice),
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

impl From<Trouble> for lint::Error {
    fn from(trouble: Trouble) -> Self {
        Self::Refused(trouble.into())
    }
}

impl From<Trouble> for Refused {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Git(error) => Self::Git(error),
            Trouble::Read(error) => Self::Unreadable(error),
            Trouble::Write(error) => Self::Write(error),
        }
    }
}
