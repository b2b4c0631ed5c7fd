//! Rewrites the deltas of a change onto the documents as they are now (change.md 6.9): merged text where it is clean,
//! conflict marks where it is not, anchors of renamed sections. Plans only.

use super::compose::Content;
use super::conflict::{DELTA, DOCUMENT, MARKS, has_marks_of_rebase};
use super::document::{base_section, ended};
use super::new_document::Blocks;
use super::placement;
use super::{BaseView, Conflict, ConflictCode, DocumentEdit, Hint, LineMerge};
use crate::change::delta::{Block, Operation, SectionDelta};
use crate::change::{Change, Delta, DeltaContent};
use crate::files::{ReadError, RepoPath, Tree};
use crate::finding::Location;
use crate::markdown::three_way::{has_only_lost_sections, merge_sections, same_section};
use crate::markdown::{Document, Resolution};
use crate::text::{Bytes, Span, line_end, splice, with_line_ends};

/// What a rebase makes of the deltas.
#[derive(Debug, Default)]
pub struct RebasePlan {
    /// Delta files that change.
    pub edits: Vec<DocumentEdit>,
    /// Pieces that a person has to settle, by delta.
    pub marked: Vec<(RepoPath, usize)>,
    /// What no rewriting helps against; then nothing is rewritten.
    pub left: Vec<Conflict>,
}

/// Plans the rewriting of every delta that counts. While marks of an earlier rebase are left nothing is rewritten: a
/// marked block is not what its writer means, and the new base would be declared for it as well.
pub fn plan(
    change: &Change,
    base: &dyn Tree,
    now: &dyn Tree,
    lines: &dyn LineMerge,
) -> Result<RebasePlan, ReadError> {
    let mut plan = RebasePlan::default();
    for delta in change.counting() {
        let target = delta.target.as_ref().expect("a delta that counts has a target");
        let (then, ours) = (base.read(target)?, now.read(target)?);
        if then == ours {
            continue;
        }
        match &delta.content {
            DeltaContent::Sections(sections) => {
                rebase_sections(delta, sections, target, then, ours, &mut plan);
            }
            DeltaContent::WholeFile(theirs) => {
                rebase_file(delta, theirs, target, (then, ours), lines, &mut plan)?;
            }
            DeltaContent::Unread => {}
        }
    }
    if !plan.edits.is_empty() {
        plan.left.extend(marks_left(change));
    }
    if !plan.left.is_empty() {
        // The new base would stand for these deltas too: what others changed would be overwritten unnoticed.
        plan.edits.clear();
        plan.marked.clear();
    }
    Ok(plan)
}

/// A conflict of a file as a whole that no rewriting helps against.
fn by_hand(code: ConflictCode, delta: &Delta, target: &RepoPath) -> Conflict {
    Conflict {
        at: Some(Location::file(&delta.path)),
        hint: Hint::ByHand,
        ..Conflict::of_file(code, target)
    }
}

/// What an earlier rebase left to be settled.
fn marks_left(change: &Change) -> Vec<Conflict> {
    let mut out = Vec::new();
    for delta in change.counting() {
        let target = delta.target.as_ref().expect("a delta that counts has a target");
        match &delta.content {
            DeltaContent::Sections(sections) => {
                let blocks = Blocks {
                    delta,
                    sections,
                    target,
                    base: BaseView::Unknown,
                };
                let marked = sections
                    .blocks
                    .iter()
                    .filter(|b| Content::of(sections, b).has_conflict_marks());
                out.extend(marked.map(|block| blocks.conflict(ConflictCode::ConflictMarksLeft, block)));
            }
            DeltaContent::WholeFile(file) if has_marks_of_rebase(file) => {
                out.push(Conflict {
                    hint: Hint::None,
                    ..by_hand(ConflictCode::ConflictMarksLeft, delta, target)
                });
            }
            DeltaContent::WholeFile(_) | DeltaContent::Unread => {}
        }
    }
    out
}

fn rebase_file(
    delta: &Delta,
    theirs: &Bytes,
    target: &RepoPath,
    (then, ours): (Option<Bytes>, Option<Bytes>),
    lines: &dyn LineMerge,
    plan: &mut RebasePlan,
) -> Result<(), ReadError> {
    let (Some(then), Some(ours)) = (&then, &ours) else {
        let code = if ours.is_none() {
            ConflictCode::DocumentRemoved
        } else {
            ConflictCode::AddedTwice
        };
        if ours.as_ref() != Some(theirs) {
            plan.left.push(by_hand(code, delta, target));
        }
        return Ok(());
    };
    if ours == theirs || then == theirs {
        return Ok(());
    }
    let binary = [then, ours, theirs].iter().any(|text| text.contains(&0));
    if binary || delta.is_prototype() {
        plan.left.push(by_hand(ConflictCode::BothChanged, delta, target));
        return Ok(());
    }
    let fail = |e: String| ReadError::new(target, std::io::Error::other(e));
    let (new, conflicts) = lines.merge(then, ours, theirs).map_err(fail)?;
    if conflicts {
        plan.marked.push((delta.path.clone(), 1));
    }
    plan.edits.push(DocumentEdit {
        document: delta.path.clone(),
        old: Some(theirs.clone()),
        new: Some(new),
    });
    Ok(())
}

