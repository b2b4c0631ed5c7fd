//! The events of one id, from the newest (git.md 8).

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::cache::Cache;
use super::cause::{Cause, Place};
use super::codec::Known;
use super::entry::{self, Entry};
use super::merged::Parents;
use super::step::{self, Entries, Kind, StepEvent, Touched};
use super::{Error, Spot, Subject};
use crate::change::marks;
use crate::clock::Timestamp;
use crate::files::{Digest, ObjectId, RepoPath, Tree};
use crate::git::Visited;
use crate::markdown::Document;
use crate::project::layout;

/// Something that happened to an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub kind: Kind,
    /// The id before, of one that was renumbered.
    pub from: Option<String>,
    pub commit: ObjectId,
    pub date: Timestamp,
    pub author: String,
    pub change: Option<String>,
    /// Where the change lies now, from the top level.
    pub change_path: Option<RepoPath>,
    /// From the top level.
    pub document: RepoPath,
    pub anchor: String,
    /// Why the change left it out.
    pub reason: Option<String>,
    pub before: Option<String>,
    pub after: Option<String>,
    /// Of what it is compared by since.
    pub(super) content: Option<Digest>,
}

/// The events that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    pub events: Vec<Event>,
    /// Whether there is any event, shown or not.
    pub is_known: bool,
    /// Whether history was cut off before its end.
    pub truncated: bool,
}

/// Where a walk begins, and how far its answer goes.
#[derive(Clone, Copy)]
pub struct Walk<'w> {
    pub starts: &'w [ObjectId],
    /// The commit in whose tree changes are looked for.
    pub rev: ObjectId,
    pub limit: usize,
}

/// The events of an id.
pub fn log(subject: Subject<'_>, id: &str, walk: Walk<'_>) -> Result<Log, Error> {
    let mut cache = Cache::open(subject);
    let visited = history(subject, walk.starts, &cache)?;
    let steps: Vec<Step<'_>> = visited
        .par_iter()
        .map(|one| Step::of(subject, one, &cache))
        .collect::<Result<_, _>>()?;
    let entries = read(subject, &steps)?;
    let only = Some(id).filter(|_| !cache.is_written());
    let found = steps
        .into_par_iter()
        .map(|step| step.judged(subject, &entries, only));
    let steps: Vec<Step<'_>> = found.collect::<Result<_, Error>>()?;
    let own = |step: &Step<'_>| -> Vec<StepEvent> {
        let events = step.events.iter();
        events.filter(|event| event.id == id).cloned().collect()
    };
    let mut log = Log {
        events: Vec::new(),
        is_known: steps.iter().any(|step| !own(step).is_empty()),
        truncated: visited.iter().any(|one| one.is_boundary),
    };
    let mut teller = Teller {
        subject,
        rev: walk.rev,
        paths: HashMap::new(),
    };
    for step in &steps {
        if log.events.len() >= walk.limit {
            break;
        }
        let events = own(step);
        if !events.is_empty() {
            log.events.extend(teller.tell(step, events, &entries)?);
        }
    }
    log.events.truncate(walk.limit);
    for step in steps
        .into_iter()
        .filter(|step| !step.is_known && !step.visited.is_boundary)
    {
        cache.add(step.visited.id, &step.into_known());
    }
    cache.close();
    Ok(log)
}

/// The history of the document folders of a project.
pub(super) fn history(
    subject: Subject<'_>,
    starts: &[ObjectId],
    cache: &Cache<'_>,
) -> Result<Vec<Visited>, Error> {
    let place = layout::resources().below(subject.project);
    let names = &layout::DOCUMENT_FOLDERS;
    let known = |commit| {
        let known = cache.known(commit)?;
        Some((known.seconds, known.followed))
    };
    Ok(subject
        .repository
        .simplified_history(starts, &place, names, &known)?)
}

/// A commit on the walk.
pub(super) struct Step<'v> {
    pub(super) visited: &'v Visited,
    /// The documents that differ from every parent; none for a commit that changes none.
    pub(super) touched: Vec<Touched>,
    events: Vec<StepEvent>,
    /// Whether the events are those of all ids.
    is_complete: bool,
    /// Whether the cache has it.
    is_known: bool,
}

impl<'v> Step<'v> {
    pub(super) fn of(subject: Subject<'_>, visited: &'v Visited, cache: &Cache<'_>) -> Result<Self, Error> {
        if let Some(known) = cache.known(visited.id).filter(|_| !visited.is_boundary) {
            return Ok(Self {
                visited,
                touched: known.touched,
                events: known.events,
                is_complete: true,
                is_known: true,
            });
        }
        let touched = match &visited.step {
            Some(step) => step::touched(subject.repository, step)?,
            None => Vec::new(),
        };
        Ok(Self {
            visited,
            is_complete: touched.is_empty(),
            touched,
            events: Vec::new(),
            is_known: false,
        })
    }

    /// With its events, those of all ids or of one.
    fn judged(mut self, subject: Subject<'_>, entries: &Entries, only: Option<&str>) -> Result<Self, Error> {
        if !self.is_complete {
            self.events = self.find_events(subject, entries, only)?;
            self.is_complete = only.is_none();
        }
        Ok(self)
    }

