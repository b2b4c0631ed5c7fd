//! A change folder: found, contained, and read into proposal, tasks, deltas and markers. Writes nothing.

pub mod base;
pub mod create;
pub mod definitions;
pub mod delta;
pub mod deltas;
pub mod deployment;
pub mod evidence;
pub mod facts;
pub mod gate;
pub mod headings;
pub mod marks;
mod proposal;
pub mod provenance;
mod tasks;
pub mod template;
pub mod ui;

pub use deltas::{Delta, DeltaContent, Validity};
pub use proposal::{DeploymentSection, Proposal};
pub use tasks::{CodeReset, Count, Item, Slice, TaskSection, Tasks};

use crate::files::{Kind, ReadError, RepoPath, Resolved, Tree};
use crate::project::session::Guard;
use crate::project::{Slug, layout};

/// The file that says that the deltas are in the documents.
pub const SPEC_MERGED: &str = "SPEC_MERGED";
/// The older form of it.
pub const MERGED: &str = "MERGED";

/// Why a folder is not a change that may be read (change.md 2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderProblem {
    /// The slug is not one safe path component, or leads out of `logos/changes`.
    Invalid,
    /// There is no such folder.
    NotFound,
}

/// A change folder that exists and lies below `logos/changes`, links followed; not yet read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeFolder {
    pub slug: Slug,
    pub path: RepoPath,
}

impl ChangeFolder {
    /// Finds the folder of a slug.
    pub fn find(tree: &dyn Tree, slug: &str) -> Result<Result<Self, FolderProblem>, ReadError> {
        let Some(slug) = Slug::lexical(slug) else {
            return Ok(Err(FolderProblem::Invalid));
        };
        let path = layout::change(&slug);
        if !tree.exists(&path)? {
            let problem = if slug.is_strict() {
                FolderProblem::NotFound
            } else {
                FolderProblem::Invalid
            };
            return Ok(Err(problem));
        }
        Ok(match (tree.resolve(&path)?, tree.resolve(&layout::changes())?) {
            (Resolved::Dangling, _) | (_, Resolved::Dangling) => Err(FolderProblem::NotFound),
            (Resolved::Inside { path: real, .. }, Resolved::Inside { path: changes, .. })
                if real.starts_with(&changes) && real != changes =>
            {
                Ok(Self { slug, path })
            }
            _ => Err(FolderProblem::Invalid),
        })
    }

    /// The folders below `logos/changes`, without the archive: every active change, by name.
    pub fn list(tree: &dyn Tree) -> Result<Vec<Self>, ReadError> {
        let changes = layout::changes();
        let mut out = Vec::new();
        for (name, entry) in tree.list(&changes)? {
            let is_dir = match entry.kind {
                Kind::Dir => true,
                Kind::Link => matches!(
                    tree.resolve(&changes.join(&name))?,
                    Resolved::Inside { kind: Kind::Dir, .. } | Resolved::Outside { kind: Kind::Dir }
                ),
                Kind::File | Kind::Submodule | Kind::Special => false,
            };
            let slug = std::str::from_utf8(&name)
                .ok()
                .filter(|name| *name != "archive")
                .and_then(Slug::lexical);
            if let Some(slug) = slug.filter(|_| is_dir) {
                out.push(Self {
                    path: layout::change(&slug),
                    slug,
                });
            }
        }
        Ok(out)
    }
}

/// Marker files of a change folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Markers {
    pub spec_merged: bool,
    pub merged: bool,
}

/// A change, read.
#[derive(Clone, Debug)]
pub struct Change {
    pub folder: ChangeFolder,
    pub proposal: Proposal,
    pub tasks: Tasks,
    pub deltas: Vec<Delta>,
    pub markers: Markers,
}

impl Change {
    /// Reads the whole folder, in the order of change.md 2.2; the first failure ends it.
    pub fn load(tree: &dyn Tree, folder: ChangeFolder) -> Result<Self, ReadError> {
        let proposal = read_proposal(tree, &folder)?;
        Self::load_rest(tree, folder, proposal)
    }

    /// Reads what comes after the proposal.
    pub fn load_rest(tree: &dyn Tree, folder: ChangeFolder, proposal: Proposal) -> Result<Self, ReadError> {
        let tasks = Tasks::read(tree.read(&folder.path.join("tasks.md"))?.unwrap_or_default());
        let deltas = deltas::load(tree, &folder.path)?;
        let markers = Markers {
            spec_merged: tree.exists(&folder.path.join(SPEC_MERGED))?,
            merged: tree.exists(&folder.path.join(MERGED))?,
        };
        Ok(Self {
            folder,
            proposal,
            tasks,
            deltas,
            markers,
        })
    }

    pub fn is_merged(&self) -> bool {
        self.markers.spec_merged || self.markers.merged
    }

    /// The deltas that lint's checks and merge look into.
    pub fn counting(&self) -> impl Iterator<Item = &Delta> {
        self.deltas.iter().filter(|d| d.counts())
    }

    /// The contents of the files below `deltas/test/`, whatever they are, but place holders.
    fn test_texts(&self) -> impl Iterator<Item = &[u8]> {
        let folder = self.folder.path.join("deltas/test");
        self.deltas
            .iter()
            .filter(move |d| d.path.starts_with(&folder) && !d.path.name().ends_with(b".gitkeep"))
            .filter_map(|d| match &d.content {
                DeltaContent::Sections(delta) => Some(delta.document.bytes()),
                DeltaContent::WholeFile(bytes) => Some(bytes.as_slice()),
                DeltaContent::Unread => None,
            })
    }
}

/// Reads proposal.md; absent is empty.
pub fn read_proposal(tree: &dyn Tree, folder: &ChangeFolder) -> Result<Proposal, ReadError> {
    Ok(Proposal::read(
        tree.read(&folder.path.join("proposal.md"))?.unwrap_or_default(),
    ))
}

/// The module a change says it is for: its header's, else the guard's if the guard names this very change
/// (change.md 2.3, the one way to know it). Whether it is registered is for the registry to say.
pub fn module_of(proposal: &Proposal, slug: &Slug, guard: &Guard) -> Option<String> {
    let guards = || {
        guard
            .module()
            .filter(|_| guard.active_change() == Some(slug.as_str()))
            .map(str::to_owned)
    };
    proposal.module().or_else(guards)
}
