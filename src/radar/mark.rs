//! What the merge of a change leaves on a document that another change could notice elsewhere: titles and ids that come
//! and go. Two changes that work at different places, and of which neither notices the other's, need not be planned
//! together: each finds its sections as they are without the other.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::Delta;
use crate::files::RepoPath;
use crate::ids;
use crate::markdown::{Document, SectionAnchor};
use crate::merge::{MergePlan, Place, Touch};

/// One change at one document.
#[derive(Debug, Default)]
pub(super) struct Mark {
    /// Titles that are there once more, or once less.
    titles: BTreeSet<String>,
    /// Ids that are there before or after, and not both.
    ids: BTreeSet<String>,
    /// Titles that its blocks look for.
    looks_for: BTreeSet<String>,
    /// Ids that its blocks hold.
    holds: BTreeSet<String>,
    /// A new section is numbered: its place depends on the numbers of others.
    is_numbered: bool,
    /// The place of new sections at the top of the document changes.
    moves_top: bool,
    /// It was made from other sections than there are: which ones became of them is told by all that are there.
    has_moved: bool,
}

impl Mark {
    /// The marks of a change that merges, by document; none for a document that comes or goes, and none for a whole file.
    pub(super) fn of_change<'d>(
        deltas: impl Iterator<Item = &'d Delta>,
        touches: &[Touch],
        plan: &MergePlan,
    ) -> BTreeMap<RepoPath, Self> {
        let mut out = BTreeMap::new();
        for delta in deltas {
            let (Some(sections), Some(target)) = (delta.sections(), &delta.target) else {
                continue;
            };
            let mut mark = Self {
                holds: all_ids(&sections.document),
                has_moved: plan.moved.iter().any(|moved| moved.document == *target),
                ..Self::default()
            };
            // Without an edit it says what the document says already.
            if let Some(edit) = plan.edits.iter().find(|edit| edit.document == *target) {
                let (Some(old), Some(new)) = (&edit.old, &edit.new) else {
                    continue;
                };
                mark.compare(&Document::scan(old.clone()), &Document::scan(new.clone()));
            }
            for block in &sections.blocks {
                let parts = block.anchor.iter().flat_map(SectionAnchor::parts);
                mark.looks_for.extend(parts.cloned());
            }
            for touch in touches.iter().filter(|touch| touch.document == *target) {
                if let Place::New { title, .. } = &touch.place {
                    mark.is_numbered |= title.starts_with(|c: char| c.is_ascii_digit());
                    mark.looks_for.insert(title.clone());
                }
            }
            out.insert(target.clone(), mark);
        }
        out
    }

    fn compare(&mut self, old: &Document, new: &Document) {
        let mut counts: BTreeMap<&str, isize> = BTreeMap::new();
        for (document, step) in [(old, -1), (new, 1)] {
            for heading in document.headings() {
                for title in BTreeSet::from([&heading.title, &heading.plain]) {
                    *counts.entry(title).or_default() += step;
                }
            }
        }
        let changed = counts.into_iter().filter(|(_, count)| *count != 0);
        self.titles = changed.map(|(title, _)| title.to_owned()).collect();
        let (before, after) = (all_ids(old), all_ids(new));
        self.ids = before.symmetric_difference(&after).cloned().collect();
        self.moves_top = top(old) != top(new);
    }

    /// Whether it leaves every title that it found.
    pub(super) fn keeps_titles(&self) -> bool {
        self.titles.is_empty()
    }

    /// Whether neither of two notices the other, as long as they work at different places.
    pub(super) fn is_apart(&self, other: &Self) -> bool {
        !self.notices(other) && !other.notices(self)
    }

    fn notices(&self, other: &Self) -> bool {
        let by_titles = !other.titles.is_empty()
            && (self.is_numbered || self.has_moved || !self.looks_for.is_disjoint(&other.titles));
        by_titles || other.moves_top || !self.holds.is_disjoint(&other.ids)
    }
}

fn all_ids(document: &Document) -> BTreeSet<String> {
    ids::with_all_rows(document, document.all_lines()).set()
}

/// What the level of new sections at the top of a document depends on.
fn top(document: &Document) -> (bool, Option<usize>) {
    let levels = document.headings().iter().map(|heading| heading.level);
    let firsts = levels.clone().filter(|level| *level == 1).count();
    (firsts == 1, levels.min())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(old: &str, new: &str, looks_for: &str, holds: &str) -> Mark {
        let mut mark = Mark {
            looks_for: BTreeSet::from([looks_for.to_owned()]),
            holds: BTreeSet::from([holds.to_owned()]),
            ..Mark::default()
        };
        mark.compare(&Document::scan(old), &Document::scan(new));
        mark
    }

    #[test]
    fn what_keeps_titles_and_ids_is_noticed_by_nobody() {
        let text = "# T\n\n## A\n\nx\n\n## B\n\ny\n";
        let quiet = mark(text, &text.replace('x', "z"), "A", "UT-1");
        assert!(quiet.keeps_titles() && quiet.is_apart(&quiet));
        let renamed = mark(text, &text.replace("## A", "## C"), "A", "UT-1");
        assert_eq!(renamed.titles, BTreeSet::from(["A".to_owned(), "C".to_owned()]));
        let of_b = mark(text, text, "B", "UT-2");
        assert!(renamed.is_apart(&of_b) && !renamed.is_apart(&quiet));
        let of_c = mark(text, text, "C", "UT-2");
        assert!(!of_c.is_apart(&renamed));
        let numbered = Mark {
            is_numbered: true,
            ..mark(text, text, "B", "UT-2")
        };
        assert!(!renamed.is_apart(&numbered) && quiet.is_apart(&numbered));
        let second_top = mark(text, &format!("{text}\n# U\n"), "A", "UT-1");
        assert!(!second_top.is_apart(&of_b));
    }

    #[test]
    fn ids_that_come_are_noticed_by_who_holds_them() {
        let table = "| ID | x |\n|---|---|\n| UT-S01-01 | a |\n";
        let more = mark(table, &format!("{table}| UT-S01-02 | b |\n"), "A", "UT-S01-01");
        assert_eq!(more.ids, BTreeSet::from(["UT-S01-02".to_owned()]));
        assert!(!more.is_apart(&mark("", "", "B", "UT-S01-02")));
        assert!(more.is_apart(&mark("", "", "B", "UT-S01-01")));
    }
}
