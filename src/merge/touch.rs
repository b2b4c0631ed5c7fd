//! Where the deltas of a change work in the documents as they are: the sections that they write, and those that they add.

use std::ops::Range;

use super::compose::Content;
use super::placement::{Parent, Wanted};
use crate::change::delta::{Block, Operation, SectionDelta};
use crate::change::{Delta, DeltaContent};
use crate::files::RepoPath;
use crate::markdown::Document;

/// One thing that a delta does to its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    pub document: RepoPath,
    /// The anchor as the marker spells it; none for a bare marker and for a whole file.
    pub anchor: Option<String>,
    /// None for a whole file.
    pub operation: Option<Operation>,
    pub place: Place,
}

/// Where it does it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Whole,
    /// Lines of a section of the document.
    Section(Range<usize>),
    /// A new section, by its title, below the section whose heading stands on a line; none is the document.
    New {
        below: Option<usize>,
        title: String,
    },
    /// A section that the document does not have, by its anchor.
    Elsewhere(String),
}

impl Place {
    /// Whether two deltas to one document work at one place, or one of them inside what the other writes.
    pub fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Whole, _) | (_, Self::Whole) => true,
            (Self::Section(one), Self::Section(other)) => one.start < other.end && other.start < one.end,
            (Self::Section(section), Self::New { below, .. })
            | (Self::New { below, .. }, Self::Section(section)) => {
                below.is_some_and(|line| section.contains(&line))
            }
            (Self::New { .. }, Self::New { .. }) | (Self::Elsewhere(_), Self::Elsewhere(_)) => self == other,
            (Self::Elsewhere(anchor), Self::New { title, .. })
            | (Self::New { title, .. }, Self::Elsewhere(anchor)) => anchor == title,
            (Self::Elsewhere(_), Self::Section(_)) | (Self::Section(_), Self::Elsewhere(_)) => false,
        }
    }
}

/// What a delta that counts does to its document; blocks that only name what is left out do nothing of their own.
pub fn touches(delta: &Delta, document: Option<&Document>) -> Vec<Touch> {
    let Some(target) = delta.target.as_ref().filter(|_| delta.counts()) else {
        return Vec::new();
    };
    let touch = |anchor, operation, place| Touch {
        document: target.clone(),
        anchor,
        operation,
        place,
    };
    match &delta.content {
        DeltaContent::Sections(sections) => {
            let writes = |block: &&Block| block.operation != Operation::RemovedItems;
            let blocks = sections.blocks.iter().filter(writes);
            blocks
                .map(|block| {
                    let anchor = (!block.spelling.is_empty()).then(|| block.spelling.clone());
                    touch(anchor, Some(block.operation), place_of(sections, block, document))
                })
                .collect()
        }
        DeltaContent::WholeFile(_) => vec![touch(None, None, Place::Whole)],
        DeltaContent::Unread => Vec::new(),
    }
}

fn place_of(sections: &SectionDelta, block: &Block, document: Option<&Document>) -> Place {
    let none = Document::scan("");
    let document = document.unwrap_or(&none);
    if block.operation == Operation::Added {
        let content = Content::of(sections, block);
        let wanted = Wanted::new(&block.spelling, content.own_heading(), document);
        let below = match wanted.parent() {
            Some(Parent::Section(heading)) => Some(document.headings()[heading].line),
            Some(Parent::Document) | None => None,
        };
        return Place::New {
            below,
            title: wanted.title,
        };
    }
    let found = block
        .anchor
        .as_ref()
        .and_then(|anchor| anchor.resolve(document).one());
    match found {
        Some(heading) => Place::Section(document.section(heading)),
        None => Place::Elsewhere(block.spelling.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(delta: &str) -> Vec<Place> {
        let document = Document::scan("# Top\n## A\n### X\ntext\n## B\n");
        let sections = SectionDelta::read(delta);
        let blocks = sections.blocks.iter();
        blocks
            .map(|block| place_of(&sections, block, Some(&document)))
            .collect()
    }

    #[test]
    fn places_meet_where_one_writes_what_the_other_is_about() {
        let [a, x, b, below_a, below_b, again, gone]: [Place; 7] = places(
            "## MODIFIED — A\n## REMOVED — X\n## MODIFIED — B\n## ADDED — A > New\n## ADDED — B > New\n\
             ## ADDED — B > New\n## MODIFIED — Gone\n",
        )
        .try_into()
        .expect("seven blocks");
        for (one, other, meet) in [
            (&a, &x, true),
            (&a, &b, false),
            (&a, &below_a, true),
            (&x, &below_a, false),
            (&a, &below_b, false),
            (&below_a, &below_b, false),
            (&below_b, &again, true),
            (&gone, &a, false),
            (&gone, &gone.clone(), true),
            (&Place::Whole, &gone, true),
        ] {
            assert_eq!(one.meets(other), meet, "{one:?} {other:?}");
            assert_eq!(other.meets(one), meet, "{other:?} {one:?}");
        }
    }
}
