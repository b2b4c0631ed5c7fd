//! Ids that are defined twice, or about to be (git.md 2.2, group `ids`; 2.5).

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use regex::bytes::Regex;

use super::result::Scope;
use super::rules::{ID_DUPLICATE, ID_TAKEN};
use super::words::Message;
use super::{About, Error, Policy, Report};
use crate::change::{Change, ChangeFolder, definitions};
use crate::files::{ReadError, RepoPath, Tree, regular_content, walk};
use crate::finding::SourceLine;
use crate::ids::{Defined, Definition};
use crate::markdown::Document;
use crate::project::layout;
use crate::text::natural_cmp;

/// A definition in a file.
#[derive(Clone, Debug)]
struct Place {
    path: RepoPath,
    defined: Defined,
    line: SourceLine,
    /// Whether it came with what is judged.
    new: bool,
}

impl Place {
    fn name(&self, project: &RepoPath) -> String {
        format!("{}:{}", self.path.below(project).text(), self.line.number)
    }
}

pub(super) fn judge(
    scope: &Scope<'_>,
    touched: &[Change],
    others: Vec<ChangeFolder>,
    policy: &Policy,
    report: &mut Report<'_>,
) -> Result<(), Error> {
    let documents = documents(scope, policy)?;
    let (own, rest): (Vec<_>, Vec<_>) = documents.into_iter().partition(|path| scope.is_touched(path));
    let mut places = read_all(scope.tree, &own, None)?;
    mark_new(scope, &own, &mut places)?;
    let mut added = Vec::new();
    for change in touched {
        added.extend(added_by(change, true));
    }
    let wanted: BTreeSet<String> = {
        let there = places
            .iter()
            .filter(|place| place.new)
            .map(|place| &place.defined.id.id);
        there
            .chain(added.iter().map(|a| &a.place.defined.id.id))
            .cloned()
            .collect()
    };
    if wanted.is_empty() {
        return Ok(());
    }
    places.extend(read_all(scope.tree, &rest, Some(&wanted))?);
    if !added.is_empty() {
        for folder in others {
            // One that cannot be read is told when it is touched.
            if let Ok(change) = Change::load(scope.tree, folder) {
                added.extend(added_by(&change, false));
            }
        }
    }
    let mut by_id: BTreeMap<&str, Vec<&Place>> = BTreeMap::new();
    for place in &places {
        by_id.entry(place.defined.id.id.as_str()).or_default().push(place);
    }
    let mut ids: Vec<&str> = by_id.keys().copied().collect();
    ids.sort_by(|a, b| natural_cmp(a, b));
    for id in ids {
        tell_duplicates(scope, id, &by_id[id], report);
    }
    for (at, one) in added.iter().enumerate().filter(|(_, one)| one.place.new) {
        let id = one.place.defined.id.id.as_str();
        let document = by_id.get(id).and_then(|places| places.first());
        let before = |other: &(usize, &Added)| other.0 < at || !other.1.place.new;
        let same = |other: &(usize, &Added)| other.1.slug != one.slug && other.1.place.defined.id.id == id;
        let other = added
            .iter()
            .enumerate()
            .find(|other| before(other) && same(other));
        let by = match (document, other) {
            (Some(place), _) => place.name(scope.project),
            (None, Some((_, other))) => other.slug.clone(),
            (None, None) => continue,
        };
        let about = About {
            line: Some(one.place.line.clone()),
            change: Some(one.slug.clone()),
            item: Some(id.to_owned()),
            draft: false,
        };
        let id = id.to_owned();
        report.add(ID_TAKEN, &one.place.path, Message::IdTaken { id, by }, about);
    }
    Ok(())
}

/// An id that an open change adds.
struct Added {
    slug: String,
    place: Place,
}

fn added_by(change: &Change, touched: bool) -> Vec<Added> {
    if change.is_merged() {
        return Vec::new();
    }
    let of_delta = change.counting().flat_map(|delta| {
        let line = |at: usize| {
            delta
                .sections()
                .map_or_else(String::new, |s| s.document.raw(at).into_owned())
        };
        definitions::added_by(delta)
            .into_iter()
            .map(move |defined| Added {
                slug: change.folder.slug.as_str().to_owned(),
                place: Place {
                    path: delta.path.clone(),
                    line: SourceLine::new(defined.id.line + 1, line(defined.id.line)),
                    defined,
                    new: touched,
                },
            })
    });
    of_delta.collect()
}

