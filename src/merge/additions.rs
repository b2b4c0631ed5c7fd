//! ADDED blocks of a delta to a document that is there: parent, level, twin, ids, place (change.md 6.6, "ADDED").

use super::compose::Content;
use super::document::{Planner, ended};
use super::new_document::new_document_level;
use super::placement::{self, Parent, Wanted};
use super::{BaseView, ConflictCode, Hint, Sides};
use crate::ids;
use crate::markdown::three_way::same_section;
use crate::markdown::{Document, nearest};
use crate::text::{Bytes, natural_cmp};

/// A new section that has found its parent.
pub(super) struct Addition {
    pub(super) parent: Parent,
    pub(super) level: usize,
    pub(super) title: String,
    pub(super) text: Bytes,
}

impl Planner<'_> {
    pub(super) fn add(&mut self, index: usize) {
        let block = self.block(index);
        let content = Content::of(self.blocks.sections, block);
        if self.report_marks(index) {
            return;
        }
        let wanted = Wanted::new(&block.spelling, content.own_heading(), self.now);
        let parent = wanted.parent().filter(|_| !wanted.title.is_empty());
        let Some((parent, level)) = parent.and_then(|p| Some((p, self.level(index, &wanted, p)?))) else {
            self.parent_unresolved(index, &wanted);
            return;
        };
        if content.escapes(level, content.own_heading().is_some()) {
            self.push(ConflictCode::BlockEscapesSection, index);
            return;
        }
        let text = content.added(&wanted.title, level, self.line_end);
        let claim = (parent, level, wanted.title.clone());
        if self.claimed.contains(&claim) {
            self.push(ConflictCode::ContradictingBlocks, index);
            return;
        }
        self.claimed.push(claim);
        if let Some(twin) = placement::twin(self.now, parent, level, &wanted.title) {
            self.report_twin(index, parent, twin, text);
            return;
        }
        self.parents.insert(index, parent);
        if !self.take_ids(index, &text) {
            self.additions.push(Addition {
                parent,
                level,
                title: wanted.title,
                text,
            });
        }
    }

    /// In a document that came after the base, blocks stand at the levels of a new document, so that a twin is found.
    fn level(&self, index: usize, wanted: &Wanted<'_>, parent: Parent) -> Option<usize> {
        let appeared = matches!(self.blocks.base, BaseView::Known(None));
        if appeared && parent == Parent::Document {
            let own = Content::of(self.blocks.sections, self.block(index))
                .own_heading()
                .map(|h| h.level);
            return Some(own.unwrap_or_else(|| new_document_level(index == 0)));
        }
        wanted.level(parent)
    }

    fn parent_unresolved(&mut self, index: usize, wanted: &Wanted<'_>) {
        let hint = match &wanted.named {
            Some(anchor) => {
                let base = self.blocks.base.document();
                let became = base.and_then(|base| {
                    let heading = anchor.resolve(base).one()?;
                    placement::renamed_to(base, heading, self.now)
                });
                match became {
                    Some(h) => Hint::Became(self.now.headings()[h].title.clone()),
                    None => Hint::Anchors(nearest(
                        self.now,
                        anchor.parts().last().map_or("", String::as_str),
                    )),
                }
            }
            None => Hint::Anchors(self.possible_parents(index)),
        };
        self.push(ConflictCode::AddedParentUnresolved, index).hint = hint;
    }

    /// The sections one level above a block's own heading.
    fn possible_parents(&self, index: usize) -> Vec<String> {
        let content = Content::of(self.blocks.sections, self.block(index));
        let level = content.own_heading().map_or(2, |h| h.level);
        let above = self
            .now
            .headings()
            .iter()
            .enumerate()
            .filter(|(_, h)| h.level + 1 == level);
        above.map(|(at, _)| self.now.title_path(at)).collect()
    }

    fn report_twin(&mut self, index: usize, parent: Parent, twin: usize, text: Bytes) {
        let ours = ended(
            self.now.slice(self.now.trimmed(self.now.section(twin))),
            self.line_end,
        );
        if same_section(&ours, &text) {
            return;
        }
        let heading = &self.now.headings()[twin];
        let in_base = match self.blocks.base {
            BaseView::Unknown => true,
            BaseView::Known(base) => base.is_some_and(|base| {
                placement::twin_in_base(self.now, parent, heading.level, &heading.title, base)
            }),
        };
        let code = if in_base {
            ConflictCode::AddedExists
        } else {
            ConflictCode::AddedTwice
        };
        self.push(code, index).texts = Some(Sides {
            base: Bytes::new(),
            document: ours,
            delta: text,
        });
    }

    /// Claims the ids of a new section; reports those that the document has already.
    fn take_ids(&mut self, index: usize, text: &[u8]) -> bool {
        let new = Document::scan(text);
        let ids = ids::of_lines(&new, new.all_lines(), None, false).set();
        let is_taken = |id: &&String| {
            (self.there.contains(*id) && !self.leaving.contains(*id)) || self.added.contains(*id)
        };
        let mut taken: Vec<String> = ids.iter().filter(is_taken).cloned().collect();
        taken.sort_by(|a, b| natural_cmp(a, b));
        for id in &taken {
            let free = next_free(id, |id| self.there.contains(id) || ids.contains(id));
            let conflict = self.push(ConflictCode::IdTaken, index);
            conflict.item = Some(id.clone());
            conflict.hint = free.map_or(Hint::None, Hint::FreeId);
        }
        // Below a scenario map its tables are the map's.
        self.brought
            .extend(ids::with_all_rows(&new, new.all_lines()).set());
        if taken.is_empty() {
            self.added.extend(ids);
        }
        !taken.is_empty()
    }

    pub(super) fn place_additions(&mut self) {
        let mut groups: Vec<((Parent, usize), Vec<Addition>)> = Vec::new();
        for addition in std::mem::take(&mut self.additions) {
            let key = (addition.parent, addition.level);
            match groups.iter_mut().find(|(k, _)| *k == key) {
                Some((_, list)) => list.push(addition),
                None => groups.push((key, vec![addition])),
            }
        }
        for ((parent, level), list) in groups {
            let titles: Vec<&str> = list.iter().map(|a| a.title.as_str()).collect();
            let places = placement::places(self.now, parent, level, &titles, self.blocks.base);
            let depth = parent.level(self.now);
            self.edits.inserted.extend(
                list.iter()
                    .zip(places)
                    .map(|(a, line)| (line, depth, a.text.clone())),
            );
        }
    }
}

/// The next id with a higher last number of the same width that is not taken.
fn next_free(id: &str, taken: impl Fn(&str) -> bool) -> Option<String> {
    let digits = id.len() - id.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (stem, number) = id.split_at(id.len() - digits);
    let number: u64 = number.parse().ok()?;
    (number.checked_add(1)?..number.saturating_add(10_000))
        .map(|n| format!("{stem}{n:0digits$}"))
        .find(|id| !taken(id))
}

#[cfg(test)]
mod tests {
    use super::next_free;

    #[test]
    fn the_free_id_keeps_its_width() {
        assert_eq!(
            next_free("UT-S01-04", |id| id == "UT-S01-05").as_deref(),
            Some("UT-S01-06")
        );
        assert_eq!(next_free("D", |_| false), None);
        assert_eq!(next_free("UT-S01-18446744073709551615", |_| false), None);
    }
}
