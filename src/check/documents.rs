//! Whether documents of launched modules change only as merged deltas change them (git.md 2.3), in a commit with one
//! parent.

use std::collections::{BTreeMap, BTreeSet};

use super::replay::{self, Start};
use super::rules::{DOCUMENT_EDITED, DOCUMENT_ID_LOST, DOCUMENT_MOVED, DOCUMENT_NOT_REGULAR};
use super::step::View;
use super::words::Message;
use super::{About, Error, Policy, Report, merged};
use crate::baseline::{runs, without_candidates};
use crate::change::{Proposal, definitions};
use crate::files::{RepoPath, Tree, regular_content};
use crate::finding::SourceLine;
use crate::git::Version;
use crate::markdown::{Document, three_way::same_section};
use crate::project::{Module, Registry, layout, modules};
use crate::text::{Bytes, decode, lines, with_line_ends};

pub(super) fn judge(view: &View<'_, '_>, policy: &Policy, report: &mut Report<'_>) -> Result<(), Error> {
    // A root commit has no protected document.
    if !view.has_launched() {
        return Ok(());
    }
    let changed: BTreeSet<&RepoPath> = view
        .paths()
        .into_iter()
        .filter(|path| is_protected(view, policy, path))
        .collect();
    if changed.is_empty() && view.merged.is_empty() {
        return Ok(());
    }
    if view.parents.len() > 1 {
        return merged::judge(view, &changed, policy, report);
    }
    if view.merged.is_empty() {
        return judge_edits(view, &changed, report);
    }
    let start = Start {
        tree: view.parents[0].as_ref(),
        commit: view.step.parents.first().copied(),
    };
    replay::judge(view, &start, &changed, policy, report)
}

/// Whether a document is one of a launched module, or of none where any is launched, in any parent.
pub(super) fn is_protected(view: &View<'_, '_>, policy: &Policy, path: &RepoPath) -> bool {
    policy.is_document(path) && view.registries.iter().any(|registry| is_launched(registry, path))
}

/// Whether a document is one of a launched module, or of none where any is launched.
pub(super) fn is_launched(registry: &Registry, path: &RepoPath) -> bool {
    match owner(registry, path) {
        Some(module) => module.launched,
        None => registry.registered().iter().any(|module| module.launched),
    }
}

/// The module whose id is the longest that the name of a document begins with. Of an id that stands twice the registry
/// takes the first.
pub(super) fn owner<'r>(registry: &'r Registry, path: &RepoPath) -> Option<&'r Module> {
    let name = path.name();
    let own = |id: &str| {
        let rest = name.strip_prefix(id.as_bytes());
        rest.is_some_and(|rest| rest.first() == Some(&b'-'))
    };
    let ids = registry.registered().iter().map(|module| module.id.as_str());
    registry.module(ids.filter(|id| own(id)).max_by_key(|id| id.len())?)
}

/// Whether a version is a file as documents are; nothing is no other kind of file.
pub(super) fn is_regular(version: Option<Version>) -> bool {
    version.is_none_or(|version| version.mode.is_regular())
}

/// Edits that no change brings.
fn judge_edits(
    view: &View<'_, '_>,
    changed: &BTreeSet<&RepoPath>,
    report: &mut Report<'_>,
) -> Result<(), Error> {
    let exempt = Exempt::of(view)?;
    let origins = origins(view, changed);
    for path in changed {
        let (old, new) = (view.old_version(0, path), view.new_version(path));
        let went = new.is_none() && origins.values().any(|from| from == *path);
        if went
            || exempt.holds(
                view,
                path,
                regular_content(view.parents[0].as_ref(), path)?.as_deref(),
            )?
        {
            continue;
        }
        if !is_regular(new) {
            report.add(DOCUMENT_NOT_REGULAR, path, Message::NotRegular, About::default());
        } else if let (None, Some(from)) = (old, origins.get(path)) {
            let from = from.text().into_owned();
            report.add(DOCUMENT_MOVED, path, Message::Moved { from }, About::default());
        } else {
            edited(view, path, report)?;
        }
    }
    Ok(())
}

/// Tells the ids that an edit loses, else the edit.
pub(super) fn edited(view: &View<'_, '_>, path: &RepoPath, report: &mut Report<'_>) -> Result<(), Error> {
    let (old, new) = (
        regular_content(view.parents[0].as_ref(), path)?,
        regular_content(view.result(), path)?,
    );
    let lost = lost_ids(view, path, old.as_deref())?;
    if !lost.is_empty() && report.counts(DOCUMENT_ID_LOST) {
        tell_lost(path, lost, report);
    } else {
        let about = About {
            line: first_difference(
                old.as_deref().unwrap_or_default(),
                new.as_deref().unwrap_or_default(),
            ),
            ..About::default()
        };
        report.add(DOCUMENT_EDITED, path, Message::Edited, about);
    }
    Ok(())
}

pub(super) fn tell_lost(path: &RepoPath, lost: BTreeSet<String>, report: &mut Report<'_>) {
    for id in lost {
        let about = About {
            item: Some(id.clone()),
            ..About::default()
        };
        report.add(DOCUMENT_ID_LOST, path, Message::IdLost { id }, about);
    }
}

