//! `silly`: a project with `.sillyspec/` (silly.md). The commands and their arguments are those that other programs of
//! such projects know.

mod error;
mod parse;
mod place;
mod quicklog;

use serde::Serialize;

use super::{Context, Exit, fail, print_line, settle};
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
    Glob(parse::Glob),
    Knowledge(parse::Knowledge),
    Modules(parse::Modules),
    Parse(parse::Parse),
    Quicklog(quicklog::Quicklog),
}

impl Silly {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        ctx.speak_plainly();
        match self.command {
            Command::DetectLocal(command) => answer(ctx, command.run(ctx)),
            Command::Glob(command) => answer(ctx, command.run()),
            Command::Knowledge(command) => answer(ctx, command.run(ctx)),
            Command::Modules(command) => answer(ctx, command.run(ctx)),
            Command::Parse(command) => command.run(ctx),
            Command::Quicklog(command) => answer(ctx, command.run(ctx)),
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

/// JSON without an envelope: the answers of this family are shapes of their own.
fn json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers are always JSON")
}
