//! Why no range was chosen (git.md 4, 4.4). Whoever asks gives the code: what the job was told wrongly or not at all is
//! one code of its closed list, what git cannot answer the other.

use std::fmt;

use super::job::{BranchName, Origin};
use super::provider::Provider;
use crate::files::{ObjectId, Unread};
use crate::git;
use crate::voice::{Say, Voice};

/// No range: never a verdict.
#[derive(Debug)]
pub enum Error {
    /// No variable of a known provider is set.
    NoProvider,
    NotSet {
        from: Origin,
    },
    NotAnId {
        from: Origin,
        value: String,
    },
    NotABranch {
        from: Origin,
        value: String,
    },
    Unfit {
        from: Origin,
        expected: Expected,
    },
    Event {
        path: String,
        fault: EventFault,
    },
    /// The push deleted the reference: there is nothing left to judge.
    Deleted,
    /// Something that the range is made of is not here.
    Unanswered(Box<Gap>),
    Git(git::Error),
}

/// What git cannot answer, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    pub sought: Sought,
    /// Where history was cut off, if it was.
    pub boundary: Option<ObjectId>,
    pub cure: Cure,
}

impl From<Gap> for Error {
    fn from(gap: Gap) -> Self {
        Self::Unanswered(Box::new(gap))
    }
}

/// Whose fault an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The variables or the event file.
    Input,
    /// The repository, or how much of it is here.
    Git,
}

impl Error {
    pub const fn blame(&self) -> Blame {
        match self {
            Self::NoProvider
            | Self::NotSet { .. }
            | Self::NotAnId { .. }
            | Self::NotABranch { .. }
            | Self::Unfit { .. }
            | Self::Event { .. }
            | Self::Deleted => Blame::Input,
            Self::Unanswered(_) | Self::Git(_) => Blame::Git,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.say(&Voice::default()))
    }
}

impl std::error::Error for Error {}

impl From<git::Error> for Error {
    fn from(error: git::Error) -> Self {
        Self::Git(error)
    }
}

/// What a key of the event file must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Text,
    Truth,
    Object,
}

/// Why a file is no event.
#[derive(Debug)]
pub enum EventFault {
    Unread(Unread),
    NotJson(String),
    NotAnObject,
}

/// The part that a commit plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Head,
    /// The tip of what a request brings.
    Source,
    /// What the branch named before the push.
    Before,
    /// The first parent of a merge made for the job.
    FirstParent,
    /// What a request is measured from.
    Target,
}

/// What was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sought {
    Commit {
        role: Role,
        id: ObjectId,
    },
    /// HEAD, while it names no commit.
    UnbornHead,
    /// A branch, by these full names of references.
    Branch {
        name: BranchName,
        references: Vec<String>,
    },
    /// A merge base, which the part of history that is not here may hide.
    MergeBase {
        one: ObjectId,
        other: ObjectId,
    },
    /// A merge base of commits that have no common history.
    CommonHistory {
        one: ObjectId,
        other: ObjectId,
    },
    /// The tag before the one that the job runs for.
    PreviousTag {
        head: ObjectId,
    },
}

/// What helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cure {
    /// More history; with `two`, the parents of one commit suffice.
    Deepen { provider: Provider, two: bool },
    /// One more object or reference from the remote.
    Fetch { remote: String, what: String },
    /// The range, said by whoever knows it.
    SayIt,
}