/// The ids that a document defined, and that none of the documents that this step changes defines now.
pub(super) fn lost_ids(
    view: &View<'_, '_>,
    path: &RepoPath,
    old: Option<&[u8]>,
) -> Result<BTreeSet<String>, Error> {
    let Some(old) = old else {
        return Ok(BTreeSet::new());
    };
    let mut lost = ids_of(path, old);
    if lost.is_empty() {
        return Ok(lost);
    }
    let documents = view.paths().into_iter().filter(|other| other.has_extension("md"));
    for other in documents.chain([path]) {
        if let Some(now) = regular_content(view.result(), other)? {
            let there = ids_of(other, &now);
            lost.retain(|id| !there.contains(id));
        }
    }
    Ok(lost)
}

pub(super) fn ids_of(path: &RepoPath, bytes: &[u8]) -> BTreeSet<String> {
    let defined = definitions::of_document(path, &Document::scan(bytes));
    defined.into_iter().map(|defined| defined.id.id).collect()
}

/// The first line that is not what it was.
fn first_difference(old: &[u8], new: &[u8]) -> Option<SourceLine> {
    let (before, after) = (lines(old), lines(new));
    let same = |at: &usize| before.get(*at).map(|line| line.span.of(old)) == Some(after[*at].span.of(new));
    let at = (0..after.len()).find(|at| !same(at))?;
    Some(SourceLine::new(at + 1, decode(after[at].span.of(new))))
}

/// Where documents that come as they were somewhere else come from.
fn origins(view: &View<'_, '_>, changed: &BTreeSet<&RepoPath>) -> BTreeMap<RepoPath, RepoPath> {
    let mut gone: Vec<&RepoPath> = changed
        .iter()
        .copied()
        .filter(|path| view.new_version(path).is_none())
        .collect();
    let mut out = BTreeMap::new();
    for path in changed.iter().filter(|path| view.old_version(0, path).is_none()) {
        let same = |from: &&RepoPath| view.old_version(0, from) == view.new_version(path);
        if let Some(at) = gone.iter().position(same) {
            out.insert((*path).clone(), gone.remove(at).clone());
        }
    }
    out
}

/// The old and the new id of a module, if the registry changes just one of them.
pub(super) fn renamed_module(view: &View<'_, '_>, result: &Registry) -> Option<(String, String)> {
    let before = &view.registries[0];
    let missing = |from: &Registry, there: &Registry| {
        let ids = from.registered().iter().map(|module| &module.id);
        let gone: Vec<String> = ids.filter(|id| there.module(id).is_none()).cloned().collect();
        gone
    };
    match (
        missing(before, result).as_slice(),
        missing(result, before).as_slice(),
    ) {
        ([old], [new]) => Some((old.clone(), new.clone())),
        _ => None,
    }
}

/// Changes that are no edits: of candidates of the baseline, by a run of it, by a rename of a module (git.md 2.3, 4).
pub(super) struct Exempt {
    /// What a rename of a module makes of each file.
    renamed: BTreeMap<RepoPath, Option<Bytes>>,
}

impl Exempt {
    pub(super) fn of(view: &View<'_, '_>) -> Result<Self, Error> {
        let mut renamed = BTreeMap::new();
        let registry = layout::registry();
        if view.own_paths().any(|path| *path == registry) {
            let result = Registry::load(view.result())?;
            let parent = view.parents[0].as_ref();
            if let Some((old, new)) = renamed_module(view, &result)
                && let Ok(plan) = modules::plan_rename(parent, Some(&old), Some(&new), &Proposal::with_module)
            {
                for (from, _, to, after) in plan.moved {
                    renamed.insert(from, None);
                    renamed.insert(to, Some(after));
                }
                renamed.extend(
                    plan.changed
                        .into_iter()
                        .map(|(path, _, after)| (path, Some(after))),
                );
            }
        }
        Ok(Self { renamed })
    }

    /// Whether a document may be other than `expected`.
    pub(super) fn holds(
        &self,
        view: &View<'_, '_>,
        path: &RepoPath,
        expected: Option<&[u8]>,
    ) -> Result<bool, Error> {
        let now = regular_content(view.result(), path)?;
        if self.renamed.get(path) == Some(&now) {
            return Ok(true);
        }
        let (Some(now), Some(version)) = (now, view.result().entry(path)?.and_then(|entry| entry.id)) else {
            return Ok(false);
        };
        let rest = without_candidates(&now);
        let candidates_only = expected.map(without_candidates).is_some_and(|before| before == rest)
            // Candidates define nothing yet.
            && ids_of(path, &rest) == ids_of(path, &now);
        Ok(candidates_only || runs::brought(view.result(), path, version)?)
    }
}

/// Whether two versions of a document say the same: blank lines, blanks around cells and line ends do not count
/// (change.md 6.7).
pub(super) fn says_same(path: &RepoPath, one: Option<&[u8]>, other: Option<&[u8]>) -> bool {
    let (Some(one), Some(other)) = (one, other) else {
        return one.is_none() && other.is_none();
    };
    if one == other {
        return true;
    }
    if !path.has_extension("md") {
        return with_line_ends(one, b"\n") == with_line_ends(other, b"\n");
    }
    let level = |text: &[u8]| {
        Document::scan(text)
            .headings()
            .first()
            .map(|heading| heading.level)
    };
    same_section(one, other) && level(one) == level(other)
}

/// Whether a tree has at a path what is expected.
pub(super) fn is_right(tree: &dyn Tree, path: &RepoPath, expected: Option<&[u8]>) -> Result<bool, Error> {
    Ok(says_same(path, expected, regular_content(tree, path)?.as_deref()))
}
