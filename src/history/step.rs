//! What one step does to the ids of a project: the documents that it changes, compared id by id (git.md 8, the table).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::entry::Entry;
use super::{Error, Spot};
use crate::files::{ObjectId, RepoPath};
use crate::git::{FolderStep, NameStatusOptions, Renames, Repository, Version};
use crate::project::layout;

/// What happened to an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Changed,
    Moved,
    Removed,
    Added,
    /// Another id took its place.
    Renumbered,
}

impl Kind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Moved => "moved",
            Self::Renumbered => "renumbered",
        }
    }
}

/// An event, without what the change behind it says.
#[derive(Clone, Debug)]
pub(super) struct StepEvent {
    pub(super) kind: Kind,
    pub(super) id: String,
    pub(super) old: Option<Spot>,
    pub(super) new: Option<Spot>,
}

/// A document that differs from a parent.
#[derive(Clone, Debug)]
pub(super) struct Touched {
    /// From the project's folder.
    pub(super) path: RepoPath,
    /// Of each parent; none where there is no regular file.
    pub(super) old: Vec<Option<ObjectId>>,
    pub(super) new: Option<ObjectId>,
}

/// The documents that differ from any parent, in path order. A root differs from a parent without any.
pub(super) fn touched(repository: &Repository, step: &FolderStep) -> Result<Vec<Touched>, Error> {
    let nothing = [vec![None; step.new.len()]];
    let parents = if step.old.is_empty() {
        &nothing[..]
    } else {
        &step.old
    };
    let blob = |version: Option<Version>| version.filter(|v| v.mode.is_regular()).map(|v| v.id);
    // What a path has in the parents from which it differs, and here.
    let mut olds: BTreeMap<RepoPath, BTreeMap<usize, Option<ObjectId>>> = BTreeMap::new();
    let mut news: HashMap<RepoPath, Option<ObjectId>> = HashMap::new();
    for (parent, folders) in parents.iter().enumerate() {
        for (at, (old, new)) in folders.iter().zip(&step.new).enumerate() {
            if old == new {
                continue;
            }
            let empty = repository.empty_tree();
            let (old, new) = (old.unwrap_or(empty), new.unwrap_or(empty));
            let folder = layout::resources().join(layout::DOCUMENT_FOLDERS[at]);
            for change in repository.name_status(old, new, NameStatusOptions::new(Renames::Off))? {
                // A hostile path is none of ours.
                let Ok(path) = RepoPath::new(change.path.as_slice()) else {
                    continue;
                };
                let path = path.below(&folder);
                news.insert(path.clone(), blob(change.new));
                olds.entry(path).or_default().insert(parent, blob(change.old));
            }
        }
    }
    let all = olds.into_iter().map(|(path, old)| {
        let new = news.get(&path).copied().flatten();
        Touched {
            path,
            // What does not differ from a parent is there as it is here.
            old: (0..parents.len())
                .map(|at| old.get(&at).copied().unwrap_or(new))
                .collect(),
            new,
        }
    });
    Ok(all.collect())
}

/// The entries of documents, read once each.
#[derive(Default)]
pub(super) struct Entries {
    /// By path too: what a text defines depends on where it stands.
    known: HashMap<(RepoPath, ObjectId), Vec<Arc<Entry>>>,
}

impl Entries {
    pub(super) fn new(known: HashMap<(RepoPath, ObjectId), Vec<Arc<Entry>>>) -> Self {
        Self { known }
    }

    fn of<'a>(&'a self, document: &'a RepoPath, blob: Option<ObjectId>) -> impl Iterator<Item = At<'a>> {
        let found = blob.and_then(|blob| Some((blob, self.known.get(&(document.clone(), blob))?)));
        found.into_iter().flat_map(move |(blob, entries)| {
            entries.iter().map(move |entry| At {
                document,
                blob,
                entry,
            })
        })
    }
}

/// An entry on one side of a step.
#[derive(Clone, Copy)]
struct At<'a> {
    document: &'a RepoPath,
    blob: ObjectId,
    entry: &'a Arc<Entry>,
}

impl At<'_> {
    fn spot(self) -> Spot {
        Spot {
            document: self.document.clone(),
            blob: self.blob,
            entry: Arc::clone(self.entry),
        }
    }

    fn is_in_place_of(self, other: Self) -> bool {
        self.document == other.document && self.entry.above() == other.entry.above()
    }

    fn says_what(self, other: Self) -> bool {
        self.entry.content == other.entry.content
    }
}

