//! `silly run`: one step of a stage (silly.md 5).

use std::time::Duration;

use super::super::archive::commit_plan;
use super::super::{Context, Exit};
use super::error::Error;
use super::store::{Store, failed};
use super::tell;
use crate::archive::ArchivePlan;
use crate::files::{RepoPath, Tree, WorkTree, make_folder, walk};
use crate::report::silly::run::Ran;
use crate::silly::archive::Move;
use crate::silly::left_behind::{has_metadata_rule, without_metadata};
use crate::silly::run::{self, Action, Outcome, Request};
use crate::silly::stage::Stage;
use crate::silly::{Refused, layout};

/// Work through the steps of a stage
///
/// Shows the step that is next; `--done` completes it. `auto` stands for the first stage of the way that is not completed.
#[derive(clap::Args)]
pub(super) struct Run {
    /// scan, brainstorm, propose, plan, execute, verify, archive, quick, explore, status, doctor or auto
    #[arg(value_name = "STAGE")]
    stage: Option<String>,
    /// Complete the step
    #[arg(long)]
    done: bool,
    /// Leave out a step that is optional
    #[arg(long, conflicts_with = "done")]
    skip: bool,
    /// Only show where the stage stands
    #[arg(long, conflicts_with_all = ["done", "skip"])]
    status: bool,
    /// Begin the stage again
    #[arg(long, conflicts_with_all = ["done", "skip", "status"])]
    reset: bool,
    /// Move the change to the archive
    #[arg(long)]
    confirm: bool,
    /// Archive a change that is not finished
    #[arg(long)]
    force: bool,
    /// Do not ask for the approval
    #[arg(long)]
    skip_approval: bool,
    /// What came of the step
    #[arg(long, value_name = "TEXT")]
    output: Option<String>,
    /// What the user said
    #[arg(long, value_name = "TEXT")]
    input: Option<String>,
    /// The change
    #[arg(long, value_name = "NAME")]
    change: Option<String>,
    /// Exit with 2 when the stage has not left what it should
    #[arg(long)]
    strict: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// How long ago a file may have been written to be judged.
const RECENT: Duration = Duration::from_secs(600);

impl Run {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let done = match self.status {
            true => self.look(ctx),
            false => self.advance(ctx),
        };
        tell(ctx, self.json, done)
    }

    fn request<'a>(&'a self, ctx: &Context) -> Result<Request<'a>, Refused> {
        let name = self.stage.as_deref().unwrap_or_default();
        let stage = match name {
            "auto" => None,
            name => Some(Stage::runnable(name).ok_or_else(|| Refused::UnknownStage(name.to_owned()))?),
        };
        let action = match (self.done, self.skip, self.reset) {
            (true, _, _) => Action::Done,
            (_, true, _) => Action::Skip,
            (_, _, true) => Action::Reset,
            _ => Action::Show,
        };
        Ok(Request {
            stage,
            action,
            change: self.change.as_deref(),
            confirm: self.confirm,
            force: self.force,
            skip_approval: self.skip_approval,
            output: self.output.as_deref(),
            input: self.input.as_deref(),
            now: ctx.now,
        })
    }

    fn advance(&self, ctx: &Context) -> Result<Ran, Error> {
        let asked = self.request(ctx)?;
        let store = Store::of(ctx)?;
        let tree = store.tree();
        let name = store.name();
        let mut outcome = store.make_or_change::<_, Error>(|rows| {
            let outcome = run::run(rows, &tree, &asked, &name)?;
            // Before the rows are kept: they must not name what is nowhere.
            write_beside(&store, &outcome)?;
            Ok(outcome)
        })?;
        if let Some(words) = &outcome.words {
            store.note_words(words)?;
        }
        if outcome.completed {
            let written = recent(&tree)?;
            outcome.notes.extend(without_metadata(&tree, &written)?);
        }
        Ok(Ran {
            outcome,
            strict: self.strict,
        })
    }

    fn look(&self, ctx: &Context) -> Result<Ran, Error> {
        let asked = self.request(ctx)?;
        let store = Store::of(ctx)?;
        let tree = store.tree();
        let found = store.read(|rows| run::look(rows, &tree, &asked))?;
        let outcome = found.ok_or(Refused::NotInitialised)?;
        Ok(Ran {
            outcome,
            strict: false,
        })
    }
}

fn write_beside(store: &Store<'_>, outcome: &Outcome) -> Result<(), Error> {
    if let (Some(change), true) = (&outcome.change, outcome.makes_folder) {
        let folder = super::place::inside(&store.root, &layout::change(change))?;
        make_folder(&folder).map_err(|source| failed(&folder, source))?;
    }
    if let Some((stem, text)) = &outcome.artifact {
        store.keep(&layout::artifacts(), stem, "txt", text.as_bytes())?;
    }
    match (&outcome.archive, &outcome.change) {
        (Some(moved), Some(change)) => archive(store, moved, change),
        _ => Ok(()),
    }
}

/// Moves the folder; in a repository that is a commit of its own.
fn archive(store: &Store<'_>, moved: &Move, change: &str) -> Result<(), Error> {
    let writer = store.writer("silly run archive")?;
    let mut transaction = writer.begin();
    transaction.move_dir(&moved.from, &moved.to);
    let Some((repository, prefix)) = store.repository()? else {
        transaction.commit()?;
        return Ok(());
    };
    let plan = ArchivePlan {
        from: moved.from.clone(),
        to: moved.to.clone(),
        guard: None,
    };
    let told = |error: crate::change::gate::Refused| Refused::Commit(error.to_string());
    let commit = commit_plan(repository, &prefix, &plan).map_err(told)?;
    transaction.announce(commit.announced().iter().filter_map(|p| p.strip_prefix(&prefix)));
    let subject = format!("chore({change}): archive change");
    transaction.commit_then(|_| -> Result<(), Error> {
        if !commit.is_empty() {
            repository.commit(&commit, &subject, &[(crate::git::SPEC_CHANGE, change)])?;
        }
        Ok(())
    })
}

/// The documents of changes that were written a moment ago.
fn recent(tree: &WorkTree) -> Result<Vec<RepoPath>, Error> {
    if tree.entry(&layout::changes())?.is_none() {
        return Ok(Vec::new());
    }
    let is_recent = |path: &RepoPath| {
        let modified = path
            .on_disk(tree.root())
            .metadata()
            .and_then(|meta| meta.modified());
        // A file that is gone by now was not left behind.
        modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age <= RECENT))
    };
    let all = walk(tree, &layout::changes())?;
    Ok(all
        .into_iter()
        .filter(|path| has_metadata_rule(path) && is_recent(path))
        .collect())
}