fn rebase_sections(
    delta: &Delta,
    sections: &SectionDelta,
    target: &RepoPath,
    then: Option<Bytes>,
    ours: Option<Bytes>,
    plan: &mut RebasePlan,
) {
    let Some(now) = ours.map(Document::scan) else {
        plan.left
            .push(by_hand(ConflictCode::DocumentRemoved, delta, target));
        return;
    };
    let then = then.map(Document::scan);
    let rebase = Rebase {
        sections,
        now: &now,
        base: then.as_ref(),
        line_end: line_end(sections.document.bytes()),
    };
    let mut edits: Vec<(Span, Bytes)> = Vec::new();
    let mut marked = 0;
    for block in &sections.blocks {
        let rewritten = match block.operation {
            Operation::Modified => rebase.modified(block),
            Operation::Removed => rebase.removed(block),
            Operation::Added => rebase.added(block),
            Operation::RemovedItems => rebase.renamed_anchor(block).map(|anchor| Rewrite {
                marker: Some(format!("## {} — {anchor}", block.operation.as_str())),
                ..Rewrite::default()
            }),
        };
        if let Some(rewrite) = rewritten {
            marked += rewrite.marks;
            rebase.splice(block, rewrite, &mut edits);
        }
    }
    if marked > 0 {
        plan.marked.push((delta.path.clone(), marked));
    }
    let old = sections.document.bytes().to_vec();
    let new = splice(&old, &edits);
    if new != old {
        plan.edits.push(DocumentEdit {
            document: delta.path.clone(),
            old: Some(old),
            new: Some(new),
        });
    }
}

/// What becomes of a block; what is none stays.
#[derive(Default)]
struct Rewrite {
    marker: Option<String>,
    body: Option<Bytes>,
    /// The whole block goes: the document has it already.
    gone: bool,
    marks: usize,
}

struct Rebase<'a> {
    sections: &'a SectionDelta,
    now: &'a Document,
    base: Option<&'a Document>,
    /// Of the delta.
    line_end: &'static [u8],
}

