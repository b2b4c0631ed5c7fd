//! `change`: a new change folder, and the guard file that makes it the active one.

use super::trouble::Trouble;
use super::usage::{self, Common, Usage};
use super::{Context, Exit};
use crate::change::create::{self, CreateError, NewChange, Wanted};
use crate::files::{RepoPath, Tree, Writer};
use crate::git::Repository;
use crate::project::{Config, layout};
use crate::report::change::Created;
use crate::say;
use crate::voice::{Fail, Language, Say, Voice};

/// Begin a change
///
/// Makes the folder logos/changes/NAME with a proposal and a task list to fill in, and makes the change the active one
/// of this work tree. Refused while another change is active.
#[derive(clap::Args)]
pub(super) struct Change {
    /// Name of the change, also its folder: letters, digits, `-`, `_` and `.`
    #[arg(value_name = "NAME")]
    slug: Option<String>,
    /// The module that the change is for
    #[arg(long, value_name = "ID")]
    module: Option<String>,
    /// Also make a worktree and a branch of its own
    #[arg(long)]
    worktree: bool,
    #[command(flatten)]
    common: Common,
}

/// Why no change was made.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Usage(#[from] Usage),
    #[error("`--worktree` is not available in this version")]
    NoWorktree,
    #[error(transparent)]
    Create(#[from] CreateError),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Usage(error) => error.say(voice),
            Self::NoWorktree => say!(
                voice,
                "`--worktree` is not available in this version; make the worktree with `git worktree add` and begin the change in it",
                "此版本尚不支持 `--worktree`；请先用 `git worktree add` 建立工作树，再在其中开始变更"
            ),
            Self::Create(error) => error.say(voice),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Usage(error) => error.code(),
            Self::NoWorktree => "WORKTREE_UNAVAILABLE",
            Self::Create(error) => error.code(),
            Self::Trouble(error) => error.code(),
        }
    }
}

impl Change {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        usage::in_project(ctx, "change", &self.common, |_, tree| self.make(ctx, tree))
    }

    fn make(&self, ctx: &Context, tree: &dyn Tree) -> Result<Created, Error> {
        if self.worktree {
            return Err(Error::NoWorktree);
        }
        // The templates are documents of the project: in its language, not in that of the caller.
        let locale = Config::load(tree).map_err(Trouble::from)?.and_then(|c| c.locale);
        let date = ctx.now.date(Repository::local_offset());
        let created = ctx.now.rfc3339();
        let wanted = Wanted {
            slug: self.slug.as_deref(),
            module: self.module.as_deref(),
            language: locale.as_deref().map_or(Language::English, Language::of_locale),
            date: &date,
            created: &created,
        };
        // Under the lock, which also ends what an interrupted run left: half a change must not be taken for one.
        let writer = ctx.writer("change")?;
        let change = create::plan(&writer.tree(), wanted)?;
        let files = write(&writer, &change).map_err(Trouble::from)?;
        Ok(Created {
            slug: change.slug,
            module: change.module,
            source: change.source,
            path: change.path,
            files,
        })
    }
}

/// Writes the files, the empty folders, and last the guard file: all or none.
fn write(writer: &Writer, change: &NewChange) -> Result<Vec<RepoPath>, crate::files::WriteError> {
    let mut transaction = writer.begin();
    for (path, content) in &change.files {
        transaction.create_new(path, content.clone());
    }
    for path in &change.folders {
        transaction.make_dir(path);
    }
    match change.stale_guard {
        None => transaction.create_new(&layout::guard(), change.guard.clone()),
        seen => transaction.replace(&layout::guard(), seen, change.guard.clone()),
    }
    Ok(transaction.commit()?.paths)
}
