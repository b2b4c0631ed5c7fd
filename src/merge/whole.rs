//! Deltas that are whole files (change.md 6.8).

use std::io;

use super::conflict::has_marks_of_rebase;
use super::{Conflict, ConflictCode, DeltaPlan, DocumentEdit, Hint, LineMerge, Moved, Sides};
use crate::change::Delta;
use crate::files::{ReadError, RepoPath};
use crate::finding::Location;
use crate::text::Bytes;

/// Plans one file. `then` is none without a base, and none inside if the base does not have it.
pub(super) fn plan(
    delta: &Delta,
    theirs: &Bytes,
    target: &RepoPath,
    then: Option<Option<Bytes>>,
    ours: Option<&Bytes>,
    lines: &dyn LineMerge,
) -> Result<DeltaPlan, ReadError> {
    let then = then.unwrap_or_else(|| ours.cloned());
    let write = |new: Bytes| DeltaPlan {
        edit: Some(DocumentEdit {
            document: target.clone(),
            old: ours.cloned(),
            new: Some(new),
        }),
        ..DeltaPlan::default()
    };
    let refuse = |code, hint| {
        let conflict = Conflict {
            hint,
            texts: Some(Sides {
                base: then.clone().unwrap_or_default(),
                document: ours.cloned().unwrap_or_default(),
                delta: theirs.clone(),
            }),
            at: Some(Location::file(&delta.path)),
            ..Conflict::of_file(code, target)
        };
        DeltaPlan {
            conflicts: vec![conflict],
            ..DeltaPlan::default()
        }
    };
    if ours == Some(theirs) {
        return Ok(DeltaPlan::default());
    }
    if has_marks_of_rebase(theirs) {
        return Ok(refuse(ConflictCode::ConflictMarksLeft, Hint::None));
    }
    if ours == then.as_ref() {
        return Ok(write(theirs.clone()));
    }
    let (base, document) = match (&then, ours) {
        (Some(_), None) => return Ok(refuse(ConflictCode::DocumentRemoved, Hint::ByHand)),
        (None, _) => return Ok(refuse(ConflictCode::AddedTwice, Hint::ByHand)),
        (Some(base), Some(document)) => (base, document),
    };
    let moved = vec![Moved {
        document: target.clone(),
        anchor: None,
    }];
    if base == theirs {
        return Ok(DeltaPlan {
            moved,
            ..DeltaPlan::default()
        });
    }
    let binary = [base, document, theirs].iter().any(|text| text.contains(&0));
    if binary || delta.is_prototype() {
        return Ok(DeltaPlan {
            moved,
            ..refuse(ConflictCode::BothChanged, Hint::ByHand)
        });
    }
    let (text, conflicts) = lines
        .merge(base, document, theirs)
        .map_err(|e| ReadError::new(target, io::Error::other(e)))?;
    let plan = if conflicts {
        refuse(ConflictCode::BothChanged, Hint::None)
    } else {
        write(text)
    };
    Ok(DeltaPlan { moved, ..plan })
}
