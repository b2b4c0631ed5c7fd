//! Why a command about a loop was not done (loop.md 7).

use std::io;
use std::path::PathBuf;

use super::Phase;
use crate::files::{PidLockError, ReadError};
use crate::git;
use crate::voice::Fail;

/// An error with a code of the contract.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no `{0}`")]
    NoState(String),
    #[error("the state cannot be read: {0}")]
    Malformed(String),
    #[error("the state has no valid `{0}`")]
    Field(&'static str),
    #[error("the gate state cannot be read: {0}")]
    Gate(String),
    #[error("only phase `routing` is routed, not `{}`", .0.as_str())]
    NotRouting(Phase),
    #[error("from `{}` the loop does not go to `{}`", .from.as_str(), .to.as_str())]
    Illegal {
        from: Phase,
        to: Phase,
        allowed: Vec<Phase>,
    },
    #[error("phase `{}` is none that fails", .0.as_str())]
    NothingFails(Phase),
    #[error("`{0}` is no phase")]
    UnknownPhase(String),
    #[error("`{0}` is no mode")]
    UnknownMode(String),
    #[error("`{0}` is no artifact")]
    UnknownArtifact(String),
    #[error("the file of `{0}` is missing or empty")]
    NoArtifact(String),
    #[error("`{0}` leaves the project")]
    PathEscape(String),
    #[error("nothing is waiting for an answer")]
    NothingAsked,
    #[error("`{answer}` is none of the options")]
    NoOption { answer: String, options: Vec<String> },
    #[error("this needs the user")]
    NeedsUser,
    #[error("the token is unknown or was used already")]
    Token,
    #[error("there is a loop already")]
    Exists,
    #[error("the journal of the loop does not hold together: {0}")]
    ChainBroken(Break),
    #[error("only the state of a project can be written, not `{0}`")]
    NotOwn(String),
    #[error(transparent)]
    Lock(#[from] PidLockError),
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("`{}` cannot be written: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("chance cannot be had: {0}")]
    NoChance(String),
}

/// Where a chain breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Break {
    /// A line of the journal is no entry.
    Line(usize),
    /// An entry has not the number after that of the one before.
    Sequence(usize),
    /// An entry is older than the one before.
    Time(usize),
    /// An entry does not name the one before.
    Link(usize),
    /// An entry has not the digest that it says.
    Hash(usize),
    /// A nonce was accepted twice.
    Nonce(usize),
    /// The journal does not end where the reference does.
    Head,
    /// There is a journal, but no reference.
    NoReference,
    /// There is a reference, but no journal.
    NoJournal,
    /// The gate state is not the one of the last entry.
    Gate,
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NoState(_) => "state_missing",
            Self::Malformed(_) => "state_unreadable",
            Self::Field(_) => "state_invalid",
            Self::Gate(_) => "gate_unreadable",
            Self::NotRouting(_) | Self::Illegal { .. } | Self::NothingFails(_) => "illegal_transition",
            Self::UnknownPhase(_) => "unknown_phase",
            Self::UnknownMode(_) => "unknown_mode",
            Self::UnknownArtifact(_) => "unknown_artifact",
            Self::NoArtifact(_) => "artifact_missing",
            Self::PathEscape(_) => "path_escape",
            Self::NothingAsked => "nothing_pending",
            Self::NoOption { .. } => "not_an_option",
            Self::NeedsUser => "confirmation_needs_user",
            Self::Token => "token_refused",
            Self::Exists => "exists",
            Self::ChainBroken(_) => "chain_broken",
            Self::NotOwn(_) => "not_own_state",
            Self::Lock(PidLockError::Held { .. }) => "locked",
            Self::Lock(PidLockError::Io { .. }) | Self::Write { .. } => "not_written",
            Self::Git(_) => "git_failed",
            Self::Read(_) => "unreadable",
            Self::NoChance(_) => "no_randomness",
        }
    }
}

impl Error {
    /// The phases that may follow, where that is the matter.
    pub fn allowed(&self) -> Option<&[Phase]> {
        if let Self::Illegal { allowed, .. } = self {
            Some(allowed)
        } else {
            None
        }
    }
}
