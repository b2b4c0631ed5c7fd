//! Merges replayed: what the deltas of the changes that a step marks as merged make of its parent (git.md 2.3).

use std::collections::{BTreeMap, BTreeSet};

use super::documents::{Exempt, is_protected, is_regular, is_right, lost_ids, tell_lost};
use super::rules::{BASE_NOT_IN_HISTORY, DOCUMENT_NOT_REGULAR, MERGE_REPLAY_CONFLICT, MERGE_REPLAY_MISMATCH};
use super::step::View;
use super::words::Message;
use super::{About, Error, Policy, Report};
use crate::change::base::{self, Base, BaseError};
use crate::change::{Change, ChangeFolder, SPEC_MERGED, marks};
use crate::files::{ObjectId, OverlayTree, RepoPath, Tree, regular_content};
use crate::git::MergeFile;
use crate::merge::{self, Conflict};
use crate::project::Registry;
use crate::text::Bytes;

/// What the merges start from.
pub(super) struct Start<'t> {
    pub(super) tree: &'t dyn Tree,
    /// Whose history the bases are looked for in.
    pub(super) commit: Option<ObjectId>,
}

/// What comes of the merges.
struct Replay {
    edits: BTreeMap<RepoPath, Option<Bytes>>,
    conflicts: Vec<(ChangeFolder, Conflict)>,
}

impl Replay {
    /// The merges of all changes, one after the other, each from its base.
    fn run(view: &View<'_, '_>, start: &Start<'_>, bases: &[Option<ObjectId>]) -> Result<Self, Error> {
        let mut out = Self {
            edits: BTreeMap::new(),
            conflicts: Vec::new(),
        };
        let mut next_decision = Registry::load(start.tree)?.decision_next;
        for (folder, base) in view.merged.iter().zip(bases) {
            let now = OverlayTree::new(start.tree, out.edits.clone());
            let change = Change::load(view.result(), folder.clone())?;
            let base = match base {
                Some(id) => Some(view.step.repository.commit_tree(*id, view.step.project)?),
                None => None,
            };
            let base = base.as_ref().map(|tree| tree as &dyn Tree);
            let plan = merge::plan(&change, base, &now, &MergeFile, next_decision)?;
            next_decision = plan.next_decision.or(next_decision);
            let conflicting: BTreeSet<&RepoPath> = plan.conflicts.iter().map(|c| &c.document).collect();
            let edits = plan
                .edits
                .into_iter()
                .filter(|edit| !conflicting.contains(&edit.document));
            let edits: Vec<_> = edits.map(|edit| (edit.document, edit.new)).collect();
            out.edits.extend(edits);
            out.conflicts
                .extend(plan.conflicts.into_iter().map(|c| (folder.clone(), c)));
        }
        Ok(out)
    }

    fn expected(&self, start: &Start<'_>, path: &RepoPath) -> Result<Option<Bytes>, Error> {
        match self.edits.get(path) {
            Some(new) => Ok(new.clone()),
            None => Ok(regular_content(start.tree, path)?),
        }
    }

    /// Whether the result has at a path what comes of these merges.
    fn is_right(&self, view: &View<'_, '_>, start: &Start<'_>, path: &RepoPath) -> Result<bool, Error> {
        if self
            .conflicts
            .iter()
            .any(|(_, conflict)| conflict.document == *path)
        {
            return Ok(false);
        }
        is_right(view.result(), path, self.expected(start, path)?.as_deref())
    }
}