impl Rebase<'_> {
    fn splice(&self, block: &Block, rewrite: Rewrite, edits: &mut Vec<(Span, Bytes)>) {
        let document = &self.sections.document;
        if rewrite.gone {
            edits.push((document.span(block.marker..block.body.end), Bytes::new()));
            return;
        }
        if let Some(marker) = rewrite.marker {
            let mut line = marker.into_bytes();
            line.extend_from_slice(self.line_end);
            edits.push((document.span(block.marker..block.marker + 1), line));
        }
        if let Some(body) = rewrite.body {
            let lines = document.trimmed(block.body.clone());
            let mut text = with_line_ends(&body, self.line_end);
            let unended = document.slice(lines.clone()).last().is_some_and(|b| *b != b'\n');
            if unended {
                while text.ends_with(b"\n") || text.ends_with(b"\r") {
                    text.pop();
                }
            }
            edits.push((document.span(lines), text));
        }
    }

    /// The section that a block is about in the document, and its new anchor if it was renamed.
    fn section(&self, block: &Block) -> Option<(usize, Option<String>)> {
        let anchor = block.anchor.as_ref()?;
        match anchor.resolve(self.now) {
            Resolution::One(heading) => Some((heading, None)),
            Resolution::Many(_) => None,
            Resolution::Missing => {
                let base = self.base?;
                let heading = placement::renamed_to(base, anchor.resolve(base).one()?, self.now)?;
                Some((heading, Some(self.anchor_of(heading))))
            }
        }
    }

    /// The shortest spelling that names a section: its title, or the titles down to it.
    fn anchor_of(&self, heading: usize) -> String {
        let title = self.now.headings()[heading].plain.clone();
        match crate::markdown::SectionAnchor::new(&title)
            .resolve(self.now)
            .one()
        {
            Some(_) => title,
            None => self.now.title_path(heading),
        }
    }

    fn renamed_anchor(&self, block: &Block) -> Option<String> {
        self.section(block)?.1
    }

    fn text_of(&self, heading: usize) -> Bytes {
        let lines = self.now.trimmed(self.now.section(heading));
        ended(self.now.slice(lines), line_end(self.now.bytes()))
    }

    fn modified(&self, block: &Block) -> Option<Rewrite> {
        let (heading, renamed) = self.section(block)?;
        let eol = line_end(self.now.bytes());
        let ours = self.text_of(heading);
        let content = Content::of(self.sections, block);
        let theirs = content.modified(self.now, heading, eol)?;
        let anchor = block.anchor.as_ref()?;
        let marker = renamed.map(|anchor| format!("## MODIFIED — {anchor}"));
        let Some(base) = base_section(BaseView::Known(self.base), anchor, self.now, heading, eol)
            .ok()
            .flatten()
        else {
            if same_section(&ours, &theirs) {
                return None;
            }
            let body = marks(&ours, &theirs, eol);
            return Some(Rewrite {
                marker,
                body: Some(body),
                marks: 1,
                ..Rewrite::default()
            });
        };
        if same_section(&base, &ours) && marker.is_none() {
            return None;
        }
        let merged = merge_sections(&base, &ours, &theirs, eol);
        let mut body = merged.with_marks(&MARKS, eol);
        if content
            .own_heading()
            .is_none_or(|h| h.level > self.now.headings()[heading].level)
        {
            body = below_heading(&body, &ours);
        }
        Some(Rewrite {
            marker,
            body: Some(body),
            marks: merged.clashes().count(),
            ..Rewrite::default()
        })
    }

    /// A section that is gone already needs no removing; one that was changed since needs a second look.
    fn removed(&self, block: &Block) -> Option<Rewrite> {
        let Some((heading, renamed)) = self.section(block) else {
            let gone = block.anchor.as_ref()?.resolve(self.base?).one().is_some()
                && block.anchor.as_ref()?.resolve(self.now) == Resolution::Missing;
            return gone.then(|| Rewrite {
                gone: true,
                ..Rewrite::default()
            });
        };
        let eol = line_end(self.now.bytes());
        let ours = self.text_of(heading);
        let anchor = block.anchor.as_ref()?;
        let base = base_section(BaseView::Known(self.base), anchor, self.now, heading, eol)
            .ok()
            .flatten();
        if base.is_some_and(|base| has_only_lost_sections(&base, &ours)) {
            return None;
        }
        let reason = Content::of(self.sections, block).whole(eol);
        Some(Rewrite {
            marker: renamed.map(|anchor| format!("## REMOVED — {anchor}")),
            body: Some(marks(&ours, &reason, eol)),
            marks: 1,
            ..Rewrite::default()
        })
    }

    /// A twin that another change added is to be modified from now on; a renamed parent gets its new name.
    fn added(&self, block: &Block) -> Option<Rewrite> {
        let eol = line_end(self.now.bytes());
        let content = Content::of(self.sections, block);
        let wanted = placement::Wanted::new(&block.spelling, content.own_heading(), self.now);
        let Some(parent) = wanted.parent() else {
            let (base, named) = (self.base?, wanted.named.as_ref()?);
            let parent = placement::renamed_to(base, named.resolve(base).one()?, self.now)?;
            let marker = format!("## ADDED — {} > {}", self.anchor_of(parent), wanted.title);
            return Some(Rewrite {
                marker: Some(marker),
                ..Rewrite::default()
            });
        };
        let level = wanted.level(parent)?;
        let twin = placement::twin(self.now, parent, level, &wanted.title)?;
        let (ours, theirs) = (self.text_of(twin), content.added(&wanted.title, level, eol));
        let in_base = self
            .base
            .is_some_and(|base| placement::twin_in_base(self.now, parent, level, &wanted.title, base));
        if in_base || same_section(&ours, &theirs) {
            return None;
        }
        Some(Rewrite {
            marker: Some(format!("## MODIFIED — {}", self.anchor_of(twin))),
            body: Some(marks(&ours, &theirs, eol)),
            marks: 1,
            ..Rewrite::default()
        })
    }
}

/// The merged text without its heading line, if that is still the document's: the block had none of its own.
fn below_heading(merged: &[u8], document: &[u8]) -> Bytes {
    let heading = document
        .split_inclusive(|b| *b == b'\n')
        .next()
        .unwrap_or_default();
    match merged.strip_prefix(heading) {
        Some(rest) => {
            let text = Document::scan(rest);
            text.slice(text.trimmed(text.all_lines())).to_vec()
        }
        None => merged.to_vec(),
    }
}

fn marks(ours: &[u8], theirs: &[u8], line_end: &[u8]) -> Bytes {
    let mut out = Bytes::new();
    let mut mark = |text: &str, below: &[u8]| {
        out.extend_from_slice(text.as_bytes());
        out.extend_from_slice(line_end);
        out.extend_from_slice(below);
    };
    mark(&format!("<<<<<<< {DOCUMENT}"), ours);
    mark("=======", theirs);
    mark(&format!(">>>>>>> {DELTA}"), b"");
    out
}
