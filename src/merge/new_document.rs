//! Deltas against a document that is not there (change.md 6.6, "New document").

use std::collections::BTreeSet;

use super::compose::Content;
use super::{BaseView, Conflict, ConflictCode, placement};
use crate::change::Delta;
use crate::change::delta::{Block, Operation, SectionDelta};
use crate::files::RepoPath;
use crate::finding::Location;
use crate::text::{Bytes, line_end};

/// A delta with what its blocks are told against.
#[derive(Clone, Copy)]
pub(super) struct Blocks<'a> {
    pub(super) delta: &'a Delta,
    pub(super) sections: &'a SectionDelta,
    pub(super) target: &'a RepoPath,
    pub(super) base: BaseView<'a>,
}

impl Blocks<'_> {
    pub(super) fn conflict(&self, code: ConflictCode, block: &Block) -> Conflict {
        let text = self.sections.document.raw(block.marker).into_owned();
        Conflict {
            anchor: Some(block.spelling.clone()),
            at: Some(Location::line(&self.delta.path, block.marker + 1, text)),
            ..Conflict::of_file(code, self.target)
        }
    }

    /// One conflict per block, whatever it does.
    pub(super) fn each(&self, code: ConflictCode) -> Vec<Conflict> {
        self.sections
            .blocks
            .iter()
            .map(|block| self.conflict(code, block))
            .collect()
    }

    /// A document that is not there yet: ADDED blocks in order, one empty line between.
    pub(super) fn new_document(&self) -> (Option<Bytes>, Vec<Conflict>) {
        let mut conflicts = Vec::new();
        let mut titles = BTreeSet::new();
        let mut out = Bytes::new();
        let eol = line_end(self.sections.document.bytes());
        for block in &self.sections.blocks {
            if block.operation != Operation::Added {
                conflicts.push(self.conflict(ConflictCode::TargetMissing, block));
                continue;
            }
            let content = Content::of(self.sections, block);
            let title = content
                .own_heading()
                .map_or(placement::split_title(&block.spelling).1, |h| h.title.as_str());
            if content.has_conflict_marks() {
                conflicts.push(self.conflict(ConflictCode::ConflictMarksLeft, block));
            } else if !title.is_empty() && !titles.insert(title.to_owned()) {
                conflicts.push(self.conflict(ConflictCode::ContradictingBlocks, block));
            }
            if !out.is_empty() {
                out.extend_from_slice(eol);
            }
            let level = new_document_level(out.is_empty());
            if content.own_heading().is_some() || title.is_empty() {
                out.extend(content.whole(eol));
            } else {
                out.extend(content.added(title, level, eol));
            }
        }
        (Some(out).filter(|_| conflicts.is_empty()), conflicts)
    }
}

/// In a new document the first title is the document's, the others are its sections.
pub(super) const fn new_document_level(first: bool) -> usize {
    if first { 1 } else { 2 }
}