/// Judges the documents of `changed`, and those that the merges change.
pub(super) fn judge(
    view: &View<'_, '_>,
    start: &Start<'_>,
    changed: &BTreeSet<&RepoPath>,
    policy: &Policy,
    report: &mut Report<'_>,
) -> Result<(), Error> {
    let bases = find_bases(view, start, report)?;
    let first = Replay::run(view, start, &bases)?;
    let documents: BTreeSet<&RepoPath> = changed
        .iter()
        .copied()
        .chain(first.edits.keys())
        .chain(first.conflicts.iter().map(|(_, conflict)| &conflict.document))
        .filter(|path| is_protected(view, policy, path))
        .collect();
    let mut wrong = BTreeSet::new();
    for path in documents {
        if !is_regular(view.new_version(path)) {
            report.add(DOCUMENT_NOT_REGULAR, path, Message::NotRegular, About::default());
        } else if !first.is_right(view, start, path)? {
            wrong.insert(path);
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let told = recorded_bases(view, start, &bases)?;
    if told != bases {
        let second = Replay::run(view, start, &told)?;
        let mut left = BTreeSet::new();
        for path in wrong {
            if !second.is_right(view, start, path)? {
                left.insert(path);
            }
        }
        wrong = left;
    }
    for (folder, conflict) in &first.conflicts {
        if !wrong.contains(&conflict.document) {
            continue;
        }
        let slug = folder.slug.as_str().to_owned();
        let about = About {
            change: Some(slug.clone()),
            item: Some(conflict.code.as_str().to_owned()),
            ..About::default()
        };
        let conflict_line = conflict.line();
        let message = Message::ReplayConflict {
            slug,
            conflict: conflict_line,
        };
        report.add(MERGE_REPLAY_CONFLICT, &conflict.document, message, about);
    }
    wrong.retain(|path| {
        first
            .conflicts
            .iter()
            .all(|(_, conflict)| conflict.document != **path)
    });
    let exempt = Exempt::of(view)?;
    let slugs: Vec<String> = view
        .merged
        .iter()
        .map(|change| change.slug.as_str().to_owned())
        .collect();
    for path in wrong {
        let expected = first.expected(start, path)?;
        if exempt.holds(view, path, expected.as_deref())? {
            continue;
        }
        tell_lost(path, lost_ids(view, path, expected.as_deref())?, report);
        let about = About {
            change: (slugs.len() == 1).then(|| slugs[0].clone()),
            ..About::default()
        };
        let slugs = slugs.clone();
        report.add(
            MERGE_REPLAY_MISMATCH,
            path,
            Message::ReplayMismatch { slugs },
            about,
        );
    }
    Ok(())
}

/// The bases by the history of the parent (change.md 6.4, rules 2 and 3).
fn find_bases(
    view: &View<'_, '_>,
    start: &Start<'_>,
    report: &mut Report<'_>,
) -> Result<Vec<Option<ObjectId>>, Error> {
    let Some(parent) = start.commit else {
        return Ok(vec![None; view.merged.len()]);
    };
    let step = view.step;
    let mut bases = Vec::new();
    for change in &view.merged {
        let slug = change.slug.as_str();
        let found = base::find(step.repository, step.project, Some(parent), slug, None);
        bases.push(match found {
            Ok(Base::Commit(id)) => Some(id),
            Ok(Base::Declared(id)) => {
                if !step.repository.is_ancestor(id, parent)? {
                    let slug = slug.to_owned();
                    let about = About {
                        change: Some(slug.clone()),
                        ..About::default()
                    };
                    let marker = change.path.join(SPEC_MERGED);
                    report.add(
                        BASE_NOT_IN_HISTORY,
                        &marker,
                        Message::BaseNotInHistory { slug },
                        about,
                    );
                }
                Some(id)
            }
            Ok(Base::None) => None,
            Err(BaseError::Unavailable(error) | BaseError::Git(error)) => return Err(error.into()),
        });
    }
    Ok(bases)
}

/// The same, with the base that `SPEC_MERGED` records, or what that has in common with the history of the parent, where it
/// does not lie after the one that was found: a rebase moves that commit, a squash loses it, and an older base only keeps
/// more.
fn recorded_bases(
    view: &View<'_, '_>,
    start: &Start<'_>,
    found: &[Option<ObjectId>],
) -> Result<Vec<Option<ObjectId>>, Error> {
    let repository = view.step.repository;
    let mut bases = found.to_vec();
    let Some(parent) = start.commit else {
        return Ok(bases);
    };
    for (change, base) in view.merged.iter().zip(&mut bases) {
        let recorded = marks::claims(view.result(), &change.path)?.base;
        let Some(recorded) = recorded.as_deref().and_then(ObjectId::from_hex) else {
            continue;
        };
        if repository.commit_of(recorded)?.is_none() {
            continue;
        }
        // Of a commit in another history counts what both have in common: it is before either.
        let Some(shared) = repository.shared_bases(recorded, parent)?.first().copied() else {
            continue;
        };
        let usable = match *base {
            Some(found) => repository.is_ancestor(shared, found)?,
            None => true,
        };
        if usable {
            *base = Some(shared);
        }
    }
    Ok(bases)
}
