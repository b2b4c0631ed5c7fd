//! The change behind a step: one that it marks as merged and whose deltas name what happened, else the one that the
//! message names (git.md 8). A message is never evidence for more than this.

use std::collections::{BTreeMap, BTreeSet};

use super::step::{Kind, StepEvent};
use super::{Error, Spot, Subject};
use crate::change::delta::{Block, Operation, SectionDelta};
use crate::change::{Delta, definitions, deltas, marks};
use crate::files::{MemoryTree, ObjectId, RepoPath, Tree};
use crate::git::{CommitWords, NameStatusOptions, Renames};
use crate::git::{SPEC_CHANGE, SPEC_OPERATION};
use crate::ids::defined;
use crate::markdown::{Document, SectionAnchor};
use crate::project::{Slug, layout};
use crate::text::{decode, trim};

/// What kind of command wrote a commit, where it is none of a change's own.
const RENUMBER: &str = "renumber";

/// What may be behind a step.
pub(super) struct Cause {
    /// The changes that it marks as merged, in the order of their merges.
    merged: Vec<(String, Vec<Delta>)>,
    named: Option<String>,
    is_renumber: bool,
}

impl Cause {
    /// Reads the changes that a commit marks as merged, and what its message says.
    pub(super) fn of(
        subject: Subject<'_>,
        commit: ObjectId,
        parents: &[ObjectId],
        words: &CommitWords,
    ) -> Result<Self, Error> {
        let result = subject.repository.commit_tree(commit, subject.project)?;
        let mut before: Vec<Box<dyn Tree + '_>> = Vec::new();
        for parent in parents {
            before.push(Box::new(
                subject.repository.commit_tree(*parent, subject.project)?,
            ));
        }
        if before.is_empty() {
            before.push(Box::new(MemoryTree::default()));
        }
        let mut touched = BTreeSet::new();
        for parent in &before {
            touched.extend(changed_below(subject, parent.as_ref(), &result)?);
        }
        let trees: Vec<&dyn Tree> = before.iter().map(AsRef::as_ref).collect();
        let mut merged = Vec::new();
        for change in marks::newly_merged(&touched, &result, &trees)? {
            let deltas = deltas::load(&result, &change.path)?;
            merged.push((change.slug.as_str().to_owned(), deltas));
        }
        let named = words.trailer_values(SPEC_CHANGE);
        Ok(Self {
            merged,
            named: named.into_iter().rev().find(|name| is_name(name)),
            is_renumber: words
                .trailer_values(SPEC_OPERATION)
                .iter()
                .any(|name| name == RENUMBER),
        })
    }

    /// The change whose deltas name one of these ids, or a section that holds it, in a document; of several the one that
    /// was merged last. Else the one that the message names.
    pub(super) fn change_of(&self, ids: &[&str], places: &[Place<'_>]) -> Option<String> {
        let names = |deltas: &[Delta]| {
            deltas
                .iter()
                .any(|delta| places.iter().any(|place| names(delta, ids, *place)))
        };
        let merged = self.merged.iter().rev().find(|(_, deltas)| names(deltas));
        merged
            .map(|(slug, _)| slug.clone())
            .or_else(|| self.named.clone())
    }

    /// Why an id is gone: what is said of it among the removed items, else what the block says that removes its section.
    pub(super) fn reason(&self, id: &str, spot: &Spot) -> Option<String> {
        let place = Place::of(spot);
        let blocks = || self.blocks(place);
        let of_item = blocks().rev().find_map(|(delta, block)| {
            let mut reasons = delta.reasons(block);
            reasons.find_map(|(item, why, _)| (item == id && names_items(block)).then_some(why))
        });
        of_item.or_else(|| {
            let removes = |block: &Block| block.operation == Operation::Removed && place.is_in(block);
            let (delta, block) = blocks().rev().find(|(_, block)| removes(block))?;
            let body = decode(delta.document.slice(block.body.clone())).into_owned();
            Some(trim(&body).to_owned()).filter(|body| !body.is_empty())
        })
    }

    /// The blocks about a document, in the order of the merges.
    fn blocks<'c>(
        &'c self,
        place: Place<'c>,
    ) -> impl DoubleEndedIterator<Item = (&'c SectionDelta, &'c Block)> {
        self.merged
            .iter()
            .flat_map(|(_, deltas)| deltas)
            .filter(move |delta| delta.counts() && delta.target.as_ref() == Some(place.document))
            .filter_map(Delta::sections)
            .flat_map(|delta| delta.blocks.iter().map(move |block| (delta, block)))
    }

