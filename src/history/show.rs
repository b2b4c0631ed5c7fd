//! Where an id stands, and the change that last touched it (git.md 8).

use super::entry::{self, Entry, Standing};
use super::log::{Event, Log, Walk, log};
use super::{Error, Subject};
use crate::files::{ObjectId, RepoPath, Tree};

/// A definition of an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// From the top level.
    pub document: RepoPath,
    pub anchor: String,
    /// From 0.
    pub line: usize,
    pub text: String,
    /// The change that last touched it; none if none did, or if it is not as the commit has it.
    pub change: Option<String>,
}

/// The definitions of an id in a commit, or in the work tree that is given instead, by document path; with the events up
/// to the commit.
pub fn show(
    subject: Subject<'_>,
    id: &str,
    rev: Option<ObjectId>,
    work_tree: Option<&dyn Tree>,
) -> Result<(Vec<Found>, Log), Error> {
    let (known, committed) = match rev {
        Some(rev) => {
            let walk = Walk {
                starts: &[rev],
                rev,
                limit: usize::MAX,
            };
            let tree = subject.repository.commit_tree(rev, subject.project)?;
            (log(subject, id, walk)?, entry::read_all(&tree)?)
        }
        None => (Log::default(), Vec::new()),
    };
    let edited = work_tree.map(entry::read_all).transpose()?;
    let mut found = Vec::new();
    for standing in edited.as_ref().unwrap_or(&committed) {
        for entry in own(standing, id) {
            let document = standing.path.below(subject.project);
            let is_committed = committed
                .iter()
                .filter(|other| other.path == standing.path)
                .flat_map(|other| own(other, id))
                .any(|other| other.content == entry.content && other.titles == entry.titles);
            let last = last_event(&known.events, &document, entry).filter(|_| is_committed);
            found.push(Found {
                anchor: entry.anchor(),
                line: entry.lines.start,
                text: entry.text(&standing.document),
                change: last.and_then(|event| event.change.clone()),
                document,
            });
        }
    }
    Ok((found, known))
}

fn own<'s>(standing: &'s Standing, id: &'s str) -> impl Iterator<Item = &'s Entry> {
    let entries = standing.entries.iter().map(AsRef::as_ref);
    entries.filter(move |entry| entry.id == id)
}

/// The newest event that made an entry what it is: in its document if there is one, and not on a side of a merge that did
/// not prevail.
fn last_event<'e>(events: &'e [Event], document: &RepoPath, entry: &Entry) -> Option<&'e Event> {
    let made = |event: &&Event| event.content == Some(entry.content);
    let here = |event: &&Event| event.document == *document;
    events
        .iter()
        .find(|event| here(event) && made(event))
        .or_else(|| events.iter().find(here))
        .or_else(|| events.first())
}
