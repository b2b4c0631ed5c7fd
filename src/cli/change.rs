//! `change`: a new change folder, and the guard file that makes it the active one.

use super::trouble::Trouble;
use super::usage::{self, Common, Usage};
use super::{Context, Exit, worktree};
use crate::change::create::{self, CreateError, NewChange, Wanted};
use crate::files::{RepoPath, Tree, Writer};
use crate::git::Repository;
use crate::project::{Config, Slug, layout};
use crate::report::change::Created;
use crate::voice::{Fail, Language, Say, Voice};
use crate::worktree::Added;

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
    #[error(transparent)]
    Worktree(#[from] worktree::Error),
    #[error(transparent)]
    Create(#[from] CreateError),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Usage(error) => error.say(voice),
            Self::Worktree(error) => error.say(voice),
            Self::Create(error) => error.say(voice),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Usage(error) => error.code(),
            Self::Worktree(error) => error.code(),
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
        if self.worktree {
            return in_own_work_tree(ctx, wanted);
        }
        // Under the lock, which also ends what an interrupted run left: half a change must not be taken for one.
        let writer = ctx.writer("change")?;
        let change = create::plan(&writer.tree(), wanted)?;
        let files = write(&writer, &change).map_err(Trouble::from)?;
        Ok(begun_as(change, files, None))
    }
}

fn begun_as(change: NewChange, files: Vec<RepoPath>, worktree: Option<Added>) -> Created {
    Created {
        slug: change.slug,
        module: change.module,
        source: change.source,
        path: change.path,
        files,
        worktree,
    }
}

/// Makes a work tree of its own, and begins the change in it. What speaks against the change is said before anything is
/// made; should it still fail, the work tree goes again.
fn in_own_work_tree(ctx: &Context, wanted: Wanted<'_>) -> Result<Created, Error> {
    let start = worktree::Base::of_logos(ctx)?;
    let head = start.repository.head().map_err(Trouble::from)?;
    if let Some(head) = head {
        let at_base = start
            .repository
            .commit_tree(head, &start.project)
            .map_err(Trouble::from)?;
        create::plan(&at_base, wanted)?;
    }
    let slug = Slug::for_new(wanted.slug.unwrap_or_default()).map_err(CreateError::from)?;
    let mut begun = None;
    let added = worktree::make(
        ctx,
        &start,
        slug.as_str(),
        worktree::How::default(),
        |work_tree| {
            let writer = start.writer_in(ctx, work_tree, "change")?;
            let change = create::plan(&writer.tree(), wanted).map_err(Box::new)?;
            let files = write(&writer, &change)?;
            begun = Some((change, files));
            Ok(true)
        },
    )?;
    let (change, files) = begun.expect("it is begun where the work tree is made");
    Ok(begun_as(change, files, Some(added)))
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
