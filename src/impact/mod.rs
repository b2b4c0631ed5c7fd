//! Whether a range of commits is pure lifecycle bookkeeping (change.md 8): the name-status stream, classes of paths, the
//! verdict. Pure: it opens no file and asks no repository.

mod class;
mod stream;
mod verdict;
mod words;

pub use class::Class;
pub use stream::{Fault, Item, Letter, Record, parse};
pub use verdict::{File, Operation, Verdict};

use crate::files::{InvalidPath, ObjectId, RepoPath};
use crate::git;
use crate::voice::Fail;

/// Longer streams are no range of commits that a person made (change.md 8.2), in bytes.
pub const MAX_STREAM: usize = 256 << 20;

/// The command could not be judged, or was called wrongly. A verdict of `false` is no error.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Arguments(ArgumentFault),
    #[error("`--prefix`: {0}")]
    Prefix(InvalidPath),
    #[error("`--{option}` is `{value}`: a revision is not empty and does not start with `-`")]
    Revision { option: &'static str, value: String },
    #[error("standard input cannot be read: {0}")]
    Input(#[source] std::io::Error),
    #[error("`$GITHUB_OUTPUT` (`{path}`) cannot be appended to: {source}")]
    Output { path: String, source: std::io::Error },
    #[error("`--{option}` is all zeros, which names no commit")]
    Zeros { option: &'static str },
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error("{missing}; {cut}", cut = git::Error::Shallow { boundary: *boundary })]
    CutOff {
        missing: Box<git::Error>,
        /// Where the history of this shallow clone ends.
        boundary: ObjectId,
    },
    #[error("the history is too short to tell the merge base of {one} and {other}; {cut}", cut = git::Error::Shallow { boundary: *boundary })]
    HiddenBase {
        one: ObjectId,
        other: ObjectId,
        boundary: ObjectId,
    },
    #[error("the list of changed files is longer than 256 MiB")]
    TooLong,
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Arguments(_)
            | Self::Prefix(_)
            | Self::Revision { .. }
            | Self::Input(_)
            | Self::Output { .. } => "IMPACT_INPUT_INVALID",
            Self::Zeros { .. }
            | Self::Git(_)
            | Self::CutOff { .. }
            | Self::HiddenBase { .. }
            | Self::TooLong => "IMPACT_GIT_DIFF_FAILED",
        }
    }
}

/// What is wrong with the options, apart from their values, in the order they are looked at (change.md 8.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentFault {
    CiWithRange,
    StdinWithRange,
    Nothing,
    MergeBaseWithoutBase,
    HalfARange,
    PrefixWithoutStdin,
}

/// Reads the prefix of a project: empty is none, one final `/` is cut off, the rest is a path (change.md 8.1).
pub fn prefix(given: &[u8]) -> Result<RepoPath, Error> {
    let path = given.strip_suffix(b"/").unwrap_or(given);
    if path.is_empty() && !given.is_empty() {
        return Err(Error::Prefix(InvalidPath("/".to_owned())));
    }
    RepoPath::new(path).map_err(Error::Prefix)
}

#[cfg(test)]
mod tests {
    use super::prefix;

    #[test]
    fn one_final_slash_of_a_prefix_is_optional() {
        assert_eq!(prefix(b"").ok(), prefix(b"").ok());
        assert_eq!(prefix(b"a/b/").ok(), prefix(b"a/b").ok());
        for bad in ["/", "//", "/a", "a//", "..", "a/./b"] {
            assert!(prefix(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
