//! Conservation of identified entries (check L8): what a delta takes from a section must be said in so many words.
//! Lint and merge read the same losses. Works on parsed documents only.

use std::collections::{BTreeSet, HashSet};

use super::BaseView;
use super::placement::section_before;
use crate::change::delta::{Block, Operation, SectionDelta};
use crate::ids::{self, Ids, TableIdentity};
use crate::markdown::{Document, Resolution, SectionAnchor, nearest};

/// What is wrong with a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// The marker names no section.
    NoAnchor,
    /// The anchor names no section, or several; with the anchors that may be meant.
    Unresolved {
        ambiguous: bool,
        candidates: Vec<String>,
    },
    /// A second MODIFIED of the same spelling.
    SecondWriter,
    /// REMOVED-ITEMS names an id that the section does not have.
    UnknownItem(String),
    /// REMOVED-ITEMS without MODIFIED or REMOVED of its anchor.
    LoneItems,
    /// An id that is neither kept nor named.
    Lost(String),
}

/// One finding of the check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    pub kind: LossKind,
    /// Line of the delta, from 0.
    pub line: usize,
    /// The block it belongs to, by index.
    pub block: usize,
}

/// What the check says of one delta.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Ordered by line.
    pub losses: Vec<Loss>,
    /// Blocks of sections that several MODIFIED blocks write.
    pub writers: Vec<usize>,
}

impl Account {
    pub(super) fn of(delta: &SectionDelta, target: &Document, base: BaseView<'_>) -> Self {
        let mut writers: Vec<usize> = writers(delta, target).into_iter().flatten().collect();
        writers.sort_unstable();
        Self {
            losses: check(delta, target, base),
            writers,
        }
    }
}

/// Checks all blocks but ADDED against the document, ordered by line.
///
/// With a known base only ids count that stand in the section there too; a REMOVED whose section is already gone, and an
/// id named that the section had there, is none (change.md 6.5).
pub fn check(delta: &SectionDelta, target: &Document, base: BaseView<'_>) -> Vec<Loss> {
    let mut losses = Vec::new();
    let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
    for (index, block) in delta.blocks.iter().enumerate() {
        if block.operation == Operation::Added {
            continue;
        }
        match &block.anchor {
            None => losses.push(Loss {
                kind: LossKind::NoAnchor,
                line: block.marker,
                block: index,
            }),
            Some(anchor) => match groups
                .iter_mut()
                .find(|(spelling, _)| *spelling == anchor.spelling())
            {
                Some((_, blocks)) => blocks.push(index),
                None => groups.push((anchor.spelling(), vec![index])),
            },
        }
    }
    for (_, blocks) in groups {
        check_group(delta, &blocks, target, base, &mut losses);
    }
    losses.sort_by_key(|loss| loss.line);
    losses
}

/// Sections that several MODIFIED blocks write, each with its blocks in source order.
pub fn writers(delta: &SectionDelta, target: &Document) -> Vec<Vec<usize>> {
    let mut sections: Vec<(usize, Vec<usize>)> = Vec::new();
    for (index, block) in delta.blocks.iter().enumerate() {
        let written = block.operation == Operation::Modified;
        let Some(heading) = block
            .anchor
            .as_ref()
            .filter(|_| written)
            .and_then(|a| a.resolve(target).one())
        else {
            continue;
        };
        match sections.iter_mut().find(|(h, _)| *h == heading) {
            Some((_, blocks)) => blocks.push(index),
            None => sections.push((heading, vec![index])),
        }
    }
    sections
        .into_iter()
        .map(|(_, blocks)| blocks)
        .filter(|blocks| blocks.len() > 1)
        .collect()
}

