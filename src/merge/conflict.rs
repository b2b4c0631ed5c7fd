//! Why a merge is refused: one value per conflict, with the texts and the cure (change.md 6.9).

use crate::files::RepoPath;
use crate::finding::Location;
use crate::git::MergeFile;
use crate::markdown::three_way::Marks;
use crate::text::{Bytes, escape, lines};

/// Labels of the two sides in the conflict marks that a rebase leaves.
pub(super) const DOCUMENT: &str = MergeFile::OURS;
pub(super) const DELTA: &str = MergeFile::THEIRS;

/// The marks that a rebase leaves.
pub(super) const MARKS: Marks<'_> = Marks {
    ours: DOCUMENT,
    theirs: DELTA,
    base: None,
    size: 7,
};

/// Whether a whole file holds marks that a rebase left. Other marks may be what the file is about.
pub(super) fn has_marks_of_rebase(file: &[u8]) -> bool {
    let (begin, end) = (format!("<<<<<<< {DOCUMENT}"), format!(">>>>>>> {DELTA}"));
    let has = |mark: &str| {
        lines(file)
            .iter()
            .any(|line| line.span.of(file) == mark.as_bytes())
    };
    has(&begin) && has(&end)
}

/// The codes of change.md 6.9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConflictCode {
    AnchorUnresolvable,
    ImplicitIdRemoval,
    RemovedUnknownId,
    BothChanged,
    ChangedAndRemoved,
    AddedTwice,
    RemovedUpstream,
    DocumentRemoved,
    TargetMissing,
    AddedExists,
    AddedParentUnresolved,
    BlockEscapesSection,
    OverlappingBlocks,
    ContradictingBlocks,
    IdTaken,
    ConflictMarksLeft,
    BaseUnavailable,
    DirtyDocument,
    IdCountMismatch,
    DecisionNumberMismatch,
}

impl ConflictCode {
    /// The code, and the code of the warning that lint gives for it (change.md 2.6).
    const fn codes(self) -> (&'static str, &'static str) {
        match self {
            Self::AnchorUnresolvable => (
                "delta_section_anchor_unresolvable",
                "merge_delta_section_anchor_unresolvable",
            ),
            Self::ImplicitIdRemoval => ("delta_implicit_id_removal", "merge_delta_implicit_id_removal"),
            Self::RemovedUnknownId => ("delta_removed_unknown_id", "merge_delta_removed_unknown_id"),
            Self::BothChanged => ("both_changed", "merge_both_changed"),
            Self::ChangedAndRemoved => ("changed_and_removed", "merge_changed_and_removed"),
            Self::AddedTwice => ("added_twice", "merge_added_twice"),
            Self::RemovedUpstream => ("removed_upstream", "merge_removed_upstream"),
            Self::DocumentRemoved => ("document_removed", "merge_document_removed"),
            Self::TargetMissing => ("target_missing", "merge_target_missing"),
            Self::AddedExists => ("added_exists", "merge_added_exists"),
            Self::AddedParentUnresolved => ("added_parent_unresolved", "merge_added_parent_unresolved"),
            Self::BlockEscapesSection => ("block_escapes_section", "merge_block_escapes_section"),
            Self::OverlappingBlocks => ("overlapping_blocks", "merge_overlapping_blocks"),
            Self::ContradictingBlocks => ("contradicting_blocks", "merge_contradicting_blocks"),
            Self::IdTaken => ("id_taken", "merge_id_taken"),
            Self::ConflictMarksLeft => ("conflict_marks_left", "merge_conflict_marks_left"),
            Self::BaseUnavailable => ("base_unavailable", "merge_base_unavailable"),
            Self::DirtyDocument => ("dirty_document", "merge_dirty_document"),
            Self::IdCountMismatch => ("id_count_mismatch", "merge_id_count_mismatch"),
            Self::DecisionNumberMismatch => ("decision_number_mismatch", "merge_decision_number_mismatch"),
        }
    }

    pub const fn as_str(self) -> &'static str {
        self.codes().0
    }

    pub const fn as_warning(self) -> &'static str {
        self.codes().1
    }
}

/// The three texts of a conflict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sides {
    pub base: Bytes,
    pub document: Bytes,
    pub delta: Bytes,
}

/// What would help against a conflict, beyond what its code says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    None,
    /// Anchors to write instead, the nearest first.
    Anchors(Vec<String>),
    /// The section that a gone one has most likely become.
    Became(String),
    /// The next id that is free.
    FreeId(String),
    /// The number that the first new decision must have.
    Decision(u64),
    /// No rebase rewrites this: it is settled by hand.
    ByHand,
}

/// One reason why the merge is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub code: ConflictCode,
    pub document: RepoPath,
    /// The anchor as the delta's marker spells it.
    pub anchor: Option<String>,
    /// Row key, sub-section title, or id.
    pub item: Option<String>,
    pub texts: Option<Sides>,
    /// Where in the delta.
    pub at: Option<Location>,
    pub hint: Hint,
}

impl Conflict {
    pub(crate) fn of_file(code: ConflictCode, document: &RepoPath) -> Self {
        Self {
            code,
            document: document.clone(),
            anchor: None,
            item: None,
            texts: None,
            at: None,
            hint: Hint::None,
        }
    }

    /// `<code> <document>[ <anchor>][ :: <item>]`, the same in every locale.
    pub fn line(&self) -> String {
        let mut out = format!("{} {}", self.code.as_str(), self.document);
        if let Some(anchor) = self.anchor.as_ref().filter(|a| !a.is_empty()) {
            out.push(' ');
            out.push_str(&escape(anchor));
        }
        if let Some(item) = &self.item {
            out.push_str(" :: ");
            out.push_str(&escape(item));
        }
        out
    }
}
