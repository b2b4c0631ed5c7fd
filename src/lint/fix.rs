//! Rewrites of anchors that have exactly one reading (change.md 2.6): heading marks, case, width and blanks, number
//! prefixes, title paths with parents too many or too few. Never touches what an anchor governs.

use crate::change::Change;
use crate::change::delta::{Block, Operation, SectionDelta};
use crate::files::{ReadError, Tree};
use crate::markdown::{Document, Resolution, SectionAnchor, loose, without_number};
use crate::merge::{DocumentEdit, split_title};
use crate::text::{Bytes, Span, splice};

/// The delta files of a change with their anchors mended; those that need nothing are left out.
pub fn plan(change: &Change, tree: &dyn Tree) -> Result<Vec<DocumentEdit>, ReadError> {
    let mut out = Vec::new();
    for delta in change.counting() {
        let (Some(sections), Some(target)) = (delta.sections(), &delta.target) else {
            continue;
        };
        let Some(document) = tree.read(target)?.map(Document::scan) else {
            continue;
        };
        let edits: Vec<(Span, Bytes)> = sections
            .blocks
            .iter()
            .filter_map(|block| mend(sections, block, &document))
            .collect();
        if edits.is_empty() {
            continue;
        }
        let old = sections.document.bytes().to_vec();
        let new = splice(&old, &edits);
        out.push(DocumentEdit {
            document: delta.path.clone(),
            old: Some(old),
            new: Some(new),
        });
    }
    Ok(out)
}

/// The new spelling in the marker's line, where the old one stood.
fn mend(sections: &SectionDelta, block: &Block, document: &Document) -> Option<(Span, Bytes)> {
    let spelling = match block.operation {
        Operation::Added => {
            let (parent, title) = split_title(&block.spelling);
            format!("{} > {title}", reading(parent?, document)?)
        }
        Operation::Modified | Operation::Removed | Operation::RemovedItems => {
            reading(&block.spelling, document)?
        }
    };
    let line = sections.document.line(block.marker);
    let at = bstr::ByteSlice::rfind(line, block.spelling.as_bytes())?;
    let start = sections.document.span(block.marker..block.marker).start + at;
    Some((
        Span::new(start, start + block.spelling.len()),
        spelling.into_bytes(),
    ))
}

/// The spelling that an anchor can only have meant; none if it is right as it is, or may mean several.
fn reading(spelling: &str, document: &Document) -> Option<String> {
    let anchor = SectionAnchor::new(spelling);
    if anchor.resolve(document) != Resolution::Missing {
        return None;
    }
    let (last, above) = anchor.parts().split_last()?;
    let titles = document.headings();
    let all: Vec<usize> = (0..titles.len()).collect();
    let is_same = |h: usize, wanted: &str| loose(&titles[h].plain) == loose(wanted);
    let is_numberless =
        |h: usize, wanted: &str| loose(without_number(&titles[h].plain)) == loose(without_number(wanted));
    let tests: [Test<'_>; 2] = [&is_same, &is_numberless];
    for test in tests {
        let found: Vec<usize> = all.iter().copied().filter(|&h| test(h, last)).collect();
        let heading = match found.as_slice() {
            [] => continue,
            [only] => *only,
            // Several of that title: the parents, read as loosely, must tell them apart.
            several => *only(
                several
                    .iter()
                    .filter(|&&h| parents_match(document, h, above, test)),
            )?,
        };
        let title = titles[heading].plain.clone();
        let short = SectionAnchor::new(&title);
        return Some(if short.resolve(document).one().is_some() {
            title
        } else {
            document.title_path(heading)
        })
        .filter(|new| new != spelling);
    }
    None
}

/// Whether a heading, by index, may be meant by a title.
type Test<'t> = &'t dyn Fn(usize, &str) -> bool;

fn parents_match(document: &Document, heading: usize, above: &[String], test: Test<'_>) -> bool {
    let mut wanted = above.iter().rev().peekable();
    for ancestor in document.ancestors(heading) {
        wanted.next_if(|part| test(ancestor, part));
    }
    !above.is_empty() && wanted.next().is_none()
}

fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "# Depot\n## 1. Gates\n### Notes\n## 2. Carts\n### Notes\n### S20: Returns\n";

    fn read(spelling: &str) -> Option<String> {
        reading(spelling, &Document::scan(DOCUMENT))
    }

    #[test]
    fn what_has_one_reading_is_rewritten() {
        for (wrong, right) in [
            ("### S20: Returns", "S20: Returns"),
            ("s20:  returns", "S20: Returns"),
            ("Ｓ20: Returns", "S20: Returns"),
            ("Carts", "2. Carts"),
            ("3. Carts", "2. Carts"),
            ("Depot > Gates > S20: Returns", "S20: Returns"),
            ("## 1. gates > notes", "Depot > 1. Gates > Notes"),
        ] {
            assert_eq!(read(wrong).as_deref(), Some(right), "{wrong}");
        }
    }

    #[test]
    fn only_the_parent_of_a_new_section_is_mended() {
        let mended = |delta: &str| {
            let sections = SectionDelta::read(delta);
            let edit = mend(&sections, &sections.blocks[0], &Document::scan(DOCUMENT))?;
            String::from_utf8(splice(delta.as_bytes(), &[edit])).ok()
        };
        assert_eq!(
            mended("## ADDED — carts > Use `x > y`\n").as_deref(),
            Some("## ADDED — 2. Carts > Use `x > y`\n")
        );
        assert_eq!(mended("## ADDED — carts\n"), None);
    }

    #[test]
    fn what_is_right_or_has_several_readings_stays() {
        for spelling in ["S20: Returns", "Notes", "notes", "Wagons"] {
            assert_eq!(read(spelling), None, "{spelling}");
        }
    }
}
