//! The blocks of one section delta against one document: edits, or every conflict in source order (change.md 6.6, 6.9).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::additions::Addition;
use super::compose::Content;
use super::conservation::{Account, Loss, LossKind};
use super::new_document::Blocks;
use super::placement::{self, Parent};
use super::splice::Edits;
use super::{BaseView, Conflict, ConflictCode, DeltaPlan, DocumentEdit, Hint, Moved, Sides};
use crate::change::Delta;
use crate::change::delta::{Block, Operation, SectionDelta};
use crate::files::RepoPath;
use crate::ids;
use crate::markdown::three_way::{
    Clash, ClashKind, Merged, has_only_lost_sections, merge_sections, same_section,
};
use crate::markdown::{Document, SectionAnchor};
use crate::text::{Bytes, line_end, natural_cmp, with_line_ends};

/// Plans one document.
pub(super) fn plan(
    delta: &Delta,
    sections: &SectionDelta,
    target: &RepoPath,
    now: Option<&Document>,
    base: BaseView<'_>,
) -> DeltaPlan {
    let blocks = Blocks {
        delta,
        sections,
        target,
        base,
    };
    let mut plan = DeltaPlan::default();
    let new = match now {
        Some(now) => {
            let planned = Planner::new(blocks, now).run();
            plan.moved = planned.moved;
            plan.conflicts = planned.conflicts;
            plan.account = Some(planned.account);
            planned.new
        }
        None if base.document().is_some() => {
            plan.conflicts = blocks.each(ConflictCode::DocumentRemoved);
            None
        }
        None => {
            let (new, conflicts) = blocks.new_document();
            plan.conflicts = conflicts;
            new.map(Some)
        }
    };
    let old = now.map(|doc| doc.bytes().to_vec());
    plan.edit = new
        .filter(|new| plan.conflicts.is_empty() && *new != old)
        .map(|new| DocumentEdit {
            document: target.clone(),
            old,
            new,
        });
    plan
}

/// What became of a document that is there: its new text (none inside: it goes), if it changes.
struct Planned {
    new: Option<Option<Bytes>>,
    conflicts: Vec<Conflict>,
    moved: Vec<Moved>,
    account: Account,
}

pub(super) struct Planner<'a> {
    pub(super) blocks: Blocks<'a>,
    pub(super) now: &'a Document,
    pub(super) line_end: &'static [u8],
    /// The section of each MODIFIED or REMOVED block.
    pub(super) sections: Vec<Option<usize>>,
    pub(super) account: Account,
    pub(super) conflicts: Vec<Conflict>,
    pub(super) moved: Vec<Moved>,
    pub(super) edits: Edits,
    pub(super) additions: Vec<Addition>,
    /// Parent, level and title of every new section, whatever became of it.
    pub(super) claimed: Vec<(Parent, usize, String)>,
    /// The parents of new sections that are not there yet, by block.
    pub(super) parents: BTreeMap<usize, Parent>,
    /// Ids of the document as it is.
    pub(super) there: BTreeSet<String>,
    /// Ids that additions bring.
    pub(super) added: BTreeSet<String>,
    /// Ids that leave the document with this delta.
    pub(super) leaving: BTreeSet<String>,
    /// Ids that it brings.
    pub(super) brought: BTreeSet<String>,
}

impl<'a> Planner<'a> {
    fn new(blocks: Blocks<'a>, now: &'a Document) -> Self {
        let resolve = |block: &Block| match block.operation {
            Operation::Modified | Operation::Removed => block.anchor.as_ref()?.resolve(now).one(),
            Operation::Added | Operation::RemovedItems => None,
        };
        Self {
            now,
            line_end: line_end(now.bytes()),
            sections: blocks.sections.blocks.iter().map(resolve).collect(),
            account: Account::of(blocks.sections, now, blocks.base),
            blocks,
            conflicts: Vec::new(),
            moved: Vec::new(),
            edits: Edits::default(),
            additions: Vec::new(),
            claimed: Vec::new(),
            parents: BTreeMap::new(),
            there: ids::of_lines(now, now.all_lines(), None, false).set(),
            added: BTreeSet::new(),
            leaving: BTreeSet::new(),
            brought: BTreeSet::new(),
        }
    }

