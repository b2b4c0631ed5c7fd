//! The range that was chosen, by which rule, and the line that says so (git.md 4.3, 4.4).

use bstr::BString;

use super::provider::Provider;
use crate::clock::Timestamp;
use crate::files::ObjectId;

/// The row of the decision that applied. The names are part of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    MergeQueue,
    MergeCommit,
    RequestBase,
    MergeBase,
    PreviousTag,
    FirstTag,
    Push,
    Rewritten,
    NewBranch,
    FirstPush,
    Branch,
    /// Base and head are one: there is nothing to compare, and `check` judges the whole tree of the head.
    NoRange,
}

impl Rule {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MergeQueue => "merge_queue",
            Self::MergeCommit => "merge_commit",
            Self::RequestBase => "request_base",
            Self::MergeBase => "merge_base",
            Self::PreviousTag => "previous_tag",
            Self::FirstTag => "first_tag",
            Self::Push => "push",
            Self::Rewritten => "rewritten",
            Self::NewBranch => "new_branch",
            Self::FirstPush => "first_push",
            Self::Branch => "branch",
            Self::NoRange => "no_range",
        }
    }
}

/// Where a range begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    EmptyTree,
    /// One commit, or all best common ancestors in id order. Never empty.
    Commits(Vec<ObjectId>),
}

/// What the base was measured from, where it is a merge base: its commits are no part of the range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    pub tip: ObjectId,
    /// The reference that named the tip, and when the tip was committed, if it says so; none for an id that the job
    /// was told.
    pub reference: Option<(BString, Option<Timestamp>)>,
}

/// A range and why it is this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub rule: Rule,
    pub base: Base,
    pub head: ObjectId,
    pub measured: Option<Measured>,
    pub provider: Provider,
    /// The event in the provider's words, as given.
    pub event: String,
}

impl Choice {
    /// The bases to judge from, one after the other; none is the empty tree.
    pub fn bases(&self) -> Vec<Option<ObjectId>> {
        match &self.base {
            Base::EmptyTree => vec![None],
            Base::Commits(commits) => commits.iter().copied().map(Some).collect(),
        }
    }
}

/// The line that says which range is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeLine {
    pub choice: Choice,
    /// The base that the answer is about; none is the empty tree.
    pub base: Option<ObjectId>,
    pub now: Timestamp,
}
