//! `silly`: a project with `.sillyspec/` (silly.md). The commands and their arguments are those that other programs of
//! such projects know.

mod doctor;
mod error;
mod guard;
mod impact;
mod init;
mod lint;
mod parse;
mod place;
mod progress;
mod quicklog;
mod run;
mod split;
mod status;
mod store;
mod sync_docs;
mod worktree;

use serde::Serialize;

use super::{Context, Exit, fail, print_line, print_text, settle};
use crate::report::Answer;
use crate::voice::Say;
use error::Error;

/// Work in a project with .sillyspec/
///
/// The machinery of its file lifecycle: database, stages, gate, work trees, archive and checks.
#[derive(clap::Args)]
#[command(disable_help_subcommand = true)]
pub(super) struct Silly {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    #[command(name = "detect-local")]
    DetectLocal(parse::DetectLocal),
    Doctor(doctor::Doctor),
    Glob(parse::Glob),
    Guard(guard::Guard),
    Impact(impact::Impact),
    Init(init::Init),
    Knowledge(parse::Knowledge),
    Lint(lint::Lint),
    Modules(parse::Modules),
    Parse(parse::Parse),
    Progress(progress::Progress),
    Quicklog(quicklog::Quicklog),
    Run(run::Run),
    Split(split::Split),
    Status(status::Status),
    #[command(name = "sync-docs")]
    SyncDocs(sync_docs::SyncDocs),
    Worktree(worktree::Worktree),
}

impl Silly {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        ctx.speak_plainly();
        match self.command {
            Command::DetectLocal(command) => answer(ctx, command.run(ctx)),
            Command::Doctor(command) => tell(ctx, command.json, command.run(ctx)),
            Command::Glob(command) => answer(ctx, Ok(command.run())),
            Command::Guard(_) => guard::run(ctx),
            Command::Impact(command) => tell(ctx, command.json, command.run(ctx)),
            Command::Init(command) => tell(ctx, command.json, command.run(ctx)),
            Command::Knowledge(command) => answer(ctx, command.run(ctx)),
            Command::Lint(command) => tell(ctx, command.json, command.run(ctx)),
            Command::Modules(command) => answer(ctx, command.run(ctx)),
            Command::Parse(command) => command.run(ctx),
            Command::Progress(command) => command.run(ctx),
            Command::Quicklog(command) => answer(ctx, command.run(ctx)),
            Command::Run(command) => command.run(ctx),
            Command::Split(command) => tell(ctx, command.json, command.run(ctx)),
            Command::Status(command) => tell(ctx, command.json, status::status(ctx)),
            Command::SyncDocs(command) => tell(ctx, command.json, command.run(ctx)),
            Command::Worktree(command) => command.run(ctx),
        }
    }
}

/// Prints an answer that is JSON in any case, or tells the error.
fn answer(ctx: &Context, result: Result<impl Serialize, Error>) -> Exit {
    match result {
        Ok(answer) => settle(print_line(&json(&answer)), Exit::Done),
        Err(error) => fail(ctx, "silly", super::Format::Text, &error),
    }
}

/// Prints an answer as text or as JSON, or tells the error.
fn tell<A: Answer>(ctx: &Context, as_json: bool, result: Result<A, Error>) -> Exit {
    match result {
        Ok(answer) if as_json => settle(print_line(&json(&answer.data(ctx.voice()))), answer.exit()),
        Ok(answer) => settle(print_text(ctx, &answer), answer.exit()),
        Err(error) => {
            let format = if as_json {
                super::Format::Json
            } else {
                super::Format::Text
            };
            fail(ctx, "silly", format, &error)
        }
    }
}

/// JSON without an envelope: the answers of this family are shapes of their own.
fn json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers are always JSON")
}

/// What `silly doctor` finds; none where there is no `.sillyspec/`. An error in its words.
pub(super) fn findings(ctx: &Context) -> Option<Result<Vec<doctor::Finding>, String>> {
    is_here(ctx).then(|| doctor::examine(ctx).map_err(|error| error.say(ctx.voice())))
}

/// What `silly doctor --fix` does; what it could not do, in words.
pub(super) fn mend(ctx: &Context) -> Vec<String> {
    if !is_here(ctx) {
        return Vec::new();
    }
    match doctor::mend(ctx) {
        Ok(mended) => mended.failed(ctx.voice()),
        Err(error) => vec![error.say(ctx.voice())],
    }
}

fn is_here(ctx: &Context) -> bool {
    place::root(ctx).join(crate::worktree::SILLY).is_dir()
}
