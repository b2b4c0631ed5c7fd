//! Two open changes: what both bring, and whether one merges after the other (git.md 7.1, "Pair").

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::mark::Mark;
use super::subject::{Ground, Merge, Subject};
use super::{Item, Order, Pair, Unreadable, Verdict};
use crate::files::{OverlayTree, ReadError, RepoPath};
use crate::git::MergeFile;
use crate::merge::{self, MergePlan};

const DUPLICATE: &str = Verdict::DuplicateId.as_str();

/// Compares what has a document or an id in common; with `all` every other pair of a project is there as a clean one. Of
/// pairs that nobody asked about nothing is computed.
pub(super) fn compare(
    subjects: &[Subject<'_>],
    grounds: &BTreeMap<RepoPath, Ground<'_>>,
    all: bool,
) -> Vec<Pair> {
    let is_meant = |a: usize, b: usize| {
        let (a, b) = (&subjects[a].shown, &subjects[b].shown);
        // Variants are one change.
        (a.is_asked_for || b.is_asked_for) && a.project == b.project && a.slug != b.slug
    };
    let candidates: Vec<(usize, usize)> = with_something_in_common(subjects)
        .into_iter()
        .filter(|(a, b)| is_meant(*a, *b))
        .collect();
    let compared = candidates.par_iter().map(|(a, b)| {
        let ground = &grounds[&subjects[*a].shown.project];
        let (verdict, order, items) = judge(&subjects[*a], &subjects[*b], ground);
        Pair {
            a: *a,
            b: *b,
            verdict,
            order,
            items,
        }
    });
    let mut pairs: Vec<Pair> = compared.collect();
    if all {
        let known: BTreeSet<(usize, usize)> = candidates.into_iter().collect();
        let readable = |at: &usize| subjects[*at].merge.is_some();
        let every = (0..subjects.len()).flat_map(|a| (a + 1..subjects.len()).map(move |b| (a, b)));
        let rest = every.filter(|(a, b)| is_meant(*a, *b) && !known.contains(&(*a, *b)));
        pairs.extend(
            rest.filter(|(a, b)| readable(a) && readable(b))
                .map(|(a, b)| Pair {
                    a,
                    b,
                    verdict: Verdict::Clean,
                    order: Some(Order::Any),
                    items: Vec::new(),
                }),
        );
        pairs.sort_by_key(|pair| (pair.a, pair.b));
    } else {
        pairs.retain(|pair| pair.verdict != Verdict::Clean);
    }
    pairs
}

/// Pairs that share a document or an id, in order.
fn with_something_in_common(subjects: &[Subject<'_>]) -> BTreeSet<(usize, usize)> {
    let mut groups: BTreeMap<(&RepoPath, &[u8]), Vec<usize>> = BTreeMap::new();
    for (at, subject) in subjects.iter().enumerate() {
        let project = &subject.shown.project;
        let documents = subject.touches.iter().map(|touch| touch.document.as_bytes());
        let ids = subject.shown.adds.iter().map(|add| add.id.as_bytes());
        for key in documents.chain(ids) {
            let group = groups.entry((project, key)).or_default();
            if group.last() != Some(&at) {
                group.push(at);
            }
        }
    }
    let mut out = BTreeSet::new();
    for group in groups.values() {
        for (at, a) in group.iter().enumerate() {
            out.extend(group[at + 1..].iter().map(|b| (*a, *b)));
        }
    }
    out
}

fn judge(a: &Subject<'_>, b: &Subject<'_>, ground: &Ground<'_>) -> (Verdict, Option<Order>, Vec<Item>) {
    let project = &a.shown.project;
    let mut items = duplicates(a, b);
    let twice = !items.is_empty();
    let documents = |subject: &Subject<'_>| -> BTreeSet<RepoPath> {
        let documents = subject.touches.iter().map(|touch| touch.document.clone());
        documents.collect()
    };
    let common: BTreeSet<RepoPath> = documents(a).intersection(&documents(b)).cloned().collect();
    if common.is_empty() {
        let verdict = if twice {
            Verdict::DuplicateId
        } else {
            Verdict::Clean
        };
        return (verdict, (!twice).then_some(Order::Any), items);
    }
    let (Some(one), Some(other)) = (&a.merge, &b.merge) else {
        let found = a.shown.items.iter().chain(&b.shown.items);
        items.extend(found.filter(|item| item.why.is_some()).cloned());
        let verdict = if twice {
            Verdict::DuplicateId
        } else {
            Verdict::Unreadable
        };
        return (verdict, None, items);
    };
    let meet = meet(a, b);
    if !twice && !meet && are_apart(one, other, &common) {
        debug_assert!(merges(one, other, &common, ground, project));
        debug_assert!(merges(other, one, &common, ground, project));
        return (Verdict::Clean, Some(Order::Any), items);
    }
    let ways = after(one, other, &common, ground, project).and_then(|ab| {
        // Titles alone let the order matter (change.md 6.9).
        if ab.is_empty() && keep_titles(one, other, &common) {
            debug_assert!(merges(other, one, &common, ground, project));
            return Ok((ab, Vec::new()));
        }
        let ba = after(other, one, &common, ground, project)?;
        Ok((ab, ba))
    });
    let (ab, ba) = match ways {
        Ok(ways) => ways,
        Err(error) => {
            items.push(Item::unreadable(Unreadable::Read(error), project));
            return (Verdict::Unreadable, None, items);
        }
    };
    let order = match (ab.is_empty(), ba.is_empty()) {
        (true, true) => Some(Order::Any),
        (true, false) => Some(Order::AFirst),
        (false, true) => Some(Order::BFirst),
        (false, false) => None,
    };
    for item in ab.into_iter().chain(ba) {
        let told = |known: &Item| {
            let same = |known: &Item| {
                (known.code, &known.document, &known.anchor, &known.item)
                    == (item.code, &item.document, &item.anchor, &item.item)
            };
            same(known) || (known.code == DUPLICATE && known.item == item.item)
        };
        if !items.iter().any(told) {
            items.push(item);
        }
    }
    if twice {
        // No order helps against one name for two things.
        return (Verdict::DuplicateId, None, items);
    }
    let verdict = match order {
        Some(Order::Any) if meet => Verdict::Mergeable,
        Some(Order::Any) => Verdict::Clean,
        Some(Order::AFirst | Order::BFirst) | None => Verdict::Conflict,
    };
    (verdict, order, items)
}

/// The ids that both bring, each with the place where `a` brings it, and that of `b` if it is another.
fn duplicates(a: &Subject<'_>, b: &Subject<'_>) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for one in &a.shown.adds {
        for other in b.shown.adds.iter().filter(|other| other.id == one.id) {
            for add in [one, other] {
                let item = Item {
                    code: DUPLICATE,
                    document: Some(add.document.clone()),
                    anchor: add.anchor.clone(),
                    item: Some(add.id.clone()),
                    why: None,
                };
                let same = |known: &Item| {
                    (&known.document, &known.anchor, &known.item)
                        == (&item.document, &item.anchor, &item.item)
                };
                if !items.iter().any(same) {
                    items.push(item);
                }
            }
        }
    }
    items
}