    fn run(mut self) -> Planned {
        self.note_leaving_ids();
        for index in 0..self.blocks.sections.blocks.len() {
            match self.block(index).operation {
                Operation::Added => self.add(index),
                Operation::Modified => self.modify(index),
                Operation::Removed => self.remove(index),
                Operation::RemovedItems => drop(self.report_losses(index)),
            }
        }
        self.report_overlaps();
        let mut new = None;
        if self.conflicts.is_empty() {
            self.place_additions();
            let edits = std::mem::take(&mut self.edits);
            if !edits.is_empty() {
                let text = edits.apply(self.now);
                self.check_ids(text.as_deref());
                new = Some(text);
            }
        }
        Planned {
            new,
            conflicts: self.conflicts,
            moved: self.moved,
            account: self.account,
        }
    }

    pub(super) fn block(&self, index: usize) -> &'a Block {
        &self.blocks.sections.blocks[index]
    }

    pub(super) fn push(&mut self, code: ConflictCode, block: usize) -> &mut Conflict {
        let conflict = self.blocks.conflict(code, self.block(block));
        self.conflicts.push(conflict);
        self.conflicts.last_mut().expect("just pushed")
    }

    fn note_leaving_ids(&mut self) {
        for (index, block) in self.blocks.sections.blocks.iter().enumerate() {
            if let (Operation::Removed, Some(heading)) = (block.operation, self.sections[index]) {
                self.leaving
                    .extend(ids::with_all_rows(self.now, self.now.section(heading)).set());
            }
            if block.operation == Operation::RemovedItems {
                self.leaving.extend(
                    self.blocks
                        .sections
                        .named_items(block)
                        .into_iter()
                        .map(|(id, _)| id),
                );
            }
        }
    }

    /// Reports what the conservation check found about a block; says whether there was anything.
    fn report_losses(&mut self, index: usize) -> bool {
        let mut own: Vec<Loss> = self
            .account
            .losses
            .iter()
            .filter(|l| l.block == index)
            .cloned()
            .collect();
        let id = |loss: &Loss| match &loss.kind {
            LossKind::UnknownItem(id) | LossKind::Lost(id) => Some(id.clone()),
            LossKind::NoAnchor
            | LossKind::Unresolved { .. }
            | LossKind::SecondWriter
            | LossKind::LoneItems => None,
        };
        own.sort_by(|a, b| natural_cmp(&id(a).unwrap_or_default(), &id(b).unwrap_or_default()));
        let mut found = false;
        for loss in own {
            let item = id(&loss);
            let code = match loss.kind {
                LossKind::NoAnchor => ConflictCode::AnchorUnresolvable,
                LossKind::Unresolved {
                    ambiguous,
                    candidates,
                } => {
                    self.unresolved(index, ambiguous, candidates);
                    found = true;
                    continue;
                }
                LossKind::UnknownItem(_) => ConflictCode::RemovedUnknownId,
                LossKind::LoneItems | LossKind::Lost(_) => ConflictCode::ImplicitIdRemoval,
                // Told once per writer after the first, by section: see `modify`.
                LossKind::SecondWriter => continue,
            };
            self.push(code, index).item = item;
            found = true;
        }
        found
    }

    fn unresolved(&mut self, index: usize, ambiguous: bool, candidates: Vec<String>) {
        let block = self.block(index);
        let anchor = block.anchor.as_ref().expect("an anchor did not resolve");
        let in_base = self
            .blocks
            .base
            .document()
            .and_then(|doc| Some((doc, anchor.resolve(doc).one()?)));
        // The finding stands for all blocks of its anchor.
        let of_anchor = |b: &Block| {
            b.anchor
                .as_ref()
                .is_some_and(|a| a.spelling() == anchor.spelling())
        };
        let mut blocks = self.blocks.sections.blocks.iter();
        let writes = blocks.any(|b| b.operation == Operation::Modified && of_anchor(b));
        match in_base {
            Some((base, heading)) if !ambiguous && writes => {
                let became = placement::renamed_to(base, heading, self.now);
                let hint = became.map_or(Hint::None, |h| Hint::Became(self.now.headings()[h].title.clone()));
                self.push(ConflictCode::RemovedUpstream, index).hint = hint;
            }
            _ => self.push(ConflictCode::AnchorUnresolvable, index).hint = Hint::Anchors(candidates),
        }
    }

    fn earlier(&self, index: usize, operation: Operation) -> bool {
        let same = |&other: &usize| {
            self.block(other).operation == operation && self.sections[other] == self.sections[index]
        };
        self.sections[index].is_some() && (0..index).any(|other| same(&other))
    }

    fn modify(&mut self, index: usize) {
        if self.report_marks(index) || self.report_losses(index) {
            return;
        }
        // A group whose first block told that it does not resolve.
        let Some(heading) = self.sections[index] else {
            return;
        };
        if self.earlier(index, Operation::Modified) {
            self.push(ConflictCode::ImplicitIdRemoval, index);
            return;
        }
        if self.earlier(index, Operation::Removed) {
            self.push(ConflictCode::ContradictingBlocks, index);
            return;
        }
        let content = Content::of(self.blocks.sections, self.block(index));
        let Some(theirs) = content.modified(self.now, heading, self.line_end) else {
            self.push(ConflictCode::BlockEscapesSection, index);
            return;
        };
        let body = self.block(index).body.clone();
        self.brought
            .extend(ids::with_all_rows(&self.blocks.sections.document, body).set());
        let lines = self.now.trimmed(self.now.section(heading));
        let ours = ended(self.now.slice(lines.clone()), self.line_end);
        let merged = match self.base_section(index, heading) {
            Ok(base) => {
                self.note_moved(index, base.as_deref(), &ours);
                merge_sections(base.as_deref().unwrap_or(&ours), &ours, &theirs, self.line_end)
            }
            // The section came after the base, told otherwise by the delta.
            Err(()) if same_section(&ours, &theirs) => return,
            Err(()) => {
                self.push(ConflictCode::AddedTwice, index).texts = Some(Sides {
                    base: Bytes::new(),
                    document: ours,
                    delta: theirs,
                });
                return;
            }
        };
        self.report_clashes(index, &merged);
        if let Some(text) = merged.clean().filter(|text| *text != ours) {
            self.edits.replaced.push((lines, text));
        }
    }

    /// The section in the base, with the document's line ends; none without a base, an error if the base does not have it.
    fn base_section(&self, index: usize, heading: usize) -> Result<Option<Bytes>, ()> {
        let anchor = self.block(index).anchor.as_ref().ok_or(())?;
        base_section(self.blocks.base, anchor, self.now, heading, self.line_end)
    }

    fn note_moved(&mut self, index: usize, base: Option<&[u8]>, ours: &[u8]) {
        if base.is_some_and(|base| !same_section(base, ours)) {
            let anchor = Some(self.block(index).spelling.clone());
            self.moved.push(Moved {
                document: self.blocks.target.clone(),
                anchor,
            });
        }
    }

    fn report_clashes(&mut self, index: usize, merged: &Merged) {
        for Clash {
            kind,
            item,
            base,
            ours,
            theirs,
        } in merged.clashes().cloned()
        {
            let code = match kind {
                ClashKind::BothChanged => ConflictCode::BothChanged,
                ClashKind::ChangedAndRemoved => ConflictCode::ChangedAndRemoved,
                ClashKind::AddedTwice => ConflictCode::AddedTwice,
            };
            let conflict = self.push(code, index);
            conflict.item = item;
            conflict.texts = Some(Sides {
                base,
                document: ours,
                delta: theirs,
            });
        }
    }

    /// Marks that a rebase left come before all else: a marked block is not what its writer means.
    pub(super) fn report_marks(&mut self, index: usize) -> bool {
        let marked = Content::of(self.blocks.sections, self.block(index)).has_conflict_marks();
        if marked {
            self.push(ConflictCode::ConflictMarksLeft, index);
        }
        marked
    }

    fn remove(&mut self, index: usize) {
        if self.report_marks(index) || self.report_losses(index) {
            return;
        }
        let Some(heading) = self.sections[index] else {
            return;
        };
        if self.earlier(index, Operation::Modified) || self.earlier(index, Operation::Removed) {
            self.push(ConflictCode::ContradictingBlocks, index);
            return;
        }
        let lines = self.now.section(heading);
        let ours = ended(self.now.slice(self.now.trimmed(lines.clone())), self.line_end);
        let base = self.base_section(index, heading);
        if let Ok(base) = &base {
            self.note_moved(index, base.as_deref(), &ours);
        }
        let unchanged = match &base {
            Ok(None) => true,
            Ok(Some(base)) => has_only_lost_sections(base, &ours),
            Err(()) => false,
        };
        if unchanged {
            self.edits.removed.push(lines);
        } else {
            let base = base.ok().flatten().unwrap_or_default();
            self.push(ConflictCode::ChangedAndRemoved, index).texts = Some(Sides {
                base,
                document: ours,
                delta: Bytes::new(),
            });
        }
    }

    /// Blocks inside a section that another block writes or removes; told for the inner one.
    fn report_overlaps(&mut self) {
        let written: Vec<(usize, Range<usize>)> = (0..self.sections.len())
            .filter_map(|b| self.sections[b].map(|h| (b, self.now.section(h))))
            .collect();
        for index in 0..self.sections.len() {
            let inside = |lines: &Range<usize>| match (self.sections[index], self.parents.get(&index)) {
                (Some(heading), _) => {
                    let own = self.now.section(heading);
                    own.start > lines.start && own.end <= lines.end
                }
                (None, Some(Parent::Section(heading))) => {
                    let line = self.now.headings()[*heading].line;
                    lines.contains(&line)
                }
                (None, Some(Parent::Document) | None) => false,
            };
            if written.iter().any(|(b, lines)| *b != index && inside(lines)) {
                self.push(ConflictCode::OverlappingBlocks, index);
            }
        }
    }

    /// Ids after = ids before, less what was removed or named, plus what the delta brings (change.md 6.5).
    fn check_ids(&mut self, new: Option<&[u8]>) {
        let before = &self.there;
        let after = match new {
            Some(new) => {
                let doc = Document::scan(new);
                ids::of_lines(&doc, doc.all_lines(), None, false).set()
            }
            None => BTreeSet::new(),
        };
        let lost = before
            .iter()
            .filter(|id| !after.contains(*id) && !self.leaving.contains(*id));
        let strange = after
            .iter()
            .filter(|id| !before.contains(*id) && !self.brought.contains(*id));
        let mut wrong: Vec<String> = lost.chain(strange).cloned().collect();
        wrong.sort_by(|a, b| natural_cmp(a, b));
        for id in wrong {
            let conflict = Conflict {
                item: Some(id),
                ..Conflict::of_file(ConflictCode::IdCountMismatch, self.blocks.target)
            };
            self.conflicts.push(conflict);
        }
    }
}

/// A section of the document as the base has it, with the document's line ends; none without a base, an error if the
/// base does not have it.
pub(super) fn base_section(
    base: BaseView<'_>,
    anchor: &SectionAnchor,
    now: &Document,
    heading: usize,
    line_end: &[u8],
) -> Result<Option<Bytes>, ()> {
    let BaseView::Known(base) = base else {
        return Ok(None);
    };
    let base = base.ok_or(())?;
    let found = placement::section_before(anchor, now, heading, base);
    let lines = base.trimmed(base.section(found.ok_or(())?));
    Ok(Some(ended(
        &with_line_ends(base.slice(lines), line_end),
        line_end,
    )))
}

pub(super) fn ended(text: &[u8], line_end: &[u8]) -> Bytes {
    let mut out = text.to_vec();
    if !out.is_empty() && !out.ends_with(b"\n") {
        out.extend_from_slice(line_end);
    }
    out
}
