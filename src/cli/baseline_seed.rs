//! `baseline-seed`: candidates drawn from existing code come into the documents, in runs.

use std::collections::BTreeSet;
use std::path::Path;

use super::module_locks::{self, ModuleLocks};
use super::trouble::{Trouble, through_trouble};
use super::usage::{Unknown, Usage};
use super::{Context, Exit, Format, finish};
use crate::baseline::begin::{self, Begin};
use crate::baseline::{self, Progress, commit, journal, lock};
use crate::files::Writer;
use crate::process;
use crate::report::baseline_seed::{Begun, Committed, Shown};
use crate::voice::{Fail, Say, Voice};

/// The envelope's name for all of them.
const COMMAND: &str = "baseline-seed";

/// Draw a baseline from existing code
#[derive(clap::Args)]
#[command(disable_help_subcommand = true)]
pub(super) struct BaselineSeed {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Begin(BeginRun),
    Commit(CommitRun),
    Status(Status),
}

impl BaselineSeed {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        match self.command {
            Command::Begin(begin) => {
                let format = Format::of(begin.format.as_deref());
                finish(ctx, COMMAND, format, begin.begin(ctx))
            }
            Command::Commit(commit) => {
                let format = Format::of(commit.format.as_deref());
                finish(ctx, COMMAND, format, commit.commit(ctx))
            }
            Command::Status(status) => {
                let format = Format::of(status.format.as_deref());
                finish(ctx, COMMAND, format, status.status(ctx))
            }
        }
    }
}

/// Issue a run for the documents that a manifest names
///
/// The producer puts them into the run's staging folder; `baseline-seed commit` takes them from there. An earlier open run
/// of the module is superseded.
#[derive(clap::Args)]
struct BeginRun {
    /// The module, which has to be adopted
    #[arg(long, value_name = "ID")]
    module: Option<Option<String>>,
    /// What is to come: a JSON file with `expected`, a list of `kind`, `target_path` and `candidate_keys`
    #[arg(long, value_name = "FILE")]
    manifest: Option<Option<String>>,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    #[command(flatten)]
    unknown: Unknown,
}

/// Write the staged documents of a run
///
/// All of them or none: an incomplete set only makes the module partial. Candidates that are no longer found stay as
/// tombstones.
#[derive(clap::Args)]
struct CommitRun {
    /// The module, which has to be adopted
    #[arg(long, value_name = "ID")]
    module: Option<Option<String>>,
    /// The run, as `baseline-seed begin` named it
    #[arg(long, value_name = "ID")]
    run_id: Option<Option<String>>,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    #[command(flatten)]
    unknown: Unknown,
}

/// Show how far the last open run of a module is
#[derive(clap::Args)]
struct Status {
    /// The module
    #[arg(long, value_name = "ID")]
    module: Option<Option<String>>,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    #[command(flatten)]
    unknown: Unknown,
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Usage(#[from] Usage),
    #[error(transparent)]
    Seed(#[from] baseline::Error),
    #[error(transparent)]
    Locks(module_locks::Error),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

through_trouble!(Error);

impl From<module_locks::Error> for Error {
    fn from(error: module_locks::Error) -> Self {
        match error {
            module_locks::Error::Held(held) => Self::Seed(baseline::Error::Locked(held)),
            module_locks::Error::Unsettled(error) => Self::Seed(error.into()),
            error @ (module_locks::Error::NoNonce(_)
            | module_locks::Error::Lock(_)
            | module_locks::Error::Trouble(_)) => Self::Locks(error),
        }
    }
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Usage(error) => error.say(voice),
            Self::Seed(error) => error.say(voice),
            Self::Locks(error) => error.say(voice),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Usage(error) => error.code(),
            Self::Seed(error) => error.code(),
            Self::Locks(error) => error.code(),
            Self::Trouble(error) => error.code(),
        }
    }
}

/// The value of an option; one without a value is as good as none (logos-project.md 10.7).
fn given(option: Option<&Option<String>>) -> Option<&str> {
    option.and_then(Option::as_deref)
}

fn locked(ctx: &Context, writer: &Writer, module: &str) -> Result<ModuleLocks, Error> {
    let modules = BTreeSet::from([module.to_owned()]);
    Ok(module_locks::take(ctx, writer, &modules)?)
}

impl BeginRun {
    fn begin(&self, ctx: &Context) -> Result<Begun, Error> {
        self.unknown.refuse()?;
        let module = begin::module_id(given(self.module.as_ref()))?;
        // One that cannot be read is as good as none: the contract has one code for both.
        let read = |path: &str| std::fs::read(ctx.cwd.join(Path::new(path))).ok();
        let manifest = given(self.manifest.as_ref()).and_then(read);
        let writer = ctx.writer("baseline-seed begin")?;
        let checked = Begin::check(&writer.tree(), module, manifest.as_deref())?;
        let _locks = locked(ctx, &writer, module)?;
        let begun = checked.issue(&writer.tree(), module_locks::nonce()?, ctx.now)?;
        writer.apply_together(&begun.writes)?;
        Ok(Begun(begun))
    }
}

impl CommitRun {
    fn commit(&self, ctx: &Context) -> Result<Committed, Error> {
        self.unknown.refuse()?;
        let (module, run_id) = commit::ids(given(self.module.as_ref()), given(self.run_id.as_ref()))?;
        let writer = ctx.writer("baseline-seed commit")?;
        commit::check(&writer.tree(), module, run_id)?;
        let _locks = locked(ctx, &writer, module)?;
        let outcome = commit::plan(&writer.tree(), module, run_id, ctx.now)?;
        if let Err(error) = writer.apply(&outcome.writes.edits) {
            // If this fails too, the journal stays and the next run ends the commit.
            writer.apply(&outcome.writes.undo)?;
            return Err(error.into());
        }
        Ok(Committed {
            module: module.to_owned(),
            run_id: run_id.to_owned(),
            outcome,
        })
    }
}

impl Status {
    fn status(&self, ctx: &Context) -> Result<Shown, Error> {
        self.unknown.refuse()?;
        let module = begin::module_id(given(self.module.as_ref()))?;
        let tree = ctx.work_tree().map_err(Trouble::from)?;
        if journal::unfinished(&tree, Some(module))?.is_empty() {
            return Ok(Shown(Progress::read(&tree, module, ctx.now)?));
        }
        if let Some(held) = lock::held(&tree, &process::is_alive)?.remove(module) {
            return Err(baseline::Error::CommitInProgress(held).into());
        }
        let writer = ctx.writer("baseline-seed status")?;
        let _locks = match locked(ctx, &writer, module) {
            // Taken since it was looked at.
            Err(Error::Seed(baseline::Error::Locked(held))) => {
                return Err(baseline::Error::CommitInProgress(held).into());
            }
            locks => locks?,
        };
        Ok(Shown(Progress::read(&writer.tree(), module, ctx.now)?))
    }
}
