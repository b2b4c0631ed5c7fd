//! What a job is told, read with its types: ids, names of branches, text. An empty variable is not set.

use std::ffi::{OsStr, OsString};

use bstr::{BString, ByteSlice, ByteVec};

use super::error::{Error, EventFault};
use crate::files::ObjectId;
use crate::git;
use crate::text::{Bytes, escape_bytes};

/// Longer event files are none (git.md 4.2), in bytes.
pub const MAX_EVENT: u64 = 32 << 20;

/// Where a job is told what it runs for.
pub trait Job {
    /// A variable of the environment.
    fn variable(&self, name: &str) -> Option<OsString>;

    /// The file that holds the event, of at most [`MAX_EVENT`] bytes. What is no regular file is not opened.
    fn event_file(&self, path: &OsStr) -> Result<Bytes, EventFault>;
}

/// Who gave a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Variable(&'static str),
    /// A key of the event file, with the keys above it.
    Event(&'static str),
    /// A key of git configuration.
    Configuration(&'static str),
    /// The remote's HEAD.
    RemoteHead,
}

/// A name that git takes for a branch. It is used in full names of references only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchName(BString);

impl BranchName {
    /// Checks a name by git's rules; `HEAD` and what looks like an option is none either.
    pub fn new(name: &[u8], from: Origin) -> Result<Self, Error> {
        if git::is_branch_name(name) {
            Ok(Self(name.into()))
        } else {
            Err(Error::NotABranch {
                from,
                value: shown(name),
            })
        }
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Reads an id, which is 40 or 64 lower-case digits and nothing else.
pub(super) fn id(value: &[u8], from: Origin) -> Result<ObjectId, Error> {
    let read = value.to_str().ok().and_then(ObjectId::from_hex);
    read.ok_or_else(|| Error::NotAnId {
        from,
        value: shown(value),
    })
}

/// Foreign text in a message, cut to a length that a person reads.
fn shown(value: &[u8]) -> String {
    const LONGEST: usize = 200;
    match value.get(..LONGEST) {
        Some(beginning) if value.len() > LONGEST => format!("{}…", escape_bytes(beginning)),
        Some(_) | None => escape_bytes(value),
    }
}

/// The environment of a job.
#[derive(Clone, Copy)]
pub(super) struct Told<'j>(pub(super) &'j dyn Job);

impl Told<'_> {
    pub(super) fn bytes(self, name: &'static str) -> Option<BString> {
        let value = self.0.variable(name).filter(|value| !value.is_empty())?;
        Some(Vec::from_os_str_lossy(&value).into_owned().into())
    }

    pub(super) fn id(self, name: &'static str) -> Result<Option<ObjectId>, Error> {
        let value = self.bytes(name);
        value.map(|value| id(&value, Origin::Variable(name))).transpose()
    }

    pub(super) fn branch(self, name: &'static str) -> Result<Option<BranchName>, Error> {
        let value = self.bytes(name);
        value
            .map(|value| BranchName::new(&value, Origin::Variable(name)))
            .transpose()
    }

    /// A branch that may be given with what stands before it.
    pub(super) fn branch_without(
        self,
        name: &'static str,
        prefix: &[u8],
    ) -> Result<Option<BranchName>, Error> {
        let value = self.bytes(name);
        let short = value
            .as_ref()
            .map(|value| value.strip_prefix(prefix).unwrap_or(value));
        short
            .map(|value| BranchName::new(value, Origin::Variable(name)))
            .transpose()
    }

    /// The branch that a full name of a reference names; none if it names something else.
    pub(super) fn branch_of_reference(self, name: &'static str) -> Result<Option<BranchName>, Error> {
        let value = self.bytes(name);
        let branch = value.as_ref().and_then(|value| value.strip_prefix(HEADS));
        branch
            .map(|branch| BranchName::new(branch, Origin::Variable(name)))
            .transpose()
    }
}

/// What a variable must give.
pub(super) fn needed<T>(value: Option<T>, name: &'static str) -> Result<T, Error> {
    value.ok_or(Error::NotSet {
        from: Origin::Variable(name),
    })
}

/// The folder of branches.
pub(super) const HEADS: &[u8] = b"refs/heads/";
/// The folder of tags.
pub(super) const TAGS: &[u8] = b"refs/tags/";