/// Whether what a merge has is what the merge of its parents gives: asked only where it equals none of them.
pub(super) trait Merges {
    fn is_clean(&self, olds: &[Vec<Spot>], new: &Spot) -> Result<bool, Error>;
}

/// The events of all ids, or of one, in the order of the ids.
pub(super) fn events(
    touched: &[Touched],
    entries: &Entries,
    only: Option<&str>,
    merges: &dyn Merges,
) -> Result<Vec<StepEvent>, Error> {
    let parents = touched.first().map_or(0, |one| one.old.len());
    // By id, where it stands in each parent, and behind them here.
    let mut by_id: BTreeMap<&str, Vec<Vec<At<'_>>>> = BTreeMap::new();
    for one in touched {
        for (side, version) in one.old.iter().chain([&one.new]).enumerate() {
            for at in entries.of(&one.path, *version) {
                let id = at.entry.id.as_str();
                if only.is_none_or(|only| id == only) {
                    let sides = by_id.entry(id).or_insert_with(|| vec![Vec::new(); parents + 1]);
                    sides[side].push(at);
                }
            }
        }
    }
    let mut out = Vec::new();
    for (id, sides) in by_id {
        if let Some((now, before)) = sides.split_last() {
            out.extend(events_of(id, before, now, merges)?);
        }
    }
    Ok(out)
}