    /// The ids that only changed their number in this step, with the new ones: in one section one is gone and one is new,
    /// and a merged change names the old one as left out, or the message says that it is a renumbering.
    pub(super) fn renumbered(&self, events: &[StepEvent]) -> BTreeMap<String, String> {
        type At<'e> = (&'e RepoPath, &'e [String]);
        let mut sections: BTreeMap<At<'_>, (Vec<&StepEvent>, Vec<&StepEvent>)> = BTreeMap::new();
        for event in events {
            match (event.kind, &event.old, &event.new) {
                (Kind::Removed, Some(spot), _) => {
                    let at = (&spot.document, spot.entry.above());
                    sections.entry(at).or_default().0.push(event);
                }
                (Kind::Added, _, Some(spot)) => {
                    let at = (&spot.document, spot.entry.above());
                    sections.entry(at).or_default().1.push(event);
                }
                _ => {}
            }
        }
        let mut out = BTreeMap::new();
        for (gone, new) in sections.values() {
            let ([gone], [new]) = (gone.as_slice(), new.as_slice()) else {
                continue;
            };
            let named = gone.old.as_ref().is_some_and(|spot| {
                let mut blocks = self.blocks(Place::of(spot));
                blocks.any(|(delta, block)| {
                    names_items(block) && delta.reasons(block).any(|(id, ..)| id == gone.id)
                })
            });
            if named || self.is_renumber {
                out.insert(gone.id.clone(), new.id.clone());
            }
        }
        out
    }
}

/// Whether a change may have this name.
fn is_name(name: &str) -> bool {
    name != layout::ARCHIVE_NAME && Slug::lexical(name).is_some()
}

fn names_items(block: &Block) -> bool {
    block.operation == Operation::RemovedItems
}

/// The paths of change folders that differ.
fn changed_below(subject: Subject<'_>, old: &dyn Tree, new: &dyn Tree) -> Result<Vec<RepoPath>, Error> {
    let changes = layout::changes();
    let id = |tree: &dyn Tree| -> Result<ObjectId, Error> {
        let entry = tree.entry(&changes)?;
        let folder = entry.filter(|entry| entry.kind == crate::files::Kind::Dir);
        Ok(folder
            .and_then(|folder| folder.id)
            .unwrap_or_else(|| subject.repository.empty_tree()))
    };
    let options = NameStatusOptions::new(Renames::Off);
    let found = subject.repository.name_status(id(old)?, id(new)?, options)?;
    let path = |path: &[u8]| RepoPath::new(path).ok().map(|path| path.below(&changes));
    Ok(found
        .iter()
        .filter_map(|change| path(change.path.as_slice()))
        .collect())
}

/// A place in a document: the titles down to it.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) document: &'a RepoPath,
    pub(super) titles: &'a [String],
}

impl<'a> Place<'a> {
    pub(super) fn of(spot: &'a Spot) -> Self {
        Self {
            document: &spot.document,
            titles: &spot.entry.titles,
        }
    }

    /// Whether it lies in the section that a block is about.
    fn is_in(self, block: &Block) -> bool {
        block.anchor.as_ref().is_some_and(|anchor| self.is_below(anchor))
    }

    /// Whether one of the titles down to it is the anchor's, and above that the anchor's other parts occur in order.
    fn is_below(self, anchor: &SectionAnchor) -> bool {
        let Some((last, above)) = anchor.parts().split_last() else {
            return false;
        };
        self.titles.iter().enumerate().any(|(at, title)| {
            let mut wanted = above.iter().rev().peekable();
            for title in self.titles[..at].iter().rev() {
                wanted.next_if(|part| *part == title);
            }
            title == last && wanted.peek().is_none()
        })
    }
}

/// Whether a delta names one of the ids, or a section that holds a place.
fn names(delta: &Delta, ids: &[&str], place: Place<'_>) -> bool {
    let (true, Some(target)) = (delta.counts(), &delta.target) else {
        return false;
    };
    if target != place.document {
        return false;
    }
    // A file that is taken as a whole is about all that is in it.
    let Some(sections) = delta.sections() else {
        return true;
    };
    let shelf = definitions::shelf(target);
    sections.blocks.iter().any(|block| {
        let body = || Document::scan(sections.document.slice(block.body.clone()));
        let defines = || {
            defined(&body(), shelf)
                .iter()
                .any(|one| ids.contains(&one.id.id.as_str()))
        };
        let leaves_out = || sections.reasons(block).any(|(id, ..)| ids.contains(&id.as_str()));
        place.is_in(block) || defines() || leaves_out()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_holds_what_stands_below_one_of_its_titles() {
        let document = RepoPath::of("a.md");
        let titles = ["T", "A", "B"].map(str::to_owned);
        let place = Place {
            document: &document,
            titles: &titles,
        };
        let holds = |anchor: &str| place.is_below(&SectionAnchor::new(anchor));
        for anchor in ["T", "A", "B", "T > A", "T > B", "T > A > B"] {
            assert!(holds(anchor), "{anchor}");
        }
        for anchor in ["C", "B > A", "C > B", "A > A"] {
            assert!(!holds(anchor), "{anchor}");
        }
    }
}
