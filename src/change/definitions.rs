//! The ids that documents and deltas define, by where they lie (git.md 2.5).

use super::Delta;
use super::delta::{Block, Operation, SectionDelta};
use crate::files::RepoPath;
use crate::ids::{Defined, Shelf, defined, defined_below};
use crate::markdown::Document;
use crate::project::layout;

/// Where the requirements stand.
const REQUIREMENTS: &str = "logos/resources/prd/1-product-requirements";

/// What kind of definitions a document of a project holds.
pub fn shelf(path: &RepoPath) -> Shelf {
    let is_below = |folder: &str| path.starts_with(&RepoPath::of(folder));
    if !path.has_extension("md") {
        Shelf::Other
    } else if is_below(layout::TESTS) {
        Shelf::Tests
    } else if is_below(layout::DECISIONS) {
        Shelf::Decisions
    } else if is_below(REQUIREMENTS) {
        Shelf::Requirements
    } else {
        Shelf::Other
    }
}

/// The ids that a document defines; none if it is not Markdown.
pub fn of_document(path: &RepoPath, document: &Document) -> Vec<Defined> {
    if path.has_extension("md") {
        defined(document, shelf(path))
    } else {
        Vec::new()
    }
}

/// An id that a block of a delta defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brought {
    /// Its line is that of the delta.
    pub defined: Defined,
    /// The block by its number.
    pub block: usize,
}

/// The ids that the ADDED blocks of a delta define, with their lines in the delta.
pub fn added_by(delta: &Delta) -> Vec<Defined> {
    let added = brought_by(delta, &[Operation::Added]).into_iter();
    added.map(|brought| brought.defined).collect()
}

/// The ids that blocks of these operations define, in the order of the blocks.
pub fn brought_by(delta: &Delta, operations: &[Operation]) -> Vec<Brought> {
    let (Some(sections), Some(target)) = (delta.sections().filter(|_| delta.counts()), &delta.target) else {
        return Vec::new();
    };
    let shelf = shelf(target);
    let mut out = Vec::new();
    for (number, block) in sections.blocks.iter().enumerate() {
        if !operations.contains(&block.operation) {
            continue;
        }
        let of_block = of_block(sections, block, shelf).into_iter();
        out.extend(of_block.map(|defined| Brought {
            defined,
            block: number,
        }));
    }
    out
}

fn of_block(sections: &SectionDelta, block: &Block, shelf: Shelf) -> Vec<Defined> {
    let body = Document::scan(sections.document.slice(block.body.clone()));
    let mut found = defined_below(&body, shelf, block.anchor.as_ref());
    for one in &mut found {
        one.id.line += block.body.start;
    }
    // Where the body does not begin with its heading, the marker names it.
    let title = block.anchor.as_ref().and_then(|anchor| anchor.parts().last());
    let named = title.map(|title| defined(&Document::scan(format!("# {title}\n")), shelf));
    for mut one in named.unwrap_or_default() {
        if found.iter().all(|other| other.id.id != one.id.id) {
            one.id.line = block.marker;
            found.push(one);
        }
    }
    found
}
