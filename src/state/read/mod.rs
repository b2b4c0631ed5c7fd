//! Reading STATE.md (state.md 8.1): nothing is changed, no lock is taken.

mod fields;
mod snapshot;
mod validate;

pub use fields::{Fields, fields, get};
pub use snapshot::{Decision, Session, Snapshot, snapshot};
pub use validate::{Severity, Validation, Warning, validate};

use super::error::Error;

/// A text that is UTF-8, else the line that is not.
pub fn text(bytes: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(bytes)
        .map_err(|error| Error::NotUtf8(super::malformed::line_at(bytes, error.valid_up_to())))
}

/// The version of the milestone that is stored: the text of the first line `milestone: …` (state.md 5.4).
pub fn stored_version(content: &str) -> Option<String> {
    let line = content.lines().find_map(|line| line.strip_prefix("milestone:"))?;
    let front = super::front::FrontMatter::read(&format!("milestone:{line}"));
    front.stored("milestone").map(str::to_owned)
}