/// The events of one id. A merge that has it as a parent has it makes none.
fn events_of(
    id: &str,
    before: &[Vec<At<'_>>],
    now: &[At<'_>],
    merges: &dyn Merges,
) -> Result<Vec<StepEvent>, Error> {
    let mut compared = Vec::with_capacity(before.len());
    for old in before {
        let events = compare(id, old, now);
        if events.is_empty() {
            return Ok(events);
        }
        compared.push(events);
    }
    if let [only] = compared.as_mut_slice() {
        return Ok(std::mem::take(only));
    }
    // The least of what happened: added on one side and changed since is changed.
    let Some(event) = compared.into_iter().flatten().min_by_key(|event| event.kind) else {
        return Ok(Vec::new());
    };
    if let (Kind::Changed | Kind::Moved, Some(new)) = (event.kind, &event.new) {
        let spots = |side: &Vec<At<'_>>| side.iter().map(|at| at.spot()).collect();
        let olds: Vec<Vec<Spot>> = before.iter().map(spots).collect();
        if merges.is_clean(&olds, new)? {
            return Ok(Vec::new());
        }
    }
    Ok(vec![event])
}

/// Compares where an id stood with where it stands. What is still in its place pairs first, then what is equal elsewhere,
/// then what is left of a document, then what is left at all.
fn compare(id: &str, old: &[At<'_>], new: &[At<'_>]) -> Vec<StepEvent> {
    let (mut old, mut new) = (old.to_vec(), new.to_vec());
    let mut out = Vec::new();
    let event = |kind, old: Option<At<'_>>, new: Option<At<'_>>| StepEvent {
        kind,
        id: id.to_owned(),
        old: old.map(At::spot),
        new: new.map(At::spot),
    };
    let mut pair = |kind: Option<Kind>, fits: &dyn Fn(At<'_>, At<'_>) -> bool| {
        let mut at = 0;
        while at < old.len() {
            if let Some(to) = new.iter().position(|now| fits(old[at], *now)) {
                let (before, now) = (old.remove(at), new.remove(to));
                out.extend(kind.map(|kind| event(kind, Some(before), Some(now))));
            } else {
                at += 1;
            }
        }
    };
    pair(None, &|a, b| a.is_in_place_of(b) && a.says_what(b));
    pair(Some(Kind::Changed), &|a, b| a.is_in_place_of(b));
    pair(Some(Kind::Moved), &|a, b| a.says_what(b));
    pair(Some(Kind::Changed), &|a, b| a.document == b.document);
    pair(Some(Kind::Moved), &|_, _| true);
    out.extend(old.into_iter().map(|at| event(Kind::Removed, Some(at), None)));
    out.extend(new.into_iter().map(|at| event(Kind::Added, None, Some(at))));
    without_elaboration(out)
}

/// Of a scenario's row and its own document, to which the same happened, the row tells it (git.md 2.5).
fn without_elaboration(mut events: Vec<StepEvent>) -> Vec<StepEvent> {
    let is_row = |event: &StepEvent| {
        let spot = event.new.as_ref().or(event.old.as_ref());
        spot.is_some_and(|spot| spot.entry.is_row)
    };
    let told: Vec<Kind> = events
        .iter()
        .filter(|e| is_row(e))
        .map(|event| event.kind)
        .collect();
    events.retain(|event| is_row(event) || !told.contains(&event.kind));
    events
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::Document;

    struct NoMerges;

    impl Merges for NoMerges {
        fn is_clean(&self, _: &[Vec<Spot>], _: &Spot) -> Result<bool, Error> {
            Ok(false)
        }
    }

    const A: &str = "logos/resources/test/a.md";
    const B: &str = "logos/resources/test/b.md";

    fn table(title: &str, rows: &[(&str, &str)]) -> String {
        let mut out = format!("# {title}\n\n| ID | x |\n|---|---|\n");
        for (id, x) in rows {
            out += &format!("| {id} | {x} |\n");
        }
        out
    }

    /// Documents of one side, by path.
    type Docs<'d> = &'d [(&'d str, &'d str)];

    /// The events between versions of documents: of each parent, and of the result.
    fn told(parents: &[Docs<'_>], result: Docs<'_>) -> Vec<String> {
        let mut entries = HashMap::new();
        let mut blobs: Vec<(RepoPath, String)> = Vec::new();
        let mut blob = |path: &str, text: &str| {
            let key = (RepoPath::of(path), text.to_owned());
            let at = blobs.iter().position(|known| *known == key).unwrap_or_else(|| {
                blobs.push(key.clone());
                blobs.len() - 1
            });
            let id = ObjectId::from_bytes(&[u8::try_from(at).expect("few"); 20]);
            let found = super::super::entry::entries(&key.0, &Document::scan(text));
            entries.insert((key.0, id), found);
            id
        };
        let mut touched: BTreeMap<&str, Touched> = BTreeMap::new();
        for path in [A, B] {
            let mut at = |side: Docs<'_>| {
                let found = side.iter().find(|(known, _)| *known == path);
                found.map(|(path, text)| blob(path, text))
            };
            touched.insert(
                path,
                Touched {
                    path: RepoPath::of(path),
                    old: parents.iter().map(|side| at(side)).collect(),
                    new: at(result),
                },
            );
        }
        let touched: Vec<Touched> = touched.into_values().collect();
        let found = events(&touched, &Entries::new(entries), None, &NoMerges).expect("nothing is read");
        found
            .iter()
            .map(|e| format!("{} {}", e.kind.as_str(), e.id))
            .collect()
    }

    #[test]
    fn every_row_of_the_table() {
        let one = table("T", &[("UT-S01-01", "a")]);
        let two = table("T", &[("UT-S01-01", "b")]);
        let other = table("U", &[("UT-S01-01", "a")]);
        let none = table("T", &[("UT-S01-09", "a")]);
        let cases: [(Docs<'_>, Docs<'_>, &[&str]); 9] = [
            (&[], &[(A, &one)], &["added UT-S01-01"]),
            (&[(A, &one)], &[], &["removed UT-S01-01"]),
            (&[(A, &one)], &[(A, &two)], &["changed UT-S01-01"]),
            (&[(A, &one)], &[(A, &other)], &["moved UT-S01-01"]),
            (&[(A, &one)], &[(B, &one)], &["moved UT-S01-01"]),
            (&[(A, &one)], &[(B, &two)], &["moved UT-S01-01"]),
            (&[(A, &one)], &[(A, &one), (B, &one)], &["added UT-S01-01"]),
            (
                &[(A, &one), (B, &two)],
                &[(A, &two)],
                &["changed UT-S01-01", "removed UT-S01-01"],
            ),
            (
                &[(A, &one)],
                &[(A, &none)],
                &["removed UT-S01-01", "added UT-S01-09"],
            ),
        ];
        for (old, new, expected) in cases {
            assert_eq!(told(&[old], new), expected, "{old:?} to {new:?}");
        }
    }

    #[test]
    fn a_merge_tells_only_what_no_parent_has() {
        let (one, two, three) = (
            table("T", &[("UT-S01-01", "a")]),
            table("T", &[("UT-S01-01", "b")]),
            table("T", &[("UT-S01-01", "c")]),
        );
        assert_eq!(told(&[&[(A, &one)], &[(A, &two)]], &[(A, &two)]), [""; 0]);
        assert_eq!(
            told(&[&[(A, &one)], &[(A, &two)]], &[(A, &three)]),
            ["changed UT-S01-01"]
        );
        assert_eq!(told(&[&[], &[(A, &two)]], &[(A, &three)]), ["changed UT-S01-01"]);
        assert_eq!(told(&[&[(A, &one)], &[(A, &two)]], &[]), ["removed UT-S01-01"]);
    }
}
