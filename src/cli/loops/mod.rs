//! `loop`: the state of a driver's loop, its gate state, and the guards of its tool calls (loop.md).

mod artifact;
mod change;
mod complete;
mod confirm;
mod guard;
mod health;
mod look;
mod place;

use super::{Context, Exit, complain, complain_in_json, print_line, print_text, settle};
use crate::loops::Error;
use crate::report::Answer;
use crate::report::loops::failure;
use crate::voice::{Fail, Say};

pub(super) use health::{Illness, look, mend};

/// Judge and change the state of a driver's loop
///
/// The state is .claude/loop-claudecode/state.json; what decides about its end lies below the git directory, where a
/// driver cannot change it unseen. Every command takes --json for one line of JSON.
#[derive(clap::Args)]
#[command(disable_help_subcommand = true)]
pub(super) struct Loop {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Approve(confirm::Approve),
    Artifact(artifact::Artifact),
    Complete(complete::Complete),
    Confirm(confirm::Confirm),
    Fail(change::Fail),
    Guard(guard::Guard),
    Init(change::Init),
    Pause(change::Pause),
    Route(change::Route),
    Show(look::Show),
    Summary(look::Summary),
    Transition(change::Transition),
    Validate(look::Validate),
}

impl Loop {
    pub(super) fn run(self, context: &Context) -> Exit {
        // For the language of a project its repository would be opened.
        context.speak_plainly();
        match self.command {
            Command::Approve(command) => command.run(context),
            Command::Artifact(command) => command.run(context),
            Command::Complete(command) => command.run(context),
            Command::Confirm(command) => command.run(context),
            Command::Fail(command) => command.run(context),
            Command::Guard(command) => command.run(context),
            Command::Init(command) => command.run(context),
            Command::Pause(command) => command.run(context),
            Command::Route(command) => command.run(context),
            Command::Show(command) => command.run(context),
            Command::Summary(command) => command.run(context),
            Command::Transition(command) => command.run(context),
            Command::Validate(command) => command.run(context),
        }
    }
}

/// Prints an answer or an error; documents of this group have no envelope.
fn tell<A: Answer>(context: &Context, json: bool, result: Result<A, Error>) -> Exit {
    let voice = context.voice();
    match result {
        Ok(answer) => {
            let written = if json {
                serde_json::to_string(&answer.data(voice))
                    .map_err(std::io::Error::other)
                    .and_then(|line| print_line(&line))
            } else {
                print_text(context, &answer)
            };
            settle(written, answer.exit())
        }
        Err(error) => {
            if json {
                complain_in_json(&failure(&error, voice));
            } else {
                complain(&format!("Error [{}]: {}", error.code(), error.say(voice)));
            }
            Exit::Failed
        }
    }
}