fn meet(a: &Subject<'_>, b: &Subject<'_>) -> bool {
    a.touches.iter().any(|one| {
        let same = b.touches.iter().filter(|other| other.document == one.document);
        same.into_iter().any(|other| one.place.meets(&other.place))
    })
}

/// Whether nothing keeps one change from being merged after another: what is left unplanned is held against this in
/// debug builds, so in every test.
fn merges(
    first: &Merge<'_>,
    second: &Merge<'_>,
    common: &BTreeSet<RepoPath>,
    ground: &Ground<'_>,
    project: &RepoPath,
) -> bool {
    after(first, second, common, ground, project).map_or(true, |items| items.is_empty())
}

/// Whether both merge alone, and neither notices the other in any document that they have in common.
fn are_apart(one: &Merge<'_>, other: &Merge<'_>, common: &BTreeSet<RepoPath>) -> bool {
    let numbered = one.plan.next_decision.is_some() && other.plan.next_decision.is_some();
    one.plan.conflicts.is_empty()
        && other.plan.conflicts.is_empty()
        && !numbered
        && marks(one, other, common).all(|marks| marks.is_some_and(|(one, other)| one.is_apart(other)))
}

fn keep_titles(one: &Merge<'_>, other: &Merge<'_>, common: &BTreeSet<RepoPath>) -> bool {
    marks(one, other, common)
        .all(|marks| marks.is_some_and(|(one, other)| one.keeps_titles() && other.keeps_titles()))
}

/// The marks of both on each document that they have in common; none if one has none.
fn marks<'m>(
    one: &'m Merge<'_>,
    other: &'m Merge<'_>,
    common: &'m BTreeSet<RepoPath>,
) -> impl Iterator<Item = Option<(&'m Mark, &'m Mark)>> {
    common
        .iter()
        .map(|document| Some((one.marks.get(document)?, other.marks.get(document)?)))
}

/// What keeps one change from being merged, and then the other.
fn after(
    first: &Merge<'_>,
    second: &Merge<'_>,
    common: &BTreeSet<RepoPath>,
    ground: &Ground<'_>,
    project: &RepoPath,
) -> Result<Vec<Item>, ReadError> {
    let items = |plan: &MergePlan| -> Vec<Item> {
        let conflicts = plan.conflicts.iter();
        conflicts.map(|conflict| Item::of(conflict, project)).collect()
    };
    if !first.plan.conflicts.is_empty() {
        return Ok(items(&first.plan));
    }
    // New decisions are numbered across documents; of all else a document that the first leaves alone says what it said.
    let numbered = first.plan.next_decision.is_some() && second.plan.next_decision.is_some();
    let is_planned = |document: &RepoPath| numbered || common.contains(document);
    let edits = first.plan.edits.iter().filter(|edit| is_planned(&edit.document));
    let edits = edits.map(|edit| (edit.document.clone(), edit.new.clone()));
    let tree = OverlayTree::new(ground.tree.as_ref(), edits);
    let mut change = second.change.clone();
    change
        .deltas
        .retain(|delta| delta.target.as_ref().is_some_and(is_planned));
    let next_decision = first.plan.next_decision.or(ground.next_decision);
    let plan = merge::plan(&change, second.base.as_tree(), &tree, &MergeFile, next_decision)?;
    let alone = second.plan.conflicts.iter();
    let mut found: Vec<Item> = alone
        .filter(|conflict| !is_planned(&conflict.document))
        .map(|conflict| Item::of(conflict, project))
        .collect();
    found.extend(items(&plan));
    Ok(found)
}