/// The documents of the project that can define ids.
fn documents(scope: &Scope<'_>, policy: &Policy) -> Result<Vec<RepoPath>, Error> {
    let mut files = walk(scope.tree, &layout::resources())?;
    files.retain(|path| path.has_extension("md") && policy.is_document(path));
    Ok(files)
}

/// Marks the definitions of documents that were fewer before: whoever edits a document is told of what is new in it.
fn mark_new(scope: &Scope<'_>, paths: &[RepoPath], places: &mut [Place]) -> Result<(), Error> {
    let before = read_all(scope.before, paths, None)?;
    let mut count: BTreeMap<(&RepoPath, &str), i64> = BTreeMap::new();
    for place in &before {
        *count.entry((&place.path, &place.defined.id.id)).or_default() -= 1;
    }
    for place in places.iter() {
        *count.entry((&place.path, &place.defined.id.id)).or_default() += 1;
    }
    let more: BTreeSet<(RepoPath, String)> = count
        .into_iter()
        .filter(|(_, more)| *more > 0)
        .map(|((path, id), _)| (path.clone(), id.to_owned()))
        .collect();
    for place in places {
        place.new = more.contains(&(place.path.clone(), place.defined.id.id.clone()));
    }
    Ok(())
}

/// The definitions in documents; of documents that cannot hold a wanted id nothing but the bytes is looked at.
fn read_all(
    tree: &dyn Tree,
    paths: &[RepoPath],
    wanted: Option<&BTreeSet<String>>,
) -> Result<Vec<Place>, Error> {
    // Of very many words a pattern is dearer than reading.
    let any = wanted.filter(|wanted| wanted.len() <= 500).map(|wanted| {
        let words: Vec<String> = wanted.iter().map(|id| regex::escape(id)).collect();
        Regex::new(&words.join("|")).expect("escaped words are a pattern")
    });
    let read = |path: &RepoPath| -> Result<Vec<Place>, ReadError> {
        let bytes = regular_content(tree, path)?.unwrap_or_default();
        if any.as_ref().is_some_and(|any| !any.is_match(&bytes)) {
            return Ok(Vec::new());
        }
        let document = Document::scan(bytes);
        let mut found = definitions::of_document(path, &document);
        found.retain(|defined| wanted.is_none_or(|wanted| wanted.contains(&defined.id.id)));
        let place = |defined: Defined| Place {
            path: path.clone(),
            line: SourceLine::new(defined.id.line + 1, document.raw(defined.id.line)),
            defined,
            new: false,
        };
        Ok(found.into_iter().map(place).collect())
    };
    let found: Vec<Vec<Place>> = paths.par_iter().map(read).collect::<Result<_, _>>()?;
    let mut places: Vec<Place> = found.into_iter().flatten().collect();
    places.sort_by(|a, b| (&a.path, a.line.number).cmp(&(&b.path, b.line.number)));
    Ok(places)
}

/// The definitions of one id that cannot both be. A scenario's row in an overview and its own document are one definition
/// and its elaboration, and so are rows of two overviews in different folders: requirements and plan each have one.
fn tell_duplicates(scope: &Scope<'_>, id: &str, places: &[&Place], report: &mut Report<'_>) {
    let mut places: Vec<&Place> = places.to_vec();
    places.sort_by(|a, b| (&a.path, a.line.number).cmp(&(&b.path, b.line.number)));
    let has_row = places
        .iter()
        .any(|place| matches!(place.defined.by, Definition::Row(_)));
    if has_row {
        places.retain(|place| !matches!(place.defined.by, Definition::Heading(_)));
    }
    for (at, place) in places.iter().enumerate() {
        let first = places[..at].iter().find(|first| clash(first, place));
        let Some(first) = first.filter(|first| first.new || place.new) else {
            continue;
        };
        let about = About {
            line: Some(place.line.clone()),
            item: Some(id.to_owned()),
            ..About::default()
        };
        let message = Message::DuplicateId {
            id: id.to_owned(),
            other: first.name(scope.project),
        };
        report.add(ID_DUPLICATE, &place.path, message, about);
    }
}

fn clash(one: &Place, other: &Place) -> bool {
    let same_document = one.path == other.path;
    match (&one.defined.by, &other.defined.by) {
        (Definition::Row(a), Definition::Row(b)) if same_document => a == b,
        (Definition::Row(_), Definition::Row(_)) => one.path.parent() == other.path.parent(),
        (Definition::Heading(a), Definition::Heading(b)) => !same_document || a == b,
        (Definition::Test, Definition::Test) | (Definition::Decision, Definition::Decision) => true,
        _ => false,
    }
}
