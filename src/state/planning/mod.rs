//! What roadmap and disk say together about the milestone that STATE.md stores (state.md 5.4 to 5.6). Nothing is read
//! before it is asked for, and nothing twice.

mod progress;
#[cfg(test)]
mod tests;
mod words;

pub use progress::{BodyTotals, Progress};
pub use words::Warning;

use std::cell::OnceCell;
use std::collections::BTreeSet;

use rayon::prelude::*;

use super::phase_id::PhaseId;
use super::phases::{self, ListedDirectory, PhaseDirectory};
use super::roadmap::{Milestone, ProgressRows, Roadmap, Scope, Window};
use crate::files::{Name, ReadError, RepoPath, Tree};
use crate::text::{decode, trim};

/// The memory of a project.
pub const STATE: &str = ".planning/STATE.md";
/// Where the milestones and phases are planned.
pub const ROADMAP: &str = ".planning/ROADMAP.md";
/// Where the phases lie.
pub const PHASES: &str = ".planning/phases";

/// The roadmap, with what the stored version makes of it.
struct Read {
    roadmap: Roadmap,
    window: Window,
    retired: BTreeSet<PhaseId>,
}

/// Directories with their files counted.
struct Counted {
    directories: Vec<PhaseDirectory>,
    warnings: Vec<Warning>,
}

/// Roadmap and disk of a project, for the milestone that STATE.md stores.
pub struct Planning<'t> {
    tree: &'t dyn Tree,
    stored: Option<String>,
    roadmap: OnceCell<Option<Read>>,
    has_phases_dir: OnceCell<bool>,
    listed: OnceCell<Vec<ListedDirectory>>,
    counted: OnceCell<Counted>,
    all: OnceCell<Vec<PhaseDirectory>>,
}

/// Computes a fact when it is first asked for. An error is no answer: the next one asks again.
fn once<T>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T, ReadError>) -> Result<&T, ReadError> {
    if let Some(known) = cell.get() {
        return Ok(known);
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made))
}

impl<'t> Planning<'t> {
    /// Planning below the root of a tree. `stored_version` is the text of the first line `milestone: …` of STATE.md.
    pub fn new(tree: &'t dyn Tree, stored_version: Option<&str>) -> Self {
        let stored = stored_version.map(trim).filter(|version| !version.is_empty());
        Self {
            tree,
            stored: stored.map(str::to_owned),
            roadmap: OnceCell::new(),
            has_phases_dir: OnceCell::new(),
            listed: OnceCell::new(),
            counted: OnceCell::new(),
            all: OnceCell::new(),
        }
    }

    fn read(&self) -> Result<Option<&Read>, ReadError> {
        let read = once(&self.roadmap, || {
            let Some(bytes) = self.tree.read(&RepoPath::of(ROADMAP))? else {
                return Ok(None);
            };
            let roadmap = Roadmap::read(decode(&bytes));
            let window = roadmap.window(self.stored.as_deref());
            Ok(Some(Read {
                retired: roadmap.retired(&window),
                roadmap,
                window,
            }))
        })?;
        Ok(read.as_ref())
    }

    /// Milestone and name as roadmap and stored version give them (state.md 5.4); without a roadmap neither is known.
    pub fn milestone(&self) -> Result<Milestone, ReadError> {
        let read = self.read()?;
        Ok(read.map_or_else(Milestone::default, |read| {
            read.roadmap.milestone(self.stored.as_deref())
        }))
    }

    /// Whether a milestone heading for the stored version exists; where none is stored it counts as bounded.
    pub fn is_bounded(&self) -> Result<bool, ReadError> {
        let stored = self.stored.as_deref();
        Ok(stored.is_none() || self.read()?.is_some_and(|read| read.roadmap.is_bounded(stored)))
    }

    /// How far the roadmap's answer reaches (state.md 5.5).
    pub fn scope(&self) -> Result<Scope, ReadError> {
        Ok(self.read()?.map_or(Scope::Unreadable, |read| read.window.scope()))
    }

    /// The roadmap's name of a phase.
    pub fn phase_name(&self, id: &PhaseId) -> Result<Option<String>, ReadError> {
        let name = |read: &Read| read.roadmap.phase_name(id, &read.window);
        Ok(self.read()?.and_then(name))
    }

