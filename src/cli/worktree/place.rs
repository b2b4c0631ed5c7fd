//! Which project the commands of the family are about, and what its kind says of work trees and changes (git.md 5).

use std::path::Path;

use super::super::Context;
use super::Error;
use crate::files::{RepoPath, Tree};
use crate::git::{self, CommitTree, Repository};
use crate::project::{Slug, is_initialised, layout};
use crate::worktree::{ARCHIVE_NAME, Layout, SILLY, check_name, told_by_place};

/// The kinds of projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// With `logos/`.
    Logos,
    /// With `.sillyspec/` only.
    Silly,
}

/// The kind of the project and its folder from the top level: the nearest folder upwards that holds either; from inside
/// the work trees of a `.sillyspec/` project that project (silly.md 1). In a bare repository the one named, else that of
/// HEAD.
pub(super) fn find(ctx: &Context, repository: &Repository) -> Result<(Kind, RepoPath), Error> {
    let Some(top) = repository.work_dir() else {
        return in_head(ctx, repository);
    };
    let place = ctx.place()?;
    let is_named = ctx.project_option().is_some();
    let start = if is_named {
        place.root.clone()
    } else {
        ctx.start_folder(&top)
    };
    let is_there = |dir: &&Path| has_logos(dir) || dir.join(SILLY).is_dir();
    let nearest = start
        .ancestors()
        .take_while(|dir| dir.starts_with(&top))
        .take(if is_named { 1 } else { usize::MAX })
        .find(is_there);
    if is_named && nearest.is_none() || nearest.is_some_and(has_logos) {
        return Ok((Kind::Logos, place.prefix.clone()));
    }
    let main = repository.worktrees()?.into_iter().next();
    if let (Some(main), false) = (main, is_named)
        && let Some((project, _)) = told_by_place(&main.path, &top)
    {
        let holder = project.on_disk(&main.path);
        let kind = if has_logos(&holder) {
            Kind::Logos
        } else {
            Kind::Silly
        };
        return Ok((kind, project));
    }
    let below = nearest.and_then(|dir| RepoPath::from_disk(dir.strip_prefix(&top).ok()?));
    Ok(match below {
        Some(project) => (Kind::Silly, project),
        None => (Kind::Logos, place.prefix.clone()),
    })
}

fn has_logos(dir: &Path) -> bool {
    dir.join(layout::CONFIG).exists()
}

fn in_head(ctx: &Context, repository: &Repository) -> Result<(Kind, RepoPath), Error> {
    let Some(head) = repository.head()? else {
        return Ok((Kind::Logos, RepoPath::root()));
    };
    let project = ctx.place_at(repository, head)?.prefix;
    let tree = repository.commit_tree(head, &project)?;
    let is_silly = !is_initialised(&tree)? && tree.entry(&RepoPath::of(SILLY))?.is_some();
    let kind = if is_silly { Kind::Silly } else { Kind::Logos };
    Ok((kind, project))
}

impl Kind {
    pub(super) fn layout(self, repository: &Repository, project: &RepoPath) -> Result<Layout, git::Error> {
        match self {
            // What such a project keeps for one work tree or session alone is no work.
            Self::Logos => Layout::beside(repository, vec![layout::guard(), RepoPath::of(layout::RUNTIME)]),
            Self::Silly => Layout::inside(repository, project),
        }
    }

    /// Judges the name of a change that is to have a work tree.
    pub(super) fn check_name(self, name: &str) -> Result<(), Error> {
        match self {
            Self::Logos => Slug::for_new(name).map(drop).map_err(Error::Name),
            Self::Silly => check_name(name).map_err(Error::SillyName),
        }
    }

    /// Whether a project has a change in its archive, and no longer among the open ones.
    pub(super) fn is_archived(self, project: &CommitTree<'_>, change: &str) -> Result<bool, Error> {
        let (changes, archive) = match self {
            Self::Logos => (layout::changes(), layout::archive()),
            Self::Silly => {
                let changes = RepoPath::of(SILLY).join("changes");
                let archive = changes.join(ARCHIVE_NAME);
                (changes, archive)
            }
        };
        if project.entry(&changes.join(change))?.is_some() {
            return Ok(false);
        }
        let of_change = |name: &[u8]| {
            let rest = name.strip_suffix(change.as_bytes());
            rest.is_some_and(|stamp| stamp.is_empty() || self.is_archive_stamp(stamp))
        };
        let finished = project.list(&archive)?;
        Ok(finished.iter().any(|(name, _)| of_change(name)))
    }

    fn is_archive_stamp(self, bytes: &[u8]) -> bool {
        match self {
            Self::Logos => layout::is_archive_stamp(bytes),
            // silly.md 11
            Self::Silly => layout::has_form(bytes, b"0000-00-00-"),
        }
    }
}
