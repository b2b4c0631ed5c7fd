//! The range of a CI job, from the environment of this process and its repository: what `impact --ci` and `check --ci`
//! judge (git.md 4).

use std::ffi::{OsStr, OsString};

use super::Context;
use crate::ci::{self, Choice, EventFault, Facts, Job, MAX_EVENT};
use crate::files;
use crate::git;
use crate::text::Bytes;

/// Chooses the range. With `from_merge_base` a push is measured from a merge base (`--merge-base`).
///
/// # Errors
/// [`ci::Error::blame`] says which code of the command's closed list it is.
pub(super) fn choose(context: &Context, from_merge_base: bool) -> Result<Choice, ci::Error> {
    let facts = Facts::of(&Here(context))?;
    let repository = context.repository()?.ok_or(git::Error::NotARepository)?;
    ci::choose(&facts, from_merge_base, repository)
}

/// The job that this process is part of.
struct Here<'c>(&'c Context);

impl Job for Here<'_> {
    fn variable(&self, name: &str) -> Option<OsString> {
        self.0.env.get(name)
    }

    fn event_file(&self, path: &OsStr) -> Result<Bytes, EventFault> {
        files::read_regular(&self.0.cwd.join(path), MAX_EVENT).map_err(EventFault::Unread)
    }
}
