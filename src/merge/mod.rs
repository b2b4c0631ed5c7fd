//! Plans what a change's deltas make of the documents: edits or conflicts, all of them, nothing written (change.md part 6).

mod additions;
mod compose;
mod conflict;
pub mod conservation;
mod decisions;
mod document;
pub mod driver;
mod new_document;
mod placement;
pub mod prompt;
pub mod rebase;
pub mod record;
mod splice;
mod touch;
mod whole;
mod words;

pub use conflict::{Conflict, ConflictCode, Hint, Sides};
pub use decisions::renumbered_record;
pub use placement::split_title;
pub use touch::{Place, Touch, touches};

use rayon::prelude::*;

use crate::change::{Change, Delta, DeltaContent};
use crate::files::{ReadError, RepoPath, Tree};
use crate::markdown::Document;
use crate::text::Bytes;

/// A document before and after; none is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentEdit {
    pub document: RepoPath,
    pub old: Option<Bytes>,
    pub new: Option<Bytes>,
}

/// What merging a change comes to.
#[derive(Debug, Default)]
pub struct MergePlan {
    /// Documents that change, in the order of their deltas.
    pub edits: Vec<DocumentEdit>,
    pub conflicts: Vec<Conflict>,
    /// `decision_counter.next_id` after the merge, if new decisions were numbered.
    pub next_decision: Option<u64>,
    /// Documents of which a touched section differs between base and document.
    pub moved: Vec<Moved>,
    /// What the conservation check says of each section delta whose document is there, by delta path.
    pub accounts: Vec<(RepoPath, conservation::Account)>,
}

/// A touched section that another change has changed since the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    pub document: RepoPath,
    /// The anchor as the delta spells it; none for a whole file.
    pub anchor: Option<String>,
}

/// A document as it was when the change was created.
#[derive(Clone, Copy, Debug)]
pub enum BaseView<'d> {
    /// No base is known: the document itself stands for it.
    Unknown,
    /// A base is known; none if the document is not in it.
    Known(Option<&'d Document>),
}

impl<'d> BaseView<'d> {
    pub fn document(self) -> Option<&'d Document> {
        match self {
            Self::Unknown => None,
            Self::Known(document) => document,
        }
    }

    pub const fn is_known(self) -> bool {
        matches!(self, Self::Known(_))
    }
}

/// Merges three texts line by line, as `git merge-file` does.
pub trait LineMerge: Sync {
    /// The merged text, and whether it holds conflict marks.
    fn merge(&self, base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<(Bytes, bool), String>;
}

impl LineMerge for crate::git::MergeFile {
    fn merge(&self, base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<(Bytes, bool), String> {
        Self::merge(*self, base, ours, theirs)
    }
}

/// Plans the merge of every delta that counts.
///
/// # Errors
/// If a document, its base or the registry cannot be read, or lines cannot be merged.
pub fn plan(
    change: &Change,
    base: Option<&dyn Tree>,
    now: &dyn Tree,
    lines: &dyn LineMerge,
    next_decision: Option<u64>,
) -> Result<MergePlan, ReadError> {
    let deltas: Vec<&Delta> = change.counting().collect();
    let parts: Vec<DeltaPlan> = deltas
        .par_iter()
        .map(|delta| plan_delta(delta, base, now, lines))
        .collect::<Result<_, _>>()?;
    let mut plan = MergePlan::default();
    for (delta, part) in deltas.iter().zip(parts) {
        plan.accounts
            .extend(part.account.map(|account| (delta.path.clone(), account)));
        plan.edits.extend(part.edit);
        plan.conflicts.extend(part.conflicts);
        plan.moved.extend(part.moved);
    }
    decisions::number(&deltas, now, next_decision, &mut plan)?;
    Ok(plan)
}

#[derive(Default)]
struct DeltaPlan {
    edit: Option<DocumentEdit>,
    conflicts: Vec<Conflict>,
    moved: Vec<Moved>,
    account: Option<conservation::Account>,
}

fn plan_delta(
    delta: &Delta,
    base: Option<&dyn Tree>,
    now: &dyn Tree,
    lines: &dyn LineMerge,
) -> Result<DeltaPlan, ReadError> {
    let target = delta.target.as_ref().expect("a delta that counts has a target");
    let ours = now.read(target)?;
    let then = base.map(|tree| tree.read(target)).transpose()?;
    match &delta.content {
        DeltaContent::Sections(sections) => {
            let ours_document = ours.as_ref().map(|bytes| Document::scan(bytes.clone()));
            // Where base and document are the same bytes, one scan serves both.
            let then_document = match &then {
                Some(then) if *then == ours => ours_document.clone(),
                Some(then) => then.as_ref().map(|bytes| Document::scan(bytes.clone())),
                None => None,
            };
            let view = if then.is_some() {
                BaseView::Known(then_document.as_ref())
            } else {
                BaseView::Unknown
            };
            Ok(document::plan(
                delta,
                sections,
                target,
                ours_document.as_ref(),
                view,
            ))
        }
        DeltaContent::WholeFile(bytes) => whole::plan(delta, bytes, target, then, ours.as_ref(), lines),
        DeltaContent::Unread => Ok(DeltaPlan::default()),
    }
}
