//! `worktree`: one work tree per change, nothing ever lost (git.md 5).

mod add;
mod apply;
mod list;
mod place;
mod prune;
mod remove;
mod rescue;

pub(super) use add::{How, make};

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::trouble::Trouble;
use super::usage::Usage;
use super::{Context, Exit};
use crate::change::create::CreateError;
use crate::files::{Lock, LockRule, NothingOutside, RepoPath, WriteError, Writer};
use crate::git::{self, Commits, Repository};
use crate::project::SlugError;
use crate::say;
use crate::voice::{Fail, Say, Voice};
use crate::worktree::{self, Ended, Layout, NameError};
use place::Kind;

/// One work tree and one branch per change
///
/// They lie beside the repository, so that nothing scans or builds them twice; those of a project with `.sillyspec/` only
/// lie in `.sillyspec/.runtime/worktrees`, where other programs look for them. None is taken away with work in it unless
/// the work is kept in a rescue first.
#[derive(clap::Args)]
#[command(disable_help_subcommand = true)]
pub(super) struct Worktree {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Add(add::Add),
    List(list::List),
    Status(list::Status),
    Apply(apply::Apply),
    Remove(remove::Remove),
    Prune(prune::Prune),
    Rescue(rescue::Rescue),
}

impl Worktree {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        match self.command {
            Command::Add(command) => command.run(ctx),
            Command::List(command) => command.run(ctx),
            Command::Status(command) => command.run(ctx),
            Command::Apply(command) => command.run(ctx),
            Command::Remove(command) => command.run(ctx),
            Command::Prune(command) => command.run(ctx),
            Command::Rescue(command) => command.run(ctx),
        }
    }
}