    /// What the roadmap's progress table says; none without one.
    pub fn progress_table(&self) -> Result<Option<ProgressRows>, ReadError> {
        Ok(self.read()?.and_then(|read| read.roadmap.progress_rows()))
    }

    /// Whether `.planning/phases/` is there.
    pub fn has_phases_dir(&self) -> Result<bool, ReadError> {
        once(&self.has_phases_dir, || {
            phases::is_directory(self.tree, &RepoPath::of(PHASES))
        })
        .copied()
    }

    fn listed(&self) -> Result<&[ListedDirectory], ReadError> {
        let listed = once(&self.listed, || {
            if self.has_phases_dir()? {
                phases::list(self.tree, &RepoPath::of(PHASES))
            } else {
                Ok(Vec::new())
            }
        })?;
        Ok(listed)
    }

    /// The directories that count for the milestone (state.md 5.6), in the order of their numbers.
    pub fn directories(&self) -> Result<&[PhaseDirectory], ReadError> {
        Ok(&self.counted()?.directories)
    }

    fn counted(&self) -> Result<&Counted, ReadError> {
        once(&self.counted, || {
            let mut warnings = Vec::new();
            let mut chosen: Vec<&ListedDirectory> = Vec::new();
            for listed in self.listed()? {
                if !self.counts(listed)? {
                    continue;
                }
                match (chosen.last(), &listed.id) {
                    // Equal numbers are neighbours, the first by name in front.
                    (Some(first), Some(id)) if first.id.as_ref() == Some(id) => {
                        warnings.push(Warning::SameNumber {
                            id: id.clone(),
                            counted: first.name.clone(),
                            ignored: listed.name.clone(),
                        });
                    }
                    _ => chosen.push(listed),
                }
            }
            Ok(Counted {
                directories: self.count(&chosen)?,
                warnings,
            })
        })
    }

    fn counts(&self, listed: &ListedDirectory) -> Result<bool, ReadError> {
        let Some(id) = &listed.id else {
            return Ok(self.read()?.is_none_or(|read| read.window.ids().is_empty()));
        };
        let is_asked = |read: &Read| {
            let ids = read.window.ids();
            (ids.is_empty() || ids.contains(id)) && !read.retired.contains(id)
        };
        Ok(!id.is_sentinel() && self.read()?.is_none_or(is_asked))
    }

    fn count(&self, listed: &[&ListedDirectory]) -> Result<Vec<PhaseDirectory>, ReadError> {
        let (tree, phases) = (self.tree, RepoPath::of(PHASES));
        listed
            .par_iter()
            .map(|listed| phases::read(tree, &phases, listed))
            .collect()
    }

    /// All phase directories but retired ones, phase 0 and the backlog too, in the order of their numbers: what `sync`
    /// looks at (state.md 7).
    pub fn all_directories(&self) -> Result<&[PhaseDirectory], ReadError> {
        let all = once(&self.all, || {
            let counted = self.directories()?;
            let read = self.read()?;
            let is_retired = |listed: &&ListedDirectory| matches!((&listed.id, read), (Some(id), Some(read)) if read.retired.contains(id));
            let known: BTreeSet<&Name> = counted.iter().map(|known| &known.name).collect();
            let others = self.listed()?.iter().filter(|listed| !is_retired(listed));
            let others: Vec<&ListedDirectory> =
                others.filter(|listed| !known.contains(&listed.name)).collect();
            let mut all = self.count(&others)?;
            all.extend(counted.iter().cloned());
            all.sort_by(|a, b| (a.id.is_none(), &a.id, &a.name).cmp(&(b.id.is_none(), &b.id, &b.name)));
            Ok(all)
        })?;
        Ok(all)
    }

    /// The directory of a phase, whatever its milestone: the first by name with its number.
    pub fn directory_of(&self, id: &PhaseId) -> Result<Option<PhaseDirectory>, ReadError> {
        let found = self
            .listed()?
            .iter()
            .find(|listed| listed.id.as_ref() == Some(id));
        found
            .map(|listed| phases::read(self.tree, &RepoPath::of(PHASES), listed))
            .transpose()
    }

    /// Whether a verification of this directory says that it passed.
    pub fn is_verified(&self, directory: &PhaseDirectory) -> Result<bool, ReadError> {
        directory.is_verified(self.tree)
    }
}
