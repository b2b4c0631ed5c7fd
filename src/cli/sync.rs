//! `sync`: registry, config and flow are brought up to date with what lies in the project.

use super::module_locks;
use super::trouble::{Trouble, through_trouble};
use super::uninitialised::{self, NOT_INITIALIZED};
use super::usage::{Unknown, Usage};
use super::{Context, Exit, Format, finish};
use crate::baseline::Reader;
use crate::files::Digest;
use crate::project::Module;
use crate::project::sync::{self, SyncError};
use crate::report::sync::Synced;
use crate::voice::{Fail, Say, Voice};

/// Bring the registry, the config and the flow up to date
///
/// Lists documents that are new, gives scenarios their modules, fills in missing keys of the config, and adds the steps of
/// a user interface to the flow where there is one. All of it or nothing; what is written by hand stays. Refused while a
/// baseline is being committed.
#[derive(clap::Args)]
pub(super) struct Sync {
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    #[command(flatten)]
    unknown: Unknown,
}

/// Why nothing was brought up to date.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Usage(#[from] Usage),
    #[error(transparent)]
    Sync(#[from] SyncError),
    #[error(transparent)]
    Locks(#[from] module_locks::Error),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

through_trouble!(Error);

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Usage(error) => error.say(voice),
            Self::Sync(error) => error.say(voice),
            Self::Locks(error) => error.say(voice),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Usage(error) => error.code(),
            Self::Sync(error) => error.code(),
            Self::Locks(error) => error.code(),
            Self::Trouble(error) => error.code(),
        }
    }
}

impl Sync {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        match uninitialised::require(ctx, "sync", format, NOT_INITIALIZED) {
            Ok(_) => finish(ctx, "sync", format, self.sync(ctx)),
            Err(exit) => exit,
        }
    }

    fn sync(&self, ctx: &Context) -> Result<Synced, Error> {
        self.unknown.refuse()?;
        let writer = ctx.writer("sync")?;
        let tree = writer.tree();
        sync::check(&tree)?;
        let _locks = module_locks::take_all(ctx, &writer)?;
        // The locks are ours: nobody else's count.
        let reader = Reader::open(&tree, &|_| false, ctx.now)?;
        let derived = |module: &Module| reader.effective_state(module);
        let plan = sync::plan(&tree, &derived, &ctx.project_voice(&tree)?, ctx.now)?;
        let mut transaction = writer.begin();
        for write in &plan.writes {
            let seen = write.before.as_deref().map(Digest::of);
            transaction.replace(&write.path, seen, write.after.clone());
        }
        transaction.commit()?;
        Ok(Synced(plan))
    }
}
