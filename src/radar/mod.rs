//! What the open changes of all branches would do to each other: which ids two of them bring, which merges conflict, in
//! which order (git.md 7.1), and which number an id can have instead (7.2). Everything is read; nothing is written.

mod known;
mod mark;
mod open;
mod pairs;
pub mod renumber;
mod subject;
mod tips;
mod words;

use std::path::PathBuf;

use bstr::BString;
use rayon::prelude::*;

use crate::change::delta::Operation;
use crate::files::{ObjectId, ReadError, RepoPath};
use crate::git::{self, Repository};
use crate::project::Slug;
use crate::text::nearest_name;
use open::{Version, Versions, newest};
use subject::{Ground, Subject};
use tips::Tips;

pub use known::taken;
pub use subject::{Brings, brings};
pub use words::Unreadable;

/// Who asks, and about what.
pub struct Asked<'r> {
    pub repository: &'r Repository,
    /// Only this project.
    pub project: Option<RepoPath>,
    /// What replaces the branches.
    pub globs: Option<Vec<BString>>,
    /// Only this change, and what it collides with.
    pub change: Option<String>,
    /// Pairs that are clean are told too.
    pub all: bool,
}

/// What the documents are taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub reference: BString,
    pub commit: ObjectId,
}

impl Target {
    /// The default branch, else HEAD; none while that is unborn.
    pub fn find(repository: &Repository) -> Result<Option<Self>, git::Error> {
        let found = match repository.default_reference()? {
            Some(found) => Some(found),
            None => repository.head()?.map(|commit| ("HEAD".into(), commit)),
        };
        Ok(found.map(|(reference, commit)| Self { reference, commit }))
    }
}

/// Open changes, and what was found of each and of each two.
#[derive(Debug)]
pub struct Radar {
    pub target: Option<Target>,
    /// By project, name and first reference.
    pub changes: Vec<OpenChange>,
    pub pairs: Vec<Pair>,
}

/// What comes of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Clean,
    /// Both work at one place, and both merge.
    Mergeable,
    Conflict,
    DuplicateId,
    /// Nothing is known: least of all that it is clean.
    Unreadable,
}

impl Verdict {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Mergeable => "mergeable",
            Self::Conflict => "conflict",
            Self::DuplicateId => "duplicate_id",
            Self::Unreadable => "unreadable",
        }
    }

    pub const fn passes(self) -> bool {
        match self {
            Self::Clean | Self::Mergeable => true,
            Self::Conflict | Self::DuplicateId | Self::Unreadable => false,
        }
    }
}

/// In which order two changes can be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Any,
    AFirst,
    BFirst,
}

impl Order {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::AFirst => "a_first",
            Self::BFirst => "b_first",
        }
    }
}

/// A change that is not merged where it will be, in its newest version.
#[derive(Clone, Debug)]
pub struct OpenChange {
    /// Its name, with a reference behind it if there are variants.
    pub id: String,
    pub slug: Slug,
    pub variant: bool,
    pub project: RepoPath,
    /// None hold it while it is not committed.
    pub refs: Vec<BString>,
    pub commit: ObjectId,
    /// The work tree in which it is not committed as it is.
    pub worktree: Option<PathBuf>,
    pub base: Option<ObjectId>,
    pub adds: Vec<Add>,
    pub touches: Vec<Touched>,
    pub verdict: Verdict,
    pub items: Vec<Item>,
    /// It is not only there because of what it collides with.
    pub is_asked_for: bool,
}

/// An id that a change brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Add {
    pub id: String,
    pub document: RepoPath,
    pub anchor: Option<String>,
}

/// A section that a change is about; of a whole file neither anchor nor operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    pub document: RepoPath,
    pub anchor: Option<String>,
    pub operation: Option<Operation>,
}

/// One reason for a verdict.
#[derive(Clone, Debug)]
pub struct Item {
    pub code: &'static str,
    pub document: Option<RepoPath>,
    pub anchor: Option<String>,
    /// The id, row or sub-section; of what cannot be read why.
    pub item: Option<String>,
    pub why: Option<std::sync::Arc<Unreadable>>,
}

/// Two changes that have something in common.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Places in the list of changes.
    pub a: usize,
    pub b: usize,
    pub verdict: Verdict,
    pub order: Option<Order>,
    pub items: Vec<Item>,
}

impl Radar {
    /// Whether no change and no pair is worse than mergeable.
    pub fn passes(&self) -> bool {
        let changes = self.changes.iter().filter(|change| change.is_asked_for);
        changes
            .map(|change| change.verdict)
            .chain(self.pairs.iter().map(|pair| pair.verdict))
            .all(Verdict::passes)
    }
}

/// What could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no open change `{}` on any tip", crate::text::escape(.slug))]
    NoSuchChange { slug: String, near: Option<String> },
    #[error("no project at `{}`", crate::text::escape(&.0.text()))]
    NoProject(RepoPath),
    #[error("`{}`: {source}", crate::text::escape_bytes(.name))]
    Tip {
        name: BString,
        #[source]
        source: ReadError,
    },
    #[error("`{}`: {why}", crate::text::escape_bytes(.name))]
    Change {
        name: BString,
        #[source]
        why: Unreadable,
    },
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Looks at all tips.
pub fn look(asked: &Asked<'_>) -> Result<Radar, Error> {
    let repository = asked.repository;
    let target = Target::find(repository)?;
    let tips = Tips::gather(repository, asked.globs.as_deref())?;
    let versions = Versions::read(repository, asked.project.as_ref(), &tips)?;
    let open = newest_of_each(repository, versions.undone(target.as_ref())?)?;
    let projects = open.iter().map(|(version, _)| &version.project);
    let grounds = Ground::of_projects(repository, target.as_ref(), projects)?;
    let subjects: Vec<Subject<'_>> = open
        .into_par_iter()
        .map(|(version, variant)| {
            let wanted = asked.change.as_deref();
            let is_asked_for = wanted.is_none_or(|wanted| wanted == version.slug.as_str());
            let ground = &grounds[&version.project];
            let mut subject = Subject::read(repository, &version, variant, ground)?;
            subject.shown.is_asked_for = is_asked_for;
            Ok(subject)
        })
        .collect::<Result<_, Error>>()?;
    let is_asked_for = |subject: &Subject<'_>| subject.shown.is_asked_for;
    if let Some(slug) = &asked.change
        && !subjects.iter().any(is_asked_for)
    {
        let names = subjects.iter().map(|subject| subject.shown.slug.as_str());
        return Err(Error::NoSuchChange {
            near: nearest_name(slug, names).map(str::to_owned),
            slug: slug.clone(),
        });
    }
    let pairs = pairs::compare(&subjects, &grounds, asked.all);
    Ok(Radar {
        target,
        changes: subjects.into_iter().map(|subject| subject.shown).collect(),
        pairs,
    })
}

/// The newest versions of every change, and whether there are several.
fn newest_of_each(repository: &Repository, versions: Vec<Version>) -> Result<Vec<(Version, bool)>, Error> {
    let mut out: Vec<(Version, bool)> = Vec::new();
    let mut versions = versions.into_iter().peekable();
    while let Some(first) = versions.next() {
        let mut of_one = vec![first];
        while let Some(next) =
            versions.next_if(|next| (&next.project, &next.slug) == (&of_one[0].project, &of_one[0].slug))
        {
            of_one.push(next);
        }
        let mut kept = newest(repository, of_one)?;
        kept.sort_by_key(Version::name);
        let variant = kept.len() > 1;
        out.extend(kept.into_iter().map(|version| (version, variant)));
    }
    Ok(out)
}