fn check_group(
    delta: &SectionDelta,
    blocks: &[usize],
    target: &Document,
    base: BaseView<'_>,
    losses: &mut Vec<Loss>,
) {
    let of = |operation| {
        blocks
            .iter()
            .copied()
            .filter(move |&b| delta.blocks[b].operation == operation)
    };
    let marker = |block: usize| delta.blocks[block].marker;
    let anchor = delta.blocks[blocks[0]]
        .anchor
        .as_ref()
        .expect("groups are made of anchored blocks");
    let heading = match anchor.resolve(target) {
        Resolution::One(heading) => heading,
        unresolved @ (Resolution::Missing | Resolution::Many(_)) => {
            let gone_already = of(Operation::Modified).next().is_none()
                && of(Operation::Removed).next().is_some()
                && unresolved == Resolution::Missing
                && base
                    .document()
                    .is_some_and(|doc| anchor.resolve(doc).one().is_some());
            if !gone_already {
                let last = anchor.parts().last().map_or("", String::as_str);
                let (ambiguous, candidates) = match unresolved {
                    Resolution::Many(found) => (true, found.iter().map(|&h| target.title_path(h)).collect()),
                    Resolution::One(_) | Resolution::Missing => (false, nearest(target, last)),
                };
                let kind = LossKind::Unresolved {
                    ambiguous,
                    candidates,
                };
                losses.push(Loss {
                    kind,
                    line: marker(blocks[0]),
                    block: blocks[0],
                });
            }
            return;
        }
    };
    let modified: Vec<usize> = of(Operation::Modified).collect();
    if modified.len() > 1 {
        losses.push(Loss {
            kind: LossKind::SecondWriter,
            line: marker(modified[0]),
            block: modified[0],
        });
        return;
    }
    let of_map = ids::is_of_map(target, heading, anchor);
    let section = ids::of_lines(target, target.section(heading), Some(heading), of_map);
    let then = ids_then(anchor, target, heading, base);
    let mut named = BTreeSet::new();
    for block in of(Operation::RemovedItems) {
        for (id, line) in delta.named_items(&delta.blocks[block]) {
            // What another change has taken out meanwhile is gone as it was meant to be.
            if !section.has(&id) && !then.as_ref().is_some_and(|then| then.has(&id)) {
                losses.push(Loss {
                    kind: LossKind::UnknownItem(id.clone()),
                    line,
                    block,
                });
            }
            named.insert(id);
        }
    }
    let removed = of(Operation::Removed).next().is_some();
    if let Some(lone) = of(Operation::RemovedItems)
        .next()
        .filter(|_| modified.is_empty() && !removed)
    {
        losses.push(Loss {
            kind: LossKind::LoneItems,
            line: marker(lone),
            block: lone,
        });
    }
    if let (Some(&writer), false) = (modified.first(), removed) {
        let asked = asked_for(&section, then.as_ref(), base);
        let title = &target.headings()[heading].plain;
        let kept = block_ids(delta, &delta.blocks[writer], title, of_map);
        for id in lost(&asked, &kept, &named) {
            losses.push(Loss {
                kind: LossKind::Lost(id),
                line: marker(writer),
                block: writer,
            });
        }
    }
}

/// The ids that the section had in the base; none without a base, or where the base does not have the section.
fn ids_then(anchor: &SectionAnchor, target: &Document, heading: usize, base: BaseView<'_>) -> Option<Ids> {
    let doc = base.document()?;
    let heading = section_before(anchor, target, heading, doc)?;
    let of_map = ids::is_of_map(doc, heading, anchor);
    Some(ids::of_lines(doc, doc.section(heading), Some(heading), of_map))
}

/// The ids of a section that a MODIFIED block must account for: with a base, those that stand there too.
fn asked_for(section: &Ids, then: Option<&Ids>, base: BaseView<'_>) -> Ids {
    if !base.is_known() {
        return section.clone();
    }
    let Some(then) = then else { return Ids::default() };
    let (flat, rows) = (flat_set(then), row_set(then));
    Ids {
        flat: section
            .flat
            .iter()
            .filter(|i| flat.contains(i.id.as_str()))
            .cloned()
            .collect(),
        rows: section
            .rows
            .iter()
            .filter(|r| rows.contains(&(r.id.as_str(), &r.table)))
            .cloned()
            .collect(),
    }
}

fn flat_set(ids: &Ids) -> HashSet<&str> {
    ids.flat.iter().map(|i| i.id.as_str()).collect()
}

fn row_set(ids: &Ids) -> BTreeSet<(&str, &TableIdentity)> {
    ids.rows.iter().map(|r| (r.id.as_str(), &r.table)).collect()
}

/// The ids of a MODIFIED block's content. A first heading equal to the section's title is the section's own.
fn block_ids(delta: &SectionDelta, block: &Block, title: &str, of_map: bool) -> Ids {
    let doc = &delta.document;
    let first = doc
        .headings_in(&block.body)
        .next()
        .filter(|&h| doc.headings()[h].plain == title);
    ids::of_lines(doc, block.body.clone(), first, of_map)
}

/// One entry per lost id of the flat set, and per lost row and table, in document order.
fn lost(section: &Ids, kept: &Ids, named: &BTreeSet<String>) -> Vec<String> {
    let (flat, rows) = (flat_set(kept), row_set(kept));
    let mut seen = HashSet::new();
    let lost = |id: &&str| !flat.contains(*id) && !named.contains(*id);
    let ids = section.flat.iter().map(|i| i.id.as_str());
    let mut out: Vec<String> = ids
        .filter(lost)
        .filter(|id| seen.insert(*id))
        .map(str::to_owned)
        .collect();
    let mut met = BTreeSet::new();
    for row in &section.rows {
        let key = (row.id.as_str(), &row.table);
        if !rows.contains(&key) && !named.contains(&row.id) && met.insert(key) {
            out.push(row.id.clone());
        }
    }
    out
}