    fn find_events(
        &self,
        subject: Subject<'_>,
        entries: &Entries,
        only: Option<&str>,
    ) -> Result<Vec<StepEvent>, Error> {
        let parents = Parents::new(subject, &self.visited.followed);
        step::events(&self.touched, entries, only, &parents)
    }

    fn into_known(self) -> Known {
        Known {
            seconds: self.visited.seconds,
            followed: self.visited.followed.clone(),
            touched: self.touched,
            events: self.events,
        }
    }
}

/// Reads the entries of all versions of documents, each once.
fn read(subject: Subject<'_>, steps: &[Step<'_>]) -> Result<Entries, Error> {
    let versions: BTreeSet<(&RepoPath, ObjectId)> = steps
        .iter()
        .filter(|step| !step.is_complete)
        .flat_map(|step| &step.touched)
        .filter(|one| entry::may_define(&one.path))
        .flat_map(|one| {
            let all = one.old.iter().chain([&one.new]);
            all.flatten().map(|blob| (&one.path, *blob))
        })
        .collect();
    let read = versions.into_par_iter().map(|(path, blob)| {
        let document = Document::scan(subject.repository.blob(blob)?);
        Ok(((path.clone(), blob), entry::entries(path, &document)))
    });
    let read: HashMap<(RepoPath, ObjectId), Vec<Arc<Entry>>> = read.collect::<Result<_, Error>>()?;
    Ok(Entries::new(read))
}

/// Puts events into what is told of them.
struct Teller<'r> {
    subject: Subject<'r>,
    rev: ObjectId,
    /// Where changes lie, by name.
    paths: HashMap<String, Option<RepoPath>>,
}

impl Teller<'_> {
    fn tell(
        &mut self,
        step: &Step<'_>,
        events: Vec<StepEvent>,
        entries: &Entries,
    ) -> Result<Vec<Event>, Error> {
        let commit = step.visited.id;
        let words = self.subject.repository.commit_words(commit)?;
        let cause = Cause::of(self.subject, commit, &step.visited.followed, &words)?;
        let comes_or_goes = |event: &StepEvent| matches!(event.kind, Kind::Added | Kind::Removed);
        let (mut all, mut renumbered) = (Vec::new(), std::collections::BTreeMap::new());
        if events.iter().any(comes_or_goes) {
            all = if step.is_complete {
                step.events.clone()
            } else {
                step.find_events(self.subject, entries, None)?
            };
            renumbered = cause.renumbered(&all);
        }
        let other = |id: &str, kind: Kind| all.iter().find(|event| event.id == id && event.kind == kind);
        let mut out = Vec::new();
        for event in events {
            let pair = renumbered
                .iter()
                .find(|(old, new)| match event.kind {
                    Kind::Removed => **old == event.id,
                    Kind::Added => **new == event.id,
                    Kind::Changed | Kind::Moved | Kind::Renumbered => false,
                })
                .and_then(|(old, new)| Some((other(old, Kind::Removed)?, other(new, Kind::Added)?)));
            let (kind, from, old, new) = match pair {
                Some((old, new)) => (
                    Kind::Renumbered,
                    Some(old.id.clone()),
                    old.old.clone(),
                    new.new.clone(),
                ),
                None => (event.kind, None, event.old, event.new),
            };
            let Some(at) = new.as_ref().or(old.as_ref()) else {
                continue;
            };
            let places: Vec<Place<'_>> = old.iter().chain(&new).map(Place::of).collect();
            let ids: Vec<&str> = old
                .iter()
                .chain(&new)
                .map(|spot| spot.entry.id.as_str())
                .collect();
            let change = cause.change_of(&ids, &places);
            let reason = match (kind, &old) {
                (Kind::Removed | Kind::Renumbered, Some(spot)) => cause.reason(&spot.entry.id, spot),
                _ => None,
            };
            out.push(Event {
                kind,
                from,
                commit,
                date: Timestamp::from_seconds(words.committed_at.unwrap_or(0)),
                author: words.author.clone(),
                change_path: self.path_of(change.as_deref())?,
                change,
                document: at.document.below(self.subject.project),
                anchor: at.entry.anchor(),
                reason,
                before: self.text(old.as_ref())?,
                after: self.text(new.as_ref())?,
                content: new.as_ref().map(|spot| spot.entry.content),
            });
        }
        Ok(out)
    }

    fn text(&self, spot: Option<&Spot>) -> Result<Option<String>, Error> {
        let Some(spot) = spot else { return Ok(None) };
        let document = Document::scan(self.subject.repository.blob(spot.blob)?);
        Ok(Some(spot.entry.text(&document)))
    }

    /// Where a change lies: open, else the newest of its name in the archive.
    fn path_of(&mut self, change: Option<&str>) -> Result<Option<RepoPath>, Error> {
        let Some(slug) = change else { return Ok(None) };
        if let Some(known) = self.paths.get(slug) {
            return Ok(known.clone());
        }
        let tree = self
            .subject
            .repository
            .commit_tree(self.rev, self.subject.project)?;
        let open = layout::changes().join(slug);
        let found = if tree.entry(&open)?.is_some() {
            Some(open)
        } else {
            marks::archived(&tree, slug)?.pop()
        };
        let found = found.map(|path| path.below(self.subject.project));
        self.paths.insert(slug.to_owned(), found.clone());
        Ok(found)
    }
}