/// Why a command of the family did nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(transparent)]
    Usage(#[from] Usage),
    #[error("the name of a change is needed")]
    NoName,
    #[error(transparent)]
    Name(#[from] SlugError),
    #[error(transparent)]
    SillyName(#[from] NameError),
    #[error(transparent)]
    Create(#[from] Box<CreateError>),
    #[error(transparent)]
    Worktree(worktree::Error),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

super::trouble::through_trouble!(Error);

impl From<worktree::Error> for Error {
    fn from(error: worktree::Error) -> Self {
        if let worktree::Error::Git(error) = error {
            Self::Trouble(error.into())
        } else {
            Self::Worktree(error)
        }
    }
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Usage(error) => error.say(voice),
            Self::NoName => say!(voice, "the name of a change is needed", "需要变更的名称"),
            Self::Name(error) => error.say(voice),
            Self::SillyName(error) => error.say(voice),
            Self::Create(error) => error.say(voice),
            Self::Worktree(error) => error.say(voice),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Usage(error) => error.code(),
            Self::NoName | Self::Name(_) | Self::SillyName(_) => "WORKTREE_NAME_INVALID",
            Self::Create(error) => error.code(),
            Self::Worktree(error) => error.code(),
            Self::Trouble(error) => error.code(),
        }
    }
}

/// What every command of the family starts from.
pub(super) struct Base<'c> {
    pub(super) repository: &'c Repository,
    pub(super) layout: Layout,
    /// The project's folder from the top level.
    pub(super) project: RepoPath,
    kind: Kind,
}

impl<'c> Base<'c> {
    pub(super) fn of(ctx: &'c Context) -> Result<Self, Error> {
        let repository = repository(ctx)?;
        let (kind, project) = place::find(ctx, repository)?;
        Self::of_kind(repository, kind, project)
    }

    /// For commands that know `logos/` projects only.
    pub(super) fn of_logos(ctx: &'c Context) -> Result<Self, Error> {
        let project = ctx.place()?.prefix.clone();
        Self::of_kind(repository(ctx)?, Kind::Logos, project)
    }

    /// For commands that know `.sillyspec/` projects only, of the one at `root`.
    pub(super) fn of_silly(ctx: &'c Context, root: &Path) -> Result<Self, Error> {
        let repository = repository(ctx)?;
        let top = repository.work_dir().ok_or(git::Error::NotARepository)?;
        let main = repository.worktrees()?.into_iter().next();
        let mut tops = main.map(|main| main.path).into_iter().chain([top]);
        let project = tops.find_map(|top| RepoPath::from_disk(root.strip_prefix(top).ok()?));
        Self::of_kind(repository, Kind::Silly, project.unwrap_or_default())
    }

    fn of_kind(repository: &'c Repository, kind: Kind, project: RepoPath) -> Result<Self, Error> {
        Ok(Self {
            layout: kind.layout(repository, &project)?,
            repository,
            project,
            kind,
        })
    }

    /// All work trees of changes.
    pub(super) fn survey(&self) -> Result<Vec<worktree::Standing>, Error> {
        Ok(worktree::survey(
            self.repository,
            &self.layout,
            &self.project.text(),
        )?)
    }

    /// The one of a change.
    pub(super) fn find(&self, change: Option<&str>) -> Result<worktree::Standing, Error> {
        let change = change.ok_or(Error::NoName)?;
        Ok(worktree::find(&self.survey()?, change, &self.project.text())?)
    }

    /// The lock below a git directory.
    fn lock_rule(&self, ctx: &Context, git_dir: &Path, command: &str) -> Result<LockRule, git::Error> {
        Ok(LockRule {
            path: git_dir.join("spec/lock"),
            holder: command.to_owned(),
            wait: Duration::from_secs(self.repository.lock_timeout()?.unwrap_or(10)),
            keep: git_dir.to_owned(),
            nested: ctx.env.get("GIT_SPEC_TRANSACTION").is_some(),
        })
    }

    /// The right to write the project's files in another work tree.
    pub(super) fn writer_in(&self, ctx: &Context, work_tree: &Path, command: &str) -> Result<Writer, Error> {
        let rule = self.lock_rule(ctx, &git::git_dir_of(work_tree)?, command)?;
        let root = self.project.on_disk(work_tree);
        Ok(Writer::open(&root, &rule, &NothingOutside)?)
    }

    /// The right to write the project's files in this work tree, at `top`.
    fn writer_here(&self, ctx: &Context, top: &Path, command: &str) -> Result<Writer, Error> {
        let outside = Commits {
            repository: self.repository,
            prefix: &self.project,
        };
        let rule = ctx.lock_rule(command)?;
        Ok(Writer::open(&self.project.on_disk(top), &rule, &outside)?)
    }

    /// The locks of all work trees and of this one, at `top`; what an earlier run has left in either is ended.
    pub(super) fn locks_here(&self, ctx: &Context, top: &Path, command: &str) -> Result<Locks, Error> {
        // The main work tree has one for both.
        if git::is_same(&self.repository.git_dir(), &self.repository.common_dir()) {
            let of_project = self.writer_here(ctx, top, command)?;
            worktree::settle(self.repository)?;
            return Ok(Locks {
                _of_clone: None,
                _of_project: of_project,
            });
        }
        let (of_clone, _) = self.lock(ctx, command)?;
        Ok(Locks {
            _of_clone: Some(of_clone),
            _of_project: self.writer_here(ctx, top, command)?,
        })
    }

    /// Waits for whoever else changes the work trees of this clone, and ends what an earlier run has left.
    pub(super) fn lock(&self, ctx: &Context, command: &str) -> Result<(Lock, Option<Ended>), Error> {
        let rule = self.lock_rule(ctx, &self.repository.common_dir(), command)?;
        let lock = Lock::acquire(&rule).map_err(WriteError::from)?;
        let ended = worktree::settle(self.repository)?;
        Ok((lock, ended))
    }
}

/// The right to change a work tree by what is in another.
pub(super) struct Locks {
    _of_clone: Option<Lock>,
    _of_project: Writer,
}

fn repository(ctx: &Context) -> Result<&Repository, git::Error> {
    ctx.repository()?.ok_or(git::Error::NotARepository)
}

/// A path that was given, from the current folder, or from where an alias of git was called.
pub(super) fn given_path(ctx: &Context, path: &Path) -> PathBuf {
    let prefix = ctx.env.get("GIT_PREFIX").unwrap_or_default();
    ctx.cwd.join(prefix).join(path)
}
