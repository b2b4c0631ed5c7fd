//! Whether a merge commit has of each document what its parents make of it (git.md 2.3, "Merge commits").

use std::collections::{BTreeMap, BTreeSet};

use super::documents::{Exempt, edited, ids_of, is_regular, says_same, tell_lost};
use super::replay::{self, Start};
use super::rules::{DOCUMENT_NOT_REGULAR, MERGE_RESOLVED_BY_HAND};
use super::step::View;
use super::words::Message;
use super::{About, Error, Policy, Report};
use crate::files::{MemoryTree, ObjectId, OverlayTree, RepoPath, Tree, regular_content};
use crate::git::MergeFile;
use crate::merge::driver::{self, Driven, Look, Versions};
use crate::project::layout;
use crate::text::Bytes;

/// What the parents make of a document.
#[derive(Clone, Debug)]
enum Merge {
    /// At most one side changed it: it must be this.
    One(Option<Bytes>),
    /// Both changed it: one of these clean merges, of which there may be none.
    Both(Vec<Bytes>),
}

/// What the parents make of each document.
type Merges<'p> = BTreeMap<&'p RepoPath, Merge>;

impl Merge {
    /// The document that comes of it; none if only a person can say.
    fn result(&self) -> Option<Option<Bytes>> {
        match self {
            Self::One(content) => Some(content.clone()),
            Self::Both(clean) => clean.first().cloned().map(Some),
        }
    }
}

/// Why a document is not right.
enum Wrong {
    Edited,
    ByHand,
    Lost(BTreeSet<String>),
}

pub(super) fn judge(
    view: &View<'_, '_>,
    changed: &BTreeSet<&RepoPath>,
    policy: &Policy,
    report: &mut Report<'_>,
) -> Result<(), Error> {
    let mut regular = BTreeSet::new();
    for path in changed {
        if is_regular(view.new_version(path)) {
            regular.insert(*path);
        } else if view.own_paths().any(|own| own == *path) {
            report.add(DOCUMENT_NOT_REGULAR, path, Message::NotRegular, About::default());
        }
    }
    let mut chosen: Option<(Merges<'_>, Vec<(&RepoPath, Wrong)>)> = None;
    for base in bases(view)? {
        let merges = merge_all(view, base, &regular)?;
        let wrong = find_wrong(view, base, &merges)?;
        let is_clean = wrong.is_empty();
        if is_clean || chosen.is_none() {
            chosen = Some((merges, wrong));
        }
        if is_clean {
            break;
        }
    }
    let (merges, mut wrong) = chosen.expect("there is a base, if only the empty one");
    if !view.merged.is_empty() {
        return judge_replayed(view, &merges, wrong, policy, report);
    }
    let exempt = Exempt::of(view)?;
    let mut kept = Vec::new();
    for (path, why) in wrong.drain(..) {
        if !exempt.holds(view, path, merges[path].result().flatten().as_deref())? {
            kept.push((path, why));
        }
    }
    tell(view, kept, report)
}

/// Changes that the merge commit itself marks as merged are replayed on what the parents make of the documents.
fn judge_replayed(
    view: &View<'_, '_>,
    merges: &Merges<'_>,
    wrong: Vec<(&RepoPath, Wrong)>,
    policy: &Policy,
    report: &mut Report<'_>,
) -> Result<(), Error> {
    let settled = merges
        .iter()
        .filter_map(|(path, merge)| Some(((*path).clone(), merge.result()?)));
    let tree = OverlayTree::new(view.parents[0].as_ref(), settled);
    let changes = layout::changes();
    let folder = |at: usize| view.parents[at].exists(&changes.join(view.merged[0].slug.as_str()));
    let mut from = 0;
    for at in 0..view.parents.len() {
        if folder(at)? {
            from = at;
            break;
        }
    }
    let start = Start {
        tree: &tree,
        commit: Some(view.step.parents[from]),
    };
    let (unsettled, rest): (Vec<_>, Vec<_>) = wrong
        .into_iter()
        .partition(|(path, _)| merges[path].result().is_none());
    let judged: BTreeSet<&RepoPath> = rest.iter().map(|(path, _)| *path).collect();
    tell(view, unsettled, report)?;
    replay::judge(view, &start, &judged, policy, report)
}

fn tell(view: &View<'_, '_>, wrong: Vec<(&RepoPath, Wrong)>, report: &mut Report<'_>) -> Result<(), Error> {
    for (path, why) in wrong {
        match why {
            Wrong::Edited => edited(view, path, report)?,
            Wrong::ByHand => report.add(MERGE_RESOLVED_BY_HAND, path, Message::ByHand, About::default()),
            Wrong::Lost(ids) => tell_lost(path, ids, report),
        }
    }
    Ok(())
}

/// The merge bases of the first two parents; none where they have no common history.
fn bases(view: &View<'_, '_>) -> Result<Vec<Option<ObjectId>>, Error> {
    let parents = &view.step.parents;
    let bases = view.step.repository.shared_bases(parents[0], parents[1])?;
    Ok(if bases.is_empty() {
        vec![None]
    } else {
        bases.into_iter().map(Some).collect()
    })
}

fn tree_of<'r>(view: &View<'_, 'r>, base: Option<ObjectId>) -> Result<Box<dyn Tree + 'r>, Error> {
    Ok(match base {
        Some(base) => Box::new(view.step.repository.commit_tree(base, view.step.project)?),
        None => Box::new(MemoryTree::default()),
    })
}

/// What the parents make of each document, folded over them in their order.
fn merge_all<'p>(
    view: &View<'_, '_>,
    base: Option<ObjectId>,
    paths: &BTreeSet<&'p RepoPath>,
) -> Result<Merges<'p>, Error> {
    let mut trees = vec![tree_of(view, base)?];
    for other in view.step.parents.iter().skip(2) {
        let bases = view.step.repository.shared_bases(view.step.parents[0], *other)?;
        trees.push(tree_of(view, bases.first().copied())?);
    }
    let mut out = BTreeMap::new();
    for path in paths {
        let mut so_far = Merge::One(regular_content(view.parents[0].as_ref(), path)?);
        for (at, base) in trees.iter().enumerate() {
            let Some(ours) = so_far.result() else { break };
            let theirs = regular_content(view.parents[at + 1].as_ref(), path)?;
            so_far = merge_one(path, regular_content(base.as_ref(), path)?, ours, theirs);
        }
        out.insert(*path, so_far);
    }
    Ok(out)
}

