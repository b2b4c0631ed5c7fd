//! Where findings about a change as a whole point to.

use super::Target;
use crate::finding::Location;

pub(super) fn tasks(target: &Target) -> Location {
    Location::file(&target.change.folder.path.join("tasks.md"))
}

/// The proposal, at a line (from 0) if one is known.
pub(super) fn proposal(target: &Target, line: Option<usize>) -> Location {
    let path = target.change.folder.path.join("proposal.md");
    match line {
        Some(line) => Location::line(&path, line + 1, target.change.proposal.document().raw(line)),
        None => Location::file(&path),
    }
}
