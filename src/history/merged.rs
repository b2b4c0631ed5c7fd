//! Whether an entry of a merge commit is what the merge of its parents' entries gives (git.md 6 and 8): asked where it
//! equals none of them.

use std::cell::RefCell;
use std::collections::HashMap;

use super::entry::{self, Entry};
use super::step::Merges;
use super::{Error, Spot, Subject};
use crate::files::{ObjectId, regular_content};
use crate::git;
use crate::markdown::Document;
use crate::markdown::three_way::{merge_sections, same_section};
use crate::text::Bytes;

/// A merge commit's parents.
pub(super) struct Parents<'a> {
    subject: Subject<'a>,
    parents: &'a [ObjectId],
    /// What the first has in common with each of the others, once it was asked for.
    bases: RefCell<HashMap<ObjectId, Vec<ObjectId>>>,
}

impl<'a> Parents<'a> {
    pub(super) fn new(subject: Subject<'a>, parents: &'a [ObjectId]) -> Self {
        Self {
            subject,
            parents,
            bases: RefCell::default(),
        }
    }
}

impl Merges for Parents<'_> {
    fn is_clean(&self, olds: &[Vec<Spot>], new: &Spot) -> Result<bool, Error> {
        // Of several definitions the one in the same document is the one that was merged.
        let of_parent = |spots: &Vec<Spot>| {
            let same = spots.iter().find(|spot| spot.document == new.document);
            same.or(spots.first()).cloned()
        };
        let Some(spots) = olds.iter().map(of_parent).collect::<Option<Vec<Spot>>>() else {
            return Ok(false);
        };
        let texts: Vec<Bytes> = spots
            .iter()
            .map(|spot| self.text(spot))
            .collect::<Result<_, _>>()?;
        let (Some((first, rest)), [ours, ..]) = (texts.split_first(), spots.as_slice()) else {
            return Ok(false);
        };
        let mut merged = vec![first.clone()];
        for (at, theirs) in rest.iter().enumerate() {
            let mut next = Vec::new();
            for base in self.bases(self.parents[at + 1])? {
                let Some(base) = self.base_text(base, &[ours, &spots[at + 1]])? else {
                    continue;
                };
                next.extend(
                    merged
                        .iter()
                        .filter_map(|so_far| merge_sections(&base, so_far, theirs, b"\n").clean()),
                );
            }
            merged = next;
        }
        let now = self.text(new)?;
        Ok(merged.iter().any(|merged| same_section(merged, &now)))
    }
}

impl Parents<'_> {
    fn bases(&self, other: ObjectId) -> Result<Vec<ObjectId>, Error> {
        if let Some(known) = self.bases.borrow().get(&other) {
            return Ok(known.clone());
        }
        let bases = match self.subject.repository.merge_bases(self.parents[0], other) {
            Ok(bases) => bases,
            // Without a common history, as far as it is known, nothing says which side changed what.
            Err(git::Error::NoMergeBase { .. } | git::Error::Shallow { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        self.bases.borrow_mut().insert(other, bases.clone());
        Ok(bases)
    }

    /// The entry as the base has it, in the document of one of the sides.
    fn base_text(&self, base: ObjectId, sides: &[&Spot]) -> Result<Option<Bytes>, Error> {
        let tree = self.subject.repository.commit_tree(base, self.subject.project)?;
        for side in sides {
            let Some(content) = regular_content(&tree, &side.document)? else {
                continue;
            };
            let document = Document::scan(content);
            let entries = entry::entries(&side.document, &document);
            if let Some(entry) = entries.iter().find(|entry| entry.id == side.entry.id) {
                return Ok(Some(section(&document, entry)));
            }
        }
        Ok(None)
    }

    fn text(&self, spot: &Spot) -> Result<Bytes, Error> {
        let document = Document::scan(self.subject.repository.blob(spot.blob)?);
        Ok(section(&document, &spot.entry))
    }
}

/// An entry as a section of its own; of a row, a table with this row alone.
fn section(document: &Document, entry: &Entry) -> Bytes {
    let text = document.slice(entry.lines.clone());
    if !entry.is_row {
        return text.to_vec();
    }
    let tables = document.tables(document.all_lines());
    let table = tables
        .iter()
        .find(|table| table.lines.contains(&entry.lines.start));
    let head = table.map_or(&b""[..], |table| {
        document.slice(table.lines.start..table.lines.start + 2)
    });
    [b"# \n\n".as_slice(), head, text].concat()
}
