//! The history of single requirements (git.md 8): the events of an id, who wrote which piece of a document, where an id
//! stands. Walks commits by the trees of the document folders and compares defined ids; never searches in texts.

mod blame;
mod cache;
mod cause;
mod codec;
mod entry;
mod log;
mod merged;
mod show;
mod step;

pub use blame::{Blame, Target, Unit, blame};
pub use cache::{CacheUse, FIRST_LINE as CACHE_VERSION, file as cache_file};
pub use log::{Event, Log, Walk, log};
pub use show::{Found, show};
pub use step::Kind;

use std::sync::Arc;

use crate::files::{ObjectId, ReadError, RepoPath, Tree};
use crate::git::{self, Repository};
use crate::voice::{Say, Voice};
use entry::Entry;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Git(error) => error.say(voice),
            Self::Read(error) => error.say(voice),
        }
    }
}

/// A project in a repository.
#[derive(Clone, Copy)]
pub struct Subject<'r> {
    pub repository: &'r Repository,
    /// The project's folder, from the top level.
    pub project: &'r RepoPath,
    pub cache: CacheUse,
}

/// The ids that the documents of a tree define.
pub fn defined_ids(tree: &dyn Tree) -> Result<Vec<String>, ReadError> {
    let documents = entry::read_all(tree)?;
    let entries = documents.iter().flat_map(|document| &document.entries);
    let mut ids: Vec<String> = entries.map(|entry| entry.id.clone()).collect();
    ids.sort();
    ids.dedup();
    Ok(ids)
}

/// An entry where a commit has it.
#[derive(Clone, Debug)]
struct Spot {
    /// From the project's folder.
    document: RepoPath,
    blob: ObjectId,
    entry: Arc<Entry>,
}