fn merge_one(path: &RepoPath, base: Option<Bytes>, ours: Option<Bytes>, theirs: Option<Bytes>) -> Merge {
    if ours == theirs || theirs == base {
        return Merge::One(ours);
    }
    if ours == base {
        return Merge::One(theirs);
    }
    let (Some(ours), Some(theirs)) = (ours, theirs) else {
        // One side removed what the other changed.
        return Merge::Both(Vec::new());
    };
    let base = base.unwrap_or_default();
    let versions = Versions {
        base: &base,
        ours: &ours,
        theirs: &theirs,
    };
    let look = Look {
        size: 7,
        base_style: None,
    };
    let mut clean = Vec::new();
    if let Driven::Clean(text) = driver::merge(versions, path.name(), look, None) {
        clean.push(text);
    }
    if let Ok((text, false)) = MergeFile.merge(&base, &ours, &theirs) {
        clean.push(text);
    }
    Merge::Both(clean)
}

fn find_wrong<'p>(
    view: &View<'_, '_>,
    base: Option<ObjectId>,
    merges: &Merges<'p>,
) -> Result<Vec<(&'p RepoPath, Wrong)>, Error> {
    let base = tree_of(view, base)?;
    let mut wrong = Vec::new();
    for (path, merge) in merges {
        let now = regular_content(view.result(), path)?;
        let same = |expected: Option<&[u8]>| says_same(path, expected, now.as_deref());
        let right = match merge {
            Merge::One(expected) => same(expected.as_deref()),
            Merge::Both(clean) => clean.iter().any(|text| same(Some(text))),
        };
        if right {
            continue;
        }
        let octopus = view.parents.len() > 2;
        let why = match merge {
            Merge::Both(_) if !octopus => {
                let ids = |bytes: Option<Bytes>| bytes.map_or_else(BTreeSet::new, |b| ids_of(path, &b));
                let then = ids(regular_content(base.as_ref(), path)?);
                let (one, other) = (
                    ids(regular_content(view.parents[0].as_ref(), path)?),
                    ids(regular_content(view.parents[1].as_ref(), path)?),
                );
                let now = ids(now);
                let removed = |id: &String| then.contains(id) && !(one.contains(id) && other.contains(id));
                let lost: BTreeSet<String> = one
                    .union(&other)
                    .filter(|id| !now.contains(*id) && !removed(id))
                    .cloned()
                    .collect();
                if lost.is_empty() {
                    Wrong::ByHand
                } else {
                    Wrong::Lost(lost)
                }
            }
            Merge::One(_) | Merge::Both(_) => Wrong::Edited,
        };
        wrong.push((*path, why));
    }
    Ok(wrong)
}
